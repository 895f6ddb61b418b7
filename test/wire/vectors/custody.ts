/** Tokens, clients, wallets and vaults. The first three operations are literal, from the specification. */
import { list, type Operation, operation, raw, read, row } from "./operation.ts"

/** The 78 digits of the largest unsigned 256-bit integer. */
export const uint256 = "115792089237316195423570985008687907853269984665640564039457584007913129639935"

export const ethereum = { id: "ethereum", name: "Ethereum", symbol: "ETH", type: "PUBLIC", status: "ACTIVE" }
const longKey = "k".repeat(256)
const oddKey = `ключ "1"\\${"k".repeat(245)}`

const firstTokens = {
  accessToken: "first-access-token",
  refreshToken: "first-refresh-token",
  expiresAt: 1760000000000,
  vaultId: 42
}
const nextTokens = { accessToken: "next-access-token", refreshToken: "next-refresh-token", expiresAt: 1760000000000 }
/** The expiry as an instant, and the vault's id as in the record of the vault. */
const expiry = { expiresAt: "2025-10-09T08:53:20.000Z" }
const firstRead = { ...firstTokens, ...expiry, vaultId: "42" }
const nextRead = { ...nextTokens, ...expiry }
const latest = { refreshToken: "latest-refresh-token" }

export const authentication: ReadonlyArray<Operation> = [
  operation(
    "authentication.generateTokens",
    "POST /auth/generate-tokens",
    "session",
    [
      row("exchanges an API key for the first tokens", { apiKey: "one-time-api-key" }, firstTokens, {
        path: "/auth/generate-tokens",
        json: { apiKey: "one-time-api-key" },
        response: {
          status: 201,
          json: { message: "Vault API keys generated successfully", data: firstTokens, status: 201 }
        },
        result: firstRead
      }),
      row("takes a key of 255 characters, and what is not ASCII", { apiKey: oddKey }, firstTokens, {
        result: firstRead
      }),
      row(
        "keeps the tokens, whatever the expiry and the vault look like",
        { apiKey: "one-time-api-key" },
        { ...firstTokens, expiresAt: "tomorrow", vaultId: { id: 42 } },
        { result: { accessToken: "first-access-token", refreshToken: "first-refresh-token" } }
      ),
      row(
        "takes a vault's id that is a text",
        { apiKey: "one-time-api-key" },
        { ...firstTokens, vaultId: "v-42" },
        { result: { ...firstRead, vaultId: "v-42" } }
      )
    ],
    {
      refused: [
        { name: "a key is not empty", input: { apiKey: "" }, paths: [["apiKey"]] },
        { name: "a key has at most 255 characters", input: { apiKey: longKey }, paths: [["apiKey"]] },
        { name: "a key is required", input: {}, paths: [["apiKey"]] }
      ]
    }
  ),
  operation(
    "authentication.refreshToken",
    "POST /auth/refresh-token",
    "session",
    [
      row("exchanges the latest refresh token for a new pair", latest, nextTokens, {
        path: "/auth/refresh-token",
        json: { refreshToken: "latest-refresh-token" },
        response: { status: 201, json: { message: "Created", data: nextTokens, status: 201 } },
        result: nextRead
      }),
      row(
        "keeps the tokens, whatever the expiry looks like",
        latest,
        { ...nextTokens, expiresAt: "tomorrow" },
        { result: { accessToken: "next-access-token", refreshToken: "next-refresh-token" } }
      )
    ],
    { refused: [{ name: "a refresh token is required", input: {}, paths: [["refreshToken"]] }] }
  )
]

const alice = {
  externalId: "alice",
  id: 7,
  createdAt: "20 August, 2025 11:18:53",
  updatedAt: "20 August, 2025 11:18:53"
}

export const clients: ReadonlyArray<Operation> = [
  operation(
    "clients.create",
    "POST /clients/create",
    "keyed",
    [
      row("creates a client under the caller's own identifier", { externalId: "alice" }, alice, {
        path: "/clients/create",
        json: { externalId: "alice" },
        response: { status: 201, json: { message: "Created", data: alice, status: 201 } },
        result: alice
      }),
      row(
        "keeps fields that nobody declared, and those of another kind than assumed as they came, and leaves out what is null",
        { externalId: "ACME / 7" },
        { externalId: "ACME / 7", id: null, createdAt: 1755688733, tier: { name: "gold", limits: [1, 2] } },
        { result: { externalId: "ACME / 7", createdAt: 1755688733, tier: { name: "gold", limits: [1, 2] } } }
      ),
      row(
        "takes an externalId that comes as a number",
        { externalId: "1234" },
        { externalId: 1234 },
        {
          result: { externalId: "1234" }
        }
      )
    ],
    {
      lookUp: "clients.get",
      existing: [{ path: "/clients/alice", data: alice }],
      refused: [
        { name: "an externalId is not empty", input: { externalId: "" }, paths: [["externalId"]] },
        { name: "an externalId has at most 255 characters", input: { externalId: longKey }, paths: [["externalId"]] },
        { name: "an externalId is required", input: {}, paths: [["externalId"]] },
        {
          name: "an externalId is no dot segment: its client could never be read",
          input: { externalId: ".." },
          paths: [["externalId"]]
        },
        { name: "only what is declared is sent", input: { externalId: "alice", name: "Alice" }, paths: [["name"]] }
      ]
    }
  ),
  operation(
    "clients.createMany",
    "POST /clients/create-many",
    "keyed",
    [
      row(
        "creates several clients at once",
        { externalIds: ["alice", "bob"] },
        { items: [{ externalId: "alice" }, { externalId: "bob" }] },
        { result: [{ externalId: "alice" }, { externalId: "bob" }] }
      ),
      row(
        "takes records that are data itself",
        { externalIds: ["alice", "bob"] },
        [{ externalId: "bob" }, { externalId: "alice" }],
        { result: [{ externalId: "alice" }, { externalId: "bob" }] }
      )
    ],
    {
      lookUp: "clients.list",
      existing: [
        { path: "/clients/alice", data: { externalId: "alice" } },
        { path: "/clients/bob", data: { externalId: "bob" } }
      ],
      refused: [
        { name: "there is at least one", input: { externalIds: [] }, paths: [["externalIds"]] },
        { name: "they are all different", input: { externalIds: ["alice", "alice"] }, paths: [["externalIds"]] },
        { name: "none is empty", input: { externalIds: ["alice", ""] }, paths: [["externalIds", 1]] },
        { name: "none is a dot segment", input: { externalIds: ["alice", "."] }, paths: [["externalIds", 1]] }
      ]
    }
  ),
  list("clients.list", "/clients", "clients", alice),
  read(
    "clients.get",
    "/clients/:externalId",
    [
      row("gives the client of an externalId", { externalId: "alice" }, alice),
      row(
        "writes an externalId as one segment of the path, whatever it is made of",
        { externalId: "a/b c?d#e%20é" },
        { externalId: "a/b c?d#e%20é" },
        { path: "/clients/a%2Fb%20c%3Fd%23e%2520%C3%A9" }
      )
    ],
    [
      { name: "an externalId is not empty", input: { externalId: "" }, paths: [["externalId"]] },
      { name: "a dot would name the collection", input: { externalId: "." }, paths: [["externalId"]] },
      { name: "two dots would name what is above it", input: { externalId: ".." }, paths: [["externalId"]] }
    ]
  )
]

const wallet = {
  id: "w-1",
  address: "0x52908400098527886E0F7030069857D2E4169EE7",
  clientId: "alice",
  assetId: "usdc",
  networkId: "ethereum",
  balance: "1250.00",
  pendingBalance: "0.000000000000000001",
  balances: [
    { balance: "1250.00", assetId: "usdc" },
    { balance: "0.5", pendingBalance: "0.1", assetId: "eth" }
  ],
  transactionCount: 12,
  asset: { id: "usdc", symbol: "USDC", type: "TOKEN", network: ethereum }
}

export const wallets: ReadonlyArray<Operation> = [
  list("wallets.list", "/wallets/client-wallets", "wallets", wallet, {
    filters: { clientId: "alice", assetId: "usdc", networkId: "ethereum" }
  }),
  read(
    "wallets.get",
    "/wallets/:walletId",
    [
      row("gives a wallet with its asset", { walletId: "w-1" }, wallet),
      row(
        "reads amounts from JSON numbers that a double does not hold, ids from numbers, counts from digits",
        { walletId: "17" },
        null,
        {
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
      )
    ],
    [{ name: "a wallet's name is not empty", input: { walletId: "" }, paths: [["walletId"]] }]
  ),
  read("wallets.balance", "/wallets/:walletId/balance", [
    row(
      "gives what a wallet holds",
      { walletId: "w-1" },
      { balance: "12.50", pendingBalance: "0", walletId: "w-1", assetId: "usdc" }
    ),
    row("asks for one asset", { walletId: "w-1", assetId: "eth" }, { balance: "0.5", walletId: "w-1", assetId: "eth" })
  ]),
  read("wallets.transactionCount", "/wallets/:walletId/transaction-count", [
    row("gives how many transactions there are", { walletId: "w-1" }, { transactionCount: 3, walletId: "w-1" })
  ])
]

export const vaults: ReadonlyArray<Operation> = [
  read("vaults.details", "/vaults/details", [
    row("gives the vault, with every field", {}, { id: "42", name: "Treasury", limits: { daily: 1000000 } }),
    row(
      "needs nothing but the payload, and an empty vault is a vault",
      {},
      {},
      {
        response: { status: 200, json: { data: {} } }
      }
    )
  ]),
  read("vaults.configuration", "/vaults/configuration", [
    row("gives it field by field as it comes", {}, { vaultId: "42", segregated: true, notifications: ["email"] })
  ]),
  list("vaults.assets", "/vaults/assets", "the vault's assets", {
    id: "usdc",
    name: "USD Coin",
    symbol: "USDC",
    decimals: 6,
    networkId: "ethereum",
    balance: "99999999999999999999.000001"
  }),
  list("vaults.networks", "/vaults/networks", "the vault's networks", ethereum),
  list("vaults.networkSettings", "/vaults/network-settings", "the vault's network settings", {
    networkId: "ethereum",
    enabled: true,
    confirmations: 12
  }),
  list("vaults.approvals", "/vaults/approvals", "the vault's approvals", {
    id: "a-1",
    status: "PENDING",
    transactionId: "t-1"
  }),
  read("vaults.approval", "/vaults/approvals/:approvalId", [
    row(
      "gives an approval, and keeps a status that nobody knows",
      { approvalId: "a-1" },
      { id: "a-1", status: "ESCALATED", transactionId: "t-1", createdAt: "2026-11-01T09:30:00.000Z" }
    )
  ]),
  list("vaults.paymentPolicies", "/vaults/payment-policies", "the vault's payment policies", {
    id: 1,
    name: "Four eyes",
    assetId: "usdc",
    threshold: 2
  }),
  list("vaults.gasStationCategories", "/vaults/gas-station-categories", "the gas station's categories", {
    id: 1,
    name: "Fast",
    networkId: "ethereum"
  })
]
