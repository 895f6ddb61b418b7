/**
 * Retry policies: a policy is a service, with a `Schedule` for each class of calls. A Layer gives it to a whole program,
 * `RetryPolicy.provide` to some calls. An emulator answers the first requests with 502; a schedule that would repeat a
 * write in doubt does not exist.
 */
import { CustodyEmulator, Fault } from "@effect-custody/emulator"
import { Amount, Clients, RetryPolicy, Transactions, Vaults } from "@effect-custody/sdk"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect, Layer, Schedule } from "effect"

/** Reads wait 100 ms, 200 ms, 400 ms, and so on: five times, within 10 seconds. */
const patient = RetryPolicy.makeUnsafe({
  read: { schedule: Schedule.exponential("100 millis").pipe(Schedule.upTo({ times: 5 })), deadline: "10 seconds" },
  write: { schedule: Schedule.spaced("100 millis").pipe(Schedule.upTo({ times: 5 })) }
})

/** The policy of a program is a Layer, as is every other service. */
const Patient = Layer.succeed(RetryPolicy.RetryPolicy, patient)

/** Runs a call while the service answers its first requests with 502, and prints how many requests there were. */
const attempt = Effect.fn("attempt")(function* <A, E extends { readonly _tag: string }, R>(
  what: string,
  operation: "vaults.details" | "transactions.send",
  call: Effect.Effect<A, E, R>
) {
  const emulator = yield* CustodyEmulator
  yield* emulator.faults.next(operation, Fault.serverError({ status: 502 }), { times: 3 })
  const before = (yield* emulator.counts).requests
  const end = yield* call.pipe(
    Effect.as("success"),
    Effect.catch(({ _tag }) => Effect.succeed(_tag))
  )
  yield* emulator.faults.clear
  yield* Console.log(`${what}: ${(yield* emulator.counts).requests - before} requests, ${end}.`)
})

const payout = Transactions.send({
  clientId: "alice",
  assetId: "usdc",
  to: "0x52908400098527886E0F7030069857D2E4169EE7",
  amount: Amount.of("1")
})

const program = Effect.gen(function* () {
  yield* Clients.create({ externalId: "alice" })
  yield* (yield* CustodyEmulator).fund({ clientId: "alice", assetId: "usdc", amount: "10" })
  yield* attempt("A read under the program's policy", "vaults.details", Vaults.details())
  yield* attempt("A read without retries", "vaults.details", RetryPolicy.provide(Vaults.details(), RetryPolicy.none))
  // 502 says nothing about the work: the payout may have been made, and no policy sends it again.
  yield* attempt("A payout under the program's policy", "transactions.send", payout)
})

program.pipe(Effect.provide(Layer.mergeAll(CustodyEmulator.layer, Patient)), NodeRuntime.runMain)
