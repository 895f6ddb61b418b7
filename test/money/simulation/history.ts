/**
 * Variants of a service's history: small pages, odd counts, moving rows, changed notes, amounts and names, and filters that
 * match no row.
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

/** Variants of the counts of the whole list beside a page. */
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

/** Variants of a note. */
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

/** Formats a decimal of at most eight places without an exponent and without final zeros. */
const formatDecimal = (amount: number): string => amount.toFixed(8).replace(/\.?0+$/, "")

/** Variants of an amount, some with a fee of nearly a third. */
const amounts: ReadonlyArray<(amount: number) => object> = [
  (amount) => ({ amount: formatDecimal(amount) }),
  (amount) => ({ amount: formatDecimal(-amount) }),
  (amount) => ({ amount: Math.round(amount * 1_000_000) }),
  (amount) => ({ amount: `${Math.round(amount * 1_000_000)}${"0".repeat(12)}` }),
  (amount) => ({ amount: formatDecimal(amount * 0.7), fee: formatDecimal(amount * 0.3) }),
  (amount) => ({ amount: formatDecimal(-amount * 1.3), fee: formatDecimal(amount * 0.3) }),
  (amount) => ({ amount: formatDecimal(-amount * 1.3), fee: formatDecimal(-amount * 0.3) }),
  (amount) => ({ amount: Math.round(amount * 700_000), fee: Math.round(amount * 300_000) }),
  (amount) => ({ amount: Math.round(amount * 700_000), fee: formatDecimal(amount * 0.3) }),
  (amount) => ({ amount: formatDecimal(amount * 0.95) }),
  (amount) => ({ amount: amount.toFixed(2) }),
  (amount) => ({ amount: formatDecimal(Math.floor(amount * 100) / 100) }),
  (amount) => ({ amount: Math.round(amount) }),
  () => ({ amount: "0" }),
  () => ({})
]

/** Variants of names that a service may have of its own. */
const names: ReadonlyArray<object> = [
  { assetId: "USDC_POLYGON" },
  { assetId: undefined },
  { clientId: "4711" },
  { to: "Treasury" },
  { to: undefined },
  { assetId: "USDC_POLYGON", clientId: "4711", to: "Treasury" }
]

/** Filters that the service may misread, so that they match no row. */
const filters = ["from", "clientId", "assetId"] as const

/**
 * Variants of a success that reports an unreadable history. Any other variant, such as an own code beside no rows, is an
 * entry of its contract.
 */
const failures: ReadonlyArray<(body: object) => object> = [
  (body) => ({ ...body, status: 500, code: "E50000", data: [], meta: undefined }),
  () => ({ status: "error", "err-code": "gateway-internal-error", data: null }),
  // Without the counts of the whole list, which would contradict an empty page.
  (body) => ({ ...body, success: false, data: [], meta: undefined }),
  (body) => ({ ...body, status: false, data: [], meta: undefined }),
  () => ({ data: null, errors: [{ message: "timeout" }] })
]

/** Payments of others, before the payments of the schedule. */
const others = Array.from({ length: 4 }, (_, at) => ({
  id: `other-${at}`,
  status: "COMPLETED",
  amount: "1",
  to: "0xdef",
  note: `other ${at}`
}))

/** Variants of the recipient of a transfer. */
const recipients: ReadonlyArray<(clientId: string) => object> = [
  (clientId) => ({ toClientId: clientId }),
  (clientId) => ({ toClientId: clientId.toUpperCase() }),
  (clientId) => ({ recipient: { externalId: clientId, name: "A client" } })
]

/** Differences of a foreign transaction from a transfer, one each. */
const likenesses: ReadonlyArray<object> = [{ toClientId: "carol" }, { type: "INCOMING" }, { type: "ALLOWANCE" }]

/**
 * Differences of a foreign payment from a payment of the schedule: a similar note, or the same note and one other
 * difference.
 */
const reused: ReadonlyArray<(note: string, amount: number) => object> = [
  () => ({ to: "0xdef" }),
  (_note, amount) => ({ amount: formatDecimal(amount * 2) }),
  () => ({ assetId: "eth" }),
  (note) => ({ note: note.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + 1) % 10)) }),
  (note) => ({ note: note.replace("mark", "Mark") }),
  (note) => ({ note: `${note}0` }),
  (note) => ({ note: `refund of ${note}` }),
  (note) => ({ note: note.replace("-", " ") }),
  (note) => ({ note: note.slice(0, -1) })
]

/** Variants of the time of a payment. */
const times: ReadonlyArray<(at: number) => object> = [
  (at) => ({ createdAt: new Date(at).toISOString() }),
  (at) => ({ createdAt: at }),
  (at) => ({ created_at: new Date(at).toISOString() }),
  (at) => ({ createdAt: new Date(at).toUTCString() }),
  // In an own zone that the text does not name.
  (at) => ({ createdAt: new Date(at + 8 * 3_600_000).toISOString().slice(0, -1) })
]

export interface Past {
  /** The service's clock. */
  readonly clock: Clock.Clock
  /** Milliseconds between a similar earlier payment and each payment of the schedule. */
  readonly earlierBy: number
  /** The sent note of each transaction of the schedule by its id, for the judge. */
  readonly notes: Map<string, string>
}

/** Changes the history of a service by a seed. Changes nothing else. */
export const distort = (service: HttpClient.HttpClient, random: Source, past: Past): HttpClient.HttpClient => {
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
  // A busy history: the rows move before every page from then on, so that one read of it may miss a row in any search.
  const keepsMoving = random.chance(0.5)
  const alike: Array<Row> = []
  let asked = 0

  const put = (row: object) => alike.push({ id: `another's-${alike.length}`, status: "COMPLETED", ...row })

  /** Adds a similar transaction to a transfer, with its note, amount and sender. */
  const imitate = (transfer: string, differently: object) => {
    const { fromClientId: clientId, toClientId, ...same } = JSON.parse(transfer)
    const to = { type: "INTERNAL_TRANSFER", toClientId, ...differently }
    const { toClientId: client, ...rest } = to
    put({ clientId, ...same, ...rest, ...recipientOf(client) })
  }

  /** Adds an earlier payment that resembles a payment and has no note. */
  const precede = (payment: string, timeOf: (at: number) => object) => {
    const { note: _, ...same } = JSON.parse(payment)
    const time = timeOf(past.clock.currentTimeMillisUnsafe() - past.earlierBy)
    put({ type: "OUTGOING", ...same, ...time })
  }

  /** Adds transactions that resemble a payment or a transfer. */
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

  /** Adds the recipient to a row of the service. All transfers of a schedule go to bob. */
  const withRecipient = (row: Row): Row => (row.type === "INTERNAL_TRANSFER" ? { ...row, ...recipientOf("bob") } : row)

  /** Distorts a page of the service. */
  const distortPage = (body: { readonly data: ReadonlyArray<Row> }, page: number, nth: number): object => {
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
    const moves = nth < movesAt ? 0 : keepsMoving ? nth - movesAt + 1 : 1
    for (let move = 0; move < moves % rows.length; move++) rows.unshift(rows.pop()!)
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
      const { data: counted, ...envelope } = JSON.parse(text)
      const answered = { ...envelope, data: counted.items }
      const body = isHidden
        ? { ...answered, data: [], meta: undefined }
        : distortPage(answered, Number(url.searchParams.get("page")), nth)
      return HttpClientResponse.fromWeb(request, new Response(JSON.stringify(body), response))
    })
  })
}
