/** Adapters: what a request must not hide, what an answer becomes, and that a mistake in a function is no defect. */
import { Adapter, Format } from "@effect-custody/contract"
import { Amount, Endpoint, Lenient, Page } from "@effect-custody/core"
import * as Wires from "@effect-custody/core/siblings/Wires"
import { Clients, Tokens, Transactions, Vaults, Wallets } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import { Cause, DateTime, Effect, Exit, Layer, Option, Schema, Stream } from "effect"
import { HttpClientRequest } from "effect/http"
import { document, local, real, Reports } from "../../../../test/support/clients/reportsApi.ts"
import { sentBy } from "../../../../test/support/clients/sdkApi.ts"
import { answer } from "../../../../test/support/clients/stubHttp.ts"

const json = (body: unknown) => HttpClientRequest.bodyJsonUnsafe(body)
const failureOf = <A, E>(exit: Exit.Exit<A, E>) =>
  Exit.isFailure(exit) ? Option.getOrUndefined(Cause.findErrorOption(exit.cause)) : undefined

const Report = Schema.Struct({ key: Schema.String })

/** An adapter of `reports.create` whose request a test says. The functions are not typed: the types refuse most. */
const creating = (request: (input: any) => unknown, back = ({ body }: Adapter.Sent): any => ({ ...body, day: "x" })) =>
  Adapter.make(Reports.create, {
    request,
    back,
    answer: Report,
    read: ({ key }: { readonly key: string }) => ({ id: key, total: undefined })
  } as never)

const example = {
  input: { day: "x", title: "t" },
  request: { line: "POST /r", body: { title: "t" } },
  example: { data: { key: "k" } },
  record: { id: "k" }
}
const post = ({ day, title }: any) => HttpClientRequest.post("/r").pipe(json({ title, ...(day === "" ? { day } : {}) }))

/** A layer whose only example is that of an adapter which differs in nothing but this request. */
const underTest = (request: (input: any) => unknown, back?: (sent: Adapter.Sent) => unknown) => {
  let isExample = true
  const adapter = creating((input) => {
    if (input.title === "t" && isExample) return post(input)
    return request(input)
  }, back as never)
  return Layer.tap(Adapter.layer([Adapter.test(adapter, example as never)]), () =>
    Effect.sync(() => {
      isExample = false
    })
  )
}

const rejecting = (): Promise<never> => Promise.reject(new Error("later"))

const requests: ReadonlyArray<readonly [what: string, request: (input: any) => unknown, message: string]> = [
  ["spreads the input", (input) => HttpClientRequest.post("/r").pipe(json({ ...input })), "a spread hides"],
  ["does not look at a field", ({ title }) => HttpClientRequest.post("/r").pipe(json({ title })), "day: is not sent"],
  [
    "sends another value",
    ({ day }) => HttpClientRequest.post("/r").pipe(json({ title: `${day}!` })),
    "title: would not"
  ],
  [
    "loses a value",
    ({ day, title }) => HttpClientRequest.post(`/r?${day}${title}`).pipe(json({})),
    "title: is not sent"
  ],
  [
    "adds a field",
    ({ day, title }) => HttpClientRequest.post("/r").pipe(json({ title, note: day })),
    "note: is not given"
  ],
  [
    "throws",
    () => {
      throw new Error("refused")
    },
    "refused"
  ],
  ["is a promise", rejecting, "gave a promise"],
  ["is no request", ({ day, title }) => ({ day, title }), "gave no request"],
  [
    "has another host",
    ({ day, title }) => HttpClientRequest.post("https://evil.example/r").pipe(json({ day, title })),
    "below the base"
  ],
  [
    "has a host without a scheme",
    ({ day, title }) => HttpClientRequest.post("//evil.example").pipe(json({ day, title })),
    "below the base"
  ],
  [
    "is a GET",
    ({ day, title }) => HttpClientRequest.get("/r", { urlParams: { day, title } }),
    "GET is no method of a write"
  ],
  ["has a header of two lines", (input) => HttpClientRequest.setHeader(post(input), "x-a", "a\nb"), "header x-a"],
  ["has a path that leads upwards", () => HttpClientRequest.post(Adapter.path`/r/${".."}`), "segment of a path"]
]

describe("the request of a change", () => {
  it.live.each(requests)("that %s is refused, and nothing is sent", ([, request, message]) =>
    Effect.gen(function* () {
      const unhandled: Array<unknown> = []
      const listener = (reason: unknown) => void unhandled.push(reason)
      process.on("unhandledRejection", listener)
      const { exit, sent } = yield* sentBy(Reports.create({ day: "x", title: "t" }), { contract: underTest(request) })
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      process.off("unhandledRejection", listener)
      const error = failureOf(exit)
      assert.strictEqual(error?._tag, "InputInvalid", String(exit))
      assert.include(error?.message, message)
      assert.deepStrictEqual([sent, unhandled], [[], []])
    })
  )

  it.live("is sent, and its answer is read", () =>
    Effect.gen(function* () {
      const { exit, sent } = yield* sentBy(Reports.create({ day: "x", title: "u" }), {
        contract: underTest(post),
        environment: real,
        respond: () => answer(201, { data: { key: "k-1" } })
      })
      assert.deepStrictEqual(exit, Exit.succeed({ id: "k-1" }))
      assert.strictEqual(sent[0]?.url, `${real.baseUrl}/r`)
      assert.strictEqual(sent[0]?.body, `{"title":"u"}`)
    })
  )

  it("needs its way back", () => {
    assert.throws(
      () => Adapter.make(Reports.create, { request: post, answer: Report, read: () => ({}) } as never),
      /back/
    )
  })

  it.live("that is multipart shows its fields to the way back", () =>
    Effect.gen(function* () {
      const upload = (title = "title") =>
        Adapter.make(Reports.upload, {
          without: ["pages", "appendix"],
          request: ({ document, title: given }) =>
            HttpClientRequest.post("/u").pipe(Adapter.multipart({ [title]: given, file: document })),
          back: ({ body }) => ({ title: body.title, document: body.file }),
          answer: Report,
          read: ({ key }) => ({ id: key, total: undefined })
        })
      const call = (title?: string) =>
        sentBy(Reports.upload({ title: "t", document }), {
          contract: Layer.succeed(Wires.Wires, {
            confirms: () => true,
            wire: (operation) => (operation.operation === "reports.upload" ? upload(title).wire({}) : undefined),
            fingerprint: () => undefined
          }),
          respond: () => answer(201, { data: { key: "k" } })
        })
      const right = yield* call()
      assert.deepStrictEqual(right.exit, Exit.succeed({ id: "k" }))
      const wrong = yield* call("name")
      assert.include(failureOf(wrong.exit)?.message, "title")
      assert.strictEqual(wrong.sent.length, 0)
    })
  )
})

const answers: ReadonlyArray<readonly [what: string, () => Response]> = [
  ["has another form", () => answer(201, { data: { kye: "k" } })],
  ["is no JSON", () => new Response("<html>", { status: 201 })],
  ["has no body", () => new Response(null, { status: 204 })]
]

describe("an answer", () => {
  it.live.each(answers)("of a change that %s leaves the outcome unknown", ([, respond]) =>
    Effect.gen(function* () {
      const contract = underTest(post)
      const { exit } = yield* sentBy(Reports.create({ day: "x", title: "u" }), { contract, respond })
      assert.strictEqual(failureOf(exit)?._tag, "OutcomeUnknown", String(exit))
    })
  )

  it.live("without a body is a success only where the adapter says so, with a status that has none", () =>
    Effect.gen(function* () {
      const burn = Adapter.test(
        Adapter.make(Tokens.burn, {
          without: ["note" as never],
          request: ({ amount, tokenId }: any) =>
            HttpClientRequest.post(`/burn/${tokenId}`).pipe(json({ amount: Amount.format(amount) })),
          back: ({ body, path }: any) => ({ tokenId: path[1], amount: Amount.fromStringUnsafe(body.amount) }),
          answer: Schema.Undefined,
          read: () => ({})
        } as never),
        {
          input: { tokenId: "7", amount: Amount.of("1") },
          request: { line: "POST /burn/7", body: { amount: "1" } },
          example: undefined,
          status: 204,
          record: {}
        } as never
      )
      const call = (respond: () => Response) =>
        sentBy(Tokens.burn({ tokenId: "7", amount: Amount.of("1") } as never), {
          contract: Adapter.layer([burn]),
          respond
        })
      assert.isTrue(Exit.isSuccess((yield* call(() => new Response(null, { status: 204 }))).exit))
      const { exit } = yield* call(() => new Response("", { status: 200 }))
      assert.strictEqual(failureOf(exit)?._tag, "OutcomeUnknown", String(exit))
    })
  )

  it.live("becomes the record whatever codecs the endpoint has, and a value of another kind is refused", () =>
    Effect.gen(function* () {
      const Day = Schema.Struct({ id: Schema.String, at: Schema.DateTimeUtcFromMillis, total: Amount.Amount })
      const Plain = Schema.Struct({ id: Schema.String, total: Amount.Amount })
      const Part = Schema.Struct({ total: Amount.Amount })
      class Usual extends Lenient.Opaque<Usual>()(
        { id: Schema.String },
        { total: Amount.Amount, parts: Schema.Array(Part), note: Schema.String }
      ) {}
      const read = <S extends typeof Day | typeof Plain | typeof Usual>(success: S, record: object) => {
        const endpoint = Endpoint.read("days.get", { route: "GET /days", assumed: "ours", success })
        const adapter = Adapter.make(endpoint, {
          request: () => HttpClientRequest.get("/d"),
          answer: Report,
          read: () => record
        } as never)
        return Effect.map(
          sentBy(endpoint(), {
            contract: Adapter.layer([adapter]),
            respond: () => answer(200, { data: { key: "k" } })
          }),
          ({ exit }) => exit
        )
      }
      const [at, total] = [DateTime.makeUnsafe(0), Amount.of("1.50")]
      assert.deepStrictEqual(yield* read(Day, { id: "k", at, total }), Exit.succeed({ id: "k", at, total }))
      assert.deepStrictEqual(yield* read(Plain, { id: "k", total }), Exit.succeed({ id: "k", total }))
      const parts = [{ total }]
      const usual = { id: "k", total, parts, extra: { day: 1 } }
      assert.deepStrictEqual(
        yield* read(Usual, { id: "k", total, parts, note: undefined, day: 1 }),
        Exit.succeed(usual)
      )
      const text = { id: "k", total: "1.50" }
      const wrong = [
        [Plain, text, "total is of another kind"],
        [Usual, text, "total is of another kind"],
        [Usual, { id: "k", parts: [text] }, "total is of another kind"],
        [Usual, { id: "k", note: 5 }, "note is of another kind"],
        [Usual, { total }, "id"]
      ] as const
      for (const [success, record, reason] of wrong) {
        assert.include(String(yield* read(success, record)), reason)
      }
    })
  )

  it.live("is an error if the service's refusal says so, whatever its status", () =>
    Effect.gen(function* () {
      const contract = Adapter.layer([Adapter.assumed(Wallets.list)], {
        refusal: (body) => (body.retCode === 0 ? undefined : `retCode is ${body.retCode}`)
      })
      const { exit } = yield* sentBy(Wallets.list(), {
        contract,
        respond: () => answer(200, { retCode: 10_001, data: { items: [] } })
      })
      const error = failureOf(exit)
      assert.strictEqual(error?._tag, "UnexpectedResponse", String(exit))
    })
  )
})

// Lists.

const rows = Array.from({ length: 1_000 }, (_, at) => ({ key: `k${at}` }))
const base = new URL(local.baseUrl).pathname

const listing = (
  request: (asked: Adapter.Asked) => Readonly<Record<string, unknown>>,
  next: ((answer: Adapter.Answer, rows: number, asked: Adapter.Asked) => string | number | undefined) | undefined
) =>
  Adapter.layer(
    [
      Adapter.make(Reports.list, {
        without: ["kind", "sortKey", "order", "search"],
        request: ({ year }, asked) =>
          HttpClientRequest.get(`/r/${year}`, { urlParams: request(asked) as Readonly<Record<string, string>> }),
        answer: Schema.Array(Report),
        read: (all) => all.map(({ key }) => ({ id: key, total: undefined })),
        ...(next === undefined ? {} : { next })
      })
    ],
    { payload: (body) => body.rows }
  )

/** A service that pages in five ways, with at most 100 rows. */
const pageOf = (url: URL) => {
  const asked = (name: string) => Number(url.searchParams.get(name) ?? 0)
  const limit = Math.min(asked("limit"), 100)
  const start = asked("page") > 0 ? (asked("page") - 1) * limit : asked("offset") + asked("cursor")
  const end = start + limit
  return { rows: rows.slice(start, end), more: end < rows.length ? end : undefined }
}

const pagings: ReadonlyArray<
  readonly [name: string, request: Parameters<typeof listing>[0], next: Parameters<typeof listing>[1]]
> = [
  ["page", ({ limit, page }) => ({ page, limit }), (_, rows, { page }) => (rows === 0 ? undefined : page + 1)],
  [
    "offset",
    ({ limit, offset }) => ({ offset, limit }),
    (_, rows, { offset }) => (rows === 0 ? undefined : offset + rows)
  ],
  ["cursor", ({ cursor, limit }) => ({ ...(cursor === undefined ? {} : { cursor }), limit }), ({ body }) => body.next],
  [
    "link",
    ({ cursor, limit }) => (cursor === undefined ? { limit } : Object.fromEntries(new URLSearchParams(cursor))),
    ({ body }) => body.link && new URL(body.link).search.slice(1)
  ],
  [
    "header",
    ({ cursor, limit }) => (cursor === undefined ? { limit } : Object.fromEntries(new URLSearchParams(cursor))),
    ({ header }) => header("Next-Page")?.split("?")[1]
  ]
]

const respond = ({ url }: { readonly url: string }) => {
  const { more, rows: page } = pageOf(new URL(url))
  const link = more === undefined ? undefined : `https://x.example${base}/r/2026?cursor=${more}&limit=100`
  const body = { rows: page, next: more === undefined ? undefined : String(more), link }
  return answer(200, body, link === undefined ? {} : { "next-page": link })
}

describe("a list of 1,000 rows", () => {
  it.live.each([Number.NaN, true, {}])("is an error if next gives %s", (wrong) =>
    Effect.gen(function* () {
      const contract = listing(
        ({ limit, page }) => ({ page, limit }),
        () => wrong as never
      )
      const { exit } = yield* sentBy(Reports.list({ year: 2026 }), { contract, respond })
      assert.include(String(exit), "next does not say where the next page is")
    })
  )

  it.live.each(pagings)("is read whole by %s", ([, request, next]) =>
    Effect.gen(function* () {
      for (const limit of [100, 7, 250]) {
        const all = Stream.runCollect(Page.stream(Reports.list, { year: 2026, limit }))
        const { exit } = yield* sentBy(all, { contract: listing(request, next), respond })
        assert.isTrue(Exit.isSuccess(exit), String(exit))
        assert.deepStrictEqual(
          Exit.isSuccess(exit) && exit.value.map(({ id }) => id),
          rows.map(({ key }) => key)
        )
      }
    })
  )

  it.live("fails without a way to its next page, instead of ending quietly", () =>
    Effect.gen(function* () {
      const contract = listing(({ limit }) => ({ limit }), undefined)
      const { exit } = yield* sentBy(Stream.runCollect(Page.stream(Reports.list, { year: 2026 })), {
        contract,
        respond
      })
      assert.strictEqual(failureOf(exit)?._tag, "PagesIncomplete", String(exit))
    })
  )

  it.live("refuses a page that the adapter does not send", () =>
    Effect.gen(function* () {
      const contract = listing(
        ({ limit }) => ({ limit }),
        () => undefined
      )
      const { exit, sent } = yield* sentBy(Reports.list({ year: 2026, page: 2 }), { contract, respond })
      assert.strictEqual(failureOf(exit)?._tag, "InputInvalid", String(exit))
      assert.strictEqual(sent.length, 0)
    })
  )

  it.live("fails if the way to its next page throws", () =>
    Effect.gen(function* () {
      const contract = listing(
        ({ limit }) => ({ limit }),
        ({ body }) => body.page.next
      )
      const { exit } = yield* sentBy(Reports.list({ year: 2026 }), { contract, respond })
      assert.strictEqual(failureOf(exit)?._tag, "UnexpectedResponse", String(exit))
    })
  )
})

// Services near the specification.

const near: Adapter.Service = {
  request: HttpClientRequest.prependUrl("/v2"),
  names: Format.snakeCase,
  payload: (body, { isList }) => (isList ? body.result.rows : body.result),
  error: (body) => ({
    code: body.fault.no,
    message: body.fault.text,
    errors: body.fault.fields,
    means: body.fault.no === 17 ? "NotFound" : undefined
  }),
  doubtful: (status) => status === 409
}

describe("an assumed endpoint under a service", () => {
  it.live("is sent and read with the service's names, also in records of records, and so are tokens", () =>
    Effect.gen(function* () {
      const { all, exit } = yield* sentBy(Wallets.list({ clientId: "a", sortKey: "x", limit: 5 } as never), {
        contract: Adapter.layer([Adapter.assumed(Wallets.list)], near),
        environment: real,
        respond: () =>
          answer(200, {
            result: {
              rows: [
                { id: 7, address: "0x", client_id: "a", asset_id: "eth", asset: { id: "eth", contract_address: "n" } }
              ]
            }
          })
      })
      assert.strictEqual(all[0]?.url, `${real.baseUrl}/v2/auth/generate-tokens`)
      assert.strictEqual(all[0]?.body, `{"api_key":"one-time-api-key"}`)
      assert(Exit.isSuccess(exit), String(exit))
      const [wallet] = (exit.value as Page.Page<Wallets.Wallet>).items
      assert.strictEqual(wallet?.clientId, "a")
      assert.strictEqual(wallet?.asset?.contractAddress, "n")
      const { pathname, searchParams } = new URL(all[1]!.url)
      assert.strictEqual(pathname, "/api/integration/v2/wallets/client-wallets")
      assert.deepStrictEqual(Object.fromEntries(searchParams), { client_id: "a", limit: "5", sort_key: "x" })
    })
  )

  it.live("has the errors that the service says", () =>
    Effect.gen(function* () {
      const contract = Adapter.layer([Adapter.assumed(Wallets.get)], near)
      const call = (status: number, no: number) =>
        Effect.map(
          sentBy(Wallets.get({ walletId: "w" }), {
            contract,
            respond: () => answer(status, { fault: { no, text: "gone", fields: { wallet_id: ["unknown"] } } })
          }),
          ({ exit }) => failureOf(exit) as any
        )
      const found = yield* call(404, 17)
      assert.deepStrictEqual([found._tag, found.isCertain], ["NotFound", true])
      const elsewhere = yield* call(404, 18)
      assert.deepStrictEqual([elsewhere._tag, elsewhere.isCertain], ["NotFound", false])
      const other = yield* call(400, 18)
      assert.deepStrictEqual(
        [other._tag, other.code, other.summary, other.errors],
        ["OtherApiError", "18", "gone", { walletId: ["unknown"] }]
      )
    })
  )

  it.live("refuses a field that the service does not have", () =>
    Effect.gen(function* () {
      const contract = Adapter.layer([Adapter.assumed(Wallets.list, { without: ["order"] })], near)
      const { exit, sent } = yield* sentBy(Wallets.list({ order: "asc" }), { contract })
      assert.include(failureOf(exit)?.message, "order")
      assert.strictEqual(sent.length, 0)
    })
  )
})

// Examples and the fingerprint.

const reasonOf = (layer: ReturnType<typeof Adapter.layer>) =>
  Effect.map(
    Effect.exit(Effect.scoped(Layer.build(layer))),
    (exit) => (failureOf(exit) as any)?.reason as string | undefined
  )

describe("an example", () => {
  it.effect("is needed where money moves, and for no other endpoint", () =>
    Effect.gen(function* () {
      assert.include(yield* reasonOf(Adapter.layer([creating(post)])), "reports.create belongs to what moves money")
      assert.isUndefined(yield* reasonOf(Adapter.layer([Adapter.assumed(Transactions.send)])))
      assert.include(
        yield* reasonOf(Adapter.layer([Adapter.assumed(Transactions.send), Adapter.assumed(Transactions.list)], near)),
        "transactions.list belongs to what moves money"
      )
      assert.isUndefined(
        yield* reasonOf(Adapter.layer([Adapter.assumed(Clients.get), Adapter.assumed(Vaults.details)], near))
      )
    })
  )

  it.effect("names the request and the record that the adapter makes instead", () =>
    Effect.gen(function* () {
      const reason = (change: object) =>
        reasonOf(Adapter.layer([Adapter.test(creating(post), { ...example, ...change } as never)]))
      assert.isUndefined(yield* reason({}))
      assert.isUndefined(
        yield* reason({ example: `{"data":{"key":"k"}}`, request: { line: "POST /r", body: `{"title":"t"}` } })
      )
      assert.include(yield* reason({ request: { ...example.request, line: "PUT /r" } }), "sends POST /r, not PUT /r")
      assert.include(yield* reason({ request: { ...example.request, body: { title: "u" } } }), "sends the body")
      assert.include(
        yield* reason({ request: { ...example.request, headers: { "x-a": "1" } } }),
        "sends the header x-a"
      )
      assert.include(yield* reason({ record: { id: "l" } }), "reads")
      assert.include(yield* reason({ example: { data: {} } }), "cannot read its answer")
      assert.include(yield* reason({ input: { day: "x" } }), "cannot send it")
      assert.include(yield* reason({ status: 404 }), "no success")
    })
  )

  it.effect("of two adapters of one endpoint refuses both", () =>
    Effect.gen(function* () {
      const one = Adapter.assumed(Wallets.get)
      assert.include(yield* reasonOf(Adapter.layer([one, one])), "wallets.get has two adapters")
    })
  )
})

const fingerprintOf = (layer: ReturnType<typeof Adapter.layer>, operation: any = Reports.create) =>
  Effect.provide(
    Effect.map(Wires.Wires, (wires) => wires.fingerprint(operation)),
    layer
  )

describe("the fingerprint of an adapter", () => {
  it.effect("changes with what a function calls, as far as an example shows it", () =>
    Effect.gen(function* () {
      let suffix = ""
      const adapter = Adapter.test(
        creating(
          ({ day, title }) =>
            HttpClientRequest.post(`/r${day === "x" ? "" : "/"}`).pipe(json({ title: title + suffix })),
          ({ body }) => ({ title: body.title.slice(0, body.title.length - suffix.length), day: "x" })
        ),
        example as never
      )
      const wires = yield* Effect.provide(Wires.Wires, Adapter.layer([adapter]))
      const before = wires.fingerprint(Reports.create)
      assert.isString(before)
      assert.strictEqual(yield* fingerprintOf(Adapter.layer([adapter])), before)
      const contract = Adapter.layer([adapter])
      suffix = "!"
      assert.include(yield* reasonOf(contract), "sends the body")
      suffix = ""
      assert.strictEqual(yield* fingerprintOf(contract), before)
    })
  )

  it.effect("changes with the functions of its service, and is none without any difference", () =>
    Effect.gen(function* () {
      const adapters = [Adapter.assumed(Wallets.get)]
      assert.isUndefined(yield* fingerprintOf(Adapter.layer(adapters), Wallets.get))
      const snake = yield* fingerprintOf(Adapter.layer(adapters, { names: Format.snakeCase }), Wallets.get)
      const other = yield* fingerprintOf(Adapter.layer(adapters, { names: (name) => name }), Wallets.get)
      assert.notStrictEqual(snake, other)
      assert.notStrictEqual(yield* fingerprintOf(Adapter.layer(adapters, near), Wallets.list), undefined)
    })
  )
})

describe("what a contract says of an operation", () => {
  it.effect("are the fields that it does not send, and the filters that work", () =>
    Effect.gen(function* () {
      const contract = Adapter.layer([
        Adapter.assumed(Wallets.list, { without: ["order"], proven: ["clientId"] as never })
      ])
      const { wire } = yield* Effect.provide(Wires.Wires, contract)
      const { omits, proven } = wire(Wallets.list)!
      assert.deepStrictEqual([omits, proven], [["order"], ["clientId"]])
      assert.isUndefined(wire(Wallets.get))
    })
  )
})

describe("an endpoint with the name of another", () => {
  const impostor = Endpoint.read("vaults.details", {
    route: "GET /reports/today",
    assumed: "nowhere",
    success: Schema.Struct({ id: Schema.String })
  })
  const contract = Adapter.layer([Adapter.assumed(Vaults.details)], { request: HttpClientRequest.prependUrl("/v2") })

  it.effect("it has no part in the other's contract", () =>
    Effect.gen(function* () {
      const own = yield* sentBy(impostor(), { environment: real, contract })
      assert.deepInclude<object>(failureOf(own.exit)!, { _tag: "UnconfirmedEndpoint" })
      const { sent } = yield* sentBy(Effect.ignore(Vaults.details()), { environment: real, contract })
      assert.isTrue(sent[0]?.url.endsWith("/v2/vaults/details"))
    })
  )
})
