import { assert, describe, it } from "@effect/vitest"
import { CustodyEmulator } from "@effect-custody/emulator"
import { Effect } from "effect"
import type { HttpMethod } from "effect/http"
import { send, session } from "./support.ts"
import { whateverIsSent } from "./whateverIsSent.ts"

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

// `requests.slow.test.ts` sends ten times as many.
whateverIsSent(200)
