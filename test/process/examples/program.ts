/** An example as a process of its own, against an emulator in this one. */
import { TokenStore } from "@effect-custody/authentication"
import { CustodyEmulator } from "@effect-custody/emulator"
import { NodeCustody } from "@effect-custody/node"
import { Clients, Custody } from "@effect-custody/sdk"
import { Effect, Layer, Redacted } from "effect"
import { spawn } from "node:child_process"
import * as Path from "node:path"

const examples = Path.resolve(import.meta.dirname, "../../../examples")

/** What a program is configured with to reach the emulator. */
export const environmentOf = Effect.fnUntraced(function* () {
  const emulator = yield* CustodyEmulator
  return {
    CUSTODY_BASE_URL: emulator.baseUrl,
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
  yield* Effect.provide(Clients.create({ id: clientId }), client, { local: true })
  yield* fund({ clientId, assetId: "usdc", amount: "1000" })
})

const inherited = { PATH: process.env["PATH"], NO_COLOR: "1" }

/** Starts a program of the examples, or the one at an absolute path; it is killed with the scope, if it is still there. */
export const start = (
  [program, ...args]: readonly [program: string, ...args: ReadonlyArray<string>],
  env: Readonly<Record<string, string>>
) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn(process.execPath, [Path.resolve(examples, program), ...args], {
        env: { ...inherited, ...env },
        stdio: ["ignore", "pipe", "pipe"]
      })
      let said = ""
      const ended = new Promise<number | null>((resolve) => child.once("close", resolve))
      const saying = (pattern: RegExp) =>
        new Promise<string>((resolve, reject) => {
          const look = () => {
            const found = pattern.exec(said)
            if (found !== null) resolve(found[1] ?? found[0])
          }
          child.stdout.on("data", look)
          void ended.then((code) => reject(new Error(`it ended with ${code}:\n${said}`)))
          look()
        })
      for (const output of [child.stdout, child.stderr]) output.on("data", (chunk) => (said += chunk))
      return {
        kill: (signal: NodeJS.Signals) => Effect.sync(() => child.kill(signal)),
        /** Its exit code. */
        ended: Effect.promise(() => ended),
        /** What it has said so far. */
        said: Effect.sync(() => said),
        /** The first group of a pattern, when it has said that. */
        saying: (pattern: RegExp) => Effect.promise(() => saying(pattern))
      }
    }),
    ({ ended, kill }) => Effect.andThen(kill("SIGKILL"), ended)
  )

const send = async (url: string, method: string, body: object | undefined) => {
  const response = await fetch(url, {
    method,
    ...(body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) })
  })
  return { status: response.status, body: (await response.json()) as any }
}

/** A request to a server that an example has started. */
export const request = (url: string, method = "GET", body?: object) => Effect.promise(() => send(url, method, body))

/** How often money has moved, by the service's own books. */
export const sends = Effect.gen(function* () {
  const writes = yield* (yield* CustodyEmulator).ledger
  return writes.filter(({ operation }) => operation === "transactions.send").length
})

/** Waits until money has moved so many times. */
export const untilSent = (times: number) =>
  Effect.repeat(Effect.andThen(Effect.sleep("10 millis"), sends), { until: (sent) => sent === times })
