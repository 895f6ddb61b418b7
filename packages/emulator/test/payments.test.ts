import { Amount } from "@effect-custody/core"
import { assert, describe, it } from "@effect/vitest"
import { CustodyEmulator } from "@effect-custody/emulator"
import { Clients, FiatGateway, PaymentOrders, Transactions, Wallets } from "@effect-custody/sdk"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"

const inProcess = Effect.provide(CustodyEmulator.layer)

const amount = Amount.fromStringUnsafe
const written = (value: Amount.Amount | undefined) => (value === undefined ? undefined : Amount.format(value))

describe("a payment order", () => {
  const ask = (input: Partial<Parameters<typeof PaymentOrders.create>[0]> = {}) =>
    PaymentOrders.create({ amount: amount("99.90"), currency: "EUR", clientId: "alice", ...input })

  it.effect("with an asset has a link, a wallet of the client, and the amount in the asset", () =>
    Effect.gen(function* () {
      yield* Clients.create({ externalId: "alice" })
      const order = yield* ask({ assetId: "usdc" })
      assert.match(order.paymentLink ?? "", /^https:/)
      // 99.90 EUR at 0.92 EUR per USDC, rounded up to its six decimals.
      assert.strictEqual(written(order.assetAmount), "108.586957")
      const wallet = yield* Wallets.get({ walletId: order.walletId! })
      assert.deepStrictEqual([wallet.clientId as string, wallet.address], ["alice", order.address])
    }).pipe(inProcess)
  )

  it.effect("without an asset gets one later, once", () =>
    Effect.gen(function* () {
      const { payOrder } = yield* CustodyEmulator
      yield* Clients.create({ externalId: "alice" })
      const { assetId, id: orderId, walletId } = yield* ask()
      assert.deepStrictEqual([assetId, walletId], [undefined, undefined])
      assert.match((yield* Effect.flip(payOrder(orderId))).message, /has no asset/)
      const chosen = yield* PaymentOrders.selectAsset({ orderId, assetId: "usdc-polygon" })
      assert.deepStrictEqual([chosen.assetId as string, chosen.networkId as string], ["usdc-polygon", "polygon"])
      const again = yield* Effect.flip(PaymentOrders.selectAsset({ orderId, assetId: "usdc" }))
      assert.deepInclude(again, { status: 400, code: "E57005" })
    }).pipe(inProcess)
  )

  it.effect("is completed by a payment, and the money arrives", () =>
    Effect.gen(function* () {
      const { payOrder } = yield* CustodyEmulator
      yield* Clients.create({ externalId: "alice" })
      const { id, walletId } = yield* ask({ amount: amount("5"), currency: "USD", assetId: "usdc" })
      const awaited = yield* Effect.forkChild(PaymentOrders.awaitFinal(id), { startImmediately: true })
      const { transactionId } = yield* payOrder(id)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* Fiber.join(awaited)).status, "COMPLETED")
      assert.strictEqual(written((yield* Wallets.balance({ walletId: walletId!, assetId: "usdc" })).balance), "5")
      assert.strictEqual((yield* Transactions.get({ transactionId })).type, "INCOMING")
      assert.match((yield* Effect.flip(payOrder(id))).message, /not pending/)
    }).pipe(inProcess)
  )

  it.effect("is cancelled while it is pending, and only then", () =>
    Effect.gen(function* () {
      const { ledger, payOrder } = yield* CustodyEmulator
      yield* Clients.create({ externalId: "alice" })
      const cancelled = yield* ask({ assetId: "usdc" })
      const paid = yield* ask({ assetId: "usdc" })
      assert.strictEqual((yield* PaymentOrders.cancel({ orderId: cancelled.id })).status, "CANCELLED")
      yield* payOrder(paid.id)
      for (const orderId of [cancelled.id, paid.id]) {
        assert.deepInclude(yield* Effect.flip(PaymentOrders.cancel({ orderId })), { status: 400, code: "E57004" })
        const select = PaymentOrders.selectAsset({ orderId, assetId: "usdc" })
        assert.deepInclude(yield* Effect.flip(select), { status: 400, code: "E57004" })
      }
      assert.match((yield* Effect.flip(payOrder(cancelled.id))).message, /not pending/)
      const cancels = (yield* ledger).filter(({ operation }) => operation === "paymentOrders.cancel")
      assert.strictEqual(cancels.length, 1)
      const pending = yield* PaymentOrders.list({ status: "PENDING" })
      assert.strictEqual(pending.items.length, 0)
      assert.strictEqual((yield* PaymentOrders.list({ clientId: "alice", sortKey: "status" })).items.length, 2)
    }).pipe(inProcess)
  )

  it.effect("for a missing client, asset or currency is refused", () =>
    Effect.gen(function* () {
      assert.deepInclude(yield* Effect.flip(ask()), { _tag: "NotFound", code: "E57002" })
      yield* Clients.create({ externalId: "alice" })
      assert.deepInclude(yield* Effect.flip(ask({ assetId: "doge" })), { _tag: "NotFound", code: "E57003" })
      assert.deepInclude(yield* Effect.flip(ask({ currency: "XXX" })), { _tag: "ValidationFailed" })
      assert.deepInclude(yield* Effect.flip(PaymentOrders.get({ orderId: "none" })), { code: "E57001" })
    }).pipe(inProcess)
  )
})

describe("the fiat gateway", () => {
  const deposited = Effect.fnUntraced(function* (sum = "250") {
    const { payLink } = yield* CustodyEmulator
    yield* Clients.create({ externalId: "alice" })
    const link = yield* FiatGateway.createPaymentLink({ clientId: "alice", amount: amount(sum), currency: "EUR" })
    return { link, ...(yield* payLink(link.id)) }
  })

  it.effect("has links that can be paid once, and expire unpaid", () =>
    Effect.gen(function* () {
      const { payLink } = yield* CustodyEmulator
      const { link, transactionId } = yield* deposited()
      const paid = yield* FiatGateway.getPaymentLink({ linkId: link.id })
      assert.deepStrictEqual([paid.status, paid.transactionId as string], ["COMPLETED", transactionId])
      assert.match((yield* Effect.flip(payLink(link.id))).message, /COMPLETED/)
      const other = yield* FiatGateway.createPaymentLink({ clientId: "alice", amount: amount("1"), currency: "USD" })
      yield* TestClock.adjust("1 day")
      assert.strictEqual((yield* FiatGateway.getPaymentLink({ linkId: other.id })).status, "EXPIRED")
      assert.match((yield* Effect.flip(payLink(other.id))).message, /EXPIRED/)
      const expired = yield* FiatGateway.listPaymentLinks({ clientId: "alice", status: "EXPIRED" })
      assert.strictEqual(expired.items.length, 1)
    }).pipe(inProcess)
  )

  it.effect("refunds a deposit in parts, never above its total", () =>
    Effect.gen(function* () {
      const { transactionId } = yield* deposited("250")
      const refund = (sum?: string) =>
        FiatGateway.refund({ transactionId, ...(sum === undefined ? {} : { amount: amount(sum) }) })
      assert.strictEqual(written((yield* refund("100")).amount), "100")
      assert.deepInclude(yield* Effect.flip(refund("150.01")), { status: 400, code: "E58005" })
      assert.strictEqual((yield* Transactions.get({ transactionId })).extra["refundedAmount"], "100")
      assert.strictEqual(written((yield* refund()).amount), "150")
      assert.deepInclude(yield* Effect.flip(refund("0.01")), { status: 400, code: "E58004" })
      assert.deepInclude(yield* Effect.flip(refund()), { status: 400, code: "E58004" })
    }).pipe(inProcess)
  )

  it.effect("refunds only deposits", () =>
    Effect.gen(function* () {
      const { fund } = yield* CustodyEmulator
      yield* Clients.create({ externalId: "alice" })
      const { transactionId } = yield* fund({ clientId: "alice", assetId: "usdc", amount: "5" })
      assert.deepInclude(yield* Effect.flip(FiatGateway.refund({ transactionId })), { status: 400, code: "E58004" })
      const none = FiatGateway.refund({ transactionId: "none" })
      assert.deepInclude(yield* Effect.flip(none), { _tag: "NotFound", code: "E58003" })
      const wrong = { clientId: "alice", amount: amount("1"), currency: "USD", method: "CASH" }
      assert.deepInclude(yield* Effect.flip(FiatGateway.createPaymentLink(wrong)), { _tag: "ValidationFailed" })
    }).pipe(inProcess)
  )
})
