/** The lists of `vectors/pages.json`: pages as services give them, and the rows that a stream makes of them. */
import { Adapter } from "@effect-custody/contract"
import { Environment } from "@effect-custody/core"
import { Wallets } from "@effect-custody/wallets"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { json, wireServer } from "../support/servers/wireServer.ts"
import { clientOf } from "./vectors/run.ts"
import corpus from "./vectors/pages.json" with { type: "json" }

interface Exchange {
  readonly query: Readonly<Record<string, string | undefined>>
  readonly ids?: ReadonlyArray<string>
  readonly meta?: object
  readonly next?: unknown
  /** In place of the rows and what is said beside them. */
  readonly body?: unknown
  readonly status?: number
}

interface Paging {
  readonly style: "page" | "offset" | "cursor"
  readonly first?: number
  /** The place of the next cursor in the answer. */
  readonly next?: string
}

interface Vector {
  readonly name: string
  readonly limit: number
  /** How the service pages. Default: by number, from 1. */
  readonly paging?: "none" | Paging
  readonly exchanges: ReadonlyArray<Exchange>
  readonly ids: ReadonlyArray<string>
  readonly error?: { readonly tag: string; readonly page?: number; readonly reason?: string }
}

const vectors: ReadonlyArray<Vector> = corpus.vectors as never

/** How a service puts the rows and the counts of a list: as assumed, and with `data` as the list itself. */
const forms = {
  "as data.items, with their counts beside them": (items: ReadonlyArray<object>, meta = {}) => ({
    data: { items, ...meta }
  }),
  "as data, with their counts in meta": (data: ReadonlyArray<object>, meta?: object) => ({
    data,
    ...(meta && { meta })
  })
}

const Row = Schema.Struct({ id: Schema.String, address: Schema.String })

const at = (value: any, path: string): any => path.split(".").reduce((inner, name) => inner?.[name], value)

/** The adapter of a list that is paged in a way. */
const pagedBy = (paging: "none" | Paging) => {
  const { first = 1, next = "", style }: Partial<Paging> = paging === "none" ? {} : paging
  return Adapter.make(Wallets.list, {
    without: ["clientId", "assetId", "networkId", "search", "sortKey", "order"],
    request: (_, asked) => {
      const { limit } = asked
      const urlParams =
        style === "page"
          ? { page: asked.page - 1 + first, limit }
          : style === "offset"
            ? { offset: asked.offset, limit }
            : style === "cursor"
              ? { cursor: asked.cursor, limit }
              : {}
      return HttpClientRequest.get("/wallets", { urlParams })
    },
    answer: Schema.Union([Schema.Array(Row), Schema.Struct({ items: Schema.Array(Row) })]),
    read: (answer) =>
      ("items" in answer ? answer.items : answer).map((row) => ({
        ...row,
        clientId: undefined,
        assetId: undefined,
        networkId: undefined,
        balance: undefined,
        pendingBalance: undefined,
        balances: undefined,
        transactionCount: undefined,
        asset: undefined
      })),
    next: ({ body }, rows, { offset, page }) =>
      style === "cursor"
        ? at(body, next)
        : rows === 0 || style === undefined
          ? undefined
          : style === "page"
            ? page + 1
            : offset + rows
  })
}

/** The service of a vector: each request must be the next of its exchanges. */
const serverOf = ({ exchanges }: Vector, form: (typeof forms)[keyof typeof forms]) =>
  wireServer((_, index) => {
    const { body, ids = [], meta, next, status = 200 } = exchanges[index] ?? {}
    const data = ids.map((id) => ({ id, address: `address of ${id}` }))
    return json(status, body ?? { message: "OK", ...form(data, meta), status, next })
  })

/** Each vector with the form of its answers. Paged by number, the rows may come in both. */
const cases = vectors.flatMap((vector) =>
  Object.entries(forms)
    .slice(vector.paging === undefined && vector.exchanges.every(({ body }) => body === undefined) ? 0 : 1)
    .map(([how, form]) => ({ name: vector.name, how, vector, form }))
)

const queryOf = (target: string) => Object.fromEntries(new URL(target, "http://host").searchParams)

describe("lists of several pages", () => {
  it.live.each(cases)("a stream reads the pages as their vector says: $name, $how", ({ form, vector }) =>
    Effect.gen(function* () {
      const server = yield* serverOf(vector, form)
      const { error, exchanges, ids, limit, paging } = vector
      const rows: Array<string> = []
      const failure = yield* Wallets.stream({ limit }).pipe(
        Stream.runForEach(({ id }) => Effect.sync(() => void rows.push(String(id)))),
        Effect.flip,
        Effect.option,
        Effect.provide(
          clientOf(Environment.emulator(server.baseUrl)).pipe(
            Layer.provide([
              FetchHttpClient.layer,
              paging === undefined ? Layer.empty : Adapter.layer([pagedBy(paging)])
            ])
          )
        )
      )
      assert.deepStrictEqual(rows, ids)
      assert.deepStrictEqual(
        server.received.map(({ target }) => queryOf(target)),
        exchanges.map(({ query }) => query)
      )
      const told = Option.map(failure, (failed) => ({
        tag: failed._tag,
        ...("page" in failed ? { page: failed.page } : {}),
        ...(error?.reason !== undefined && "reason" in failed ? { reason: failed.reason } : {})
      }))
      assert.deepStrictEqual(Option.getOrUndefined<unknown>(told), error)
    })
  )
})
