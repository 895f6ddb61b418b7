/**
 * Payouts that are paid once: the answer to a payment is lost, the program ends, and another run of it orders the same
 * reference again. The ledger looks the payment up in the service's history, and sends nothing a second time.
 */
import { CustodyEmulator, Fault } from "@effect-custody/emulator"
import { LedgerSqlite, Payouts } from "@effect-custody/ledger"
import { Amount, Clients } from "@effect-custody/sdk"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, Effect, FileSystem, Layer, Path } from "effect"

const order = {
  clientId: "alice",
  assetId: "usdc",
  to: "0x52908400098527886E0F7030069857D2E4169EE7",
  amount: Amount.of("12.50")
}

/** One run of a program: it orders the payout, and works until the payout has ended. */
const run = (filename: string) =>
  Effect.raceFirst(Payouts.pay("invoice 7f3a", order), Payouts.run).pipe(
    Effect.andThen(({ state, transactionId }) => Console.log(`The payout is ${state}: transaction ${transactionId}.`)),
    Effect.provide(Payouts.layer({ pollInterval: "200 millis" }).pipe(Layer.provide(LedgerSqlite.layer({ filename }))))
  )

const program = Effect.gen(function* () {
  const emulator = yield* CustodyEmulator
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const filename = path.join(yield* fs.makeTempDirectoryScoped(), "ledger.db")
  yield* Clients.create({ externalId: "alice" })
  yield* emulator.fund({ clientId: "alice", assetId: "usdc", amount: "100" })
  yield* emulator.faults.next("transactions.send", Fault.answerLost())
  yield* run(filename)
  yield* run(filename)
  const sends = (yield* emulator.ledger).filter(({ operation }) => operation === "transactions.send").length
  yield* Console.log(`The service made ${sends} payment.`)
})

const emulated = CustodyEmulator.layerWith({ durations: { pendingFor: "200 millis", broadcastingFor: "200 millis" } })

program.pipe(Effect.scoped, Effect.provide([emulated, NodeServices.layer]), NodeRuntime.runMain)
