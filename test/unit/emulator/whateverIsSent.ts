import { assert, describe, it } from "@effect/vitest"
import { CustodyEmulator } from "@effect-custody/emulator"
import { CustodyApi } from "@effect-custody/sdk"
import { Effect } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import type { HttpMethod } from "effect/http"
import { random } from "../../support/random.ts"
import { anything, fitting, names, needed, texts } from "./randomInput.ts"
import { send, session } from "./support.ts"

/** So many random requests to each operation: none is answered with a 5xx. */
export const whateverIsSent = (requests: number) =>
  describe("whatever is sent", () => {
    for (const [number, { method, name, path }] of CustodyApi.operations.entries()) {
      const multipart = ["tokens.create", "tokens.mint", "tokens.burn", "nfts.create"].includes(name)
      it.effect(`to ${name}, ${requests} times, is answered, and never with a 5xx`, () =>
        Effect.gen(function* () {
          const source = random(number + 1)
          const { baseUrl, counts, fund } = yield* CustodyEmulator
          const client = yield* HttpClient.HttpClient
          const { accessToken } = yield* session()
          const call = (path: string, body: unknown) => send(path, { token: accessToken, body })
          yield* call("/clients/create-many", { ids: ["alice", "bob"] })
          yield* fund({ clientId: "alice", assetId: "usdc", amount: "100000" })
          const order = yield* call("/payment-vault-orders", { amount: "5", currency: "EUR" })
          const link = yield* call("/fiat-gateway/payment-links", { clientId: "bob", amount: "5", currency: "EUR" })
          const { payLink } = yield* CustodyEmulator
          const { transactionId } = yield* payLink(link.json.data.id)
          const upload = Effect.fnUntraced(function* (path: string, fields: Readonly<Record<string, string | File>>) {
            const form = new FormData()
            for (const [field, value] of Object.entries(fields)) form.append(field, value)
            const request = HttpClientRequest.post(`${baseUrl}${path}`, { headers: { "x-access-token": accessToken } })
            const response = yield* client.execute(HttpClientRequest.bodyFormData(request, form))
            return JSON.parse(yield* response.text).data.id as string
          })
          const token = { name: "A", symbol: "A", networkId: "ethereum", initialSupply: "1000" }
          const tokenId = yield* upload("/tokens/create", token)
          const nft = { name: "A", networkId: "ethereum", file: new File([], "a") }
          const nftId = yield* upload("/nfts/create", nft)
          const existing: Readonly<Record<string, string>> = {
            externalId: "alice",
            transactionId,
            tokenId,
            nftId,
            orderId: order.json.data.id,
            linkId: link.json.data.id,
            approvalId: "1"
          }
          const { json } = yield* send("/wallets/client-wallets?networkId=ethereum", { token: accessToken })
          const wallets = json.data.map((wallet: { readonly id: string }) => wallet.id)

          // Everything that there is has one of these, and so has what is yet to be made.
          const first = Number(order.json.data.id)
          const made = Array.from({ length: 19 }, (_, n) => String(first - 8 + n))
          const ids = [transactionId, ...made, "none", "networks"]

          const fields = (): Record<string, unknown> => {
            const required = source.chance(0.5) ? (needed[name] ?? []) : []
            const chosen = [...required, ...Array.from({ length: source.below(3) }, () => source.pick(names))]
            const right = source.chance(0.6) ? chosen.slice(0, Math.max(required.length, 1)) : chosen
            return Object.fromEntries(
              right.map((field) => [field, fitting(source, /walletId$/i.test(field) ? wallets : ids, field)])
            )
          }
          const query = (): string => {
            const entries = Object.entries(fields()).map(([field, value]) => [field, String(value).toWellFormed()])
            return entries.length > 0 && source.chance(method === "GET" ? 0.8 : 0.05)
              ? `?${new URLSearchParams(entries).toString()}`
              : ""
          }
          const body = (request: HttpClientRequest.HttpClientRequest) => {
            if (source.chance(0.05))
              return HttpClientRequest.bodyText(request, source.pick([...texts, "{", "[]", "null"]))
            if (!multipart || source.chance(0.05)) {
              return HttpClientRequest.bodyText(request, JSON.stringify(fields()), "application/json")
            }
            const form = new FormData()
            for (const [field, value] of Object.entries(fields())) {
              if (["logo", "document", "file"].includes(field)) form.append(field, new File(["bytes"], String(value)))
              else form.append(field, String(value))
            }
            return HttpClientRequest.bodyFormData(request, form)
          }

          for (let n = 0; n < requests; n++) {
            const target = path.replaceAll(/:(\w+)/g, (_, parameter: string) => {
              const right = source.chance(0.5) ? existing[parameter] : undefined
              const segment = right ?? (source.chance(0.8) ? source.pick(ids) : String(anything(source, ids)))
              return encodeURIComponent(segment.toWellFormed())
            })
            const request = HttpClientRequest.make(method as HttpMethod.HttpMethod)(`${baseUrl}${target}${query()}`, {
              headers: source.chance(0.98) ? { "x-access-token": accessToken } : {}
            })
            const response = yield* client.execute(method === "GET" ? request : body(request))
            const answer = JSON.parse(yield* response.text)
            assert.isBelow(response.status, 500, target)
            assert.strictEqual(answer.status, response.status)
          }
          const statuses = (yield* counts).byOperation[name] ?? {}
          // A request that is right is among them: what is behind the checks was tried, too.
          if (!name.startsWith("authentication")) assert.isAbove((statuses[200] ?? 0) + (statuses[201] ?? 0), 0)
        }).pipe(Effect.provide(CustodyEmulator.layerHttpClient))
      )
    }
  })
