/** A real proxy: Tinyproxy, on a free port of the loopback until the scope ends. */
import * as Effect from "effect/Effect"
import { execFileSync, spawn } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import * as Net from "node:net"
import * as Path from "node:path"
import { freePort } from "./ports.ts"
import { temporaryDirectory } from "./sqlitePlace.ts"

/** `true` if this machine has a Tinyproxy. */
export const hasTinyproxy = (() => {
  try {
    execFileSync("tinyproxy", ["-v"], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
})()

/** The title of a test that needs it. */
export const withTinyproxy = (title: string): string =>
  hasTinyproxy ? title : `${title} (skipped: \`tinyproxy\` is not on the PATH)`

const accepts = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = Net.connect(port, "127.0.0.1", () => resolve(true))
    socket.on("error", () => resolve(false)).on("connect", () => socket.destroy())
  })

/** Starts a proxy that asks for this login. */
export const tinyproxy = Effect.fnUntraced(function* (login: { readonly user: string; readonly password: string }) {
  const directory = yield* temporaryDirectory
  const port = yield* freePort
  const log = Path.join(directory, "log")
  const config = Path.join(directory, "tinyproxy.conf")
  const settings = [
    `Port ${port}`,
    "Listen 127.0.0.1",
    "Timeout 60",
    `LogFile "${log}"`,
    "LogLevel Connect",
    `BasicAuth ${login.user} ${login.password}`
  ]
  writeFileSync(config, `${settings.join("\n")}\n`)
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => spawn("tinyproxy", ["-d", "-c", config], { stdio: "ignore" })),
    (proxy) => Effect.sync(() => proxy.kill("SIGKILL"))
  )
  yield* Effect.promise(async () => {
    while (!(await accepts(port))) {
      if (child.exitCode !== null) throw new Error(`tinyproxy has ended with ${child.exitCode}`)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  })
  return {
    port,
    /** The addresses to which it was asked for a tunnel, in order. */
    tunnels: () => [...readFileSync(log, "utf8").matchAll(/CONNECT (\S+) HTTP/g)].map(([, address]) => address),
    /** Kills it, which cuts its tunnels. */
    kill: () => child.kill("SIGKILL")
  }
})
