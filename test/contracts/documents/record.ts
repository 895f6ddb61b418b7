/** What adapters of the documents share: a transaction of which nothing is known but what a document says. */
export const unknown = {
  type: undefined,
  clientId: undefined,
  toClientId: undefined,
  walletId: undefined,
  assetId: undefined,
  networkId: undefined,
  amount: undefined,
  fee: undefined,
  feeAssetId: undefined,
  from: undefined,
  to: undefined,
  note: undefined,
  hash: undefined,
  createdAt: undefined,
  updatedAt: undefined
} as const
