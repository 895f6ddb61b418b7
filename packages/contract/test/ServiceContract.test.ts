import { ServiceContract } from "@effect-custody/contract"
import { type CustodyClient, Environment, UnconfirmedEndpoint } from "@effect-custody/core"
import { assert, describe, it } from "@effect/vitest"
import { CustodyApi } from "@effect-custody/sdk"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import { document, local, real, Reports, OwnApi, requestOf, sentBy } from "../../../test/support/clients/reportsApi.ts"

const isUnconfirmed = Schema.is(UnconfirmedEndpoint)

describe("an endpoint whose wire is assumed", () => {
  it.effect(
    "is not sent to a real service, except a read to a sandbox: the error names it, and no key is exchanged",
    () =>
      Effect.gen(function* () {
        const refused = Effect.fnUntraced(function* <A, E>(
          environment: Environment.Environment,
          call: Effect.Effect<A, E, CustodyClient>,
          operation: string,
          assumed: string
        ) {
          const { all, exit } = yield* sentBy(Effect.flip(call), { environment })
          assert.strictEqual(all.length, 0)
          const error: unknown = exit._tag === "Success" ? exit.value : undefined
          assert(isUnconfirmed(error), String(exit))
          assert.deepInclude<object>(error, { operation, assumed })
          assert.include(error.message, `ServiceContract.layer({ operations: { "${operation}": true } }, CustodyApi)`)
        })
        const elsewhere = Environment.local("https://custody.example/api/integration")
        const sandbox = Environment.sandbox({ subdomain: "acme", host: "sandbox.custody.example" })
        for (const environment of [real, sandbox, elsewhere]) {
          if (environment !== sandbox) {
            yield* refused(environment, Reports.list({ year: 2026 }), "reports.list", "GET /reports/:year/days")
          }
          yield* refused(environment, Reports.create({ day: "x", title: "t" }), "reports.create", "POST /reports/:day")
          yield* refused(
            environment,
            Reports.upload({ title: "t", document }),
            "reports.upload",
            "POST /reports/upload"
          )
        }
      })
  )

  it.effect("is sent once it is confirmed, alone or with all others", () =>
    Effect.gen(function* () {
      const create = Reports.create({ day: "x", title: "t" })
      const one = ServiceContract.layer({ operations: { "reports.create": true } }, OwnApi)
      for (const confirmed of [one, ServiceContract.acceptAssumed]) {
        const request = yield* requestOf(Effect.provide(create, confirmed), real)
        assert.strictEqual(request.url, "https://acme.custody.example/api/integration/reports/x")
      }
      const { all } = yield* sentBy(Effect.ignore(Effect.provide(Reports.remove({ day: "x" }), one)), {
        environment: real
      })
      assert.strictEqual(all.length, 0)
      const inherited = ServiceContract.layer({}, OwnApi)
      assert.strictEqual(
        (yield* sentBy(Effect.ignore(Effect.provide(create, inherited)), { environment: real })).all.length,
        0
      )
    })
  )

  it.effect("is sent as assumed to a service on this machine", () =>
    Effect.gen(function* () {
      const request = yield* requestOf(Reports.create({ day: "x", title: "t" }))
      assert.strictEqual(request.url, "http://127.0.0.1:4010/api/integration/reports/x")
    })
  )
})

describe("two contracts, one of the client and one around a call", () => {
  const create = Reports.create({ day: "x", title: "t" })
  const own = ServiceContract.layer(
    { defaults: { prefix: "/v2" }, operations: { "reports.create": { fields: { title: "name" } } } },
    OwnApi
  )
  const another = ServiceContract.layer(
    { defaults: { prefix: "/v9" }, operations: { "reports.create": { fields: { title: "heading" } } } },
    OwnApi
  )
  const others = ServiceContract.layer(
    { defaults: { prefix: "/v7", casing: "snake_case" }, operations: { "reports.upload": true } },
    OwnApi
  )
  const base = "https://acme.custody.example/api/integration"

  const goesOut = (around: typeof own, contract: typeof own, line: string, environment = real) =>
    Effect.map(sentBy(Effect.provide(create, around), { environment, contract }), ({ exit, sent }) => {
      assert.isTrue(Exit.isSuccess(exit), String(exit))
      assert.deepStrictEqual(
        sent.map(({ body, method, url }) => `${method} ${url} ${body}`),
        [line]
      )
    })

  it.effect("confirm and map an operation of the client's contract by that contract", () =>
    Effect.gen(function* () {
      const line = `POST ${base}/v2/reports/x {"name":"t"}`
      for (const around of [another, others, ServiceContract.acceptAssumed]) yield* goesOut(around, own, line)
      yield* goesOut(another, ServiceContract.acceptAssumed, `POST ${base}/reports/x {"title":"t"}`)
    })
  )

  it.effect(
    "confirm and map an operation of the call's contract alone without the defaults of the client's contract",
    () =>
      Effect.gen(function* () {
        yield* goesOut(own, others, `POST ${base}/v2/reports/x {"name":"t"}`)
        yield* goesOut(ServiceContract.acceptAssumed, others, `POST ${base}/reports/x {"title":"t"}`)
      })
  )

  it.effect("confirm no operation that neither lists, and use the defaults of the client's contract for it", () =>
    Effect.gen(function* () {
      const around = ServiceContract.layer({ defaults: { prefix: "/v9" } }, OwnApi)
      const refused = Effect.flip(Effect.provide(create, around))
      const { all, exit } = yield* sentBy(refused, { environment: real, contract: others })
      assert.lengthOf(all, 0)
      const error: unknown = exit._tag === "Success" ? exit.value : undefined
      assert(isUnconfirmed(error), String(exit))
      assert.strictEqual(error.assumed, "POST /v7/reports/:day")
      yield* goesOut(around, others, `POST ${local.baseUrl}/v7/reports/x {"title":"t"}`, local)
    })
  )
})

describe("a contract in code", () => {
  it.effect("with a mistake stops the program before anything is sent", () =>
    Effect.gen(function* () {
      const contract = ServiceContract.layer({ operations: { "reports.remove": { route: "/reports" } } }, OwnApi)
      const { all, exit } = yield* sentBy(Effect.provide(Reports.remove({ day: "x" }), contract), { environment: real })
      assert.isTrue(Exit.isFailure(exit))
      assert.strictEqual(all.filter(({ url }) => url.includes("/reports")).length, 0)
    })
  )

  it("names operations, fields and parts in its type", () => {
    // @ts-expect-error -- there is no such operation.
    ServiceContract.layer({ operations: { "walets.get": true } }, CustodyApi)
    // @ts-expect-error -- there is no such difference.
    ServiceContract.layer({ operations: { "wallets.get": { pth: "/x/:walletId" } } }, CustodyApi)
    // @ts-expect-error -- the operation does not take it.
    ServiceContract.layer({ operations: { "transactions.send": { fields: { too: "address" } } } }, CustodyApi)
    // @ts-expect-error -- the answer does not have it.
    ServiceContract.layer({ operations: { "transactions.list": { response: { stat: "state" } } } }, CustodyApi)
    // @ts-expect-error -- no operation takes it.
    ServiceContract.layer({ defaults: { fields: { clientID: "account" } } }, CustodyApi)
    // @ts-expect-error -- there is no such casing.
    ServiceContract.layer({ defaults: { casing: "snake" } }, CustodyApi)
    // @ts-expect-error -- there is no such place.
    ServiceContract.layer({ operations: { "transactions.send": { fields: { to: { in: "cookie" } } } } }, CustodyApi)
    ServiceContract.layer(
      {
        defaults: { casing: "snake_case", fields: { clientId: "account" }, response: { id: "uid" } },
        operations: {
          "wallets.get": true,
          "tokens.mint": { fields: { amount: { as: { minor: 6 } } }, response: { supply: "total" } },
          "transactions.list": { fields: { to: { at: "until" } }, response: { status: { at: "state" } } }
        }
      },
      CustodyApi
    )
  })
})
