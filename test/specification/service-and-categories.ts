/** What the service does, its environments, and its ten categories. */
import {
  Amount,
  Assets,
  Clients,
  CustodyApi,
  type CustodyClient,
  Environment,
  FiatGateway,
  Nfts,
  PaymentOrders,
  Tokens,
  Transactions,
  Upload,
  Vaults,
  Wallets
} from "@effect-custody/sdk"
import { CustodyEmulator } from "@effect-custody/emulator"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { success } from "./service.ts"
import { Api, type Section, Specified } from "./statement.ts"

const address = "0x52908400098527886E0F7030069857D2E4169EE7"

/** The counts of the specification, in its order. */
const counts = {
  authentication: ["Authentication", 2],
  clients: ["Clients", 4],
  wallets: ["Wallets", 4],
  vaults: ["Vaults", 9],
  transactions: ["Transactions", 5],
  assets: ["Assets", 2],
  tokens: ["Tokens", 7],
  nfts: ["NFTs", 5],
  paymentOrders: ["Payment Vault Order", 5],
  fiatGateway: ["Fiat Gateway", 4]
} as const

/** Answers the endpoints that are not shown with this payload, and returns the one request that a call sends to them. */
const sent = <A, E, R>(call: Effect.Effect<A, E, R>, data: unknown = {}, status = 200) =>
  Effect.gen(function* () {
    const service = yield* Specified
    service.others = () => success(data, status)
    const before = service.received.length
    const value = yield* call
    const requests = service.received.slice(before).filter(({ path }) => !path.startsWith("/auth/"))
    assert.strictEqual(requests.length, 1)
    return { value, request: requests[0]! }
  })

const query = (path: string): Readonly<Record<string, string>> =>
  Object.fromEntries(new URL(path, "http://service").searchParams)

/** A client with money, in the emulator. */
const funded = (externalId: string, assetId = "usdc") =>
  Effect.gen(function* () {
    const { fund } = yield* CustodyEmulator
    yield* fund({ clientId: externalId, assetId, amount: "100" })
  })

/** The items of a list. */
const items = (path: string) =>
  Effect.gen(function* () {
    const { status, body } = yield* (yield* Api).as("GET", path)
    assert.strictEqual(status, 200, path)
    return body.data.items as ReadonlyArray<any>
  })

const ok = (method: string, path: string, json?: unknown) =>
  Effect.gen(function* () {
    const { body, status } = yield* (yield* Api).as(method, path, json)
    assert.isTrue(status === 200 || status === 201, `${path}: ${JSON.stringify(body)}`)
    return body.data
  })

const form = (fields: Readonly<Record<string, string>>, file?: string): FormData => {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.append(name, value)
  if (file !== undefined) data.append(file, new Blob(["image"], { type: "image/png" }), "image.png")
  return data
}

const post = (path: string, body: FormData) =>
  Effect.gen(function* () {
    const api = yield* Api
    const { accessToken } = yield* api.start
    const answer = yield* api.call("POST", path, { token: accessToken, form: body })
    assert.strictEqual(answer.status, 201, JSON.stringify(answer.body))
    return answer.body.data
  })

const walletOf = (externalId: string, networkId = "ethereum") =>
  Effect.map(items(`/wallets/client-wallets?clientId=${externalId}&networkId=${networkId}`), ([wallet]) => wallet)

/** A token, with its supply in a wallet of its vault. */
const aToken = (type = "FUNGIBLE") =>
  post("/tokens/create", form({ type, name: "Gold", symbol: "GLD", networkId: "ethereum" }))

export const purpose: Section = {
  title: "What the service does",
  statements: [
    {
      says: "The service is a REST API to manage vaults, clients, wallets, assets, transactions, tokenized assets, NFTs, payment orders and fiat payment links.",
      where: "sdk CustodyApi",
      sdk: Effect.sync(() => assert.deepStrictEqual(Object.keys(CustodyApi.categories), Object.keys(counts))),
      emulator: Effect.gen(function* () {
        for (const path of [
          "/vaults/details",
          "/clients",
          "/wallets/client-wallets",
          "/assets",
          "/transactions",
          "/tokens/networks",
          "/nfts/networks",
          "/payment-vault-orders",
          "/fiat-gateway/payment-links"
        ]) {
          yield* ok("GET", path)
        }
      })
    },
    {
      says: "A customer organization has its own subdomain and calls the API.",
      where: "core Environment",
      sdk: Effect.sync(() => {
        const of = (subdomain: string) =>
          new URL(Environment.production({ subdomain, host: "custody.example" }).baseUrl)
        assert.strictEqual(of("acme").hostname, "acme.custody.example")
        assert.notStrictEqual(of("acme").origin, of("other").origin)
      })
    }
  ]
}

export const environments: Section = {
  title: "Environments and base address",
  statements: [
    {
      says: "Production: https://<subdomain>.<production host>/api/integration",
      where: "core Environment",
      sdk: Effect.sync(() =>
        assert.strictEqual(
          Environment.production({ subdomain: "acme", host: "custody.example" }).baseUrl,
          "https://acme.custody.example/api/integration"
        )
      )
    },
    {
      says: "Sandbox: https://<subdomain>.<sandbox host>/api/integration",
      where: "core Environment",
      sdk: Effect.sync(() =>
        assert.strictEqual(
          Environment.sandbox({ subdomain: "acme", host: "sandbox.custody.example" }).baseUrl,
          "https://acme.sandbox.custody.example/api/integration"
        )
      )
    },
    {
      says: "<subdomain> is the organization's assigned subdomain: one label.",
      where: "core Environment",
      sdk: Effect.sync(() => {
        const isValid = (subdomain: string) =>
          Result.isSuccess(Environment.validate(Environment.production({ subdomain, host: "custody.example" })))
        assert.isTrue(isValid("acme"))
        for (const wrong of ["acme.eu", "", "acme/x", "acme@x", "-acme", "a b"]) assert.isFalse(isValid(wrong), wrong)
      })
    },
    {
      says: "Every endpoint is scoped to that subdomain.",
      where: "core Environment",
      sdk: Effect.gen(function* () {
        const service = yield* Specified
        service.others = () => success({ items: [] })
        yield* Vaults.details()
        yield* Clients.list()
        assert.isAbove(service.received.length, 2)
        for (const { host, path } of service.received) {
          assert.strictEqual(host, new URL(service.baseUrl).host)
          assert.isTrue(path.startsWith("/"))
        }
      }),
      emulator: Effect.gen(function* () {
        assert.strictEqual((yield* (yield* Api).as("GET", "/../../vaults/details")).status, 404)
      })
    },
    {
      says: "The sandbox is for testing before production use.",
      where: "core Environment",
      sdk: Effect.sync(() => {
        const organization = { subdomain: "acme", host: "custody.example" }
        assert.isTrue(Environment.isReal(Environment.production(organization)))
        assert.notStrictEqual(Environment.sandbox(organization).kind, Environment.production(organization).kind)
      })
    }
  ]
}

export const categories: Section = {
  title: "Endpoint categories",
  statements: [
    {
      says: "The API has 10 categories.",
      where: "sdk CustodyApi",
      sdk: Effect.sync(() => assert.strictEqual(Object.keys(CustodyApi.categories).length, 10))
    },
    ...Object.entries(counts).map(([category, [name, count]]) => ({
      says: `${name}: ${count} endpoints.`,
      where: "sdk CustodyApi",
      sdk: Effect.sync(() =>
        assert.strictEqual(
          Object.keys(CustodyApi.categories[category as keyof typeof CustodyApi.categories]).length,
          count
        )
      )
    })),
    {
      says: "Authentication: exchange an API key for tokens.",
      where: "authentication Authentication",
      sdk: Effect.gen(function* () {
        yield* Vaults.details()
        assert.strictEqual((yield* Specified).to("/auth/generate-tokens").length, 1)
      }),
      emulator: Effect.gen(function* () {
        assert.isString((yield* (yield* Api).start).accessToken)
      })
    },
    {
      says: "Authentication: refresh tokens.",
      where: "authentication Authentication",
      sdk: Effect.gen(function* () {
        const service = yield* Specified
        yield* Vaults.details()
        service.expire()
        yield* Vaults.details()
        assert.strictEqual(service.to("/auth/refresh-token").length, 1)
      }),
      emulator: Effect.gen(function* () {
        const api = yield* Api
        const { refreshToken } = yield* api.start
        assert.strictEqual((yield* api.call("POST", "/auth/refresh-token", { json: { refreshToken } })).status, 201)
      })
    },
    {
      says: "Clients are external entities in segregated and consolidated vaults.",
      where: "vaults records",
      sdk: Effect.gen(function* () {
        const { value } = yield* sent(Vaults.configuration(), { type: "CONSOLIDATED" })
        assert.isObject(value)
        assert.isFunction(Clients.create)
      }),
      emulator: Effect.gen(function* () {
        assert.include(["SEGREGATED", "CONSOLIDATED"], (yield* ok("GET", "/vaults/details")).type)
      })
    },
    {
      says: "A client is identified by an externalId (the caller's own identifier).",
      where: "clients Clients",
      sdk: Effect.gen(function* () {
        const { request, value } = yield* sent(Clients.create({ externalId: "alice" }), { externalId: "alice" }, 201)
        assert.deepStrictEqual(request.body, { externalId: "alice" })
        assert.strictEqual(value.externalId, "alice")
      }),
      emulator: Effect.gen(function* () {
        assert.strictEqual((yield* ok("POST", "/clients/create", { externalId: "alice" })).externalId, "alice")
        assert.strictEqual((yield* ok("GET", "/clients/alice")).externalId, "alice")
      })
    },
    {
      says: "Clients separate funds and transactions per customer.",
      where: "clients Clients",
      emulator: Effect.gen(function* () {
        yield* funded("alice")
        yield* ok("POST", "/clients/create", { externalId: "bob" })
        assert.isAbove((yield* items("/transactions?clientId=alice")).length, 0)
        assert.deepStrictEqual(yield* items("/transactions?clientId=bob"), [])
      }),
      sdk: Effect.gen(function* () {
        const { request } = yield* sent(Transactions.list({ clientId: "alice" }), { items: [] })
        assert.strictEqual(query(request.path)["clientId"], "alice")
      })
    },
    {
      says: "Creating a client automatically creates a wallet on each integrated blockchain network.",
      where: "emulator clients",
      emulator: Effect.gen(function* () {
        yield* ok("POST", "/clients/create", { externalId: "alice" })
        const networks = (yield* items("/vaults/networks")).map(({ id }) => id)
        const wallets = yield* items("/wallets/client-wallets?clientId=alice")
        assert.sameMembers(
          wallets.map(({ networkId }) => networkId),
          networks
        )
      }),
      // The SDK sends one request: the wallets are the service's doing.
      sdk: sent(Clients.create({ externalId: "alice" }), { externalId: "alice" }, 201)
    },
    {
      says: "Query wallets.",
      where: "wallets Wallets",
      sdk: Effect.gen(function* () {
        const { value } = yield* sent(Wallets.list(), { items: [{ id: "w-1", address }] })
        assert.strictEqual(value.items.length, 1)
      }),
      emulator: Effect.gen(function* () {
        yield* ok("POST", "/clients/create", { externalId: "alice" })
        const [wallet] = yield* items("/wallets/client-wallets")
        assert.strictEqual((yield* ok("GET", `/wallets/${wallet.id}`)).id, wallet.id)
      })
    },
    {
      says: "A wallet is a blockchain address tied to a client.",
      where: "wallets records",
      sdk: Effect.gen(function* () {
        const { value } = yield* sent(Wallets.get({ walletId: "w-1" }), { id: "w-1", address, clientId: "alice" })
        assert.strictEqual(value.address, address)
        assert.strictEqual(value.clientId, "alice")
      }),
      emulator: Effect.gen(function* () {
        yield* ok("POST", "/clients/create", { externalId: "alice" })
        for (const wallet of yield* items("/wallets/client-wallets?clientId=alice")) {
          assert.isNotEmpty(wallet.address)
          assert.strictEqual(wallet.clientId, "alice")
        }
      })
    },
    {
      says: "Balances can be queried.",
      where: "wallets Wallets",
      emulator: Effect.gen(function* () {
        yield* funded("alice")
        const { id } = yield* walletOf("alice")
        assert.include(JSON.stringify(yield* ok("GET", `/wallets/${id}/balance`)), "100")
      }),
      sdk: sent(Wallets.balance({ walletId: "w-1" }), { walletId: "w-1", balance: "1" })
    },
    {
      says: "Transaction counts can be queried.",
      where: "wallets Wallets",
      sdk: Effect.gen(function* () {
        const { value } = yield* sent(Wallets.transactionCount({ walletId: "w-1" }), { transactionCount: 3 })
        assert.strictEqual(value.transactionCount, 3)
      }),
      emulator: Effect.gen(function* () {
        yield* funded("alice")
        const { id } = yield* walletOf("alice")
        assert.strictEqual(Number((yield* ok("GET", `/wallets/${id}/transaction-count`)).transactionCount), 1)
      })
    },
    ...(["clientId", "assetId", "networkId"] as const).map((filter) => ({
      says: `Wallets can be filtered by ${filter.slice(0, -2)}.`,
      where: "wallets Wallets",
      sdk: Effect.gen(function* () {
        const { request } = yield* sent(Wallets.list({ [filter]: "one" }), { items: [] })
        assert.strictEqual(query(request.path)[filter], "one")
      }),
      emulator: Effect.gen(function* () {
        yield* ok("POST", "/clients/create-many", { externalIds: ["alice", "bob"] })
        const value = { clientId: "alice", assetId: "eth", networkId: "ethereum" }[filter]
        const all = yield* items("/wallets/client-wallets?limit=100")
        const some = yield* items(`/wallets/client-wallets?limit=100&${filter}=${value}`)
        assert.isAbove(some.length, 0)
        assert.isBelow(some.length, all.length)
        assert.deepStrictEqual(yield* items(`/wallets/client-wallets?${filter}=none`), [])
      })
    })),
    {
      says: "A vault is the primary organizational unit and holds clients, wallets and assets.",
      where: "vaults Vaults",
      sdk: sent(Vaults.assets(), { items: [] }),
      emulator: Effect.gen(function* () {
        yield* ok("POST", "/clients/create", { externalId: "alice" })
        for (const path of ["/clients", "/wallets/client-wallets", "/vaults/assets"]) {
          assert.isAbove((yield* items(path)).length, 0, path)
        }
      })
    },
    ...(
      [
        ["configuration", "configuration", Vaults.configuration],
        ["payment policies", "payment-policies", Vaults.paymentPolicies],
        ["gas station categories", "gas-station-categories", Vaults.gasStationCategories],
        ["network settings", "network-settings", Vaults.networkSettings]
      ] as const
    ).map(([what, path, call]) => ({
      says: `Each vault has its own ${what}.`,
      where: "vaults Vaults",
      sdk: Effect.gen(function* () {
        const { request } = yield* sent(call() as Effect.Effect<unknown, unknown, CustodyClient | Specified>, {
          items: []
        })
        assert.strictEqual(request.method, "GET")
      }),
      emulator: ok("GET", `/vaults/${path}`)
    })),
    ...(
      [
        ["details", "details", Vaults.details],
        ["assets", "assets", Vaults.assets],
        ["networks", "networks", Vaults.networks],
        ["approvals", "approvals", Vaults.approvals],
        ["payment policies", "payment-policies", Vaults.paymentPolicies]
      ] as const
    ).map(([what, path, call]) => ({
      says: `Vault ${what} can be read.`,
      where: "vaults Vaults",
      sdk: sent(call() as Effect.Effect<unknown, unknown, CustodyClient | Specified>, { items: [] }),
      emulator: ok("GET", `/vaults/${path}`)
    })),
    {
      says: "Create blockchain transactions: send from client wallets to external addresses.",
      where: "transactions Transactions",
      sdk: Effect.gen(function* () {
        const { request } = yield* sent(
          Transactions.send({ clientId: "alice", assetId: "usdc", to: address, amount: Amount.of("12.50") }),
          { id: "t-1", status: "PENDING" },
          201
        )
        assert.deepStrictEqual(request.body, { clientId: "alice", assetId: "usdc", to: address, amount: "12.50" })
      }),
      emulator: Effect.gen(function* () {
        yield* funded("alice")
        const order = { clientId: "alice", assetId: "usdc", to: address, amount: "12.50" }
        assert.isString((yield* ok("POST", "/transactions/send", order)).id)
      })
    },
    {
      says: "Create blockchain transactions: send between clients.",
      where: "transactions Transactions",
      sdk: Effect.gen(function* () {
        const { request } = yield* sent(
          Transactions.transfer({
            fromClientId: "alice",
            toClientId: "bob",
            assetId: "usdc",
            amount: Amount.of("1")
          }),
          { id: "t-1", status: "PENDING" },
          201
        )
        assert.deepStrictEqual(request.body, {
          fromClientId: "alice",
          toClientId: "bob",
          assetId: "usdc",
          amount: "1"
        })
      }),
      emulator: Effect.gen(function* () {
        yield* funded("alice")
        yield* ok("POST", "/clients/create", { externalId: "bob" })
        const transfer = { fromClientId: "alice", toClientId: "bob", assetId: "usdc", amount: "1" }
        assert.isString((yield* ok("POST", "/transactions/transfer", transfer)).id)
      })
    },
    {
      says: "Track blockchain transactions.",
      where: "transactions Transactions",
      sdk: Effect.gen(function* () {
        const { value } = yield* sent(Transactions.get({ transactionId: "t-1" }), { id: "t-1", status: "PENDING" })
        assert.strictEqual(value.status, "PENDING")
        yield* sent(Transactions.status({ transactionId: "t-1" }), { id: "t-1", status: "PENDING" })
      }),
      emulator: Effect.gen(function* () {
        const { fund } = yield* CustodyEmulator
        const { transactionId } = yield* fund({ clientId: "alice", assetId: "usdc", amount: "1" })
        assert.strictEqual((yield* ok("GET", `/transactions/${transactionId}`)).id, transactionId)
        assert.isString((yield* ok("GET", `/transactions/${transactionId}/status`)).status)
      })
    },
    {
      says: "History can be filtered.",
      where: "transactions Transactions",
      sdk: Effect.gen(function* () {
        const { request } = yield* sent(Transactions.list({ clientId: "alice", assetId: "usdc" }), { items: [] })
        assert.include(query(request.path), { clientId: "alice", assetId: "usdc" })
      }),
      emulator: Effect.gen(function* () {
        yield* funded("alice", "usdc")
        yield* funded("alice", "eth")
        const rows = yield* items("/transactions?assetId=eth")
        assert.deepStrictEqual(
          rows.map(({ assetId }) => assetId),
          ["eth"]
        )
      })
    },
    {
      says: "Query assets (cryptocurrencies and tokens).",
      where: "assets Assets",
      sdk: Effect.gen(function* () {
        const { value } = yield* sent(Assets.list(), { items: [{ id: "usdc", symbol: "USDC", decimals: 6 }] })
        assert.strictEqual(value.items[0]?.symbol, "USDC")
      }),
      emulator: Effect.gen(function* () {
        const types = new Set((yield* items("/assets?limit=100")).map(({ type }) => type))
        assert.sameMembers([...types], ["COIN", "TOKEN"])
      })
    },
    {
      says: "Query the prices of assets.",
      where: "assets Assets",
      sdk: Effect.gen(function* () {
        const { value } = yield* sent(Assets.list(), {
          items: [{ id: "usdc", symbol: "USDC", decimals: 6, price: "1.01" }]
        })
        assert.strictEqual(Amount.format(value.items[0]!.price!), "1.01")
      }),
      emulator: Effect.gen(function* () {
        assert.isTrue((yield* items("/assets?limit=100")).some(({ price }) => Number(price) > 0))
      })
    },
    {
      says: "View asset configuration for a vault.",
      where: "assets Assets",
      sdk: Effect.gen(function* () {
        const { request } = yield* sent(Assets.configuration(), { items: [] })
        assert.strictEqual(request.method, "GET")
      }),
      emulator: Effect.gen(function* () {
        assert.isAbove((yield* items("/assets/configuration")).length, 0)
      })
    },
    {
      says: "Fungible and security tokens.",
      where: "tokens records",
      sdk: Effect.gen(function* () {
        for (const type of ["FUNGIBLE", "SECURITY"] as const) {
          const { request, value } = yield* sent(
            Tokens.create({ type, name: "Gold", symbol: "GLD", networkId: "ethereum" }),
            { id: "k-1", type },
            201
          )
          assert.include(request.text, type)
          assert.strictEqual(value.type, type)
        }
      }),
      emulator: Effect.gen(function* () {
        for (const type of ["FUNGIBLE", "SECURITY"]) assert.strictEqual((yield* aToken(type)).type, type)
      })
    },
    {
      says: "Tokens: view details.",
      where: "tokens Tokens",
      sdk: sent(Tokens.get({ tokenId: "k-1" }), { id: "k-1" }),
      emulator: Effect.gen(function* () {
        const { id } = yield* aToken()
        assert.strictEqual((yield* ok("GET", `/tokens/${id}`)).id, id)
      })
    },
    {
      says: "Tokens: view supported networks.",
      where: "tokens Tokens",
      sdk: sent(Tokens.networks(), { items: [{ id: "ethereum" }] }),
      emulator: Effect.gen(function* () {
        assert.isAbove((yield* items("/tokens/networks")).length, 0)
      })
    },
    {
      says: "Tokens: create.",
      where: "tokens Tokens",
      sdk: sent(
        Tokens.create({ type: "FUNGIBLE", name: "Gold", symbol: "GLD", networkId: "ethereum" }),
        { id: "k-1" },
        201
      ),
      emulator: aToken()
    },
    {
      says: "Tokens: mint.",
      where: "tokens Tokens",
      sdk: sent(Tokens.mint({ tokenId: "k-1", amount: Amount.of("5"), toWalletId: "w-1" }), {}, 201),
      emulator: Effect.gen(function* () {
        const { id } = yield* aToken()
        yield* ok("POST", "/clients/create", { externalId: "alice" })
        const wallet = yield* walletOf("alice")
        assert.isString((yield* post(`/tokens/${id}/mint`, form({ amount: "5", toWalletId: wallet.id }))).transactionId)
      })
    },
    {
      says: "Tokens: burn.",
      where: "tokens Tokens",
      sdk: sent(Tokens.burn({ tokenId: "k-1", amount: Amount.of("2"), fromWalletId: "w-1" }), {}, 201),
      emulator: Effect.gen(function* () {
        const { id } = yield* aToken()
        yield* ok("POST", "/clients/create", { externalId: "alice" })
        const wallet = yield* walletOf("alice")
        yield* post(`/tokens/${id}/mint`, form({ amount: "5", toWalletId: wallet.id }))
        yield* post(`/tokens/${id}/burn`, form({ amount: "2", fromWalletId: wallet.id }))
      })
    },
    {
      says: "Tokens: manage metadata.",
      where: "tokens Tokens",
      sdk: Effect.gen(function* () {
        const { request } = yield* sent(
          Tokens.updateMetadata({ tokenId: "k-1", metadata: { website: "https://x" } }),
          {}
        )
        assert.include(request.text, "https://x")
        yield* sent(Tokens.metadata({ tokenId: "k-1" }), {})
      }),
      emulator: Effect.gen(function* () {
        const { id } = yield* aToken()
        yield* ok("PUT", `/tokens/${id}/metadata`, { metadata: { website: "https://x" } })
        assert.include(JSON.stringify(yield* ok("GET", `/tokens/${id}/metadata`)), "https://x")
      })
    },
    ...(
      [
        ["view details", sent(Nfts.get({ nftId: "n-1" }), { id: "n-1" })],
        ["view supported networks", sent(Nfts.networks(), { items: [] })],
        [
          "create",
          sent(
            Nfts.create({
              name: "Key",
              networkId: "ethereum",
              walletId: "w-1",
              file: Upload.fromBytes({ bytes: new Uint8Array([1]), name: "key.png", contentType: "image/png" })
            }),
            { id: "n-1" },
            201
          )
        ],
        [
          "transfer between wallets",
          sent(Nfts.transfer({ nftId: "n-1", fromWalletId: "w-1", toWalletId: "w-2" }), { id: "t-1" }, 201)
        ],
        ["track transfer transactions", sent(Nfts.transfers({ nftId: "n-1" }), { items: [{ id: "t-1" }] })]
      ] as const
    ).map(([what, call]) => ({
      says: `NFTs: ${what}.`,
      where: "nfts Nfts",
      sdk: call as Effect.Effect<unknown, unknown, CustodyClient | Specified>,
      emulator: Effect.gen(function* () {
        yield* ok("POST", "/clients/create-many", { externalIds: ["alice", "bob"] })
        assert.isAbove((yield* items("/nfts/networks")).length, 0)
        const from = yield* walletOf("alice")
        const to = yield* walletOf("bob")
        const nft = yield* post("/nfts/create", form({ name: "Key", networkId: "ethereum", walletId: from.id }, "file"))
        assert.strictEqual((yield* ok("GET", `/nfts/${nft.id}`)).id, nft.id)
        const moved = yield* (yield* Api).as("POST", `/nfts/${nft.id}/transfer`, {
          fromWalletId: from.id,
          toWalletId: to.id
        })
        assert.strictEqual(moved.status, 201, JSON.stringify(moved.body))
        assert.isAbove((yield* items(`/nfts/${nft.id}/transfers`)).length, 0)
      })
    })),
    {
      says: "Payment orders for receiving crypto payments.",
      where: "payment-orders PaymentOrders",
      sdk: sent(PaymentOrders.create({ amount: Amount.of("5"), assetId: "usdc" }), { id: "o-1" }, 201),
      emulator: Effect.gen(function* () {
        const { payOrder } = yield* CustodyEmulator
        const { id } = yield* ok("POST", "/payment-vault-orders", { amount: "5", assetId: "usdc" })
        assert.isString((yield* payOrder(id)).transactionId)
      })
    },
    {
      says: "Each order has a payment link.",
      where: "payment-orders records",
      sdk: Effect.gen(function* () {
        const { value } = yield* sent(PaymentOrders.get({ orderId: "o-1" }), {
          id: "o-1",
          status: "PENDING",
          paymentLink: "https://pay"
        })
        assert.strictEqual(value.paymentLink, "https://pay")
      }),
      emulator: Effect.gen(function* () {
        const order = yield* ok("POST", "/payment-vault-orders", { amount: "5", assetId: "usdc" })
        assert.match(order.paymentLink, /^https?:/)
      })
    },
    {
      says: "Each order has an assigned wallet.",
      where: "payment-orders records",
      sdk: Effect.gen(function* () {
        const { value } = yield* sent(PaymentOrders.get({ orderId: "o-1" }), {
          id: "o-1",
          status: "PENDING",
          walletId: "w-1"
        })
        assert.strictEqual(value.walletId, "w-1")
      }),
      emulator: Effect.gen(function* () {
        const order = yield* ok("POST", "/payment-vault-orders", { amount: "5", assetId: "usdc" })
        assert.isNotEmpty(order.walletId)
      })
    },
    {
      says: "Orders can be created with a specific asset.",
      where: "payment-orders PaymentOrders",
      sdk: Effect.gen(function* () {
        const { request } = yield* sent(
          PaymentOrders.create({ amount: Amount.of("5"), assetId: "usdc" }),
          { id: "o-1" },
          201
        )
        assert.deepStrictEqual(request.body, { amount: "5", assetId: "usdc" })
      }),
      emulator: Effect.gen(function* () {
        const order = yield* ok("POST", "/payment-vault-orders", { amount: "5", assetId: "usdc" })
        assert.strictEqual(order.assetId, "usdc")
      })
    },
    {
      says: "The asset of an order can be chosen later.",
      where: "payment-orders PaymentOrders",
      sdk: Effect.gen(function* () {
        const { request } = yield* sent(
          PaymentOrders.selectAsset({ orderId: "o-1", assetId: "usdc" }),
          { id: "o-1" },
          201
        )
        assert.deepStrictEqual(request.body, { assetId: "usdc" })
      }),
      emulator: Effect.gen(function* () {
        const { assetId, id } = yield* ok("POST", "/payment-vault-orders", { amount: "5", currency: "USD" })
        assert.isUndefined(assetId)
        assert.strictEqual(
          (yield* ok("POST", `/payment-vault-orders/${id}/asset`, { assetId: "usdc" })).assetId,
          "usdc"
        )
      })
    },
    {
      says: "Orders can be viewed.",
      where: "payment-orders PaymentOrders",
      sdk: sent(PaymentOrders.list(), { items: [{ id: "o-1", status: "PENDING" }] }),
      emulator: Effect.gen(function* () {
        const { id } = yield* ok("POST", "/payment-vault-orders", { amount: "5", assetId: "usdc" })
        assert.deepStrictEqual(
          (yield* items("/payment-vault-orders")).map((order) => order.id),
          [id]
        )
      })
    },
    {
      says: "Orders can be tracked.",
      where: "payment-orders PaymentOrders",
      sdk: Effect.gen(function* () {
        const { value } = yield* sent(PaymentOrders.awaitFinal("o-1"), { id: "o-1", status: "COMPLETED" })
        assert.strictEqual(value.status, "COMPLETED")
      }),
      emulator: Effect.gen(function* () {
        const { id } = yield* ok("POST", "/payment-vault-orders", { amount: "5", assetId: "usdc" })
        assert.strictEqual((yield* ok("GET", `/payment-vault-orders/${id}`)).status, "PENDING")
      })
    },
    {
      says: "Orders can be cancelled while pending.",
      where: "payment-orders PaymentOrders",
      sdk: sent(PaymentOrders.cancel({ orderId: "o-1" }), { id: "o-1", status: "CANCELLED" }, 201),
      emulator: Effect.gen(function* () {
        const { id } = yield* ok("POST", "/payment-vault-orders", { amount: "5", assetId: "usdc" })
        assert.strictEqual((yield* ok("POST", `/payment-vault-orders/${id}/cancel`)).status, "CANCELLED")
        const { status } = yield* (yield* Api).as("POST", `/payment-vault-orders/${id}/cancel`)
        assert.isTrue(status >= 400)
      })
    },
    {
      says: "Fiat amount conversion is supported.",
      where: "payment-orders PaymentOrders",
      sdk: Effect.gen(function* () {
        const { request, value } = yield* sent(
          PaymentOrders.create({ amount: Amount.of("5"), currency: "EUR", assetId: "usdc" }),
          { id: "o-1", assetAmount: "5.4" },
          201
        )
        assert.strictEqual(request.body.currency, "EUR")
        assert.strictEqual(Amount.format(value.assetAmount!), "5.4")
      }),
      emulator: Effect.gen(function* () {
        const order = yield* ok("POST", "/payment-vault-orders", { amount: "5", currency: "USD", assetId: "usdc" })
        assert.isAbove(Number(order.assetAmount), 0)
      })
    },
    {
      says: "Payment links for clients to deposit fiat funds.",
      where: "fiat-gateway FiatGateway",
      sdk: sent(
        FiatGateway.createPaymentLink({ clientId: "alice", amount: Amount.of("5"), currency: "EUR" }),
        { id: "l-1", url: "https://pay" },
        201
      ),
      emulator: Effect.gen(function* () {
        const { payLink } = yield* CustodyEmulator
        yield* ok("POST", "/clients/create", { externalId: "alice" })
        const link = yield* ok("POST", "/fiat-gateway/payment-links", {
          clientId: "alice",
          amount: "5",
          currency: "USD"
        })
        assert.match(link.url, /^https?:/)
        assert.isString((yield* payLink(link.id)).transactionId)
      })
    },
    {
      says: "Fiat deposits are made for example by card or bank transfer.",
      where: "fiat-gateway records",
      sdk: Effect.gen(function* () {
        for (const method of ["CARD", "BANK_TRANSFER", "SOMETHING_ELSE"]) {
          const { request } = yield* sent(
            FiatGateway.createPaymentLink({ clientId: "alice", amount: Amount.of("5"), currency: "EUR", method }),
            { id: "l-1", url: "https://pay" },
            201
          )
          assert.strictEqual(request.body.method, method)
        }
      })
    },
    {
      says: "Refunds of eligible transactions.",
      where: "fiat-gateway FiatGateway",
      sdk: sent(FiatGateway.refund({ transactionId: "t-1" }), { transactionId: "t-1" }, 201),
      emulator: Effect.gen(function* () {
        const { payLink } = yield* CustodyEmulator
        yield* ok("POST", "/clients/create", { externalId: "alice" })
        const link = yield* ok("POST", "/fiat-gateway/payment-links", {
          clientId: "alice",
          amount: "5",
          currency: "USD"
        })
        const { transactionId } = yield* payLink(link.id)
        const refund = `/fiat-gateway/transactions/${transactionId}/refund`
        assert.include([201, 400, 422], (yield* (yield* Api).as("POST", refund, {})).status)
        assert.isTrue((yield* (yield* Api).as("POST", "/fiat-gateway/transactions/none/refund", {})).status >= 400)
      })
    }
  ]
}
