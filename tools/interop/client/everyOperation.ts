/**
 * A client that knows the OpenAPI document alone: `openapi-fetch` with the types that `openapi-typescript` writes.
 * Compiled by `pnpm interop`, which writes the types first.
 */
import createClient from "openapi-fetch"
import type { paths } from "../generated/api.ts"
import type { Others } from "./others.ts"

interface Answer<A> {
  readonly data?: A
  readonly error?: unknown
  readonly response: { readonly status: number; readonly url: string }
}

/** The payload of a success. Throws the service's error. */
const payload = async <A>(call: Promise<Answer<{ readonly data: A }>>): Promise<A> => {
  const { data, error, response } = await call
  if (data === undefined) throw new Error(`${response.status} ${response.url}: ${JSON.stringify(error)}`)
  return data.data
}

const present = <A>(value: A | undefined, name: string): A => {
  if (value === undefined) throw new Error(`no ${name}`)
  return value
}

/** The document names the fields of a form; a form is how they travel. */
const form = (fields: Readonly<Record<string, string | number | Blob>>): FormData => {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.append(name, value instanceof Blob ? value : String(value))
  return data
}

/** Calls every operation of the API at least once. */
export const everyOperation = async (baseUrl: string, apiKey: string, others: Others): Promise<void> => {
  const client = createClient<paths>({ baseUrl })
  const { GET, POST, PUT } = client

  const first = await payload(POST("/auth/generate-tokens", { body: { apiKey } }))
  const { accessToken } = await payload(POST("/auth/refresh-token", { body: { refreshToken: first.refreshToken } }))
  client.use({
    onRequest: ({ request }) => {
      request.headers.set("X-ACCESS-TOKEN", accessToken)
      return request
    }
  })

  await payload(POST("/clients/create", { body: { id: "alice" } }))
  await payload(POST("/clients/create-many", { body: { ids: ["bob", "carol"] } }))
  await payload(GET("/clients", { params: { query: { page: 1, limit: 2, order: "asc" } } }))
  await payload(GET("/clients/{externalId}", { params: { path: { externalId: "alice" } } }))

  const walletOf = async (clientId: string): Promise<string> => {
    const query = { clientId, networkId: "ethereum" }
    const [wallet] = await payload(GET("/wallets/client-wallets", { params: { query } }))
    return String(present(wallet, "wallet").id)
  }
  const alice = await walletOf("alice")
  const bob = await walletOf("bob")
  const path = { walletId: alice }
  await payload(GET("/wallets/{walletId}", { params: { path } }))
  await payload(GET("/wallets/{walletId}/balance", { params: { path } }))
  await payload(GET("/wallets/{walletId}/transaction-count", { params: { path } }))

  await payload(GET("/vaults/details"))
  await payload(GET("/vaults/configuration"))
  await payload(GET("/vaults/assets", { params: { query: { limit: 3 } } }))
  await payload(GET("/vaults/networks"))
  await payload(GET("/vaults/network-settings"))
  await payload(GET("/vaults/payment-policies"))
  await payload(GET("/vaults/gas-station-categories"))

  await others.fund("alice", "usdc", "100")
  const sent = await payload(
    POST("/transactions/send", { body: { clientId: "alice", assetId: "usdc", to: "0x2", amount: "12.50" } })
  )
  await payload(
    POST("/transactions/transfer", {
      body: { fromClientId: "alice", toClientId: "bob", assetId: "usdc", amount: "5", note: "rent" }
    })
  )
  const from = "2020-01-01T00:00:00.000Z"
  await payload(GET("/transactions", { params: { query: { clientId: "alice", from } } }))
  const transaction = { transactionId: String(sent.id) }
  await payload(GET("/transactions/{transactionId}", { params: { path: transaction } }))
  await payload(GET("/transactions/{transactionId}/status", { params: { path: transaction } }))
  const approvals = await payload(GET("/vaults/approvals"))
  const approvalId = String(present(approvals[0], "approval").id)
  await payload(GET("/vaults/approvals/{approvalId}", { params: { path: { approvalId } } }))

  await payload(GET("/assets", { params: { query: { search: "usdc" } } }))
  await payload(GET("/assets/prices", { params: { query: { assetIds: ["btc", "eth"], currency: "EUR" } } }))

  const logo = new Blob(["<svg/>"], { type: "image/svg+xml" })
  const created = await payload(
    POST("/tokens/create", {
      body: { name: "Acme", symbol: "ACM", networkId: "ethereum", decimals: 2, logo },
      bodySerializer: form
    })
  )
  const token = { tokenId: String(created.id) }
  await payload(GET("/tokens/{tokenId}", { params: { path: token } }))
  await payload(GET("/tokens/networks"))
  await payload(
    POST("/tokens/{tokenId}/mint", {
      params: { path: token },
      body: { amount: "10", toWalletId: alice },
      bodySerializer: form
    })
  )
  await payload(
    POST("/tokens/{tokenId}/burn", {
      params: { path: token },
      body: { amount: "4", fromWalletId: alice },
      bodySerializer: form
    })
  )
  const metadata = { name: "Acme", coupon: 5, terms: { currency: "EUR" } }
  await payload(PUT("/tokens/{tokenId}/metadata", { params: { path: token }, body: { metadata } }))
  await payload(GET("/tokens/{tokenId}/metadata", { params: { path: token } }))

  const minted = await payload(
    POST("/nfts/create", {
      body: { name: "Deed", networkId: "ethereum", walletId: alice, file: logo },
      bodySerializer: form
    })
  )
  const nft = { nftId: String(minted.id) }
  await payload(GET("/nfts/{nftId}", { params: { path: nft } }))
  await payload(GET("/nfts/networks"))
  await payload(
    POST("/nfts/{nftId}/transfer", { params: { path: nft }, body: { fromWalletId: alice, toWalletId: bob } })
  )
  await payload(GET("/nfts/{nftId}/transfers", { params: { path: nft } }))

  const ordered = await payload(
    POST("/payment-vault-orders", { body: { amount: "99.90", currency: "EUR", clientId: "alice" } })
  )
  const order = { orderId: String(ordered.id) }
  await payload(POST("/payment-vault-orders/{orderId}/asset", { params: { path: order }, body: { assetId: "usdc" } }))
  await payload(GET("/payment-vault-orders/{orderId}", { params: { path: order } }))
  await payload(GET("/payment-vault-orders", { params: { query: { clientId: "alice" } } }))
  await payload(POST("/payment-vault-orders/{orderId}/cancel", { params: { path: order } }))

  const link = await payload(
    POST("/fiat-gateway/payment-links", { body: { clientId: "bob", amount: "250", currency: "EUR", method: "CARD" } })
  )
  const linkId = String(link.id)
  await others.payLink(linkId)
  const paid = await payload(GET("/fiat-gateway/payment-links/{linkId}", { params: { path: { linkId } } }))
  await payload(GET("/fiat-gateway/payment-links", { params: { query: { clientId: "bob" } } }))
  const transactionId = String(present(paid.transactionId, "transaction of the paid link"))
  await payload(
    POST("/fiat-gateway/transactions/{transactionId}/refund", {
      params: { path: { transactionId } },
      body: { amount: "100", reason: "changed his mind" }
    })
  )
}
