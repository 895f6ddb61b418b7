import { Authentication } from "@effect-custody/authentication"
import { Amount, type CustodyClient, Environment, Upload } from "@effect-custody/core"
import {
  Assets,
  Clients,
  CustodyApi,
  FiatGateway,
  Nfts,
  PaymentOrders,
  Tokens,
  Transactions,
  Vaults,
  Wallets
} from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { accessToken } from "./vectors/corpus.ts"
import { clientOf } from "./vectors/run.ts"
import { transports } from "../support/clients/wireClient.ts"
import { header, json, type Received, wireServer } from "../support/servers/wireServer.ts"

/** A payload that has everything that any record promises. */
const thing = {
  id: "x-1",
  externalId: "x-1",
  address: "0x1",
  symbol: "X",
  decimals: 6,
  balance: "1",
  transactionCount: 1,
  status: "PENDING",
  accessToken: "a",
  refreshToken: "r"
}
const one = json(200, { message: "OK", data: thing, status: 200 })
const many = json(200, { message: "OK", data: [], status: 200 })

type Call = Effect.Effect<unknown, { readonly _tag: string }, CustodyClient>

/** A call, its answer, and what it sends: the request line, the body's type, the body. */
type Row = readonly [
  name: string,
  call: Call,
  answer: typeof one,
  line: string,
  type?: "application/json" | "multipart/form-data",
  body?: string
]

const JSON_ = "application/json"
const FORM = "multipart/form-data"

const amount = Amount.of("12.50")
const file = (name: string, contentType: string, text: string) =>
  Upload.fromBytes({ name, contentType, bytes: new TextEncoder().encode(text) })

/** A field as it stands in a multipart body. */
const field = (name: string, value: string) =>
  `--BOUNDARY\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`

/** A file as it stands in a multipart body. */
const upload = (name: string, filename: string, type: string, content: string) =>
  `--BOUNDARY\r\nContent-Disposition: form-data; name="${name}"; filename="${filename}"\r\nContent-Type: ${type}\r\n\r\n${content}\r\n`

const end = "--BOUNDARY--\r\n"

/** All 47, in the order of the specification. */
const rows: ReadonlyArray<Row> = [
  [
    "authentication.generateTokens",
    Authentication.generateTokens({ apiKey: Redacted.make("k-1") }),
    one,
    "POST /auth/generate-tokens",
    JSON_,
    `{"apiKey":"k-1"}`
  ],
  [
    "authentication.refreshToken",
    Authentication.refreshToken({ refreshToken: Redacted.make("r-1") }),
    one,
    "POST /auth/refresh-token",
    JSON_,
    `{"refreshToken":"r-1"}`
  ],
  ["clients.create", Clients.create({ id: "alice" }), one, "POST /clients/create", JSON_, `{"id":"alice"}`],
  [
    "clients.createMany",
    Clients.createMany({ ids: ["alice", "bob"] }),
    many,
    "POST /clients/create-many",
    JSON_,
    `{"ids":["alice","bob"]}`
  ],
  [
    "clients.list",
    Clients.list({ page: 2, limit: 50, sort_key: "id", order: "asc", search: "al ice" }),
    many,
    "GET /clients?page=2&limit=50&sort_key=id&order=asc&search=al+ice"
  ],
  ["clients.get", Clients.get({ externalId: "a/b" }), one, "GET /clients/a%2Fb"],
  [
    "wallets.list",
    Wallets.list({ page: 1, clientId: "alice", assetId: "usdc", networkId: "ethereum" }),
    many,
    "GET /wallets/client-wallets?page=1&clientId=alice&assetId=usdc&networkId=ethereum"
  ],
  ["wallets.get", Wallets.get({ walletId: "w-1" }), one, "GET /wallets/w-1"],
  ["wallets.balance", Wallets.balance({ walletId: "w-1" }), one, "GET /wallets/w-1/balance"],
  [
    "wallets.transactionCount",
    Wallets.transactionCount({ walletId: "w-1" }),
    one,
    "GET /wallets/w-1/transaction-count"
  ],
  ["vaults.details", Vaults.details(), one, "GET /vaults/details"],
  ["vaults.configuration", Vaults.configuration(), one, "GET /vaults/configuration"],
  ["vaults.assets", Vaults.assets(), many, "GET /vaults/assets"],
  ["vaults.networks", Vaults.networks({ limit: 1 }), many, "GET /vaults/networks?limit=1"],
  ["vaults.networkSettings", Vaults.networkSettings(), many, "GET /vaults/network-settings"],
  ["vaults.approvals", Vaults.approvals({ order: "desc" }), many, "GET /vaults/approvals?order=desc"],
  ["vaults.approval", Vaults.approval({ approvalId: "a-1" }), one, "GET /vaults/approvals/a-1"],
  ["vaults.paymentPolicies", Vaults.paymentPolicies(), many, "GET /vaults/payment-policies"],
  ["vaults.gasStationCategories", Vaults.gasStationCategories(), many, "GET /vaults/gas-station-categories"],
  [
    "transactions.send",
    Transactions.send({ clientId: "alice", assetId: "usdc", networkId: "ethereum", to: "0x2", amount, note: 'é "q"' }),
    one,
    "POST /transactions/send",
    JSON_,
    `{"clientId":"alice","assetId":"usdc","networkId":"ethereum","to":"0x2","amount":"12.50","note":"é \\"q\\""}`
  ],
  [
    "transactions.transfer",
    // Whatever the order in which a caller writes them, fields go in that of the contract.
    Transactions.transfer({ amount, note: "rent", assetId: "usdc", toClientId: "bob", fromClientId: "alice" }),
    one,
    "POST /transactions/transfer",
    JSON_,
    `{"fromClientId":"alice","toClientId":"bob","assetId":"usdc","amount":"12.50","note":"rent"}`
  ],
  [
    "transactions.list",
    Transactions.list({
      clientId: "alice",
      type: "OUTGOING",
      status: "ERROR",
      from: DateTime.makeUnsafe("2026-11-01T00:00:00Z"),
      to: DateTime.makeUnsafe("2026-11-30T00:00:00Z")
    }),
    many,
    "GET /transactions?clientId=alice&type=OUTGOING&status=ERROR" +
      "&from=2026-11-01T00%3A00%3A00.000Z&to=2026-11-30T00%3A00%3A00.000Z"
  ],
  ["transactions.get", Transactions.get({ transactionId: "t-1" }), one, "GET /transactions/t-1"],
  ["transactions.status", Transactions.status({ transactionId: "t-1" }), one, "GET /transactions/t-1/status"],
  ["assets.list", Assets.list({ search: "usdc" }), many, "GET /assets?search=usdc"],
  [
    "assets.prices",
    Assets.prices({ assetIds: ["btc", "eth"], currency: "EUR" }),
    many,
    "GET /assets/prices?assetIds=btc&assetIds=eth&currency=EUR"
  ],
  ["tokens.get", Tokens.get({ tokenId: "tok-1" }), one, "GET /tokens/tok-1"],
  ["tokens.networks", Tokens.networks(), many, "GET /tokens/networks"],
  [
    "tokens.create",
    Tokens.create({
      name: "Acme",
      symbol: "ACM",
      networkId: "ethereum",
      decimals: 6,
      initialSupply: Amount.of("1000"),
      description: "A\r\nB",
      logo: file('l"o.svg', "image/svg+xml", "<svg/>")
    }),
    one,
    "POST /tokens/create",
    FORM,
    field("name", "Acme") +
      field("symbol", "ACM") +
      field("networkId", "ethereum") +
      field("decimals", "6") +
      field("initialSupply", "1000") +
      field("description", "A\r\nB") +
      upload("logo", "l%22o.svg", "image/svg+xml", "<svg/>") +
      end
  ],
  [
    "tokens.mint",
    Tokens.mint({
      tokenId: "tok-1",
      amount,
      toWalletId: "w-1",
      note: "two",
      document: file("d.pdf", "application/pdf", "%PDF")
    }),
    one,
    "POST /tokens/tok-1/mint",
    FORM,
    field("amount", "12.50") +
      field("toWalletId", "w-1") +
      field("note", "two") +
      upload("document", "d.pdf", "application/pdf", "%PDF") +
      end
  ],
  [
    "tokens.burn",
    Tokens.burn({ tokenId: "tok-1", amount }),
    one,
    "POST /tokens/tok-1/burn",
    FORM,
    field("amount", "12.50") + end
  ],
  ["tokens.metadata", Tokens.metadata({ tokenId: "tok-1" }), one, "GET /tokens/tok-1/metadata"],
  [
    "tokens.updateMetadata",
    Tokens.updateMetadata({ tokenId: "tok-1", metadata: { b: [1, null, { c: true }], a: "x" } }),
    one,
    "PUT /tokens/tok-1/metadata",
    JSON_,
    `{"metadata":{"b":[1,null,{"c":true}],"a":"x"}}`
  ],
  ["nfts.get", Nfts.get({ nftId: "nft-1" }), one, "GET /nfts/nft-1"],
  ["nfts.networks", Nfts.networks(), many, "GET /nfts/networks"],
  [
    "nfts.create",
    Nfts.create({ name: "Deed", networkId: "ethereum", file: file("d.png", "image/png", "PNG") }),
    one,
    "POST /nfts/create",
    FORM,
    field("name", "Deed") + field("networkId", "ethereum") + upload("file", "d.png", "image/png", "PNG") + end
  ],
  [
    "nfts.transfer",
    Nfts.transfer({ nftId: "nft-1", fromWalletId: "w-1", toWalletId: "w-2" }),
    one,
    "POST /nfts/nft-1/transfer",
    JSON_,
    `{"fromWalletId":"w-1","toWalletId":"w-2"}`
  ],
  ["nfts.transfers", Nfts.transfers({ nftId: "nft-1", limit: 5 }), many, "GET /nfts/nft-1/transfers?limit=5"],
  [
    "paymentOrders.create",
    PaymentOrders.create({ amount, currency: "EUR", assetId: "usdc", clientId: "alice", note: "17" }),
    one,
    "POST /payment-vault-orders",
    JSON_,
    `{"amount":"12.50","currency":"EUR","assetId":"usdc","clientId":"alice","note":"17"}`
  ],
  [
    "paymentOrders.selectAsset",
    PaymentOrders.selectAsset({ orderId: "o-1", assetId: "usdc", networkId: "ethereum" }),
    one,
    "POST /payment-vault-orders/o-1/asset",
    JSON_,
    `{"assetId":"usdc","networkId":"ethereum"}`
  ],
  ["paymentOrders.get", PaymentOrders.get({ orderId: "o-1" }), one, "GET /payment-vault-orders/o-1"],
  [
    "paymentOrders.list",
    PaymentOrders.list({ status: "PENDING", clientId: "alice" }),
    many,
    "GET /payment-vault-orders?status=PENDING&clientId=alice"
  ],
  ["paymentOrders.cancel", PaymentOrders.cancel({ orderId: "o-1" }), one, "POST /payment-vault-orders/o-1/cancel"],
  [
    "fiatGateway.createPaymentLink",
    FiatGateway.createPaymentLink({ clientId: "alice", amount, currency: "EUR", method: "CARD" }),
    one,
    "POST /fiat-gateway/payment-links",
    JSON_,
    `{"clientId":"alice","amount":"12.50","currency":"EUR","method":"CARD"}`
  ],
  [
    "fiatGateway.getPaymentLink",
    FiatGateway.getPaymentLink({ linkId: "l-1" }),
    one,
    "GET /fiat-gateway/payment-links/l-1"
  ],
  [
    "fiatGateway.listPaymentLinks",
    FiatGateway.listPaymentLinks({ clientId: "alice", status: "PENDING" }),
    many,
    "GET /fiat-gateway/payment-links?clientId=alice&status=PENDING"
  ],
  [
    "fiatGateway.refund",
    FiatGateway.refund({ transactionId: "t-1", amount, reason: "return" }),
    one,
    "POST /fiat-gateway/transactions/t-1/refund",
    JSON_,
    `{"amount":"12.50","reason":"return"}`
  ]
]

/** What a transport may say of itself. Everything else in a head is ours. */
const ofTransport = [
  "host",
  "connection",
  "user-agent",
  "accept-language",
  "accept-encoding",
  "sec-fetch-mode",
  "cache-control",
  "pragma"
]

const headOf = (request: Received): Readonly<Record<string, string>> =>
  Object.fromEntries(
    request.headers
      .map(([name, value]) => [name.toLowerCase(), value] as const)
      .filter(([name]) => !ofTransport.includes(name))
  )

/** A body with the boundary's own name in its place; the boundary must be the one that the head announces. */
const bodyOf = (request: Received): string => {
  const boundary = /^multipart\/form-data; boundary=([\w-]{1,70})$/.exec(header(request, "content-type")[0] ?? "")?.[1]
  return boundary === undefined ? request.body : request.body.replaceAll(`--${boundary}`, "--BOUNDARY")
}

/** How a head tells the size of its body: a POST without one says so, and fetch does not tell that of a stream. */
const sizeOf = (request: Received, transport: string): Readonly<Record<string, string>> => {
  if (request.method === "GET") return {}
  const isStream = header(request, "content-type")[0]?.startsWith(FORM) === true
  return isStream && transport === "fetch"
    ? { "transfer-encoding": "chunked" }
    : { "content-length": String(Buffer.byteLength(request.body)) }
}

describe.each(transports)("the bytes of every operation, over $name", (transport) => {
  it.live("each of the 47 sends its line, its head and its body, once, and nothing else", () =>
    Effect.gen(function* () {
      const server = yield* wireServer((_, index) => rows[index]![2])
      const client = clientOf(Environment.local(server.baseUrl)).pipe(Layer.provide(transport.layer))
      yield* Effect.forEach(rows, ([, call]) => call).pipe(Effect.provide(client))

      assert.deepStrictEqual(
        rows.map(([name]) => name),
        CustodyApi.operations.map(({ name }) => name)
      )
      assert.lengthOf(server.received, rows.length)
      for (const [index, [name, , , line, type, body = ""]] of rows.entries()) {
        const request = server.received[index]!
        const [method, path] = line.split(" ")
        assert.strictEqual(request.method, method, name)
        assert.strictEqual(request.target, `/api/integration${path}`, name)
        assert.strictEqual(bodyOf(request), body, name)
        const { "content-type": sentType, ...head } = headOf(request)
        assert.strictEqual(sentType?.split(";")[0], type, name)
        const expected = {
          accept: "application/json",
          ...(name.startsWith("authentication.") ? {} : { "x-access-token": accessToken })
        }
        assert.deepStrictEqual(head, { ...expected, ...sizeOf(request, transport.name) }, name)
      }
    })
  )
})
