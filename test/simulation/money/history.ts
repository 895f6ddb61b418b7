/**
 * How a service may show its history: in small pages, with odd counts, with rows that move, with changed notes, amounts and
 * names, and behind filters that let no row through.
 */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import type { Source } from "../../support/random.ts"

interface Row {
  readonly id: string | number
  readonly note?: string
  readonly status?: string
  readonly type?: string
  readonly amount?: string | number
}

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
  // It caps its pages, and declares a page with fewer rows than requested the last one.
  ({ size }) => ({ itemsPerPage: size, hasNextPage: false }),
  ({ page }) => ({ totalItems: page === 1 ? 0 : 1, hasNextPage: false })
]

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

/** A decimal of at most eight places, as a service writes it: without an exponent, and without zeros at the end. */
const decimal = (amount: number): string => amount.toFixed(8).replace(/\.?0+$/, "")

/** What a service makes of an amount, and of a fee of nearly a third of it, which it shows. */
const amounts: ReadonlyArray<(amount: number) => object> = [
  (amount) => ({ amount: decimal(amount) }),
  (amount) => ({ amount: decimal(-amount) }),
  (amount) => ({ amount: Math.round(amount * 1_000_000) }),
  (amount) => ({ amount: `${Math.round(amount * 1_000_000)}${"0".repeat(12)}` }),
  (amount) => ({ amount: decimal(amount * 0.7), fee: decimal(amount * 0.3) }),
  (amount) => ({ amount: decimal(-amount * 1.3), fee: decimal(amount * 0.3) }),
  (amount) => ({ amount: decimal(-amount * 1.3), fee: decimal(-amount * 0.3) }),
  (amount) => ({ amount: Math.round(amount * 700_000), fee: Math.round(amount * 300_000) }),
  (amount) => ({ amount: Math.round(amount * 700_000), fee: decimal(amount * 0.3) }),
  (amount) => ({ amount: decimal(amount * 0.95) }),
  (amount) => ({ amount: amount.toFixed(2) }),
  (amount) => ({ amount: decimal(Math.floor(amount * 100) / 100) }),
  (amount) => ({ amount: Math.round(amount) }),
  () => ({ amount: "0" }),
  () => ({})
]

/** Names that a service may have of its own. */
const names: ReadonlyArray<object> = [
  { assetId: "USDC_POLYGON" },
  { assetId: undefined },
  { clientId: "4711" },
  { to: "Treasury" },
  { to: undefined },
  { assetId: "USDC_POLYGON", clientId: "4711", to: "Treasury" }
]

/** A filter that the service does not read as it is sent: it lets no row through. */
const filters = ["from", "clientId", "assetId"] as const

/**
 * How a service may say in a success that it could not read the history. Any other way, such as a code of its own beside no
 * rows, is an entry of its contract.
 */
const failures: ReadonlyArray<(body: object) => object> = [
  (body) => ({ ...body, status: 500, code: "E50000", data: [], meta: undefined }),
  () => ({ status: "error", "err-code": "gateway-internal-error", data: null }),
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
  (clientId) => ({ toClientId: clientId.toUpperCase() }),
  (clientId) => ({ recipient: { externalId: clientId, name: "A client" } })
]

/** Transactions that were not asked for, and differ from a transfer in one thing. */
const likenesses: ReadonlyArray<object> = [{ toClientId: "carol" }, { type: "INCOMING" }, { type: "ALLOWANCE" }]

/**
 * Payments of somebody else that differ from one of the schedule in a note that resembles its note, or have its note and
 * differ in one thing else.
 */
const reused: ReadonlyArray<(note: string, amount: number) => object> = [
  () => ({ to: "0xdef" }),
  (_note, amount) => ({ amount: decimal(amount * 2) }),
  () => ({ assetId: "eth" }),
  (note) => ({ note: note.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + 1) % 10)) }),
  (note) => ({ note: note.replace("mark", "Mark") }),
  (note) => ({ note: `${note}0` }),
  (note) => ({ note: `refund of ${note}` }),
  (note) => ({ note: note.replace("-", " ") }),
  (note) => ({ note: note.slice(0, -1) })
]

/** How a service may show, without its note, a payment that was made at a time. */
const times: ReadonlyArray<(at: number) => object> = [
  (at) => ({ createdAt: new Date(at).toISOString() }),
  (at) => ({ createdAt: at }),
  (at) => ({ created_at: new Date(at).toISOString() }),
  (at) => ({ createdAt: new Date(at).toUTCString() }),
  // In its own zone, which it does not show.
  (at) => ({ createdAt: new Date(at + 8 * 3_600_000).toISOString().slice(0, -1) })
]

export interface Past {
  /** The service's clock. */
  readonly clock: Clock.Clock
  /** How long before each payment of the schedule a similar one was made. */
  readonly earlierBy: number
  /** The note of each transaction of the schedule by its id, as it was sent: for the judge. */
  readonly notes: Map<string, string>
}

/** Shows the history of a service in another way, by a seed. Everything else is as it is. */
export const shown = (service: HttpClient.HttpClient, random: Source, past: Past): HttpClient.HttpClient => {
  const size = random.pick([1, 2, 100])
  const count = random.pick(counts)
  const noteOf = random.pick(notes)
  const before = others.slice(random.below(others.length))
  const movesAt = random.chance(0.5) ? 1 + random.below(3) : Infinity
  const failsAt = random.chance(0.3) ? random.below(2) : Infinity
  const failure = random.pick(failures)
  const failsBefore = random.chance(0.5) ? failsAt + 1 : Infinity
  const recipientOf = random.pick(recipients)
  const unlike = random.chance(0.5) ? random.pick(likenesses) : undefined
  const earlier = random.chance(0.6) ? random.pick(times) : undefined
  const amountOf = random.chance(0.5) ? random.pick(amounts) : amounts[0]!
  const ownNames = random.chance(0.4) ? random.pick(names) : {}
  const hiding = random.chance(0.2) ? random.pick(filters) : undefined
  const reuses = random.chance(0.4) ? [random.pick(reused), random.pick(reused)] : []
  const alike: Array<Row> = []
  let asked = 0

  const put = (row: object) => alike.push({ id: `another's-${alike.length}`, status: "COMPLETED", ...row })

  /** Puts beside a transfer what looks like it: with its note, its amount and its sender. */
  const imitate = (transfer: string, differently: object) => {
    const { fromClientId: clientId, toClientId, ...same } = JSON.parse(transfer)
    const to = { type: "INTERNAL_TRANSFER", toClientId, ...differently }
    const { toClientId: client, ...rest } = to
    put({ clientId, ...same, ...rest, ...recipientOf(client) })
  }

  /** Puts before a payment an earlier one that looks like it, and does not show its note. */
  const precede = (payment: string, timeOf: (at: number) => object) => {
    const { note: _, ...same } = JSON.parse(payment)
    const time = timeOf(past.clock.currentTimeMillisUnsafe() - past.earlierBy)
    put({ type: "OUTGOING", ...same, ...time })
  }

  /** Puts beside a payment or a transfer others that resemble it. */
  const reuse = (payment: string) => {
    const { fromClientId, toClientId, ...same } = JSON.parse(payment)
    const isTransfer = toClientId !== undefined
    const sent = isTransfer
      ? { type: "INTERNAL_TRANSFER", clientId: fromClientId, ...same }
      : { type: "OUTGOING", ...same }
    for (const of of reuses) {
      const { to, ...changed }: { readonly to?: string } = of(same.note, Number(same.amount))
      const recipient = isTransfer ? recipientOf(to ?? toClientId) : { to: to ?? same.to }
      put({ ...sent, ...changed, ...recipient })
    }
  }

  /** A row of the service's own, of which it shows to which client it goes: all of a schedule go to bob. */
  const withRecipient = (row: Row): Row => (row.type === "INTERNAL_TRANSFER" ? { ...row, ...recipientOf("bob") } : row)

  /** The page of what the service gives, as this one shows it. */
  const pageOf = (body: { readonly data: ReadonlyArray<Row> }, page: number, nth: number): object => {
    if (nth >= failsAt && nth < failsBefore) return failure(body)
    for (const { id, note } of body.data) if (note !== undefined) past.notes.set(String(id), note)
    const all = [...alike, ...body.data.map(withRecipient)]
    const own = all.map(({ amount, note, ...row }: Row): object => ({
      ...row,
      ...(amount === undefined ? {} : amountOf(Number(amount))),
      ...ownNames,
      ...(note === undefined ? {} : { note: noteOf(note) })
    }))
    const rows: Array<object> = [...before, ...own]
    if (nth >= movesAt) rows.unshift(rows.pop()!)
    return {
      ...body,
      data: rows.slice((page - 1) * size, page * size),
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
    if (/\/transactions\/(?:send|transfer)$/.test(url.pathname) && request.body._tag === "Uint8Array") {
      reuse(new TextDecoder().decode(request.body.body))
    }
    if (request.method !== "GET" || !url.pathname.endsWith("/transactions")) return service.execute(request)
    const nth = asked++
    const whole = HttpClientRequest.setUrlParams(request, { page: 1, limit: 1_000 })
    return Effect.gen(function* () {
      const response = yield* service.execute(whole)
      const text = yield* response.text
      if (response.status !== 200) return HttpClientResponse.fromWeb(request, new Response(text, response))
      const isHidden = hiding !== undefined && url.searchParams.has(hiding)
      const answered = JSON.parse(text)
      const body = isHidden
        ? { ...answered, data: [], meta: undefined }
        : pageOf(answered, Number(url.searchParams.get("page")), nth)
      return HttpClientResponse.fromWeb(request, new Response(JSON.stringify(body), response))
    })
  })
}
