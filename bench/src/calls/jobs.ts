/** The jobs that every contender does, and what the server answers to them. */

/** The path that the base address ends with. */
export const basePath = "/api/integration"

export const accessToken = "access-token-of-the-benchmark"

/** The answer that a session begins with. */
export const session = (): string =>
  JSON.stringify({
    message: "Vault API keys generated",
    data: { accessToken, refreshToken: "refresh-token", expiresAt: Date.now() + 86_400_000, vaultId: 1 },
    status: 201
  })

export type JobName = "read" | "write" | "refusal" | "list"

export interface Job {
  readonly method: "GET" | "POST"
  /** Relative to the base address, query included. */
  readonly path: string
  /** What is sent as JSON. */
  readonly body?: Readonly<Record<string, string>>
  readonly status: number
  readonly answer: string
  /** How many calls one round makes: enough for each contender to collect its garbage within the round. */
  readonly calls: number
}

export const rows = 100

const payment = {
  clientId: "alice",
  assetId: "usdc",
  to: "0x52908400098527886E0F7030069857D2E4169EE7",
  amount: "12.5"
}

const transaction = (index: number) => ({
  id: `t-${index}`,
  status: "COMPLETED",
  type: "OUTGOING",
  clientId: "alice",
  walletId: "w-1",
  assetId: "usdc",
  networkId: "ethereum",
  amount: `${index}.250000`,
  fee: "0.00042",
  from: "0x52908400098527886E0F7030069857D2E4169EE7",
  to: "0x8617E340B3D01FA5F11F306F4090FD50E238070D",
  hash: `0x${index.toString(16).padStart(64, "0")}`,
  createdAt: "2026-11-20T09:00:00.000Z",
  updatedAt: "2026-11-20T09:00:05.000Z"
})

export const jobs: Readonly<Record<JobName, Job>> = {
  read: {
    method: "GET",
    path: "/vaults/details",
    status: 200,
    answer: JSON.stringify({ message: "Vault details", data: { id: "v-1", name: "Main" }, status: 200 }),
    calls: 2_000
  },
  write: {
    method: "POST",
    path: "/transactions/send",
    body: payment,
    status: 201,
    answer: JSON.stringify({
      message: "Sent",
      data: { ...transaction(1), ...payment, status: "PENDING" },
      status: 201
    }),
    calls: 1_500
  },
  refusal: {
    method: "GET",
    path: "/wallets/missing",
    status: 404,
    answer: JSON.stringify({
      status: 404,
      message: "Wallet not found",
      errors: { message: "Wallet not found" },
      code: "E40400"
    }),
    calls: 1_500
  },
  list: {
    method: "GET",
    path: "/transactions?limit=100",
    status: 200,
    answer: JSON.stringify({
      message: "Transactions",
      data: {
        items: Array.from({ length: rows }, (_, index) => transaction(index + 1)),
        totalItems: rows,
        currentPage: 1,
        hasNextPage: false
      },
      status: 200
    }),
    calls: 600
  }
}

export const jobNames = Object.keys(jobs) as ReadonlyArray<JobName>
