/**
 * What goes over the wire for each of the 47 operations, and what comes back: written by hand, from the specification
 * and the table of operations. Nothing here is printed from the code that it is held against.
 */

/** A JSON value. */
export type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [key: string]: Json }

type Fields = Readonly<Record<string, Json>>

/** A part of a multipart body: a field, or a file. */
export type Part =
  | { readonly name: string; readonly text: string }
  | { readonly name: string; readonly filename: string; readonly contentType: string; readonly text: string }

/** What the service is to answer. */
export interface Response {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: Json
  /** In place of `json`: the body as it stands. */
  readonly text?: string
}

/** A call that succeeds. */
export interface Success {
  readonly name: string
  readonly input: Fields
  /** The path with its parameters, where it has some. */
  readonly path?: string
  readonly query?: Readonly<Record<string, string | ReadonlyArray<string>>>
  readonly json?: Fields
  readonly multipart?: ReadonlyArray<Part>
  readonly response: Response
  readonly result: Json
}

/** A call that is refused before anything is sent. */
export interface Refused {
  readonly name: string
  readonly input: Fields
  /** Where the input is wrong. */
  readonly paths: ReadonlyArray<ReadonlyArray<string | number>>
}

/** An operation of the API. */
export interface Operation {
  readonly operation: string
  readonly method: string
  readonly path: string
  readonly safety: "read" | "keyed" | "write" | "session"
  /** Whether it names something that may not exist. */
  readonly isOfResource?: true
  /** The operation that shows whether it has happened. */
  readonly lookUp?: string
  /** The path that finds what the first call has created, and its payload. */
  readonly existing?: ReadonlyArray<{ readonly path: string; readonly data: Json }>
  readonly successes: readonly [Success, ...ReadonlyArray<Success>]
  readonly refused?: ReadonlyArray<Refused>
}

const ok = (data: Json, more: Fields = {}): Response => ({
  status: 200,
  json: { message: "OK", data, status: 200, ...more }
})
const created = (data: Json): Response => ({ status: 201, json: { message: "Created", data, status: 201 } })
const raw = (status: number, text: string): Response => ({
  status,
  headers: { "content-type": "application/json" },
  text
})

/** What every list can be asked for, and how it goes over the wire. */
const everything = { page: 2, limit: 25, sort_key: "name", order: "desc", search: "a b&c=d/é" }
const everythingSent = { page: "2", limit: "25", sort_key: "name", order: "desc", search: "a b&c=d/é" }

/** The 78 digits of the largest unsigned 256-bit integer. */
const uint256 = "115792089237316195423570985008687907853269984665640564039457584007913129639935"

/** A list of things: with nothing asked and no word of the whole, and with everything asked and told. */
const listOf = (things: string, item: Json, sent: { readonly input?: Fields; readonly path?: string } = {}) =>
  [
    {
      name: `lists ${things}, and the service says nothing of the whole`,
      input: { ...sent.input },
      ...(sent.path === undefined ? {} : { path: sent.path }),
      response: ok([item]),
      result: { items: [item] }
    },
    {
      name: `lists one page of ${things} as it is asked for, with counts as numbers and as digits`,
      input: { ...sent.input, ...everything },
      ...(sent.path === undefined ? {} : { path: sent.path }),
      query: everythingSent,
      response: ok([], {
        meta: {
          totalItems: 26,
          itemsPerPage: "25",
          totalPages: "2",
          currentPage: 2,
          hasPreviousPage: true,
          hasNextPage: false
        }
      }),
      result: {
        items: [],
        meta: {
          totalItems: 26,
          itemsPerPage: 25,
          totalPages: 2,
          currentPage: 2,
          hasPreviousPage: true,
          hasNextPage: false
        }
      }
    }
  ] as const satisfies ReadonlyArray<Success>

const refusedLists: ReadonlyArray<Refused> = [
  { name: "a page is counted from 1", input: { page: 0 }, paths: [["page"]] },
  { name: "a page has at least one item", input: { limit: 0 }, paths: [["limit"]] },
  { name: "an order is asc or desc", input: { order: "up" }, paths: [["order"]] },
  { name: "only what is declared is sent", input: { cursor: "abc" }, paths: [["cursor"]] }
]

const ethereum = { id: "ethereum", name: "Ethereum", symbol: "ETH", type: "PUBLIC", status: "ACTIVE" }
const longKey = "k".repeat(256)

const authentication: ReadonlyArray<Operation> = [
  {
    operation: "authentication.generateTokens",
    method: "POST",
    path: "/auth/generate-tokens",
    safety: "session",
    successes: [
      {
        name: "exchanges an API key for the first tokens",
        input: { apiKey: "one-time-api-key" },
        json: { apiKey: "one-time-api-key" },
        response: {
          status: 201,
          json: {
            message: "Vault API keys generated successfully",
            data: {
              accessToken: "first-access-token",
              refreshToken: "first-refresh-token",
              expiresAt: 1760000000000,
              vaultId: 42
            },
            status: 201
          }
        },
        result: {
          accessToken: "first-access-token",
          refreshToken: "first-refresh-token",
          expiresAt: 1760000000000,
          vaultId: 42
        }
      },
      {
        name: "takes a key of 255 characters, and what is not ASCII",
        input: { apiKey: `ключ "1"\\${"k".repeat(245)}` },
        json: { apiKey: `ключ "1"\\${"k".repeat(245)}` },
        response: created({ accessToken: "first-access-token", refreshToken: "first-refresh-token" }),
        result: { accessToken: "first-access-token", refreshToken: "first-refresh-token" }
      }
    ],
    refused: [
      { name: "a key is not empty", input: { apiKey: "" }, paths: [["apiKey"]] },
      { name: "a key has at most 255 characters", input: { apiKey: longKey }, paths: [["apiKey"]] },
      { name: "a key is required", input: {}, paths: [["apiKey"]] }
    ]
  },
  {
    operation: "authentication.refreshToken",
    method: "POST",
    path: "/auth/refresh-token",
    safety: "session",
    successes: [
      {
        name: "exchanges the latest refresh token for a new pair",
        input: { refreshToken: "latest-refresh-token" },
        json: { refreshToken: "latest-refresh-token" },
        response: created({
          accessToken: "next-access-token",
          refreshToken: "next-refresh-token",
          expiresAt: 1760000000000
        }),
        result: { accessToken: "next-access-token", refreshToken: "next-refresh-token", expiresAt: 1760000000000 }
      },
      {
        name: "keeps the tokens, whatever the expiry looks like",
        input: { refreshToken: "latest-refresh-token" },
        json: { refreshToken: "latest-refresh-token" },
        response: created({
          accessToken: "next-access-token",
          refreshToken: "next-refresh-token",
          expiresAt: "tomorrow"
        }),
        result: { accessToken: "next-access-token", refreshToken: "next-refresh-token", expiresAt: "tomorrow" }
      }
    ],
    refused: [{ name: "a refresh token is required", input: {}, paths: [["refreshToken"]] }]
  }
]

const alice = {
  externalId: "alice",
  id: 7,
  createdAt: "20 August, 2025 11:18:53",
  updatedAt: "20 August, 2025 11:18:53"
}

const clients: ReadonlyArray<Operation> = [
  {
    operation: "clients.create",
    method: "POST",
    path: "/clients/create",
    safety: "keyed",
    lookUp: "clients.get",
    existing: [{ path: "/clients/alice", data: alice }],
    successes: [
      {
        name: "creates a client under the caller's own identifier",
        input: { id: "alice" },
        json: { id: "alice" },
        response: created(alice),
        result: alice
      },
      {
        name: "keeps fields that nobody declared, and those of another kind than assumed as they came, and leaves out what is null",
        input: { id: "ACME / 7" },
        json: { id: "ACME / 7" },
        response: created({
          externalId: "ACME / 7",
          id: null,
          createdAt: 1755688733,
          tier: { name: "gold", limits: [1, 2] }
        }),
        result: { externalId: "ACME / 7", createdAt: 1755688733, tier: { name: "gold", limits: [1, 2] } }
      },
      {
        name: "takes an externalId that comes as a number",
        input: { id: "1234" },
        json: { id: "1234" },
        response: created({ externalId: 1234 }),
        result: { externalId: "1234" }
      }
    ],
    refused: [
      { name: "an externalId is not empty", input: { id: "" }, paths: [["id"]] },
      { name: "an externalId has at most 255 characters", input: { id: longKey }, paths: [["id"]] },
      { name: "an externalId is required", input: {}, paths: [["id"]] },
      { name: "an externalId is no dot segment: its client could never be read", input: { id: ".." }, paths: [["id"]] },
      { name: "only what is declared is sent", input: { id: "alice", name: "Alice" }, paths: [["name"]] }
    ]
  },
  {
    operation: "clients.createMany",
    method: "POST",
    path: "/clients/create-many",
    safety: "keyed",
    lookUp: "clients.list",
    existing: [
      { path: "/clients/alice", data: { externalId: "alice" } },
      { path: "/clients/bob", data: { externalId: "bob" } }
    ],
    successes: [
      {
        name: "creates several clients at once",
        input: { ids: ["alice", "bob"] },
        json: { ids: ["alice", "bob"] },
        response: created([{ externalId: "alice" }, { externalId: "bob" }]),
        result: [{ externalId: "alice" }, { externalId: "bob" }]
      }
    ],
    refused: [
      { name: "there is at least one", input: { ids: [] }, paths: [["ids"]] },
      { name: "they are all different", input: { ids: ["alice", "alice"] }, paths: [["ids"]] },
      { name: "none is empty", input: { ids: ["alice", ""] }, paths: [["ids", 1]] },
      {
        name: "none is a dot segment: its client could never be read",
        input: { ids: ["alice", "."] },
        paths: [["ids", 1]]
      }
    ]
  },
  {
    operation: "clients.list",
    method: "GET",
    path: "/clients",
    safety: "read",
    successes: [...listOf("clients", alice)],
    refused: refusedLists
  },
  {
    operation: "clients.get",
    method: "GET",
    path: "/clients/:externalId",
    safety: "read",
    isOfResource: true,
    successes: [
      {
        name: "gives the client of an externalId",
        input: { externalId: "alice" },
        path: "/clients/alice",
        response: ok(alice),
        result: alice
      },
      {
        name: "writes an externalId as one segment of the path, whatever it is made of",
        input: { externalId: "a/b c?d#e%20é" },
        path: "/clients/a%2Fb%20c%3Fd%23e%2520%C3%A9",
        response: ok({ externalId: "a/b c?d#e%20é" }),
        result: { externalId: "a/b c?d#e%20é" }
      }
    ],
    refused: [
      { name: "an externalId is not empty", input: { externalId: "" }, paths: [["externalId"]] },
      { name: "a dot would name the collection", input: { externalId: "." }, paths: [["externalId"]] },
      { name: "two dots would name what is above it", input: { externalId: ".." }, paths: [["externalId"]] }
    ]
  }
]

const wallet = {
  id: "w-1",
  address: "0x52908400098527886E0F7030069857D2E4169EE7",
  clientId: "alice",
  assetId: "usdc",
  networkId: "ethereum",
  balance: "1250.00",
  pendingBalance: "0.000000000000000001",
  transactionCount: 12
}

const wallets: ReadonlyArray<Operation> = [
  {
    operation: "wallets.list",
    method: "GET",
    path: "/wallets/client-wallets",
    safety: "read",
    successes: [
      ...listOf("wallets", wallet),
      {
        name: "filters by client, asset and network",
        input: { clientId: "alice", assetId: "usdc", networkId: "ethereum" },
        query: { clientId: "alice", assetId: "usdc", networkId: "ethereum" },
        response: ok([wallet]),
        result: { items: [wallet] }
      }
    ],
    refused: [...refusedLists, { name: "a client's name is not empty", input: { clientId: "" }, paths: [["clientId"]] }]
  },
  {
    operation: "wallets.get",
    method: "GET",
    path: "/wallets/:walletId",
    safety: "read",
    isOfResource: true,
    successes: [
      {
        name: "gives a wallet with its asset",
        input: { walletId: "w-1" },
        path: "/wallets/w-1",
        response: ok({ ...wallet, asset: { id: "usdc", symbol: "USDC", type: "TOKEN", network: ethereum } }),
        result: { ...wallet, asset: { id: "usdc", symbol: "USDC", type: "TOKEN", network: ethereum } }
      },
      {
        name: "reads amounts from JSON numbers that a double does not hold, ids from numbers, counts from digits",
        input: { walletId: "17" },
        path: "/wallets/17",
        response: raw(
          200,
          `{"message":"OK","data":{"id":17,"address":"0x1","balance":${uint256},"pendingBalance":0.1000000000000000055,` +
            `"transactionCount":"0","status":"FROZEN"},"status":200}`
        ),
        result: {
          id: "17",
          address: "0x1",
          balance: uint256,
          pendingBalance: "0.1000000000000000055",
          transactionCount: 0,
          status: "FROZEN"
        }
      }
    ],
    refused: [{ name: "a wallet's name is not empty", input: { walletId: "" }, paths: [["walletId"]] }]
  },
  {
    operation: "wallets.balance",
    method: "GET",
    path: "/wallets/:walletId/balance",
    safety: "read",
    isOfResource: true,
    successes: [
      {
        name: "gives what a wallet holds",
        input: { walletId: "w-1" },
        path: "/wallets/w-1/balance",
        response: ok({ balance: "12.50", pendingBalance: "0", walletId: "w-1", assetId: "usdc" }),
        result: { balance: "12.50", pendingBalance: "0", walletId: "w-1", assetId: "usdc" }
      },
      {
        name: "reads a balance from a JSON number, and one with an exponent",
        input: { walletId: "w-1" },
        path: "/wallets/w-1/balance",
        response: raw(200, `{"data":{"balance":0.9,"pendingBalance":1e-18}}`),
        result: { balance: "0.9", pendingBalance: "0.000000000000000001" }
      }
    ]
  },
  {
    operation: "wallets.transactionCount",
    method: "GET",
    path: "/wallets/:walletId/transaction-count",
    safety: "read",
    isOfResource: true,
    successes: [
      {
        name: "gives how many transactions a wallet has seen",
        input: { walletId: "w-1" },
        path: "/wallets/w-1/transaction-count",
        response: ok({ transactionCount: 3, walletId: "w-1" }),
        result: { transactionCount: 3, walletId: "w-1" }
      },
      {
        name: "reads the count from digits",
        input: { walletId: "w-1" },
        path: "/wallets/w-1/transaction-count",
        response: ok({ transactionCount: "0" }),
        result: { transactionCount: 0 }
      }
    ]
  }
]

const vaults: ReadonlyArray<Operation> = [
  {
    operation: "vaults.details",
    method: "GET",
    path: "/vaults/details",
    safety: "read",
    successes: [
      {
        name: "gives the vault",
        input: {},
        response: ok({ id: "42", name: "Treasury" }),
        result: { id: "42", name: "Treasury" }
      },
      {
        name: "keeps every field, for none is shown",
        input: {},
        response: ok({ id: 42, name: null, region: "eu", limits: { daily: 1000000 } }),
        result: { id: "42", region: "eu", limits: { daily: 1000000 } }
      },
      {
        name: "needs nothing but the payload, and an empty vault is a vault",
        input: {},
        response: { status: 200, json: { data: {} } },
        result: {}
      }
    ]
  },
  {
    operation: "vaults.configuration",
    method: "GET",
    path: "/vaults/configuration",
    safety: "read",
    successes: [
      {
        name: "gives the configuration field by field as it comes",
        input: {},
        response: ok({ vaultId: 42, segregated: true, notifications: ["email"] }),
        result: { vaultId: "42", segregated: true, notifications: ["email"] }
      }
    ]
  },
  {
    operation: "vaults.assets",
    method: "GET",
    path: "/vaults/assets",
    safety: "read",
    successes: [
      ...listOf("the vault's assets", {
        id: "usdc",
        name: "USD Coin",
        symbol: "USDC",
        decimals: 6,
        networkId: "ethereum",
        balance: "99999999999999999999.000001"
      })
    ],
    refused: refusedLists
  },
  {
    operation: "vaults.networks",
    method: "GET",
    path: "/vaults/networks",
    safety: "read",
    successes: [...listOf("the vault's networks", ethereum)],
    refused: refusedLists
  },
  {
    operation: "vaults.networkSettings",
    method: "GET",
    path: "/vaults/network-settings",
    safety: "read",
    successes: [...listOf("the vault's network settings", { networkId: "ethereum", enabled: true, confirmations: 12 })],
    refused: refusedLists
  },
  {
    operation: "vaults.approvals",
    method: "GET",
    path: "/vaults/approvals",
    safety: "read",
    successes: [...listOf("the vault's approvals", { id: "a-1", status: "PENDING", transactionId: "t-1" })],
    refused: refusedLists
  },
  {
    operation: "vaults.approval",
    method: "GET",
    path: "/vaults/approvals/:approvalId",
    safety: "read",
    isOfResource: true,
    successes: [
      {
        name: "gives an approval",
        input: { approvalId: "a-1" },
        path: "/vaults/approvals/a-1",
        response: ok({ id: "a-1", status: "APPROVED", transactionId: "t-1", createdAt: "2026-11-01" }),
        result: { id: "a-1", status: "APPROVED", transactionId: "t-1", createdAt: "2026-11-01" }
      },
      {
        name: "keeps a status that nobody knows",
        input: { approvalId: "2" },
        path: "/vaults/approvals/2",
        response: ok({ id: 2, status: "ESCALATED" }),
        result: { id: "2", status: "ESCALATED" }
      }
    ]
  },
  {
    operation: "vaults.paymentPolicies",
    method: "GET",
    path: "/vaults/payment-policies",
    safety: "read",
    successes: [...listOf("the vault's payment policies", { id: 1, name: "Four eyes", assetId: "usdc", threshold: 2 })],
    refused: refusedLists
  },
  {
    operation: "vaults.gasStationCategories",
    method: "GET",
    path: "/vaults/gas-station-categories",
    safety: "read",
    successes: [...listOf("the gas station's categories", { id: 1, name: "Fast", networkId: "ethereum" })],
    refused: refusedLists
  }
]

const transaction = {
  id: "t-1",
  status: "PENDING",
  type: "OUTGOING",
  clientId: "alice",
  walletId: "w-1",
  assetId: "usdc",
  networkId: "ethereum",
  amount: "12.50",
  fee: "0.00021",
  from: "0x1",
  to: "0x2",
  note: "rent",
  hash: "0xabc",
  createdAt: "2026-11-01",
  updatedAt: "2026-11-02"
}

const refusedAmounts = (input: Fields): ReadonlyArray<Refused> => [
  { name: "nothing cannot be moved", input: { ...input, amount: "0" }, paths: [["amount"]] },
  { name: "less than nothing cannot be moved", input: { ...input, amount: "-0.01" }, paths: [["amount"]] }
]

const transactions: ReadonlyArray<Operation> = [
  {
    operation: "transactions.send",
    method: "POST",
    path: "/transactions/send",
    safety: "write",
    isOfResource: true,
    lookUp: "transactions.list",
    successes: [
      {
        name: "sends to an external address",
        input: { clientId: "alice", assetId: "usdc", to: "0x2", amount: "12.50" },
        json: { clientId: "alice", assetId: "usdc", to: "0x2", amount: "12.50" },
        response: created({ id: "t-1", status: "PENDING" }),
        result: { id: "t-1", status: "PENDING" }
      },
      {
        name: "sends every field, the amount digit by digit",
        input: {
          clientId: "alice",
          assetId: "usdc",
          networkId: "ethereum",
          to: "0x2",
          amount: uint256,
          note: 'für "März" \u{1F4B8}'
        },
        json: {
          clientId: "alice",
          assetId: "usdc",
          networkId: "ethereum",
          to: "0x2",
          amount: uint256,
          note: 'für "März" \u{1F4B8}'
        },
        response: created(transaction),
        result: transaction
      },
      {
        name: "is content with the id of what it started",
        input: { clientId: "alice", assetId: "usdc", to: "0x2", amount: "0.000000000000000001" },
        json: { clientId: "alice", assetId: "usdc", to: "0x2", amount: "0.000000000000000001" },
        response: created({ id: 9007199254740991 }),
        result: { id: "9007199254740991" }
      }
    ],
    refused: [
      ...refusedAmounts({ clientId: "alice", assetId: "usdc", to: "0x2" }),
      {
        name: "an address is not empty",
        input: { clientId: "alice", assetId: "usdc", to: "", amount: "1" },
        paths: [["to"]]
      },
      {
        name: "everything that is wrong is told at once",
        input: { clientId: "", assetId: "", to: "", amount: "0" },
        paths: [["clientId"], ["assetId"], ["to"], ["amount"]]
      }
    ]
  },
  {
    operation: "transactions.transfer",
    method: "POST",
    path: "/transactions/transfer",
    safety: "write",
    isOfResource: true,
    lookUp: "transactions.list",
    successes: [
      {
        name: "moves an asset between two clients",
        input: { fromClientId: "alice", toClientId: "bob", assetId: "usdc", amount: "3" },
        json: { fromClientId: "alice", toClientId: "bob", assetId: "usdc", amount: "3" },
        response: created({ id: "t-2", status: "PENDING", type: "INTERNAL_TRANSFER", amount: "3" }),
        result: { id: "t-2", status: "PENDING", type: "INTERNAL_TRANSFER", amount: "3" }
      },
      {
        name: "sends a note",
        input: { fromClientId: "alice", toClientId: "bob", assetId: "usdc", amount: "3.00", note: "rent" },
        json: { fromClientId: "alice", toClientId: "bob", assetId: "usdc", amount: "3.00", note: "rent" },
        response: created({ id: "t-2", status: "SETTLING", amount: null }),
        result: { id: "t-2", status: "SETTLING" }
      }
    ],
    refused: refusedAmounts({ fromClientId: "alice", toClientId: "bob", assetId: "usdc" })
  },
  {
    operation: "transactions.list",
    method: "GET",
    path: "/transactions",
    safety: "read",
    successes: [
      ...listOf("transactions", transaction),
      {
        name: "filters by client, asset, network, type, status and time",
        input: {
          clientId: "alice",
          assetId: "usdc",
          networkId: "ethereum",
          type: "INTERNAL_TRANSFER",
          status: "COMPLETED",
          from: "2026-11-01T00:00:00.000Z",
          to: "2026-11-30T23:59:59.999Z"
        },
        query: {
          clientId: "alice",
          assetId: "usdc",
          networkId: "ethereum",
          type: "INTERNAL_TRANSFER",
          status: "COMPLETED",
          from: "2026-11-01T00:00:00.000Z",
          to: "2026-11-30T23:59:59.999Z"
        },
        response: ok([]),
        result: { items: [] }
      },
      {
        name: "asks for and keeps types and statuses that nobody knows",
        input: { type: "AIRDROP", status: "SETTLING" },
        query: { type: "AIRDROP", status: "SETTLING" },
        response: ok([{ id: 3, status: "SETTLING", type: "AIRDROP" }]),
        result: { items: [{ id: "3", status: "SETTLING", type: "AIRDROP" }] }
      }
    ],
    refused: refusedLists
  },
  {
    operation: "transactions.get",
    method: "GET",
    path: "/transactions/:transactionId",
    safety: "read",
    isOfResource: true,
    successes: [
      {
        name: "gives a transaction",
        input: { transactionId: "t-1" },
        path: "/transactions/t-1",
        response: ok(transaction),
        result: transaction
      },
      {
        name: "reads amount and fee from JSON numbers without rounding",
        input: { transactionId: "t-1" },
        path: "/transactions/t-1",
        response: raw(
          200,
          `{"data":{"id":"t-1","status":"COMPLETED","amount":123456789012345678901234567890.123456789,"fee":2.1E-4}}`
        ),
        result: {
          id: "t-1",
          status: "COMPLETED",
          amount: "123456789012345678901234567890.123456789",
          fee: "0.00021"
        }
      }
    ]
  },
  {
    operation: "transactions.status",
    method: "GET",
    path: "/transactions/:transactionId/status",
    safety: "read",
    isOfResource: true,
    successes: [
      {
        name: "gives how far a transaction is",
        input: { transactionId: "t-1" },
        path: "/transactions/t-1/status",
        response: ok({ status: "BROADCASTING", id: "t-1" }),
        result: { status: "BROADCASTING", id: "t-1" }
      }
    ]
  }
]

const assets: ReadonlyArray<Operation> = [
  {
    operation: "assets.list",
    method: "GET",
    path: "/assets",
    safety: "read",
    successes: [
      ...listOf("assets", {
        id: "usdc",
        symbol: "USDC",
        decimals: 6,
        name: "USD Coin",
        contractAddress: "0xA0b8",
        type: "TOKEN",
        status: "ACTIVE",
        logo: "https://example.com/usdc.svg",
        networkId: "ethereum",
        network: ethereum,
        price: "0.9998"
      })
    ],
    refused: refusedLists
  },
  {
    operation: "assets.prices",
    method: "GET",
    path: "/assets/prices",
    safety: "read",
    successes: [
      {
        name: "gives all prices",
        input: {},
        response: ok([{ assetId: "btc", price: "98765.4321", currency: "EUR", updatedAt: "2026-11-01" }]),
        result: [{ assetId: "btc", price: "98765.4321", currency: "EUR", updatedAt: "2026-11-01" }]
      },
      {
        name: "asks for assets one by one, and for a currency",
        input: { assetIds: ["btc", "eth&sol"], currency: "EUR" },
        query: { assetIds: ["btc", "eth&sol"], currency: "EUR" },
        response: raw(200, `{"data":[{"assetId":"btc","price":98765.43210000000000001},{"assetId":1,"price":null}]}`),
        result: [{ assetId: "btc", price: "98765.43210000000000001" }, { assetId: "1" }]
      }
    ]
  }
]

const tokens: ReadonlyArray<Operation> = [
  {
    operation: "tokens.get",
    method: "GET",
    path: "/tokens/:tokenId",
    safety: "read",
    isOfResource: true,
    successes: [
      {
        name: "gives a token",
        input: { tokenId: "tok-1" },
        path: "/tokens/tok-1",
        response: ok({
          id: "tok-1",
          name: "Acme Bond 2030",
          symbol: "ACME30",
          decimals: "6",
          supply: "1000000.000000",
          networkId: "ethereum",
          status: "COMPLETED"
        }),
        result: {
          id: "tok-1",
          name: "Acme Bond 2030",
          symbol: "ACME30",
          decimals: 6,
          supply: "1000000.000000",
          networkId: "ethereum",
          status: "COMPLETED"
        }
      }
    ]
  },
  {
    operation: "tokens.networks",
    method: "GET",
    path: "/tokens/networks",
    safety: "read",
    successes: [...listOf("the networks of tokens", ethereum)],
    refused: refusedLists
  },
  {
    operation: "tokens.create",
    method: "POST",
    path: "/tokens/create",
    safety: "write",
    isOfResource: true,
    lookUp: "vaults.assets",
    successes: [
      {
        name: "creates a token with a logo",
        input: {
          name: "Acme Bond 2030",
          symbol: "ACME30",
          networkId: "ethereum",
          decimals: 6,
          initialSupply: "1000000.50",
          description: "Zwei Zeilen:\r\n--und mehr",
          logo: { name: 'lo"go é.svg', contentType: "image/svg+xml", text: "<svg/>\r\n" }
        },
        multipart: [
          { name: "name", text: "Acme Bond 2030" },
          { name: "symbol", text: "ACME30" },
          { name: "networkId", text: "ethereum" },
          { name: "decimals", text: "6" },
          { name: "initialSupply", text: "1000000.50" },
          { name: "description", text: "Zwei Zeilen:\r\n--und mehr" },
          { name: "logo", filename: 'lo"go é.svg', contentType: "image/svg+xml", text: "<svg/>\r\n" }
        ],
        response: created({ id: "tok-1", name: "Acme Bond 2030", supply: "1000000.50" }),
        result: { id: "tok-1", name: "Acme Bond 2030", supply: "1000000.50" }
      },
      {
        name: "is multipart without a file too",
        input: { name: "Acme", symbol: "ACM", networkId: "ethereum" },
        multipart: [
          { name: "name", text: "Acme" },
          { name: "symbol", text: "ACM" },
          { name: "networkId", text: "ethereum" }
        ],
        response: created({ id: 8 }),
        result: { id: "8" }
      }
    ],
    refused: [
      { name: "a name is not empty", input: { name: "", symbol: "ACM", networkId: "ethereum" }, paths: [["name"]] },
      {
        name: "there is no negative number of decimals",
        input: { name: "Acme", symbol: "ACM", networkId: "ethereum", decimals: -1 },
        paths: [["decimals"]]
      },
      {
        name: "a supply is above zero",
        input: { name: "Acme", symbol: "ACM", networkId: "ethereum", initialSupply: "0" },
        paths: [["initialSupply"]]
      }
    ]
  },
  {
    operation: "tokens.mint",
    method: "POST",
    path: "/tokens/:tokenId/mint",
    safety: "write",
    isOfResource: true,
    lookUp: "tokens.get",
    successes: [
      {
        name: "mints with a document",
        input: {
          tokenId: "tok-1",
          amount: "250.000001",
          toWalletId: "w-1",
          note: "second tranche",
          document: { name: "deed.pdf", contentType: "application/pdf", text: "%PDF-1.7" }
        },
        path: "/tokens/tok-1/mint",
        multipart: [
          { name: "amount", text: "250.000001" },
          { name: "toWalletId", text: "w-1" },
          { name: "note", text: "second tranche" },
          { name: "document", filename: "deed.pdf", contentType: "application/pdf", text: "%PDF-1.7" }
        ],
        response: created({
          tokenId: "tok-1",
          transactionId: "t-9",
          status: "PENDING",
          amount: "250.000001",
          supply: "1000250.000001"
        }),
        result: {
          tokenId: "tok-1",
          transactionId: "t-9",
          status: "PENDING",
          amount: "250.000001",
          supply: "1000250.000001"
        }
      },
      {
        name: "is multipart without a document too, and promises nothing of the answer",
        input: { tokenId: "tok/1", amount: "1" },
        path: "/tokens/tok%2F1/mint",
        multipart: [{ name: "amount", text: "1" }],
        response: created({}),
        result: {}
      }
    ],
    refused: refusedAmounts({ tokenId: "tok-1" })
  },
  {
    operation: "tokens.burn",
    method: "POST",
    path: "/tokens/:tokenId/burn",
    safety: "write",
    isOfResource: true,
    lookUp: "tokens.get",
    successes: [
      {
        name: "burns with a document",
        input: {
          tokenId: "tok-1",
          amount: "0.000000000000000001",
          fromWalletId: "w-1",
          note: "redeemed",
          document: { name: "empty.txt", contentType: "text/plain", text: "" }
        },
        path: "/tokens/tok-1/burn",
        multipart: [
          { name: "amount", text: "0.000000000000000001" },
          { name: "fromWalletId", text: "w-1" },
          { name: "note", text: "redeemed" },
          { name: "document", filename: "empty.txt", contentType: "text/plain", text: "" }
        ],
        response: created({ tokenId: "tok-1", amount: "0.000000000000000001" }),
        result: { tokenId: "tok-1", amount: "0.000000000000000001" }
      },
      {
        name: "is multipart without a document too",
        input: { tokenId: "tok-1", amount: uint256 },
        path: "/tokens/tok-1/burn",
        multipart: [{ name: "amount", text: uint256 }],
        response: raw(201, `{"data":{"tokenId":1,"supply":${uint256}}}`),
        result: { tokenId: "1", supply: uint256 }
      }
    ],
    refused: refusedAmounts({ tokenId: "tok-1" })
  },
  {
    operation: "tokens.metadata",
    method: "GET",
    path: "/tokens/:tokenId/metadata",
    safety: "read",
    isOfResource: true,
    successes: [
      {
        name: "gives what the issuer says",
        input: { tokenId: "tok-1" },
        path: "/tokens/tok-1/metadata",
        response: ok({ name: "Acme Bond 2030", website: "https://acme.example", isin: "XS0000000000" }),
        result: { name: "Acme Bond 2030", website: "https://acme.example", isin: "XS0000000000" }
      }
    ]
  },
  {
    operation: "tokens.updateMetadata",
    method: "PUT",
    path: "/tokens/:tokenId/metadata",
    safety: "write",
    isOfResource: true,
    lookUp: "tokens.metadata",
    successes: [
      {
        name: "replaces what the issuer says",
        input: {
          tokenId: "tok-1",
          metadata: { description: "A bond of Acme", terms: { coupon: 4.25, callable: false } }
        },
        path: "/tokens/tok-1/metadata",
        json: { metadata: { description: "A bond of Acme", terms: { coupon: 4.25, callable: false } } },
        response: ok({ description: "A bond of Acme" }),
        result: { description: "A bond of Acme" }
      },
      {
        name: "replaces it by nothing",
        input: { tokenId: "tok-1", metadata: {} },
        path: "/tokens/tok-1/metadata",
        json: { metadata: {} },
        response: ok({}),
        result: {}
      }
    ]
  }
]

const nft = {
  id: "nft-1",
  name: "Deed 17",
  collection: "Deeds",
  walletId: "w-1",
  networkId: "ethereum",
  file: "https://example.com/deed.png",
  status: "COMPLETED"
}

const nfts: ReadonlyArray<Operation> = [
  {
    operation: "nfts.get",
    method: "GET",
    path: "/nfts/:nftId",
    safety: "read",
    isOfResource: true,
    successes: [
      { name: "gives an NFT", input: { nftId: "nft-1" }, path: "/nfts/nft-1", response: ok(nft), result: nft }
    ]
  },
  {
    operation: "nfts.networks",
    method: "GET",
    path: "/nfts/networks",
    safety: "read",
    successes: [...listOf("the networks of NFTs", ethereum)],
    refused: refusedLists
  },
  {
    operation: "nfts.create",
    method: "POST",
    path: "/nfts/create",
    safety: "write",
    isOfResource: true,
    successes: [
      {
        name: "creates an NFT of a file",
        input: {
          name: "Deed 17",
          networkId: "ethereum",
          walletId: "w-1",
          collection: "Deeds",
          description: "A house",
          file: { name: "deed.png", contentType: "image/png", text: "not really a picture" }
        },
        multipart: [
          { name: "name", text: "Deed 17" },
          { name: "networkId", text: "ethereum" },
          { name: "walletId", text: "w-1" },
          { name: "collection", text: "Deeds" },
          { name: "description", text: "A house" },
          { name: "file", filename: "deed.png", contentType: "image/png", text: "not really a picture" }
        ],
        response: created(nft),
        result: nft
      },
      {
        name: "needs a name, a network and a file",
        input: {
          name: "Deed 18",
          networkId: "ethereum",
          file: { name: "deed.png", contentType: "image/png", text: "picture" }
        },
        multipart: [
          { name: "name", text: "Deed 18" },
          { name: "networkId", text: "ethereum" },
          { name: "file", filename: "deed.png", contentType: "image/png", text: "picture" }
        ],
        response: created({ id: 18 }),
        result: { id: "18" }
      }
    ],
    refused: [{ name: "a file is required", input: { name: "Deed 17", networkId: "ethereum" }, paths: [["file"]] }]
  },
  {
    operation: "nfts.transfer",
    method: "POST",
    path: "/nfts/:nftId/transfer",
    safety: "write",
    isOfResource: true,
    lookUp: "nfts.transfers",
    successes: [
      {
        name: "hands an NFT over",
        input: { nftId: "nft-1", fromWalletId: "w-1", toWalletId: "w-2" },
        path: "/nfts/nft-1/transfer",
        json: { fromWalletId: "w-1", toWalletId: "w-2" },
        response: created({ id: "t-5", status: "PENDING", nftId: "nft-1", fromWalletId: "w-1", toWalletId: "w-2" }),
        result: { id: "t-5", status: "PENDING", nftId: "nft-1", fromWalletId: "w-1", toWalletId: "w-2" }
      }
    ],
    refused: [
      {
        name: "a wallet's name is not empty",
        input: { nftId: "nft-1", fromWalletId: "w-1", toWalletId: "" },
        paths: [["toWalletId"]]
      }
    ]
  },
  {
    operation: "nfts.transfers",
    method: "GET",
    path: "/nfts/:nftId/transfers",
    safety: "read",
    isOfResource: true,
    successes: [
      ...listOf(
        "an NFT's transfers",
        { id: "t-5", status: "COMPLETED", nftId: "nft-1", hash: "0xabc" },
        { input: { nftId: "nft-1" }, path: "/nfts/nft-1/transfers" }
      )
    ]
  }
]

const order = {
  id: "o-1",
  status: "PENDING",
  paymentLink: "https://pay.example/o-1",
  walletId: "w-1",
  address: "0x1",
  clientId: "alice",
  assetId: "usdc",
  networkId: "ethereum",
  amount: "99.90",
  currency: "EUR",
  assetAmount: "108.123456",
  note: "invoice 17",
  createdAt: "2026-11-01",
  updatedAt: "2026-11-02"
}

const paymentOrders: ReadonlyArray<Operation> = [
  {
    operation: "paymentOrders.create",
    method: "POST",
    path: "/payment-vault-orders",
    safety: "write",
    isOfResource: true,
    lookUp: "paymentOrders.list",
    successes: [
      {
        name: "asks for a payment in an asset",
        input: { amount: "99.90", currency: "EUR", assetId: "usdc", clientId: "alice", note: "invoice 17" },
        json: { amount: "99.90", currency: "EUR", assetId: "usdc", clientId: "alice", note: "invoice 17" },
        response: created(order),
        result: order
      },
      {
        name: "asks for a payment whose asset is chosen later",
        input: { amount: "0.5" },
        json: { amount: "0.5" },
        response: created({ id: 1, assetId: null, walletId: null }),
        result: { id: "1" }
      }
    ],
    refused: refusedAmounts({})
  },
  {
    operation: "paymentOrders.selectAsset",
    method: "POST",
    path: "/payment-vault-orders/:orderId/asset",
    safety: "write",
    isOfResource: true,
    lookUp: "paymentOrders.get",
    successes: [
      {
        name: "chooses the asset of an order",
        input: { orderId: "o-1", assetId: "usdc", networkId: "ethereum" },
        path: "/payment-vault-orders/o-1/asset",
        json: { assetId: "usdc", networkId: "ethereum" },
        response: created(order),
        result: order
      },
      {
        name: "needs no network, and promises nothing of the answer",
        input: { orderId: "o-1", assetId: "btc" },
        path: "/payment-vault-orders/o-1/asset",
        json: { assetId: "btc" },
        response: created({}),
        result: {}
      }
    ]
  },
  {
    operation: "paymentOrders.get",
    method: "GET",
    path: "/payment-vault-orders/:orderId",
    safety: "read",
    isOfResource: true,
    successes: [
      {
        name: "gives an order",
        input: { orderId: "o-1" },
        path: "/payment-vault-orders/o-1",
        response: ok(order),
        result: order
      }
    ]
  },
  {
    operation: "paymentOrders.list",
    method: "GET",
    path: "/payment-vault-orders",
    safety: "read",
    successes: [
      ...listOf("orders", order),
      {
        name: "filters by status and client",
        input: { status: "CANCELLED", clientId: "alice" },
        query: { status: "CANCELLED", clientId: "alice" },
        response: ok([]),
        result: { items: [] }
      }
    ],
    refused: refusedLists
  },
  {
    operation: "paymentOrders.cancel",
    method: "POST",
    path: "/payment-vault-orders/:orderId/cancel",
    safety: "write",
    isOfResource: true,
    lookUp: "paymentOrders.get",
    successes: [
      {
        name: "calls an order off, without a body",
        input: { orderId: "o-1" },
        path: "/payment-vault-orders/o-1/cancel",
        response: created({ id: "o-1", status: "CANCELLED" }),
        result: { id: "o-1", status: "CANCELLED" }
      }
    ]
  }
]

const link = {
  id: "l-1",
  url: "https://pay.example/l-1",
  status: "PENDING",
  clientId: "alice",
  amount: "250.00",
  currency: "EUR",
  method: "CARD"
}

const fiatGateway: ReadonlyArray<Operation> = [
  {
    operation: "fiatGateway.createPaymentLink",
    method: "POST",
    path: "/fiat-gateway/payment-links",
    safety: "write",
    isOfResource: true,
    lookUp: "fiatGateway.listPaymentLinks",
    successes: [
      {
        name: "creates a link",
        input: { clientId: "alice", amount: "250.00", currency: "EUR", method: "CARD" },
        json: { clientId: "alice", amount: "250.00", currency: "EUR", method: "CARD" },
        response: created(link),
        result: link
      },
      {
        name: "needs no method, and sends one that nobody knows",
        input: { clientId: "alice", amount: "250", currency: "EUR", method: "CHEQUE" },
        json: { clientId: "alice", amount: "250", currency: "EUR", method: "CHEQUE" },
        response: created({ id: "l-2", method: "CHEQUE" }),
        result: { id: "l-2", method: "CHEQUE" }
      }
    ],
    refused: refusedAmounts({ clientId: "alice", currency: "EUR" })
  },
  {
    operation: "fiatGateway.getPaymentLink",
    method: "GET",
    path: "/fiat-gateway/payment-links/:linkId",
    safety: "read",
    isOfResource: true,
    successes: [
      {
        name: "gives a link and its deposit",
        input: { linkId: "l-1" },
        path: "/fiat-gateway/payment-links/l-1",
        response: ok({ ...link, status: "COMPLETED", transactionId: "t-7" }),
        result: { ...link, status: "COMPLETED", transactionId: "t-7" }
      }
    ]
  },
  {
    operation: "fiatGateway.listPaymentLinks",
    method: "GET",
    path: "/fiat-gateway/payment-links",
    safety: "read",
    successes: [
      ...listOf("links", link),
      {
        name: "filters by client and status",
        input: { clientId: "alice", status: "EXPIRED" },
        query: { clientId: "alice", status: "EXPIRED" },
        response: ok([]),
        result: { items: [] }
      }
    ],
    refused: refusedLists
  },
  {
    operation: "fiatGateway.refund",
    method: "POST",
    path: "/fiat-gateway/transactions/:transactionId/refund",
    safety: "write",
    isOfResource: true,
    lookUp: "transactions.get",
    successes: [
      {
        name: "gives a part back",
        input: { transactionId: "t-7", amount: "25.00", reason: "partial return" },
        path: "/fiat-gateway/transactions/t-7/refund",
        json: { amount: "25.00", reason: "partial return" },
        response: created({ id: 1, transactionId: "t-7", status: "PENDING", amount: "25.00", currency: "EUR" }),
        result: { id: 1, transactionId: "t-7", status: "PENDING", amount: "25.00", currency: "EUR" }
      },
      {
        name: "gives all of it back, with an empty object for a body",
        input: { transactionId: "t-7" },
        path: "/fiat-gateway/transactions/t-7/refund",
        json: {},
        response: created({}),
        result: {}
      }
    ],
    refused: refusedAmounts({ transactionId: "t-7" })
  }
]

/** All 47, by the category's file. */
export const categories: Readonly<Record<string, ReadonlyArray<Operation>>> = {
  authentication,
  clients,
  wallets,
  vaults,
  transactions,
  assets,
  tokens,
  nfts,
  "payment-orders": paymentOrders,
  "fiat-gateway": fiatGateway
}
