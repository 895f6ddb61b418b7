/**
 * The emulator's own error codes, E50001 and up. The specification shows no codes for the endpoints that use these
 * codes.
 *
 * Specification: "Common error codes": "Individual endpoints also return their own 400, 404 and 422 errors with
 * endpoint-specific codes. Those codes and conditions: not shown."
 */
export const inventedCodes = {
  E50001: "clients.create: the input is invalid, or the client exists",
  E50002: "clients.createMany: the input is invalid, or a client exists",
  E50003: "clients.get: no such client",
  E51001: "wallets: no such wallet",
  E51002: "wallets.balance: no such asset",
  E52001: "vaults.approval: no such approval",
  E53001: "transactions: no such client",
  E53002: "transactions: no such asset",
  E53003: "transactions: insufficient funds",
  E53004: "transactions: no such transaction",
  E55001: "tokens: no such token",
  E55002: "tokens: no such wallet",
  E55003: "tokens.create: the network has no tokens",
  E55004: "tokens: the wallet is on another network",
  E55005: "tokens.burn: the balance is insufficient",
  E56001: "nfts: no such NFT",
  E56002: "nfts: no such wallet",
  E56003: "nfts.create: the network has no NFTs",
  E56004: "nfts: the wallet is on another network",
  E56005: "nfts.transfer: the NFT is in another wallet",
  E56006: "nfts.transfer: the NFT is being transferred",
  E57001: "paymentOrders: no such order",
  E57002: "paymentOrders.create: no such client",
  E57003: "paymentOrders: no such asset",
  E57004: "paymentOrders: the order is not pending",
  E57005: "paymentOrders.selectAsset: the order has an asset",
  E57006: "paymentOrders: the asset has no price",
  E58001: "fiatGateway.createPaymentLink: no such client",
  E58002: "fiatGateway.getPaymentLink: no such link",
  E58003: "fiatGateway.refund: no such transaction",
  E58004: "fiatGateway.refund: the transaction is not eligible",
  E58005: "fiatGateway.refund: the amount exceeds the deposit"
} as const satisfies Readonly<Record<string, string>>

export type InventedCode = keyof typeof inventedCodes

/** The message of a refusal: the meaning of the code, without the operation's name. */
export const codeMessage = (code: InventedCode): string => {
  const [, meaning = ""] = inventedCodes[code].split(": ")
  return `${meaning.charAt(0).toUpperCase()}${meaning.slice(1)}`
}

/** A note for an answer's message, which says that the code is invented. Empty for any other code. */
export const hint = (code: string): string =>
  Object.hasOwn(inventedCodes, code) ? ` (${code} is the emulator's own code, not the specification's)` : ""
