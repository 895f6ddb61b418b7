/**
 * Documents of services that nobody has written for us: the same operations under other names, paths, envelopes and
 * spellings, and operations that we do not have. A row: ours (or none), theirs, its summary, query, body, answer.
 */

import type { ContractImport } from "@effect-custody/cli"

/** `[]` before the answer: a list. */
export type Row = readonly [
  ours: string | null,
  route: string,
  summary: string,
  query: string,
  body: string,
  answer: string
]

const paged = "page_token page_size"
const payout = "payout_id state kind account_id asset_code chain_id amount fee destination memo tx_hash created_at"
const account = "external_id account_number created_at"
const walletFields = "wallet_id address account_id asset_code chain_id available pending"
const invoice = "order_id state payment_link address account_id asset_code amount currency created_at"
const link = "link_id url state account_id amount currency created_at"
const token = "token_id name symbol decimals supply contract_address chain_id state"
const nft = "nft_id name description collection wallet_id contract_address chain_id"
const chain = "chain_id name symbol type state"

/** snake_case, cursor paging, an envelope of its own: OpenAPI 3.0. */
export const snake: ReadonlyArray<Row> = [
  [
    "authentication.generateTokens",
    "POST /v2/auth/tokens",
    "Generate tokens from an API key",
    "",
    "api_key!",
    "access_token refresh_token expires_at vault_id"
  ],
  [
    "authentication.refreshToken",
    "POST /v2/auth/refresh",
    "Refresh the access token",
    "",
    "refresh_token!",
    "access_token refresh_token expires_at"
  ],
  ["clients.create", "POST /v2/accounts", "Create an account", "", "external_id!", account],
  [
    "clients.createMany",
    "POST /v2/accounts/bulk",
    "Create several accounts at once",
    "",
    "external_ids!",
    `[]${account}`
  ],
  ["clients.list", "GET /v2/accounts", "List accounts", paged, "", `[]${account}`],
  ["clients.get", "GET /v2/accounts/{external_id}", "Retrieve an account", "", "", account],
  ["wallets.list", "GET /v2/wallets", "List wallets", `account_id asset_id chain_id ${paged}`, "", `[]${walletFields}`],
  ["wallets.get", "GET /v2/wallets/{wallet_id}", "Retrieve a wallet", "", "", walletFields],
  [
    "wallets.balance",
    "GET /v2/wallets/{wallet_id}/balances",
    "Balances of a wallet",
    "",
    "",
    "balance pending_balance"
  ],
  [
    "wallets.transactionCount",
    "GET /v2/wallets/{wallet_id}/transaction_count",
    "Number of transactions of a wallet",
    "",
    "",
    "count"
  ],
  ["vaults.details", "GET /v2/vault", "Vault details", "", "", "id name"],
  ["vaults.configuration", "GET /v2/vault/config", "Vault configuration", "", "", "vault_id"],
  [
    "vaults.assets",
    "GET /v2/vault/assets",
    "Assets of the vault",
    paged,
    "",
    "[]asset_id symbol name decimals balance"
  ],
  ["vaults.networks", "GET /v2/vault/chains", "Chains of the vault", paged, "", `[]${chain}`],
  [
    "vaults.networkSettings",
    "GET /v2/vault/chain_settings",
    "Chain settings of the vault",
    paged,
    "",
    "[]chain_id enabled"
  ],
  [
    "vaults.approvals",
    "GET /v2/vault/approvals",
    "List approvals",
    paged,
    "",
    "[]approval_id state transaction_id created_at"
  ],
  [
    "vaults.approval",
    "GET /v2/vault/approvals/{approval_id}",
    "Retrieve an approval",
    "",
    "",
    "approval_id state transaction_id created_at"
  ],
  ["vaults.paymentPolicies", "GET /v2/vault/payment_rules", "List payment rules", paged, "", "[]id name asset_id"],
  [
    "vaults.gasStationCategories",
    "GET /v2/vault/gas_station/categories",
    "Gas station categories",
    paged,
    "",
    "[]id name chain_id"
  ],
  [
    "transactions.send",
    "POST /v2/payouts",
    "Send a payout to an external address",
    "",
    "account_id! asset_id! destination.address! destination.network amount! memo type=EXTERNAL",
    payout
  ],
  [
    "transactions.transfer",
    "POST /v2/transfers",
    "Transfer between accounts",
    "",
    "from_account_id! to_account_id! asset_id! amount! memo",
    payout
  ],
  [
    "transactions.list",
    "GET /v2/transactions",
    "Transaction history",
    `account_id asset_id chain_id type state since until ${paged}`,
    "",
    `[]${payout}`
  ],
  ["transactions.get", "GET /v2/transactions/{transaction_id}", "Retrieve a transaction", "", "", payout],
  [
    "transactions.status",
    "GET /v2/transactions/{transaction_id}/state",
    "State of a transaction",
    "",
    "",
    "state updated_at"
  ],
  ["assets.list", "GET /v2/assets", "List assets", paged, "", "[]asset_id symbol name decimals contract_address"],
  ["assets.prices", "GET /v2/assets/rates", "Rates of assets", "asset_ids! currency", "", "[]asset_id price currency"],
  ["tokens.get", "GET /v2/tokens/{token_id}", "Retrieve a token", "", "", token],
  ["tokens.networks", "GET /v2/tokens/chains", "Chains that tokens can be issued on", paged, "", `[]${chain}`],
  ["tokens.create", "POST /v2/tokens", "Create a token", "", "name! symbol! chain_id! decimals", token],
  [
    "tokens.mint",
    "POST /v2/tokens/{token_id}/mint",
    "Mint supply of a token",
    "",
    "amount! to_wallet_id",
    "token_id transaction_id state"
  ],
  [
    "tokens.burn",
    "POST /v2/tokens/{token_id}/burn",
    "Burn supply of a token",
    "",
    "amount! from_wallet_id",
    "token_id transaction_id state"
  ],
  ["tokens.metadata", "GET /v2/tokens/{token_id}/metadata", "Metadata of a token", "", "", "name description image"],
  [
    "tokens.updateMetadata",
    "PATCH /v2/tokens/{token_id}/metadata",
    "Update the metadata of a token",
    "",
    "metadata!",
    "name description image"
  ],
  ["nfts.get", "GET /v2/nfts/{nft_id}", "Retrieve an NFT", "", "", nft],
  ["nfts.networks", "GET /v2/nfts/chains", "Chains for NFTs", paged, "", `[]${chain}`],
  ["nfts.create", "POST /v2/nfts", "Create an NFT", "", "name! chain_id! wallet_id", nft],
  [
    "nfts.transfer",
    "POST /v2/nfts/{nft_id}/transfers",
    "Transfer an NFT to another wallet",
    "",
    "from_wallet_id! to_wallet_id!",
    "transfer_id state nft_id from_wallet_id to_wallet_id"
  ],
  [
    "nfts.transfers",
    "GET /v2/nfts/{nft_id}/transfers",
    "List transfers of an NFT",
    paged,
    "",
    "[]transfer_id state nft_id from_wallet_id to_wallet_id"
  ],
  [
    "paymentOrders.create",
    "POST /v2/payment_orders",
    "Create a payment order",
    "",
    "amount! currency asset_id account_id memo",
    invoice
  ],
  [
    "paymentOrders.selectAsset",
    "POST /v2/payment_orders/{order_id}/select_asset",
    "Choose the asset of a payment order",
    "",
    "asset_id! chain_id",
    invoice
  ],
  ["paymentOrders.get", "GET /v2/payment_orders/{order_id}", "Retrieve a payment order", "", "", invoice],
  [
    "paymentOrders.list",
    "GET /v2/payment_orders",
    "List payment orders",
    `state account_id ${paged}`,
    "",
    `[]${invoice}`
  ],
  ["paymentOrders.cancel", "DELETE /v2/payment_orders/{order_id}", "Cancel a payment order", "", "", invoice],
  [
    "fiatGateway.createPaymentLink",
    "POST /v2/fiat/payment_links",
    "Create a payment link",
    "",
    "account_id! amount! currency! method",
    link
  ],
  ["fiatGateway.getPaymentLink", "GET /v2/fiat/payment_links/{link_id}", "Retrieve a payment link", "", "", link],
  [
    "fiatGateway.listPaymentLinks",
    "GET /v2/fiat/payment_links",
    "List payment links",
    `account_id state ${paged}`,
    "",
    `[]${link}`
  ],
  [
    "fiatGateway.refund",
    "POST /v2/fiat/transactions/{transaction_id}/refunds",
    "Refund a fiat transaction",
    "",
    "amount reason",
    "refund_id state amount"
  ],
  [null, "GET /v2/webhooks", "List webhooks", paged, "", "[]webhook_id url"],
  [null, "POST /v2/webhooks", "Create a webhook", "", "url!", "webhook_id url"],
  [null, "DELETE /v2/webhooks/{webhook_id}", "Delete a webhook", "", "", "webhook_id"],
  [null, "GET /v2/statements", "List monthly statements", paged, "", "[]statement_id period"],
  [null, "POST /v2/payouts/{payout_id}/cancel", "Cancel a payout", "", "", payout],
  [null, "POST /v2/accounts/{external_id}/freeze", "Freeze an account", "", "", account],
  [null, "GET /v2/tokens", "List tokens", paged, "", `[]${token}`]
]

/** Few words in common, camelCase, bare names, writes that look like one another: what must not be matched wrongly. */
export const foreign: ReadonlyArray<Row> = [
  ["clients.list", "GET /customers", "Customers", "pageNumber perPage", "", "[]externalId createdAt"],
  ["clients.create", "POST /customers", "New customer", "", "externalId!", "externalId createdAt"],
  ["clients.get", "GET /customers/{customerId}", "One customer", "", "", "externalId createdAt"],
  [
    "transactions.send",
    "POST /customers/{customerId}/withdrawals",
    "Withdraw to an external address",
    "",
    "asset! recipient! value! comment",
    "id status"
  ],
  [
    "transactions.transfer",
    "POST /internal-transfers",
    "Move funds between customers",
    "",
    "fromCustomerId! toCustomerId! assetId! amount!",
    "id status"
  ],
  [null, "POST /internal-transfers/{id}/reverse", "Reverse an internal transfer", "", "", "id status"],
  [null, "POST /withdrawals/quote", "Quote the fee of a withdrawal", "", "asset! value!", "fee"],
  ["vaults.details", "GET /vaults/{vaultId}", "One vault", "", "", "id name"],
  [null, "GET /vaults", "All vaults", "", "", "[]id name"],
  [null, "POST /vaults", "New vault", "", "name!", "id name"],
  ["assets.list", "GET /coins", "Coins", "", "", "[]id symbol name"],
  ["fiatGateway.refund", "POST /refunds", "Refund a deposit", "", "transactionId! amount", "id status"],
  [null, "POST /chargebacks", "Report a chargeback", "", "transactionId!", "id status"]
]

interface Schema {
  readonly [key: string]: unknown
}

/** A schema of dotted names: `name!` is required, `name=X` has one value. */
const schemaOf = (names: string): Schema => {
  const root: Schema & { properties: Record<string, unknown>; required: Array<string> } = {
    type: "object",
    properties: {},
    required: []
  }
  for (const text of names.split(" ").filter((name) => name !== "")) {
    const [written = "", value] = text.split("=")
    const isRequired = written.endsWith("!") || value !== undefined
    const path = written.replace("!", "").split(".")
    let here = root
    for (const name of path.slice(0, -1)) {
      if (isRequired && !here.required.includes(name)) here.required.push(name)
      here.properties[name] ??= { type: "object", properties: {}, required: [] }
      here = here.properties[name] as typeof root
    }
    const last = path.at(-1)!
    here.properties[last] = value === undefined ? { type: "string" } : { type: "string", enum: [value] }
    if (isRequired) here.required.push(last)
  }
  return root
}

/** An OpenAPI 3.0 document of a dialect. `envelope`: where payloads stand. */
export const openApiOf = (rows: ReadonlyArray<Row>, envelope: string): Schema => {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const [, route, summary, query, body, answer] of rows) {
    const [method = "", path = ""] = route.split(" ")
    const record = schemaOf(answer.replace("[]", ""))
    const payload = answer.startsWith("[]")
      ? { type: "object", properties: { items: { type: "array", items: record }, next_cursor: { type: "string" } } }
      : record
    paths[path] ??= {}
    paths[path][method.toLowerCase()] = {
      summary,
      parameters: query
        .split(" ")
        .filter((name) => name !== "")
        .map((name) => ({
          name: name.replace("!", ""),
          in: "query",
          required: name.endsWith("!"),
          schema: { type: "string" }
        })),
      ...(body === "" ? {} : { requestBody: { content: { "application/json": { schema: schemaOf(body) } } } }),
      responses: {
        "200": {
          content: {
            "application/json": {
              schema: { type: "object", properties: { [envelope]: payload, request: { type: "string" } } }
            }
          }
        }
      }
    }
  }
  return { openapi: "3.0.3", info: { title: "Acme", version: "2" }, servers: [{ url: "https://acme.example" }], paths }
}

export const withColons = (route: string) => route.replaceAll("{", ":").replaceAll("}", "")

/** Proposals that are not what the table of the dialect says. */
export const wrong = (rows: ReadonlyArray<Row>, { entries }: ContractImport.Proposal) => {
  const right = new Map(rows.map(([operation, route]) => [operation, withColons(route)]))
  return entries.filter(({ operation, theirs, verdict }) => verdict === "proposed" && right.get(operation) !== theirs)
}
