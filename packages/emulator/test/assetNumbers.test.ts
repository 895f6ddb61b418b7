import { ServiceContract } from "@effect-custody/contract"
import { Amount } from "@effect-custody/core"
import { CustodyEmulator } from "@effect-custody/emulator"
import { Assets, Clients, CustodyApi, Tokens, Transactions, Wallets } from "@effect-custody/sdk"
import { assert, it } from "@effect/vitest"
import { BigDecimal, Effect, Layer } from "effect"

/** Under the contract, a client sends every id as a number, and refuses a name. */
const contract = ServiceContract.layer({ defaults: { ids: "number", amounts: { minor: 8 } } }, CustodyApi)

it.effect("the assets and networks of the emulator have ids that a contract with numeric ids can send", () =>
  Effect.gen(function* () {
    const { fund, ledger } = yield* CustodyEmulator
    const { items } = yield* Assets.list()
    const { id: assetId, networkId } = items.find(({ symbol }) => symbol === "USDC")!
    assert.match(assetId, /^\d+$/)
    for (const id of ["17", "18"]) yield* Clients.create({ id })
    for (const id of [assetId, "usdc"]) yield* fund({ clientId: "17", assetId: id, amount: "10" })
    const { id } = yield* Transactions.send({
      clientId: "17",
      assetId,
      networkId: networkId!,
      to: "0x52908400098527886E0F7030069857D2E4169EE7",
      amount: Amount.of("2.5")
    })
    assert.strictEqual((yield* Transactions.get({ transactionId: id })).assetId, assetId)
    yield* Transactions.transfer({ fromClientId: "17", toClientId: "18", assetId, amount: Amount.of("1") })
    const [wallet] = (yield* Wallets.list({ clientId: "18", assetId })).items
    assert.strictEqual(wallet?.balance && BigDecimal.format(wallet.balance), "1")
    const [network] = (yield* Tokens.networks()).items
    yield* Tokens.create({ name: "A", symbol: "A", decimals: 2, networkId: network!.id, initialSupply: Amount.of("1") })
    assert.strictEqual((yield* ledger).at(-1)?.operation, "tokens.create")
  }).pipe(Effect.provide(CustodyEmulator.layer.pipe(Layer.provide(Layer.orDie(contract)))))
)
