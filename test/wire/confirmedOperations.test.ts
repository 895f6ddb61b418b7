import { TokenStore } from "@effect-custody/authentication"
import { type ContractFile, ServiceContract } from "@effect-custody/contract"
import { Amount, type CustodyClient, Environment, Upload, RetryPolicy } from "@effect-custody/core"
import { NodeCustody } from "@effect-custody/node"
import { Custody, CustodyApi, Nfts, Tokens, Transactions, Vaults, Wallets } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { withoutWaiting } from "../support/clock.ts"
import { generated, refusal } from "../support/clients/wireClient.ts"
import { header, json, type Received, wireServer, type WireServer } from "../support/servers/wireServer.ts"
import { accessToken } from "./vectors/corpus.ts"
import { categories } from "./vectors/operations.ts"
import { clientOf, inputOf, operations, plain } from "./vectors/run.ts"

type Call = Effect.Effect<unknown, { readonly _tag: string }, CustodyClient>

/** One wire: the request line, the body, and an answer. */
interface Wire {
  readonly line: string
  readonly body: string
  readonly answer: unknown
}

/** The same call on two wires. */
interface Kind {
  readonly kind: string
  readonly operation: string
  readonly call: Call
  readonly differences: ContractFile.Differences
  readonly assumed: Wire
  readonly confirmed: Wire
  /** What the call gives on both. */
  readonly result: unknown
}

const part = (name: string, text: string, file = "") =>
  `--BOUNDARY\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${text}\r\n`

const document = Upload.fromBytes({
  name: "d.pdf",
  contentType: "application/pdf",
  bytes: new TextEncoder().encode("%PDF")
})
const pdf = '; filename="d.pdf"\r\nContent-Type: application/pdf'

const kinds: ReadonlyArray<Kind> = [
  {
    kind: "a path parameter",
    operation: "wallets.get",
    call: Wallets.get({ walletId: "w/1" }),
    differences: {
      route: "/v2/wallet/:walletId/detail",
      payload: "wallet",
      response: { address: "public_address", pendingBalance: "pending_balance", transactionCount: "transactions_count" }
    },
    assumed: {
      line: "GET /wallets/w%2F1",
      body: "",
      answer: {
        data: { id: "w/1", address: "0x1", balance: "1.50", pendingBalance: "0.1", transactionCount: "3", tier: 1 }
      }
    },
    confirmed: {
      line: "GET /v2/wallet/w%2F1/detail",
      body: "",
      answer: {
        wallet: {
          id: "w/1",
          public_address: "0x1",
          balance: "1.50",
          pending_balance: "0.1",
          transactions_count: "3",
          tier: 1
        }
      }
    },
    result: { id: "w/1", address: "0x1", balance: "1.50", pendingBalance: "0.1", transactionCount: 3, tier: 1 }
  },
  {
    kind: "a JSON body",
    operation: "transactions.send",
    call: Transactions.send({ clientId: "alice", assetId: "usdc", to: "0x2", amount: Amount.of("12.50") }),
    differences: {
      route: "PUT /payouts",
      fields: { to: "address", amount: "value", clientId: "external_id" },
      payload: "payout",
      response: { id: "transaction_id", amount: "value" }
    },
    assumed: {
      line: "POST /transactions/send",
      body: `{"clientId":"alice","assetId":"usdc","to":"0x2","amount":"12.50"}`,
      answer: { data: { id: "t-1", amount: "12.50" } }
    },
    confirmed: {
      line: "PUT /payouts",
      body: `{"external_id":"alice","assetId":"usdc","address":"0x2","value":"12.50"}`,
      answer: { payout: { transaction_id: "t-1", value: "12.50" } }
    },
    result: { id: "t-1", amount: "12.50" }
  },
  {
    kind: "multipart",
    operation: "tokens.mint",
    call: Tokens.mint({ tokenId: "tok-1", amount: Amount.of("250"), note: "two", document }),
    differences: {
      route: "/tokenization/:tokenId/issue",
      fields: { amount: "quantity", document: "attachment" },
      payload: "issue",
      response: { transactionId: "tx" }
    },
    assumed: {
      line: "POST /tokens/tok-1/mint",
      body: `${part("amount", "250")}${part("note", "two")}${part("document", "%PDF", pdf)}--BOUNDARY--\r\n`,
      answer: { data: { transactionId: "t-9", supply: "500" } }
    },
    confirmed: {
      line: "POST /tokenization/tok-1/issue",
      body: `${part("quantity", "250")}${part("note", "two")}${part("attachment", "%PDF", pdf)}--BOUNDARY--\r\n`,
      answer: { issue: { tx: "t-9", supply: "500" } }
    },
    result: { transactionId: "t-9", supply: "500" }
  }
]

/** A request with its boundary under one name, and what a connection adds left out. */
const shown = (request: Received) => {
  const boundary = /boundary=(.+)$/.exec(header(request, "content-type")[0] ?? "")?.[1] ?? "none"
  const named = (text: string) => text.replaceAll(boundary, "BOUNDARY")
  return {
    line: `${request.method} ${request.target.replace("/api/integration", "")}`,
    body: named(request.body),
    type: named(header(request, "content-type").join()),
    token: header(request, "x-access-token"),
    names: request.headers.map(([name]) => name.toLowerCase()).filter((name) => name !== "content-length")
  }
}

const localClient = (server: WireServer) =>
  clientOf(Environment.local(server.baseUrl)).pipe(Layer.provide(NodeCustody.layerHttpClient()))

/** What one call sends, and what it gives or fails with, when it gets these answers. */
const exchange = (call: Call, ...answers: ReadonlyArray<ReturnType<typeof json>>) =>
  Effect.gen(function* () {
    const server = yield* wireServer(({ target }, index) =>
      target.endsWith("/auth/refresh-token") ? generated : (answers[index] ?? answers[answers.length - 1]!)
    )
    const outcome = yield* Effect.result(call).pipe(Effect.provide(localClient(server)), withoutWaiting)
    return { sent: server.received.map(shown), outcome }
  })

/** An error without the time of its call. */
const timeless = (outcome: Result.Result<unknown, { readonly _tag: string }>) => {
  assert(Result.isFailure(outcome))
  const { sentAt: _, ...rest } = outcome.failure as { readonly _tag: string; readonly sentAt?: unknown }
  return rest
}

/** A failure with `data` in place of the name that the service has for its payload. */
const withOurName = (failure: object) =>
  Object.fromEntries(
    Object.entries(failure).map(([name, value]) => [
      name,
      name === "reason" || name === "issue" ? String(value).replace(/^\w+ is missing$/, "data is missing") : value
    ])
  )

describe("a confirmed difference", () => {
  for (const { assumed, call, confirmed, differences, kind, operation, result } of kinds) {
    const contract = { operations: { [operation]: differences } }
    const differing = Effect.provide(call, ServiceContract.layer(contract, CustodyApi))

    it.live(`${kind}: ${operation} is sent under the service's names, and returned under ours`, () =>
      Effect.gen(function* () {
        assert.isTrue(Result.isSuccess(ServiceContract.fromJson(JSON.stringify(contract), CustodyApi)))
        const before = yield* exchange(call, json(200, assumed.answer))
        const after = yield* exchange(differing, json(200, confirmed.answer))
        assert.deepInclude(before.sent[0], { line: assumed.line, body: assumed.body })
        assert.deepInclude(after.sent[0], { line: confirmed.line, body: confirmed.body })
        for (const { outcome, sent } of [before, after]) {
          assert.lengthOf(sent, 1)
          assert(Result.isSuccess(outcome))
          assert.deepStrictEqual(plain(outcome.success), result)
        }
        const { body: _, line: __, ...restBefore } = before.sent[0]!
        const { body: ___, line: ____, ...restAfter } = after.sent[0]!
        assert.deepStrictEqual(restAfter, restBefore)
        assert.deepStrictEqual(restAfter.token, [accessToken])
      })
    )

    it.live(`${kind}: ${operation} fails as before, and is sent as often`, () =>
      Effect.gen(function* () {
        const answers = [
          [refusal(422, "E00402", "Validation error")],
          [refusal(404, "E20404", "No such thing")],
          [refusal(401, "E40001", "Invalid access token")],
          [refusal(498, "E40003", "Token has expired")],
          [json(500, { status: 500, message: "Oops" })],
          [json(200, { message: "OK", neither: {} })]
        ]
        for (const answer of answers) {
          const before = yield* exchange(call, ...answer)
          const after = yield* exchange(differing, ...answer)
          assert.deepStrictEqual<object>(withOurName(timeless(after.outcome)), timeless(before.outcome))
          assert.lengthOf(after.sent, before.sent.length)
          // The fingerprint is also the same.
          if (timeless(before.outcome)._tag === "OutcomeUnknown") {
            assert.property(timeless(after.outcome), "fingerprint")
          }
        }
      })
    )
  }
})

const organization = { subdomain: "acme", host: "custody.example" }

/** The environments behind which customers' money may be, an address elsewhere that is called local among them. */
const real = [
  ["production", Environment.production(organization)],
  ["a sandbox", Environment.sandbox(organization)],
  ["an address that is local in name only", Environment.local("https://acme.custody.example/api/integration")]
] as const

/** The HTTP client of a world in which the service's name leads to the plain server. */
const rewritten = (server: WireServer) =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.map(
      HttpClient.HttpClient,
      HttpClient.mapRequest((request) =>
        HttpClientRequest.setUrl(request, request.url.replace("https://acme.custody.example", server.origin))
      )
    )
  ).pipe(Layer.provide(NodeCustody.layerHttpClient()))

/** A client with a key and without a session, which it would start first. */
const realClient = (environment: Environment.Environment, server: WireServer) =>
  Layer.fresh(
    Custody.layer({ environment, apiKey: Redacted.make("one-time-key"), retry: RetryPolicy.none }).pipe(
      Layer.provide([TokenStore.layerMemory, rewritten(server)])
    )
  )

/** Each operation with a valid input. */
const calls = Object.values(categories)
  .flat()
  .map(({ operation, successes: [{ input, response }] }) => {
    const call: Call = operations.get(operation)!(inputOf({ operation, input }))
    return { operation, call, answer: json(response.status, response.json) }
  })

const specified = ["authentication.generateTokens", "authentication.refreshToken", "vaults.details"]

describe.each(real)("the operations on %s", (_, environment) => {
  it.live("each assumed operation fails with UnconfirmedEndpoint, and sends nothing", () =>
    Effect.gen(function* () {
      const server = yield* wireServer(() => generated)
      const assumed = calls.filter(({ operation }) => !specified.includes(operation))
      assert.lengthOf(assumed, CustodyApi.operations.length - specified.length)
      yield* Effect.forEach(assumed, ({ call, operation }) =>
        Effect.gen(function* () {
          const outcome = yield* Effect.result(call)
          assert(Result.isFailure(outcome), operation)
          assert.deepInclude<object>(outcome.failure, { _tag: "UnconfirmedEndpoint", operation })
        })
      ).pipe(Effect.provide(realClient(environment, server)))
      assert.lengthOf(server.received, 0)
      assert.strictEqual(server.connections(), 0)
    })
  )

  it.live("the three specified operations are sent", () =>
    Effect.gen(function* () {
      const answers = new Map(calls.map(({ answer, operation }) => [operation, answer]))
      const server = yield* wireServer(({ target }) =>
        target.endsWith("/vaults/details") ? answers.get("vaults.details")! : generated
      )
      for (const { call, operation } of calls.filter(({ operation: name }) => specified.includes(name))) {
        const outcome = yield* Effect.result(call).pipe(Effect.provide(realClient(environment, server)))
        assert.isTrue(Result.isSuccess(outcome), operation)
      }
      assert.deepStrictEqual(
        server.received.map(({ target }) => target.replace("/api/integration", "")),
        ["/auth/generate-tokens", "/auth/refresh-token", "/auth/generate-tokens", "/vaults/details"]
      )
    })
  )

  it.live("only confirmed operations are sent", () =>
    Effect.gen(function* () {
      const server = yield* wireServer(({ target }) =>
        target.includes("/auth/") ? generated : json(200, { data: { id: "nft-1" } })
      )
      yield* Effect.gen(function* () {
        yield* Nfts.get({ nftId: "nft-1" })
        const error = yield* Effect.flip(Nfts.networks())
        assert.strictEqual(error._tag, "UnconfirmedEndpoint")
        yield* Vaults.details()
      }).pipe(
        Effect.provide([
          ServiceContract.layer({ operations: { "nfts.get": true } }, CustodyApi),
          realClient(environment, server)
        ])
      )
      assert.deepStrictEqual(
        server.received.map(({ target }) => target.replace("/api/integration", "")),
        ["/auth/generate-tokens", "/nfts/nft-1", "/vaults/details"]
      )
    })
  )

  it.live("acceptAssumed sends all operations as assumed", () =>
    Effect.gen(function* () {
      let next = 0
      const server = yield* wireServer((request) => {
        // The session's own start comes before the first call that needs a token.
        const isStart = request.target.endsWith("/auth/generate-tokens") && request.body.includes("one-time-key")
        return isStart ? generated : calls[next++]!.answer
      })
      yield* Effect.forEach(calls, ({ call }) => call).pipe(
        Effect.provide([ServiceContract.acceptAssumed, realClient(environment, server)])
      )
      assert.strictEqual(next, CustodyApi.operations.length)
      assert.lengthOf(server.received, next + 1)
    })
  )
})
