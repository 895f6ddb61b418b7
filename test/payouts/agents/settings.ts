/** What an agent orders, and how much it may. */

/**
 * `held`: with `custody mcp`. All others go wrong: `readsFirst` looks at the limits before the transaction that writes, and
 * `renamed` gives each repetition a reference of its own.
 */
export const ways = ["held", "readsFirst", "renamed"] as const

export type Way = (typeof ways)[number]

/** The most calls of an order: the first one, and five repetitions. */
export const maxCalls = 6

/** How many orders an agent wants, of which so many payouts may be held. */
export const ordersFor = (payouts: number): number => Math.ceil(payouts * 1.5)

/** Every fourth order is in an asset of which little may be held. */
export const orderOf = (index: number) => ({
  reference: `p-${index}`,
  clientId: `c-${index % 20}`,
  assetId: index % 4 === 0 ? "eth" : "usdc",
  to: `0x${index}`,
  amount: `${1 + (index % 3)}`
})

/** Sums by asset. Only that of `eth` is less than what an agent wants. */
export const sumsFor = (payouts: number) => ({ usdc: `${payouts * 10}`, eth: `${Math.ceil(payouts / 4)}` })

export const limitsFor = (payouts: number): ReadonlyArray<string> => [
  ...Object.entries(sumsFor(payouts)).flatMap(([asset, sum]) => ["--max-sum", `${asset}=${sum}`]),
  "--max-count",
  `${payouts}`
]
