import { assert, describe, it } from "@effect/vitest"
import { CustodyEmulator } from "@effect-custody/emulator"
import { CustodyApi } from "@effect-custody/sdk"
import { Effect } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import type { HttpMethod } from "effect/http"
import { random } from "../../support/random.ts"
import { anything, fitting, names, needed, texts } from "./randomInput.ts"
import { send, session } from "./support.ts"

/** What a request gets told about its fields. */
const fieldsOf = Effect.fnUntraced(function* (path: string, body: unknown, method?: HttpMethod.HttpMethod) {
  const { accessToken } = yield* session()
  const { json } = yield* send(path, { token: accessToken, body, ...(method === undefined ? {} : { method }) })
  const { message: _, ...fields } = json.errors ?? {}
  return [json.status, fields]
})

describe("wrong input", () => {
  const rejects = (name: string, path: string, body: unknown, fields: object, method?: HttpMethod.HttpMethod) =>
    it.effect(name, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* fieldsOf(path, body, method), [422, fields])
      }).pipe(Effect.provide(CustodyEmulator.layerHttpClient))
    )

  const sent = { clientId: "a", assetId: "b", to: "c", amount: "1" }
  rejects("a field of another type", "/transactions/send", { ...sent, note: 5 }, { note: ["must be a string"] })
  rejects(
    "fields that are missing",
    "/transactions/transfer",
    { fromClientId: "a", toClientId: "b" },
    { assetId: ["must be a string", "should not be empty"], amount: ['must be a decimal such as "12.50"'] }
  )
  rejects("a field that is empty", "/transactions/send", { ...sent, to: "" }, { to: ["should not be empty"] })
  rejects("a property that is not declared", "/clients/create", { id: "a", name: "A" }, { name: ["should not exist"] })
  rejects(
    "a field that is too long",
    "/clients/create",
    { id: "a".repeat(256) },
    {
      id: ["must not exceed 255 characters"]
    }
  )
  rejects(
    "an amount that is none",
    "/transactions/send",
    { ...sent, amount: "1,5" },
    {
      amount: ['must be a decimal such as "12.50"']
    }
  )
  rejects(
    "an amount that is not above zero",
    "/transactions/send",
    { ...sent, amount: 0 },
    {
      amount: ["An amount to move must be greater than 0"]
    }
  )
  rejects("an item of a list", "/clients/create-many", { ids: ["a", 5] }, { "ids.1": ["must be a string"] })
  rejects("a page that is no number", "/clients?page=one&limit=0", undefined, {
    page: ["must be a number"],
    limit: ["must be a value greater than 0"]
  })
  rejects("an order that is none", "/clients?order=up", undefined, {
    order: ["must be one of the following values: asc, desc"]
  })
  rejects("a date that is none", "/transactions?from=soon", undefined, { from: ["must be an ISO 8601 date"] })
  rejects("a status that is none", "/payment-vault-orders?status=DONE", undefined, {
    status: ["must be one of the following values: PENDING, COMPLETED, CANCELLED, REJECTED, ERROR"]
  })
  rejects("a query that is not declared", "/assets?colour=red", undefined, { colour: ["should not exist"] })
  rejects("metadata that is a list", "/tokens/1/metadata", { metadata: [] }, { metadata: ["must be an object"] }, "PUT")

  it.effect("what is nested too deeply is refused as malformed", () =>
    Effect.gen(function* () {
      const { accessToken: token } = yield* session()
      for (const depth of [100, 3_000, 100_000]) {
        const body = `{"metadata":{"a":${"[".repeat(depth)}${"]".repeat(depth)}}}`
        const { json, status } = yield* send("/tokens/1/metadata", { token, body, method: "PUT" })
        assert.deepStrictEqual([status, json.code], [400, "E40000"])
      }
    }).pipe(Effect.provide(CustodyEmulator.layerHttpClient))
  )

  it.effect("a number with more digits than a double has is taken exactly", () =>
    Effect.gen(function* () {
      const { fund, ledger } = yield* CustodyEmulator
      const { accessToken: token } = yield* session()
      yield* send("/clients/create", { token, body: { id: "alice" } })
      yield* fund({ clientId: "alice", assetId: "eth", amount: "1000000000000000000000" })
      const body = `{"clientId":"alice","assetId":"eth","to":"0xabc","amount":100000000000000000000.000000000000000001}`
      const { json } = yield* send("/transactions/send", { token, body })
      assert.strictEqual(json.data.amount, "100000000000000000000.000000000000000001")
      assert.strictEqual((yield* ledger).at(-1)?.input["amount"], "100000000000000000000.000000000000000001")
    }).pipe(Effect.provide(CustodyEmulator.layerHttpClient))
  )
})

const requests = 2_000

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
