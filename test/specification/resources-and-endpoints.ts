/** The resources and their fields, states, the envelope, the headers, and the endpoints that are shown. */
import { Authentication } from "@effect-custody/authentication"
import { CustodyEmulator } from "@effect-custody/emulator"
import {
  Amount,
  Assets,
  Clients,
  CustodyApi,
  type CustodyClient,
  FiatGateway,
  Nfts,
  PaymentOrders,
  TokenService,
  Tokens,
  Transactions,
  Upload,
  Vaults,
  Wallets
} from "@effect-custody/sdk"
import { assert } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { failure, success } from "./service.ts"
import { Api, type Section, type Statement, Specified } from "./statement.ts"

const claimsNothing = "nothing: the SDK claims nothing"

/** A record of the SDK, from an object of the service. */
const decode = (record: Schema.Top, fields: object): any => Schema.decodeUnknownSync(record as never)(fields)

/** A record decodes from an object that has nothing but these fields, and keeps what it does not know. */
const needsOnly = (record: Schema.Top, fields: object): void => {
  const decoded = decode(record, { ...fields, unheardOf: 1 })
  assert.include(JSON.stringify(decoded), "unheardOf")
}

/** The session as the SDK knows it after the exchange of a key. */
const started = Effect.gen(function* () {
  yield* Vaults.details()
  return yield* (yield* TokenService).status
})

const generate = Authentication.generateTokens
const refresh = Authentication.refreshToken

/** A second exchange, by the endpoint itself. */
const generated = Effect.gen(function* () {
  const service = yield* Specified
  return yield* generate({ apiKey: Redacted.make(service.issueKey("another-key")) })
})

/** A refresh, by the endpoint itself. */
const refreshed = Effect.gen(function* () {
  const { refreshToken } = yield* generated
  return { before: refreshToken, after: yield* refresh({ refreshToken }) }
})

const emulated = {
  generate: Effect.gen(function* () {
    const { issueApiKey } = yield* CustodyEmulator
    const apiKey = Redacted.value(yield* issueApiKey())
    return { apiKey, ...(yield* (yield* Api).call("POST", "/auth/generate-tokens", { json: { apiKey } })) }
  }),
  refresh: Effect.gen(function* () {
    const api = yield* Api
    const { refreshToken } = yield* api.start
    return { before: refreshToken, ...(yield* api.call("POST", "/auth/refresh-token", { json: { refreshToken } })) }
  })
}

/** The last exchange with one path. */
const lastTo = (path: string) => Effect.map(Specified, (service) => service.to(path).at(-1)!)

const tokens: ReadonlyArray<Statement> = [
  {
    says: "accessToken is a string, of generate and refresh responses.",
    where: "authentication Authentication",
    sdk: Effect.gen(function* () {
      const { after } = yield* refreshed
      assert.strictEqual(Redacted.value((yield* generated).accessToken), (yield* Specified).newest?.access)
      assert.isString(Redacted.value(after.accessToken))
    }),
    emulator: Effect.gen(function* () {
      assert.isString((yield* emulated.generate).body.data.accessToken)
      assert.isString((yield* emulated.refresh).body.data.accessToken)
    })
  },
  {
    says: "accessToken is sent in the X-ACCESS-TOKEN header.",
    where: "core call",
    sdk: Effect.gen(function* () {
      yield* Vaults.details()
      assert.strictEqual(
        (yield* lastTo("/vaults/details")).headers["x-access-token"],
        (yield* Specified).newest?.access
      )
    }),
    emulator: Effect.gen(function* () {
      assert.strictEqual((yield* (yield* Api).as("GET", "/vaults/details")).status, 200)
    })
  },
  {
    says: "refreshToken is a string, of generate and refresh responses.",
    where: "authentication Authentication",
    sdk: Effect.gen(function* () {
      const { after, before } = yield* refreshed
      assert.isString(Redacted.value(before))
      assert.isString(Redacted.value(after.refreshToken))
    }),
    emulator: Effect.gen(function* () {
      assert.isString((yield* emulated.generate).body.data.refreshToken)
      assert.isString((yield* emulated.refresh).body.data.refreshToken)
    })
  },
  {
    says: "refreshToken is used only in the refresh request body.",
    where: "authentication rotation",
    sdk: Effect.gen(function* () {
      const service = yield* Specified
      yield* Vaults.details()
      service.expire()
      const { refresh: token } = service.newest!
      yield* Vaults.details()
      for (const request of service.received) {
        const isRefresh = request.path === "/auth/refresh-token"
        assert.strictEqual(request.text.includes(token), isRefresh)
        assert.notInclude(JSON.stringify(request.headers) + request.path, token)
      }
    })
  },
  {
    says: "Each refresh returns a new refreshToken.",
    where: "authentication rotation",
    sdk: Effect.gen(function* () {
      const { after, before } = yield* refreshed
      assert.notStrictEqual(Redacted.value(after.refreshToken), Redacted.value(before))
    }),
    emulator: Effect.gen(function* () {
      const { before, body } = yield* emulated.refresh
      assert.notStrictEqual(body.data.refreshToken, before)
    })
  },
  {
    says: "Each refresh invalidates the previous refreshToken.",
    where: "authentication rotation",
    sdk: Effect.gen(function* () {
      const { before } = yield* refreshed
      const error = yield* Effect.flip(refresh({ refreshToken: before }))
      assert.strictEqual(error._tag, "InvalidRefreshToken")
    }),
    emulator: Effect.gen(function* () {
      const { before } = yield* emulated.refresh
      const { status } = yield* (yield* Api).call("POST", "/auth/refresh-token", { json: { refreshToken: before } })
      assert.strictEqual(status, 401)
    })
  },
  {
    says: "expiresAt is an integer, of generate and refresh responses.",
    where: "authentication Authentication",
    sdk: Effect.gen(function* () {
      const { expiresAt } = yield* generated
      assert.isTrue(DateTime.isDateTime(expiresAt))
    }),
    emulator: Effect.gen(function* () {
      assert.isTrue(Number.isInteger((yield* emulated.generate).body.data.expiresAt))
      assert.isTrue(Number.isInteger((yield* emulated.refresh).body.data.expiresAt))
    })
  },
  {
    says: "expiresAt is the expiry of the access token.",
    where: "authentication sessionState",
    sdk: Effect.gen(function* () {
      const { expiresAt } = yield* started
      assert.strictEqual(DateTime.toEpochMillis(Option.getOrThrow(expiresAt)), (yield* Specified).newest?.expiresAt)
    }),
    emulator: Effect.gen(function* () {
      const { data } = (yield* emulated.generate).body
      assert.isAbove(data.expiresAt, yield* Clock.currentTimeMillis)
    })
  },
  {
    says: "The sample value of expiresAt has 13 digits, consistent with milliseconds since the Unix epoch.",
    where: "authentication Authentication",
    sdk: Effect.gen(function* () {
      const { expiresAt } = yield* generated
      assert.strictEqual(DateTime.toEpochMillis(expiresAt!), (yield* Specified).newest?.expiresAt)
    }),
    emulator: Effect.gen(function* () {
      assert.match(String((yield* emulated.generate).body.data.expiresAt), /^\d{13}$/)
    })
  },
  {
    says: "vaultId is an integer, of the generate response only.",
    where: "authentication Authentication",
    sdk: Effect.gen(function* () {
      const { after } = yield* refreshed
      assert.notProperty(after, "vaultId")
    }),
    emulator: Effect.gen(function* () {
      assert.isTrue(Number.isInteger((yield* emulated.generate).body.data.vaultId))
      assert.notProperty((yield* emulated.refresh).body.data, "vaultId")
    })
  },
  {
    says: "vaultId is the identifier of the vault the API key belongs to.",
    where: "authentication Authentication",
    sdk: Effect.gen(function* () {
      assert.strictEqual(String(Option.getOrThrow((yield* started).vaultId)), "42")
    }),
    emulator: Effect.gen(function* () {
      const api = yield* Api
      const { issueApiKey } = yield* CustodyEmulator
      const apiKey = Redacted.value(yield* issueApiKey({ vaultId: 7 }))
      const { data } = (yield* api.call("POST", "/auth/generate-tokens", { json: { apiKey } })).body
      assert.strictEqual(data.vaultId, 7)
      const { body } = yield* api.call("GET", "/vaults/details", { token: data.accessToken })
      assert.strictEqual(String(body.data.id), "7")
    })
  }
]

const records: ReadonlyArray<Statement> = [
  {
    says: "Client: identified by externalId (the caller's own identifier).",
    where: "clients records",
    sdk: Effect.gen(function* () {
      const service = yield* Specified
      service.others = () => success({ externalId: "alice" })
      assert.strictEqual((yield* Clients.get({ externalId: "alice" })).externalId, "alice")
      assert.strictEqual(service.received.at(-1)?.path, "/clients/alice")
    })
  },
  {
    says: "Client: other fields are not shown.",
    where: claimsNothing,
    sdk: Effect.sync(() => needsOnly(Clients.Client, { externalId: "alice" }))
  },
  {
    says: "Wallet: a blockchain address per client per network.",
    where: "wallets records",
    sdk: Effect.sync(() => needsOnly(Wallets.Wallet, { id: "w-1", address: "0x52" })),
    emulator: Effect.gen(function* () {
      const api = yield* Api
      yield* api.as("POST", "/clients/create-many", { externalIds: ["alice", "bob"] })
      const { body } = yield* api.as("GET", "/wallets/client-wallets?limit=100")
      const wallets = body.data.items as ReadonlyArray<{ clientId: string; networkId: string; address: string }>
      const places = wallets.map(({ clientId, networkId }) => `${clientId} ${networkId}`)
      assert.strictEqual(new Set(places).size, wallets.length)
      assert.strictEqual(new Set(wallets.map(({ address }) => address)).size, wallets.length)
    })
  },
  {
    says: "Wallet: with balance and transaction count.",
    where: "wallets records",
    sdk: Effect.sync(() => {
      const wallet = decode(Wallets.Wallet, {
        id: "w-1",
        address: "0x52",
        balance: "1.5",
        transactionCount: 2
      })
      assert.strictEqual(Amount.format(wallet.balance!), "1.5")
      assert.strictEqual(wallet.transactionCount, 2)
    })
  },
  {
    says: "Wallet: field names are not shown.",
    where: claimsNothing,
    sdk: Effect.sync(() => needsOnly(Wallets.Wallet, { id: "w-1", address: "0x52" }))
  },
  {
    says: "Asset: associated with a blockchain network.",
    where: "assets records",
    sdk: Effect.sync(() => {
      const asset = decodeAsset({ networkId: "ethereum" })
      assert.strictEqual(asset.networkId, "ethereum")
    }),
    emulator: Effect.gen(function* () {
      for (const { networkId } of yield* assets) assert.isNotEmpty(networkId)
    })
  },
  ...(
    [
      ["symbol", "USDC"],
      ["decimals", 6],
      ["contractAddress", "0xa0"],
      ["price", "1.01"]
    ] as const
  ).map(([field, value]): Statement => ({
    says: `Asset: has ${{ symbol: "a symbol", decimals: "decimals", contractAddress: "a contract address", price: "pricing information" }[field]}.`,
    where: "assets records",
    sdk: Effect.sync(() => {
      const asset = decodeAsset({ [field]: value })
      const read = asset[field]
      assert.strictEqual(field === "price" ? Amount.format(read as Amount.Amount) : read, value)
    }),
    emulator: Effect.gen(function* () {
      assert.isTrue((yield* assets).some((asset) => asset[field] !== undefined))
    })
  })),
  {
    says: "Asset: exact field names and types are not shown.",
    where: claimsNothing,
    sdk: Effect.sync(() => needsOnly(Assets.Asset, { id: "usdc", symbol: "USDC", decimals: "6" }))
  },
  ...(
    [
      ["Vault", Vaults.Vault, {}],
      ["Transaction", Transactions.Transaction, { id: "t-1", status: "PENDING" }],
      ["Token", Tokens.Token, { id: "k-1" }],
      ["NFT", Nfts.Nft, { id: "n-1" }],
      ["Payment order", PaymentOrders.PaymentOrder, { id: "o-1", status: "PENDING" }],
      ["Fiat payment link", FiatGateway.PaymentLink, { id: "l-1" }]
    ] as const
  ).map(([name, record, least]): Statement => ({
    says: `${name}: fields, with their names, types and formats, are not shown.`,
    where: claimsNothing,
    sdk: Effect.sync(() => needsOnly(record, least))
  })),
  ...(
    [
      ["incoming", "INCOMING"],
      ["outgoing", "OUTGOING"],
      ["internal transfer", "INTERNAL_TRANSFER"],
      ["swap", "SWAP"],
      ["allowance", "ALLOWANCE"]
    ] as const
  ).map(([name, word]): Statement => ({
    says: `Transaction types: ${name}.`,
    where: "transactions records",
    sdk: Effect.sync(() => assert.include(Transactions.TransactionType.known, word))
  })),
  {
    says: "Transaction types: the identifiers as sent on the wire are not shown.",
    where: claimsNothing,
    sdk: Effect.sync(() => {
      const row = { id: "t-1", status: "PENDING", type: "SOMETHING_ELSE" }
      assert.strictEqual(decode(Transactions.Transaction, row).type, row.type)
    })
  }
]

const decodeAsset = (fields: object): Assets.Asset =>
  decode(Assets.Asset, { id: "usdc", symbol: "USDC", decimals: 6, ...fields })

const assets = Effect.gen(function* () {
  const { body } = yield* (yield* Api).as("GET", "/assets?limit=100")
  return body.data.items as ReadonlyArray<any>
})

const states: ReadonlyArray<Statement> = [
  ...(["PENDING", "COMPLETED", "REJECTED", "ERROR"] as const).map((status): Statement => ({
    says: `Transactions have statuses from pending through to completed, rejected or error: ${status.toLowerCase()}.`,
    where: "core Polling",
    sdk: Effect.sync(() => {
      assert.include(Transactions.Status.known, status)
      assert.strictEqual(Transactions.isFinal(status), status !== "PENDING")
    })
  })),
  {
    says: "Exact status identifiers are not shown.",
    where: claimsNothing,
    sdk: Effect.sync(() => {
      const row = { id: "t-1", status: "SOMETHING_ELSE" }
      assert.strictEqual(decode(Transactions.Transaction, row).status, row.status)
      assert.isFalse(Transactions.isFinal(row.status))
    })
  },
  {
    says: "Transitions are not shown.",
    where: claimsNothing,
    sdk: Effect.gen(function* () {
      const service = yield* Specified
      let nth = 0
      service.others = () => success({ id: "t-1", status: ["COMPLETED", "PENDING"][nth++ % 2] })
      assert.strictEqual((yield* Transactions.get({ transactionId: "t-1" })).status, "COMPLETED")
      assert.strictEqual((yield* Transactions.get({ transactionId: "t-1" })).status, "PENDING")
    })
  },
  {
    says: "Payment orders: status identifiers and other moves are not shown.",
    where: claimsNothing,
    sdk: Effect.sync(() => needsOnly(PaymentOrders.PaymentOrder, { id: "o-1", status: "SOMETHING_ELSE" }))
  }
]

const envelope: ReadonlyArray<Statement> = [
  {
    says: "All paths are relative to {base_url} (or {sandbox_base_url}).",
    where: "core Endpoint",
    sdk: Effect.gen(function* () {
      yield* Vaults.details()
      for (const { path } of (yield* Specified).received) assert.match(path, /^\/(auth|vaults)\//)
      for (const { route } of CustodyApi.operations) assert.match(route.path, /^\//)
    })
  },
  {
    says: "Every response from a successful call uses the envelope.",
    where: "core Wires",
    sdk: Effect.gen(function* () {
      const service = yield* Specified
      service.others = () => ({ status: 200, body: "<html></html>" })
      assert.isDefined(yield* Effect.flip(Clients.get({ externalId: "alice" })))
    }),
    emulator: Effect.gen(function* () {
      const api = yield* Api
      for (const path of [
        "/vaults/details",
        "/clients",
        "/wallets/client-wallets",
        "/vaults/assets",
        "/vaults/networks",
        "/vaults/network-settings",
        "/vaults/approvals",
        "/vaults/payment-policies",
        "/vaults/gas-station-categories",
        "/transactions",
        "/assets",
        "/tokens/networks",
        "/nfts/networks",
        "/payment-vault-orders",
        "/fiat-gateway/payment-links"
      ]) {
        const { body, status } = yield* api.as("GET", path)
        assert.sameMembers(Object.keys(body), ["message", "data", "status"], path)
        assert.isString(body.message)
        assert.isTrue(typeof body.data === "object" && !Array.isArray(body.data) && body.data !== null, path)
        assert.strictEqual(body.status, status)
      }
    })
  },
  {
    says: "message is human-readable text.",
    where: "core Wires",
    sdk: Effect.gen(function* () {
      const service = yield* Specified
      service.others = () => success({ externalId: "alice" }, 200, "Any text, which nobody reads")
      assert.strictEqual((yield* Clients.get({ externalId: "alice" })).externalId, "alice")
    })
  },
  {
    says: "data is an object: the payload of the operation.",
    where: "core Wires",
    sdk: Effect.gen(function* () {
      const service = yield* Specified
      service.others = () => success({ items: [{ externalId: "alice" }] })
      assert.deepStrictEqual(
        (yield* Clients.list()).items.map(({ externalId }) => externalId as string),
        ["alice"]
      )
    })
  },
  {
    says: "status is the HTTP status code of the response, as an integer.",
    where: "core Wires",
    sdk: Effect.gen(function* () {
      // A 200 whose envelope says 500 is no success.
      const service = yield* Specified
      service.others = () => ({ status: 200, body: { message: "Failed", data: { externalId: "alice" }, status: 500 } })
      assert.isDefined(yield* Effect.flip(Clients.get({ externalId: "alice" })))
    }),
    emulator: Effect.gen(function* () {
      const { body, status } = yield* (yield* Api).as("POST", "/clients/create", { externalId: "alice" })
      assert.strictEqual(body.status, status)
    })
  }
]

const multipart: ReadonlyArray<readonly [string, Effect.Effect<unknown, unknown, CustodyClient>]> = [
  ["create token", Tokens.create({ type: "FUNGIBLE", name: "Gold", symbol: "GLD", networkId: "ethereum" })],
  ["mint", Tokens.mint({ tokenId: "k-1", amount: Amount.of("5"), toWalletId: "w-1" })],
  ["burn", Tokens.burn({ tokenId: "k-1", amount: Amount.of("5"), fromWalletId: "w-1" })],
  [
    "create NFT",
    Nfts.create({
      name: "Key",
      networkId: "ethereum",
      file: Upload.fromBytes({ bytes: new Uint8Array([1]), name: "key.png", contentType: "image/png" })
    })
  ]
]

const headers: ReadonlyArray<Statement> = [
  {
    says: "X-ACCESS-TOKEN is required on every endpoint except the two /auth endpoints.",
    where: "core call",
    sdk: Effect.gen(function* () {
      const service = yield* Specified
      service.others = () => success({ items: [] })
      yield* Clients.list()
      yield* refreshed
      for (const { headers: sent, path } of service.received) {
        assert.strictEqual("x-access-token" in sent, !path.startsWith("/auth/"), path)
      }
    }),
    emulator: Effect.gen(function* () {
      const api = yield* Api
      for (const path of ["/vaults/details", "/clients", "/transactions", "/assets"]) {
        assert.strictEqual((yield* api.call("GET", path)).status, 401, path)
      }
    })
  },
  {
    says: "X-ACCESS-TOKEN is the raw access token string, with no Bearer prefix.",
    where: "core call",
    sdk: Effect.gen(function* () {
      yield* Vaults.details()
      assert.strictEqual((yield* lastTo("/vaults/details")).headers["x-access-token"], "access-0")
      assert.notProperty((yield* lastTo("/vaults/details")).headers, "authorization")
    }),
    emulator: Effect.gen(function* () {
      const api = yield* Api
      const { accessToken } = yield* api.start
      assert.strictEqual((yield* api.call("GET", "/vaults/details", { token: `Bearer ${accessToken}` })).status, 401)
      assert.strictEqual((yield* api.call("GET", "/vaults/details", { token: accessToken })).status, 200)
    })
  },
  {
    says: "Content-Type application/json is recommended for request bodies.",
    where: "core call",
    sdk: Effect.gen(function* () {
      const service = yield* Specified
      service.others = () => success({ externalId: "alice" }, 201)
      yield* Clients.create({ externalId: "alice" })
      for (const { headers: sent, text } of service.received) {
        if (text !== "") assert.match(sent["content-type"] ?? "", /^application\/json/)
      }
    })
  },
  ...multipart.map(([name, call]): Statement => ({
    says: `${name} takes multipart/form-data.`,
    where: "core Upload",
    sdk: Effect.gen(function* () {
      const service = yield* Specified
      service.others = () => success({ id: "x-1" }, 201)
      yield* call
      assert.match(service.received.at(-1)?.headers["content-type"] ?? "", /^multipart\/form-data; boundary=/)
    })
  })),
  {
    says: "They take multipart/form-data because they upload files.",
    where: "core Upload",
    sdk: Effect.gen(function* () {
      const service = yield* Specified
      service.others = () => success({ id: "n-1" }, 201)
      yield* multipart[3]![1]
      assert.include(service.received.at(-1)?.text, 'filename="key.png"')
    })
  },
  {
    says: "No other endpoint takes multipart/form-data.",
    where: "sdk CustodyApi",
    sdk: Effect.sync(() =>
      assert.deepStrictEqual(
        CustodyApi.operations.flatMap((one) => ((one as any).isMultipart === true ? [one.operation] : [])),
        ["tokens.create", "tokens.mint", "tokens.burn", "nfts.create"]
      )
    )
  }
]

const generateTokens: ReadonlyArray<Statement> = [
  {
    says: "POST /auth/generate-tokens has no X-ACCESS-TOKEN header.",
    where: "authentication Authentication",
    sdk: Effect.gen(function* () {
      yield* Vaults.details()
      const { headers: sent, method } = yield* lastTo("/auth/generate-tokens")
      assert.strictEqual(method, "POST")
      assert.notProperty(sent, "x-access-token")
    }),
    emulator: Effect.gen(function* () {
      assert.strictEqual((yield* emulated.generate).status, 201)
    })
  },
  {
    says: "Its body is JSON with apiKey, a required string.",
    where: "authentication Authentication",
    sdk: Effect.gen(function* () {
      yield* Vaults.details()
      assert.deepStrictEqual(Object.keys((yield* lastTo("/auth/generate-tokens")).body), ["apiKey"])
    }),
    emulator: refusesKey({})
  },
  {
    says: "apiKey is not empty.",
    where: "authentication Authentication",
    sdk: refusesBeforeSending(""),
    emulator: refusesKey({ apiKey: "" })
  },
  {
    says: "apiKey has at most 255 characters.",
    where: "authentication Authentication",
    sdk: refusesBeforeSending("k".repeat(256)),
    emulator: refusesKey({ apiKey: "k".repeat(256) })
  },
  {
    says: "Success is HTTP 201.",
    where: "authentication tokenEndpoint",
    sdk: generated,
    emulator: Effect.gen(function* () {
      const { body, status } = yield* emulated.generate
      assert.strictEqual(status, 201)
      assert.strictEqual(body.status, 201)
    })
  },
  {
    says: "The envelope's data holds accessToken, refreshToken, expiresAt and vaultId.",
    where: "authentication Authentication",
    sdk: Effect.gen(function* () {
      assert.includeMembers(Object.keys(yield* generated), ["accessToken", "refreshToken", "expiresAt", "vaultId"])
    }),
    emulator: Effect.gen(function* () {
      assert.sameMembers(Object.keys((yield* emulated.generate).body.data), [
        "accessToken",
        "refreshToken",
        "expiresAt",
        "vaultId"
      ])
    })
  },
  {
    says: "The message text says the vault API keys were generated.",
    where: claimsNothing,
    emulator: Effect.gen(function* () {
      assert.match((yield* emulated.generate).body.message, /vault api keys.*generated/i)
    })
  },
  {
    says: "E00401 (HTTP 400): invalid API key.",
    where: "core ApiError",
    sdk: Effect.gen(function* () {
      const error = yield* Effect.flip(generate({ apiKey: Redacted.make("unknown-key") }))
      assert.strictEqual(error._tag, "InvalidApiKey")
      assert.deepInclude(error, { code: "E00401", status: 400 })
    }),
    emulator: refusal("/auth/generate-tokens", { apiKey: "unknown-key" }, 400, "E00401")
  },
  {
    says: "E00402 (HTTP 422): validation error.",
    where: "core ApiError",
    sdk: Effect.gen(function* () {
      const service = yield* Specified
      service.nextAnswers.push(failure(422, "E00402", "Validation failed", { apiKey: ["should not be empty"] }))
      const error = yield* Effect.flip(generate({ apiKey: Redacted.make("a-key") }))
      assert.strictEqual(error._tag, "ValidationFailed")
      assert.deepInclude(error, { code: "E00402", status: 422 })
    }),
    emulator: refusal("/auth/generate-tokens", {}, 422, "E00402")
  },
  {
    says: "The API key is one-time.",
    where: "authentication rotation",
    sdk: Effect.gen(function* () {
      const service = yield* Specified
      const apiKey = Redacted.make(service.issueKey("twice"))
      yield* (yield* TokenService).start(apiKey)
      yield* (yield* TokenService).start(apiKey)
      assert.strictEqual(service.received.filter(({ body }) => body?.apiKey === "twice").length, 1)
    }),
    emulator: Effect.gen(function* () {
      const { apiKey } = yield* emulated.generate
      const { status } = yield* (yield* Api).call("POST", "/auth/generate-tokens", { json: { apiKey } })
      assert.strictEqual(status, 400)
    })
  },
  {
    says: "The API key is created in the vault's API configuration menu.",
    where: "nothing: a person creates the key",
    sdk: Effect.sync(() => assert.isFalse(CustodyApi.operations.some(({ operation }) => /apikey/i.test(operation))))
  },
  {
    says: "The API key is used only for this call.",
    where: "authentication tokenEndpoint",
    sdk: Effect.gen(function* () {
      const service = yield* Specified
      yield* Vaults.details()
      const [{ body } = { body: { apiKey: "" } }] = service.to("/auth/generate-tokens")
      const others = service.received.filter(({ path }) => path !== "/auth/generate-tokens")
      assert.isAbove(others.length, 0)
      for (const request of others) assert.notInclude(JSON.stringify(request), body.apiKey)
    })
  },
  {
    says: "After this call every request uses the access token.",
    where: "core call",
    sdk: Effect.gen(function* () {
      const service = yield* Specified
      service.others = () => success({ items: [] })
      yield* Vaults.details()
      yield* Clients.list()
      yield* Assets.list()
      for (const { headers: sent } of service.received.slice(1)) assert.strictEqual(sent["x-access-token"], "access-0")
    })
  }
]

const refreshTokens: ReadonlyArray<Statement> = [
  {
    says: "POST /auth/refresh-token has no X-ACCESS-TOKEN header.",
    where: "authentication Authentication",
    sdk: Effect.gen(function* () {
      yield* refreshed
      const { headers: sent, method } = yield* lastTo("/auth/refresh-token")
      assert.strictEqual(method, "POST")
      assert.notProperty(sent, "x-access-token")
    }),
    emulator: Effect.gen(function* () {
      assert.strictEqual((yield* emulated.refresh).status, 201)
    })
  },
  {
    says: "Its body is JSON with refreshToken, a required string.",
    where: "authentication Authentication",
    sdk: Effect.gen(function* () {
      const { before } = yield* refreshed
      assert.deepStrictEqual((yield* lastTo("/auth/refresh-token")).body, { refreshToken: Redacted.value(before) })
    }),
    emulator: refusal("/auth/refresh-token", {}, 422, "E00402")
  },
  {
    says: "Success of a refresh is HTTP 201.",
    where: "authentication tokenEndpoint",
    sdk: refreshed,
    emulator: Effect.gen(function* () {
      const { body, status } = yield* emulated.refresh
      assert.strictEqual(status, 201)
      assert.strictEqual(body.status, 201)
    })
  },
  {
    says: "The envelope's data holds accessToken, refreshToken and expiresAt (no vaultId).",
    where: "authentication Authentication",
    sdk: Effect.gen(function* () {
      const { after } = yield* refreshed
      assert.sameMembers(Object.keys(after), ["accessToken", "refreshToken", "expiresAt"])
    }),
    emulator: Effect.gen(function* () {
      assert.sameMembers(Object.keys((yield* emulated.refresh).body.data), ["accessToken", "refreshToken", "expiresAt"])
    })
  },
  {
    says: "E01402 (HTTP 401): refresh token invalid or no longer valid.",
    where: "core ApiError",
    sdk: Effect.gen(function* () {
      const error = yield* Effect.flip(refresh({ refreshToken: Redacted.make("unknown") }))
      assert.strictEqual(error._tag, "InvalidRefreshToken")
      assert.deepInclude(error, { code: "E01402", status: 401 })
    }),
    emulator: refusal("/auth/refresh-token", { refreshToken: "unknown" }, 401, "E01402")
  },
  {
    says: "E00402 (HTTP 422): validation error of a refresh.",
    where: "core ApiError",
    sdk: Effect.gen(function* () {
      const service = yield* Specified
      service.nextAnswers.push(failure(422, "E00402", "Validation failed", { refreshToken: ["must be a string"] }))
      const error = yield* Effect.flip(refresh({ refreshToken: Redacted.make("a-token") }))
      assert.strictEqual(error._tag, "ValidationFailed")
    }),
    emulator: refusal("/auth/refresh-token", { refreshToken: 1 }, 422, "E00402")
  },
  {
    says: "The refresh token sent must be the latest one issued.",
    where: "authentication rotation",
    sdk: Effect.gen(function* () {
      const service = yield* Specified
      for (let nth = 0; nth < 3; nth++) {
        yield* Vaults.details()
        service.expire()
        const latest = service.newest!.refresh
        yield* Vaults.details()
        assert.strictEqual(service.to("/auth/refresh-token").at(-1)?.body.refreshToken, latest)
      }
    }),
    emulator: Effect.gen(function* () {
      const { before } = yield* emulated.refresh
      const { status } = yield* (yield* Api).call("POST", "/auth/refresh-token", { json: { refreshToken: before } })
      assert.strictEqual(status, 401)
    })
  },
  {
    says: "A successful call invalidates the refresh token that was sent, and the response carries its replacement.",
    where: "authentication rotation",
    sdk: Effect.gen(function* () {
      const { after, before } = yield* refreshed
      assert.notStrictEqual(Redacted.value(after.refreshToken), Redacted.value(before))
      assert.strictEqual(Redacted.value(after.refreshToken), (yield* Specified).newest?.refresh)
    }),
    emulator: Effect.gen(function* () {
      const { body } = yield* emulated.refresh
      const { refreshToken } = body.data
      const next = yield* (yield* Api).call("POST", "/auth/refresh-token", { json: { refreshToken } })
      assert.strictEqual(next.status, 201)
    })
  },
  {
    says: "When a refresh token that is no longer valid is sent, the call fails and a new API key and a new session are needed.",
    where: "authentication decide",
    sdk: Effect.gen(function* () {
      const service = yield* Specified
      yield* Vaults.details()
      service.expire()
      service.nextAnswers.push(failure(498, "E01403", "Token has expired"))
      service.nextAnswers.push(failure(401, "E01402", "Invalid refresh token"))
      assert.strictEqual((yield* Effect.flip(Vaults.details()))._tag, "SessionLost")
      yield* (yield* TokenService).start(Redacted.make(service.issueKey("a-new-key")))
      yield* Vaults.details()
    }),
    emulator: Effect.gen(function* () {
      const api = yield* Api
      const { before, body } = yield* emulated.refresh
      yield* api.call("POST", "/auth/refresh-token", { json: { refreshToken: before } })
      const { refreshToken } = body.data
      assert.strictEqual((yield* api.call("POST", "/auth/refresh-token", { json: { refreshToken } })).status, 401)
      assert.isString((yield* api.start).accessToken)
    })
  }
]

const others: ReadonlyArray<Statement> = [
  {
    says: "An example read call is GET /vaults/details with the X-ACCESS-TOKEN header.",
    where: "vaults Vaults",
    sdk: Effect.gen(function* () {
      yield* Vaults.details()
      const { headers: sent, method } = yield* lastTo("/vaults/details")
      assert.strictEqual(method, "GET")
      assert.strictEqual(sent["x-access-token"], "access-0")
    }),
    emulator: Effect.gen(function* () {
      assert.strictEqual((yield* (yield* Api).as("GET", "/vaults/details")).status, 200)
    })
  },
  {
    says: "The response fields of GET /vaults/details are not shown.",
    where: claimsNothing,
    // The service of the specification answers with no field at all.
    sdk: Vaults.details()
  },
  {
    says: "Methods, paths, parameters, request bodies and responses of all other endpoints are not shown.",
    where: "core Declaration",
    sdk: Effect.sync(() => {
      assert.strictEqual(CustodyApi.operations.filter(({ provenance }) => provenance === "assumed").length, 44)
    })
  }
]

function refusesKey(json: object) {
  return refusal("/auth/generate-tokens", json, 422, "E00402")
}

function refusal(path: string, json: object, status: number, code: string) {
  return Effect.gen(function* () {
    const answer = yield* (yield* Api).call("POST", path, { json })
    assert.strictEqual(answer.status, status)
    assert.strictEqual(answer.body.code, code)
    assert.strictEqual(answer.body.status, status)
  })
}

function refusesBeforeSending(apiKey: string) {
  return Effect.gen(function* () {
    const service = yield* Specified
    const error = yield* Effect.flip(generate({ apiKey: Redacted.make(apiKey) }))
    assert.strictEqual(error._tag, "InputInvalid")
    assert.isFalse(service.received.some(({ text }) => text.includes(`"${apiKey}"`)))
  })
}

export const sections: ReadonlyArray<Section> = [
  { title: "Token session data", statements: tokens },
  { title: "Other resources", statements: records },
  { title: "States and transitions", statements: states },
  { title: "Success envelope", statements: envelope },
  { title: "Request headers", statements: headers },
  { title: "POST /auth/generate-tokens", statements: generateTokens },
  { title: "POST /auth/refresh-token", statements: refreshTokens },
  { title: "Other endpoints", statements: others }
]
