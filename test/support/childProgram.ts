/** Programs of this repository as processes of their own. */
import { TokenStore } from "@effect-custody/authentication"
import { CustodyEmulator } from "@effect-custody/emulator"
import { NodeCustody } from "@effect-custody/node"
import { Clients, Custody } from "@effect-custody/sdk"
import { Effect, Layer, Redacted } from "effect"
import { spawn } from "node:child_process"
import * as Path from "node:path"

const root = Path.resolve(import.meta.dirname, "../..")

/** The commands that the packages have. */
export const custody = Path.join(root, "packages/extensions/cli/bin/custody.mjs")
export const emulator = Path.join(root, "packages/emulator/bin/custody-emulator.mjs")

/** What a program is configured with to reach the emulator. */
export const environmentOf = Effect.fnUntraced(function* () {
  const emulator = yield* CustodyEmulator
  return {
    CUSTODY_BASE_URL: emulator.baseUrl,
    CUSTODY_ENVIRONMENT: "emulator",
    CUSTODY_API_KEY: Redacted.value(yield* emulator.issueApiKey()),
    EMULATOR_CONTROL: new URL("/emulator", emulator.baseUrl).href
  }
})

/** A client of the emulator's vault, with 1000 USDC. */
export const onboard = Effect.fnUntraced(function* (clientId: string) {
  const { environment, fund, issueApiKey } = yield* CustodyEmulator
  const client = Custody.layer({ environment, apiKey: yield* issueApiKey() }).pipe(
    Layer.provide([TokenStore.layerMemory, NodeCustody.layerHttpClient()])
  )
  yield* Effect.provide(Clients.create({ externalId: clientId }), client, { local: true })
  yield* fund({ clientId, assetId: "usdc", amount: "1000" })
})

export const inherited = { PATH: process.env["PATH"], NO_COLOR: "1" }

/** Starts a program, by its path or that of an example; it is killed with the scope, if it is still there. */
export const start = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}, cwd = root) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const [program = "", ...rest] = args
      const child = spawn(process.execPath, [Path.resolve(root, "examples", program), ...rest], {
        cwd,
        env: { ...inherited, ...env },
        stdio: ["ignore", "pipe", "pipe"]
      })
      let output = ""
      let errors = ""
      child.stderr.on("data", (chunk) => (errors += chunk))
      child.stdout.on("data", (chunk) => (output += chunk))
      const ended = new Promise<number | null>((resolve) => child.once("close", resolve))
      const saying = (pattern: RegExp) =>
        new Promise<string>((resolve, reject) => {
          const look = () => {
            const found = pattern.exec(output)
            if (found !== null) resolve(found[1] ?? found[0])
          }
          child.stdout.on("data", look)
          void ended.then((code) => reject(new Error(`it ended with ${code}:\n${output}${errors}`)))
          look()
        })
      return {
        kill: (signal: NodeJS.Signals) => Effect.sync(() => child.kill(signal)),
        /** Its exit code. */
        ended: Effect.promise(() => ended),
        /** What it has printed so far, and what of that to standard error. */
        said: Effect.sync(() => output + errors),
        errors: Effect.sync(() => errors),
        /** The first group of a pattern, when it has said that. */
        saying: (pattern: RegExp) => Effect.promise(() => saying(pattern)),
        result: Effect.promise(() => ended.then((code) => ({ code, output, errors })))
      }
    }),
    ({ ended, kill }) => Effect.andThen(kill("SIGKILL"), ended)
  )

/** The words of a command line. In a word, `~` is a space. */
export const words = (command: string): ReadonlyArray<string> =>
  command.split(" ").map((word) => word.replaceAll("~", " "))

/** Runs a program to its end. */
export const run = (...args: Parameters<typeof start>) =>
  Effect.scoped(Effect.flatMap(start(...args), ({ result }) => result))

/** An emulator in a process of its own: its address, and an API key of it. */
export const startEmulator = Effect.fnUntraced(function* (...flags: ReadonlyArray<string>) {
  const program = yield* start([emulator, "--quiet", ...flags])
  const baseUrl = yield* program.saying(/listening on (\S+)/)
  return { ...program, baseUrl, apiKey: yield* program.saying(/API key: (\S+)/) }
})

const send = async (url: string, method: string, body: object | undefined, headers: Record<string, string> = {}) => {
  const response = await fetch(url, {
    method,
    headers: body === undefined ? headers : { ...headers, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  const text = await response.text()
  return { status: response.status, body: (text === "" ? undefined : JSON.parse(text)) as any }
}

/** A request to a server that an example has started. */
export const request = (url: string, method = "GET", body?: object, headers?: Record<string, string>) =>
  Effect.promise(() => send(url, method, body, headers))

/** How often money has moved, by the service's own books. */
export const sends = Effect.gen(function* () {
  const writes = yield* (yield* CustodyEmulator).ledger
  return writes.filter(({ operation }) => operation === "transactions.send").length
})

/** Waits until money has moved so many times. */
export const untilSent = (times: number) =>
  Effect.repeat(Effect.andThen(Effect.sleep("10 millis"), sends), { until: (sent) => sent >= times })
