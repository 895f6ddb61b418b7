/** Most of what the emulator does in process: an expiry, lists, an upload, a payment to its end. */
import { CustodyEmulator } from "@effect-custody/emulator"
import { Amount, Clients, Tokens, Transactions, Upload, Vaults } from "@effect-custody/sdk"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

const program = Effect.gen(function* () {
  const emulator = yield* CustodyEmulator
  yield* Vaults.details()
  yield* emulator.expireTokens
  yield* Clients.create({ externalId: "alice" })
  yield* emulator.fund({ clientId: "alice", assetId: "usdc", amount: "100" })
  const payout = { clientId: "alice", assetId: "usdc", to: "0x52908400098527886E0F7030069857D2E4169EE7" }
  const { id } = yield* Transactions.send({ ...payout, amount: Amount.of("12.50") })
  const { status } = yield* Transactions.awaitFinal(id)
  const logo = Upload.fromBytes({ name: "logo.svg", contentType: "image/svg+xml", bytes: new Uint8Array(9) })
  yield* Tokens.create({ type: "SECURITY", name: "Acme bond", symbol: "ACME", networkId: "ethereum", logo })
  yield* Stream.runCollect(Transactions.stream({ clientId: "alice" }))
  yield* Console.log(status)
}).pipe(Effect.provide(CustodyEmulator.layerWith({ durations: { pendingFor: 0, broadcastingFor: 0 } })))

await Effect.runPromise(program)
