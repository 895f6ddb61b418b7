/**
 * The OpenAPI documents of two services, in the words and spelling of their vendors, made from tables of endpoints. They
 * share no code with the SDK.
 */
import { snake } from "./dialect.ts"
import { amounts } from "./numbers.ts"

/**
 * An endpoint: our operation, its route, verb and noun, and the fields of its query, body and answer. `!`: required; `[]`: a
 * list. A type follows from a name.
 */
type Row = readonly [
  ours: string,
  route: string,
  verb: string,
  noun: string,
  query: string,
  body: string,
  answer: string
]

const paged = "page limit sort_key order search"
const client = "externalId! createdAt updatedAt"
const network = "id! name symbol type status"
const wallet = "id! address! clientId! assetId networkId balance pendingBalance transactionCount"
const payment = "id! status! type clientId walletId assetId networkId amount fee from to note hash createdAt updatedAt"
const token = "id! name symbol decimals description supply contractAddress networkId logo status createdAt updatedAt"
const nft = "id! name description collection walletId contractAddress networkId file status createdAt updatedAt"
const order =
  "id! status paymentLink walletId address clientId assetId networkId amount currency assetAmount note createdAt updatedAt"
const link = "id! url status clientId amount currency method transactionId createdAt updatedAt"
const nftTransfer = "id! status nftId fromWalletId toWalletId hash createdAt updatedAt"
const supplyChange = "tokenId transactionId status amount supply createdAt"

const rows: ReadonlyArray<Row> = `
authentication.generateTokens | POST /auth/generate-tokens | generate | tokens | | apiKey! | accessToken! refreshToken! expiresAt vaultId
authentication.refreshToken | POST /auth/refresh-token | refresh | access token | | refreshToken! | accessToken! refreshToken! expiresAt
clients.create | POST /clients/create | create | client | | id! | ${client}
clients.createMany | POST /clients/create-many | create | clients in bulk | | ids[]! | []${client}
clients.list | GET /clients | list | clients | ${paged} | | []${client}
clients.get | GET /clients/{externalId} | get | client | | | ${client}
wallets.list | GET /wallets/client-wallets | list | wallets of clients | clientId assetId networkId ${paged} | | []${wallet}
wallets.get | GET /wallets/{walletId} | get | wallet | | | ${wallet}
wallets.balance | GET /wallets/{walletId}/balance | get | balance of a wallet | | | balance! pendingBalance walletId assetId
wallets.transactionCount | GET /wallets/{walletId}/transaction-count | get | number of transactions of a wallet | | | transactionCount! walletId
vaults.details | GET /vaults/details | get | vault | | | id name
vaults.configuration | GET /vaults/configuration | get | configuration of the vault | | | vaultId
vaults.assets | GET /vaults/assets | list | assets of the vault | ${paged} | | []id! name symbol decimals contractAddress networkId balance
vaults.networks | GET /vaults/networks | list | networks of the vault | ${paged} | | []${network}
vaults.networkSettings | GET /vaults/network-settings | list | network settings of the vault | ${paged} | | []networkId enabled
vaults.approvals | GET /vaults/approvals | list | approvals | ${paged} | | []id! status transactionId createdAt
vaults.approval | GET /vaults/approvals/{approvalId} | get | approval | | | id! status transactionId createdAt
vaults.paymentPolicies | GET /vaults/payment-policies | list | payment policies | ${paged} | | []id name assetId
vaults.gasStationCategories | GET /vaults/gas-station-categories | list | gas station categories | ${paged} | | []id name networkId
transactions.send | POST /transactions/send | send | transaction to an external address | | clientId! assetId! networkId to! amount! note | ${payment}
transactions.transfer | POST /transactions/transfer | transfer | funds between clients | | fromClientId! toClientId! assetId! amount! note | ${payment}
transactions.list | GET /transactions | list | transactions | clientId assetId networkId type status from to ${paged} | | []${payment}
transactions.get | GET /transactions/{transactionId} | get | transaction | | | ${payment}
transactions.status | GET /transactions/{transactionId}/status | get | status of a transaction | | | status! id updatedAt
assets.list | GET /assets | list | assets | ${paged} | | []id! symbol! decimals name contractAddress type status logo networkId price
assets.prices | GET /assets/prices | list | prices of assets | assetIds currency | | []assetId! price! currency updatedAt
tokens.get | GET /tokens/{tokenId} | get | token | | | ${token}
tokens.networks | GET /tokens/networks | list | networks of tokens | ${paged} | | []${network}
tokens.create | POST /tokens/create | create | token | | name! symbol! networkId! decimals initialSupply description logo | ${token}
tokens.mint | POST /tokens/{tokenId}/mint | mint | supply of a token | | amount! toWalletId note document | ${supplyChange}
tokens.burn | POST /tokens/{tokenId}/burn | burn | supply of a token | | amount! fromWalletId note document | ${supplyChange}
tokens.metadata | GET /tokens/{tokenId}/metadata | get | metadata of a token | | | name description image website
tokens.updateMetadata | PUT /tokens/{tokenId}/metadata | update | metadata of a token | | metadata! | name description image website
nfts.get | GET /nfts/{nftId} | get | NFT | | | ${nft}
nfts.networks | GET /nfts/networks | list | networks of NFTs | ${paged} | | []${network}
nfts.create | POST /nfts/create | create | NFT | | name! networkId! walletId collection description file | ${nft}
nfts.transfer | POST /nfts/{nftId}/transfer | transfer | NFT to another wallet | | fromWalletId! toWalletId! | ${nftTransfer}
nfts.transfers | GET /nfts/{nftId}/transfers | list | transfers of an NFT | ${paged} | | []${nftTransfer}
paymentOrders.create | POST /payment-vault-orders | create | payment order | | amount! currency assetId clientId note | ${order}
paymentOrders.selectAsset | POST /payment-vault-orders/{orderId}/asset | choose | asset of a payment order | | assetId! networkId | ${order}
paymentOrders.get | GET /payment-vault-orders/{orderId} | get | payment order | | | ${order}
paymentOrders.list | GET /payment-vault-orders | list | payment orders | status clientId ${paged} | | []${order}
paymentOrders.cancel | POST /payment-vault-orders/{orderId}/cancel | cancel | payment order | | | ${order}
fiatGateway.createPaymentLink | POST /fiat-gateway/payment-links | create | payment link | | clientId! amount! currency! method | ${link}
fiatGateway.getPaymentLink | GET /fiat-gateway/payment-links/{linkId} | get | payment link | | | ${link}
fiatGateway.listPaymentLinks | GET /fiat-gateway/payment-links | list | payment links | clientId status ${paged} | | []${link}
fiatGateway.refund | POST /fiat-gateway/transactions/{transactionId}/refund | refund | fiat transaction | | amount reason | id transactionId status amount currency reason createdAt
`
  .trim()
  .split("\n")
  .map((line) => line.split("|").map((cell) => cell.trim()) as [string, string, string, string, string, string, string])

type Json = Readonly<Record<string, unknown>>

const times = new Set(["createdAt", "updatedAt", "from", "to"])
const files = new Set(["logo", "document", "file"])

const text = { type: "string" }
const object = (properties: Json, required: ReadonlyArray<string> = []): Json => ({
  type: "object",
  properties,
  ...(required.length === 0 ? {} : { required })
})

/** The type of a field. `isQuery`: `from` and `to` are times there, and addresses elsewhere. */
const type = (name: string, isQuery: boolean): Json => {
  if (name === "expiresAt" || name === "vaultId" || name === "decimals" || name === "transactionCount") {
    return { type: "integer" }
  }
  if (amounts.has(name)) return { type: "string", example: "12.50" }
  if (name.endsWith("At") || (isQuery && times.has(name))) return { type: "string", format: "date-time" }
  if (name === "page" || name === "limit") return { type: "integer" }
  if (name === "enabled") return { type: "boolean" }
  if (name === "metadata") return { type: "object", additionalProperties: true }
  return text
}

interface Field {
  readonly name: string
  readonly isRequired: boolean
  readonly isList: boolean
}

const fieldsOf = (names: string): ReadonlyArray<Field> =>
  names
    .split(" ")
    .filter((name) => name !== "")
    .map((name) => ({
      name: name.replace("!", "").replace("[]", ""),
      isRequired: name.endsWith("!"),
      isList: name.includes("[]")
    }))

/** The style of a vendor. */
interface Vendor {
  readonly title: string
  readonly openapi: string
  readonly server: string
  readonly rows?: ReadonlyArray<Row>
  readonly name?: (ours: string) => string
  /** The name and description of an operation. */
  readonly about: (verb: string, noun: string, tag: string) => Json
  readonly answer: (record: Json, isList: boolean) => Json
  readonly status?: (row: Row) => number
  readonly paging: ReadonlyArray<string>
  readonly error: Json
  /** The schemas of bodies that the vendor writes by hand. */
  readonly bodies?: Readonly<Record<string, Json>>
  readonly answers?: Readonly<Record<string, Json>>
}

const tagOf = (ours: string): string => ours.slice(0, ours.indexOf("."))

const documentOf = (vendor: Vendor): Json => {
  const { name: named = (ours) => ours } = vendor
  const schemaOf = (names: string, isQuery = false): Json => {
    const fields = fieldsOf(names)
    return object(
      Object.fromEntries(
        fields.map(({ isList, name }) => [
          named(name),
          isList ? { type: "array", items: type(name, isQuery) } : type(name, isQuery)
        ])
      ),
      fields.filter(({ isRequired }) => isRequired).map(({ name }) => named(name))
    )
  }
  const paths: Record<string, Record<string, unknown>> = {}
  for (const row of vendor.rows ?? rows) {
    const [ours, route, verb, noun, query, body, answer] = row
    const [method = "", template = ""] = route.split(" ")
    const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => `{${named(name)}}`)
    const own = fieldsOf(query).filter(({ name }) => !["page", "limit"].includes(name))
    const isPaged = query.includes("page limit")
    const isMultipart = fieldsOf(body).some(({ name }) => files.has(name))
    const fields = vendor.bodies?.[ours] ?? schemaOf(body)
    const record = schemaOf(answer.replace("[]", ""))
    const status = vendor.status?.(row) ?? (method === "POST" ? 201 : 200)
    const parameters = [
      ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => ({
        name,
        in: "path",
        required: true,
        schema: name === "externalId" ? text : type(name, false)
      })),
      ...own.map(({ name }) => ({
        name: named(name),
        in: "query",
        schema: type(name, true)
      })),
      ...(isPaged ? vendor.paging : []).map((name) => ({ name, in: "query", schema: { type: "string" } }))
    ]
    paths[path] ??= {}
    paths[path][method.toLowerCase()] = {
      ...vendor.about(verb, noun, tagOf(ours)),
      parameters,
      ...(body === ""
        ? {}
        : {
            requestBody: {
              required: true,
              content: isMultipart
                ? { "multipart/form-data": { schema: fields } }
                : { "application/json": { schema: fields } }
            }
          }),
      responses: {
        [status]:
          status === 204
            ? { description: "Done" }
            : {
                description: "OK",
                content: {
                  "application/json": {
                    schema: vendor.answers?.[ours] ?? vendor.answer(record, answer.startsWith("[]"))
                  }
                }
              },
        "4XX": { $ref: "#/components/responses/Error" }
      }
    }
  }
  return {
    openapi: vendor.openapi,
    info: { title: vendor.title, version: "2026-11" },
    servers: [{ url: vendor.server }],
    paths,
    components: {
      responses: {
        Error: {
          description: "Refused",
          content: { "application/json": { schema: vendor.error } }
        }
      }
    }
  }
}

const list = (items: Json): Json => ({ type: "array", items })
const capital = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1)
const words = (noun: string): ReadonlyArray<string> => noun.toLowerCase().split(/\W+/)

/** Long sentences, operation ids in snake_case. */
const snakeCase = documentOf({
  title: "Harbour Custody API",
  openapi: "3.0.3",
  server: "https://api.harbour.example",
  name: snake,
  about: (verb, noun, tag) => ({
    operationId: [verb, ...words(noun)].join("_"),
    tags: [capital(tag)],
    summary: `${capital(verb)} ${noun}`
  }),
  answer: (record, isList) =>
    object(
      isList
        ? {
            result: object({ items: list(record) }),
            page: object({ next_cursor: { type: ["string", "null"] }, total: { type: "integer" } })
          }
        : { result: record }
    ),
  paging: ["after", "page_size"],
  error: object({ error: object({ code: text, message: text, details: object({}) }) })
})

const changed: Readonly<Record<string, Partial<{ route: string; noun: string; query: string; body: string }>>> = {
  "transactions.send": { route: "POST /clients/{clientId}/payouts", noun: "payout", body: "-" },
  "transactions.get": { route: "GET /transaction", query: "id!" },
  "paymentOrders.create": { route: "POST /orders", body: "-" },
  "fiatGateway.refund": { route: "POST /refunds", body: "-" }
}

/** Moved parameters. One endpoint makes payouts of both kinds. */
const moved = documentOf({
  title: "Tideway",
  openapi: "3.0.2",
  server: "https://tideway.example",
  rows: rows
    .filter(([ours]) => ours !== "transactions.transfer")
    .map(([ours, route, verb, noun, query, body, answer]): Row => {
      const own = changed[ours] ?? {}
      const [method, path] = (own.route ?? route).split(" ")
      return [ours, `${method} /v2${path}`, verb, own.noun ?? noun, own.query ?? query, own.body ?? body, answer]
    }),
  about: (verb, noun, tag) => ({
    operationId: `${verb}${words(noun).map(capital).join("")}`,
    tags: [tag],
    description: `To ${verb} ${noun}.`
  }),
  status: ([ours, route]) => (ours === "transactions.send" ? 202 : route.startsWith("POST") ? 201 : 200),
  bodies: {
    "transactions.send": {
      oneOf: [
        object(
          {
            kind: { const: "EXTERNAL" },
            asset: text,
            amount: text,
            memo: text,
            destination: object({ address: text }, ["address"])
          },
          ["kind", "asset", "amount", "destination"]
        ),
        object(
          {
            kind: { const: "INTERNAL" },
            asset: text,
            amount: text,
            memo: text,
            destination: object({ client: text }, ["client"])
          },
          ["kind", "asset", "amount", "destination"]
        )
      ]
    },
    "paymentOrders.create": object(
      { price: { type: "string", example: "12.50 EUR" }, asset: text, client: text, memo: text },
      ["price"]
    ),
    "fiatGateway.refund": object({ of: text, value: { type: "string", example: "-12.50" }, why: text }, ["of"])
  },
  answers: {
    "transactions.send": object({ job: object({ transaction: text, state: text }, ["transaction", "state"]) }),
    "paymentOrders.create": object({ order: object({ no: text, status: text, paymentLink: text }, ["no"]) }),
    "fiatGateway.refund": object({ refunded: object({ id: text, status: text, amount: text }) })
  },
  answer: (record, isList) =>
    isList ? object({ rows: list(record), total: { type: "integer" } }) : object({ data: record }),
  paging: ["offset", "size"],
  error: object({ status: { type: "integer" }, message: text, errors: object({}), code: text })
})

const routesOf = (of: ReadonlyArray<Row>, prefix = ""): ReadonlyMap<string, string> =>
  new Map(
    of.map(([ours, route]) => {
      const [method, path = ""] = route.split(" ")
      return [ours, `${method} ${prefix}${path.replaceAll(/\{(\w+)\}/g, ":$1")}`]
    })
  )

export interface Published {
  readonly name: string
  readonly document: Json
  /** The endpoint of each of our operations. */
  readonly right: ReadonlyMap<string, string>
}

const assumed = routesOf(rows)

export const documents: ReadonlyArray<Published> = [
  {
    name: "snake_case",
    document: snakeCase,
    right: new Map([...assumed].map(([ours, route]) => [ours, route.replaceAll(/:\w+/g, snake)]))
  },
  {
    name: "moved parameters",
    document: moved,
    right: new Map(
      routesOf(
        rows.map(([ours, route, ...rest]): Row => [
          ours,
          ours === "transactions.transfer" ? changed["transactions.send"]!.route! : (changed[ours]?.route ?? route),
          ...rest
        ]),
        "/v2"
      )
    )
  }
]
