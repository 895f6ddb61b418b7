/** How a service may show its history: in small pages, with odd counts, with rows that move and with changed notes. */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import type { Source } from "../../support/random.ts"

interface Row {
  readonly note?: string
  readonly type?: string
}

/** A row that the service leaves out after it has cut its pages: a page may be empty, and others follow. */
const hidden = Symbol("hidden")

interface Place {
  readonly page: number
  readonly size: number
  readonly rows: number
}

/** What a service says about the whole list, beside a page of it. */
const counts: ReadonlyArray<(place: Place) => object | undefined> = [
  () => undefined,
  ({ page, rows, size }) => ({ totalItems: rows, totalPages: Math.ceil(rows / size), currentPage: page }),
  ({ page, rows, size }) => ({ hasNextPage: page * size < rows }),
  () => ({ totalItems: 0, totalPages: 0 }),
  () => ({ totalItems: -1, totalPages: -1, hasNextPage: false }),
  ({ rows }) => ({ totalItems: rows, totalPages: 1 }),
  // It caps its pages, and reports a page with fewer rows than requested as the last one.
  ({ size }) => ({ itemsPerPage: size, hasNextPage: false }),
  ({ page }) => ({ totalItems: page === 1 ? 0 : 1, hasNextPage: false })
]

/** The ones that are correct, and say more than whether there are rows. */
const tells: ReadonlySet<(typeof counts)[number]> = new Set([counts[1]!, counts[2]!])

/** What a service makes of a note. */
const notes: ReadonlyArray<(note: string) => string> = [
  (note) => note,
  (note) => note,
  (note) => ` ${note.toUpperCase()} `,
  (note) => note.replaceAll("-", "%2D"),
  (note) => note.replaceAll("-", "&#45;"),
  (note) => note.replaceAll("-", " "),
  (note) => `API: ${note}…`,
  (note) => note.replaceAll("-", "&ndash;"),
  (note) => note.replace("-", "\uFE0F-"),
  (note) => note.toLocaleUpperCase("tr"),
  (note) => note.replace("-", "?")
]

/** How a service may say in a success that it could not read the history. */
const failures: ReadonlyArray<(body: object) => object> = [
  (body) => ({ ...body, status: 500, code: "E50000", data: [], meta: undefined }),
  () => ({ status: "error", "err-code": "gateway-internal-error", data: null }),
  () => ({ code: "50001", data: [], msg: "Service temporarily unavailable" }),
  // Without the counts of the whole list, beside which no rows would be too few.
  (body) => ({ ...body, success: false, data: [], meta: undefined }),
  (body) => ({ ...body, status: false, data: [], meta: undefined }),
  () => ({ data: null, errors: [{ message: "timeout" }] })
]

/** Payments of somebody else, which come before those of the schedule. */
const others = Array.from({ length: 4 }, (_, at) => ({
  id: `other-${at}`,
  status: "COMPLETED",
  amount: "1",
  to: "0xdef",
  note: `other ${at}`
}))

/** How a service may show to which client a transfer goes. */
const recipients: ReadonlyArray<(clientId: string) => object> = [
  (clientId) => ({ toClientId: clientId }),
  (clientId) => ({ to_client_id: clientId.toUpperCase() }),
  (clientId) => ({ recipient: { externalId: clientId, name: "A client" } }),
  (clientId) => ({ from: "alice", to: clientId })
]

const ofOthers = "another's-"

/** Whether a transaction of the history is one that only looks like a transfer of the schedule. */
export const isAnothers = (id: string): boolean => id.startsWith(ofOthers)

/** Transactions that were not asked for, and differ from a transfer in one thing. */
const likenesses: ReadonlyArray<object> = [{ toClientId: "carol" }, { type: "INCOMING" }, { type: "ALLOWANCE" }]

/** How a service may show, without its note, a payment that was made at a time. */
const times: ReadonlyArray<(at: number) => object> = [
  (at) => ({ createdAt: new Date(at).toISOString() }),
  (at) => ({ createdAt: at }),
  (at) => ({ created_at: new Date(at).toISOString() }),
  (at) => ({ createdAt: new Date(at).toUTCString() }),
  // In its own zone, which it does not show.
  (at) => ({ createdAt: new Date(at + 8 * 3_600_000).toISOString().slice(0, -1) })
]

/** The service's clock, and how long before each payment of the schedule a similar one was made. */
export interface Past {
  readonly clock: Clock.Clock
  readonly earlierBy: number
}

/** Shows the history of a service in another way, by a seed. Everything else is as it is. */
export const shown = (service: HttpClient.HttpClient, random: Source, past: Past): HttpClient.HttpClient => {
  const size = random.pick([1, 2, 100])
  const count = random.pick(counts)
  const noteOf = random.pick(notes)
  const before = others.slice(random.below(others.length))
  const movesAt = random.chance(0.5) ? 1 + random.below(3) : Infinity
  const failsAt = random.chance(0.3) ? random.below(2) : Infinity
  // Without good counts nobody can tell an empty page from the end.
  const left = tells.has(count) && random.chance(0.5) ? random.below(4) : 0
  const failure = random.pick(failures)
  const failsBefore = random.chance(0.5) ? failsAt + 1 : Infinity
  const recipientOf = random.pick(recipients)
  const unlike = random.chance(0.5) ? random.pick(likenesses) : undefined
  const earlier = random.chance(0.6) ? random.pick(times) : undefined
  const alike: Array<object> = []
  let asked = 0

  /** Puts beside a transfer what looks like it: with its note, its amount and its sender. */
  const imitate = (transfer: string, differently: object) => {
    const { fromClientId: clientId, toClientId, ...same } = JSON.parse(transfer)
    const to = { type: "INTERNAL_TRANSFER", toClientId, ...differently }
    const { toClientId: client, ...rest } = to
    const id = `${ofOthers}${alike.length}`
    alike.push({ id, status: "COMPLETED", clientId, ...same, ...rest, ...recipientOf(client) })
  }

  /** Puts before a payment an earlier one that looks like it, and does not show its note. */
  const precede = (payment: string, timeOf: (at: number) => object) => {
    const { note: _, ...same } = JSON.parse(payment)
    const time = timeOf(past.clock.currentTimeMillisUnsafe() - past.earlierBy)
    alike.push({ id: `${ofOthers}${alike.length}`, type: "OUTGOING", status: "COMPLETED", ...same, ...time })
  }

  /** A row of the service's own, of which it shows to which client it goes: all of a schedule go to bob. */
  const withRecipient = (row: Row): Row => (row.type === "INTERNAL_TRANSFER" ? { ...row, ...recipientOf("bob") } : row)

  /** The page of what the service gives, as this one shows it. */
  const pageOf = (body: { readonly data: ReadonlyArray<Row> }, page: number, nth: number): object => {
    if (nth >= failsAt && nth < failsBefore) return failure(body)
    const all = [...alike, ...body.data.map(withRecipient)]
    const own = all.map(({ note, ...row }: Row): object => (note === undefined ? row : { ...row, note: noteOf(note) }))
    const rows: Array<object | typeof hidden> = [
      ...before,
      ...Array.from({ length: left }, (): typeof hidden => hidden),
      ...own
    ]
    if (nth >= movesAt) rows.unshift(rows.pop()!)
    return {
      ...body,
      data: rows.slice((page - 1) * size, page * size).filter((row) => row !== hidden),
      meta: count({ page, size, rows: rows.length })
    }
  }

  return HttpClient.make((request, url) => {
    if (unlike !== undefined && url.pathname.endsWith("/transactions/transfer") && request.body._tag === "Uint8Array") {
      imitate(new TextDecoder().decode(request.body.body), unlike)
    }
    if (earlier !== undefined && url.pathname.endsWith("/transactions/send") && request.body._tag === "Uint8Array") {
      precede(new TextDecoder().decode(request.body.body), earlier)
    }
    if (request.method !== "GET" || !url.pathname.endsWith("/transactions")) return service.execute(request)
    const nth = asked++
    const whole = HttpClientRequest.setUrlParams(request, { page: 1, limit: 1_000 })
    return Effect.gen(function* () {
      const response = yield* service.execute(whole)
      const text = yield* response.text
      if (response.status !== 200) return HttpClientResponse.fromWeb(request, new Response(text, response))
      const body = pageOf(JSON.parse(text), Number(url.searchParams.get("page")), nth)
      return HttpClientResponse.fromWeb(request, new Response(JSON.stringify(body), response))
    })
  })
}
