/** Calls of an emulator that go wrong, with the secrets that it has issued. */
import { ApiKeySource, TokenStore } from "@effect-custody/authentication"
import { RetryPolicy, TokenService } from "@effect-custody/core"
import { CustodyEmulator, Fault } from "@effect-custody/emulator"
import { Custody } from "@effect-custody/sdk"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { TestClock } from "effect/testing"
import { format } from "../../packages/emulator/src/internal/control/consoleLine.ts"
import { printed, seen, type Sinks } from "./sinks.ts"
import { calls, effectOf, inTime, secretsWith } from "./world.ts"

const faults: ReadonlyArray<Fault.Fault> = [
  Fault.answerLost(),
  Fault.serverError(),
  Fault.rateLimited("3 seconds"),
  Fault.truncated(20),
  Fault.answered({ status: 498, body: { status: 498, message: "Token expired", code: "E40003" } })
]

/** A call with a fault of its own and of the refresh that may follow. */
const world = (call: string, fault: Fault.Fault) =>
  Effect.suspend(() => {
    const secrets = new Set<string>()
    const know = (all: ReadonlyArray<Redacted.Redacted>) => all.forEach((one) => secrets.add(Redacted.value(one)))
    return Effect.map(
      seen((add) =>
        Effect.gen(function* () {
          const emulator = yield* CustodyEmulator
          const next = Effect.asSome(Effect.tap(emulator.issueApiKey(), (key) => Effect.sync(() => know([key]))))
          const client = Custody.layer({ environment: emulator.environment, retry: RetryPolicy.none }).pipe(
            Layer.provide([TokenStore.layerMemory, Layer.succeed(ApiKeySource, { next: () => next })])
          )
          yield* Effect.gen(function* () {
            const tokens = yield* TokenService
            yield* tokens.current
            know(yield* tokens.secrets)
            yield* emulator.faults.next("*", fault, { times: 2 })
            yield* Effect.exit(effectOf(call, secretsWith("apiKey", [...secrets][0]!)))
            know(yield* tokens.secrets)
            add("TokenService.status", printed(yield* tokens.status))
          }).pipe(
            Effect.provide(client),
            inTime,
            Effect.ensuring(
              Effect.map(emulator.received, (received) => {
                add("what an emulator received", printed(received))
                add("the console line of an emulator", received.map(format).join("\n"))
              })
            )
          )
        }).pipe(Effect.provide([CustodyEmulator.layerHttpClient]), Effect.provide(TestClock.layer()))
      ),
      ({ sinks }): { readonly sinks: Sinks; readonly secrets: ReadonlyArray<string> } => ({
        sinks,
        secrets: [...secrets]
      })
    )
  })

/** Every call with every fault. */
export const emulated = calls.flatMap((call) =>
  faults.map((fault) => ({ where: `an emulator: ${call}, ${fault.name}`, run: world(call, fault) }))
)
