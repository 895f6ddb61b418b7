/** Written by `pnpm run docs summaries` from the docstrings. */

/** What each category is. */
export const categories: Readonly<Record<string, string>> = {
  assets: "Assets: cryptocurrencies and tokens, their prices, and the configuration of assets for a vault",
  authentication: "The endpoint that exchanges an API key for tokens, and the endpoint that refreshes tokens",
  clients: "Clients: external entities in segregated and consolidated vaults",
  fiatGateway: "The fiat gateway: payment links by which clients deposit fiat funds, and refunds",
  nfts: "NFTs: non-fungible tokens",
  paymentOrders: "Payment orders: crypto payments to receive, each with a payment link and an assigned wallet",
  tokens: "Tokens: fungible and security tokens",
  transactions:
    "Transactions: send from client wallets to external addresses or between clients, and follow their progress",
  vaults: "Vaults: the primary organizational unit, which holds clients, wallets and assets",
  wallets: "Wallets: blockchain addresses tied to clients"
}

/** What each operation does. */
export const operations: Readonly<Record<string, string>> = {
  "assets.list":
    "Reads one page of the assets that the service knows, with symbol, decimals, contract address and price",
  "assets.configuration": "Reads one page of the vault's configuration of assets: which assets the vault uses, and how",
  "authentication.generateTokens": "Exchanges a one-time API key for the first access token and refresh token",
  "authentication.refreshToken": "Exchanges the latest refresh token for a new pair",
  "clients.create": "Creates a client under your own identifier, and a wallet for it on each integrated network",
  "clients.createMany": "Creates several clients at once, each under your own identifier",
  "clients.list": "Reads one page of the vault's clients",
  "clients.get": "Reads the client of an externalId",
  "fiatGateway.createPaymentLink":
    "Creates a link by which a client deposits fiat funds, for example by card or bank transfer",
  "fiatGateway.getPaymentLink": "Reads a payment link",
  "fiatGateway.listPaymentLinks": "Reads one page of payment links, optionally filtered by client and status",
  "fiatGateway.refund": "Refunds a deposit, in whole or in part",
  "nfts.get": "Reads an NFT",
  "nfts.networks": "Reads one page of the networks on which NFTs can be created",
  "nfts.create": "Creates an NFT of a file on a network, optionally in a wallet",
  "nfts.transfer": "Transfers an NFT from one wallet to another",
  "nfts.transfers": "Reads one page of an NFT's transfers",
  "paymentOrders.create": "Requests a payment: in a given asset, or in one that is selected later with selectAsset",
  "paymentOrders.selectAsset": "Selects the asset of an order that was created without one",
  "paymentOrders.get": "Reads an order",
  "paymentOrders.list": "Reads one page of orders, optionally filtered by status and client",
  "paymentOrders.cancel": "Cancels a pending order",
  "tokens.get": "Reads a token",
  "tokens.networks": "Reads one page of the networks on which tokens can be created",
  "tokens.create": "Creates a fungible or a security token on a network, optionally with a logo",
  "tokens.mint": "Mints an amount of a token, optionally into a wallet and with a document",
  "tokens.burn": "Burns an amount of a token, optionally from a wallet and with a document",
  "tokens.metadata": "Reads the metadata of a token",
  "tokens.updateMetadata": "Replaces the metadata of a token",
  "transactions.send": "Sends an asset from a client's wallet to an external address",
  "transactions.transfer": "Moves an asset from one client to another",
  "transactions.list":
    "Reads one page of the vault's transactions, optionally filtered by client, asset, network, type, status and time",
  "transactions.get": "Reads a transaction",
  "transactions.status": "Reads the status of a transaction",
  "vaults.details": "Reads the vault's details",
  "vaults.configuration": "Reads the vault's configuration",
  "vaults.assets": "Reads one page of the vault's assets",
  "vaults.networks": "Reads one page of the networks that the vault uses",
  "vaults.networkSettings": "Reads one page of the vault's network settings",
  "vaults.approvals": "Reads one page of the vault's approvals, pending and decided",
  "vaults.approval": "Reads an approval",
  "vaults.paymentPolicies": "Reads one page of the vault's payment policies",
  "vaults.gasStationCategories": "Reads one page of the vault's gas station categories",
  "wallets.list": "Reads one page of wallets, optionally filtered by client, asset and network",
  "wallets.get": "Reads a wallet",
  "wallets.balance": "Reads the balance of a wallet in one asset, in units of that asset",
  "wallets.transactionCount": "Reads the number of a wallet's transactions"
}
