import { Amount, Endpoint, Outcome, OutcomeUnknown } from "@effect-custody/core"
import { CustodyEmulator } from "@effect-custody/emulator"
import { Transactions } from "@effect-custody/transactions"
import * as HistorySearch from "@effect-custody/transactions/siblings/HistorySearch"
import { assert, describe, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import { TestClock } from "effect/testing"
import { sentBy } from "../../../test/support/clients/reportsApi.ts"
import { answer } from "../../../test/support/clients/stubHttp.ts"
import { ended, history, others, ours, page, payout, type Respond, shown, tagOf, valueOf } from "./history.ts"

const { note: _, ...withoutNote } = payout

type Ended = Transactions.Reconciliation | Effect.Error<ReturnType<typeof Transactions.find>>

/** Reads the history of a service that answers in this way. Returns the result or the error. */
const look = (respond: Respond, input: Transactions.SendInput = payout, since = "2026-11-20T12:00:00Z") =>
  Effect.andThen(
    TestClock.setTime(Date.UTC(2026, 10, 20, 12)),
    valueOf(sentBy(ended(Transactions.find(input, { since: DateTime.makeUnsafe(since) })), { respond }))
  )

/** Reconciles a send whose answer was lost. */
const reconciled = (
  respond: Respond,
  asked: Transactions.SendInput = payout,
  options: Transactions.FindOptions | object = {}
) => {
  const send = Effect.flip(Transactions.send(payout))
  const program = Effect.flatMap(send, (error) => {
    assert(error._tag === "OutcomeUnknown", error._tag)
    return Effect.map(ended(Transactions.reconcile(error, asked, options)), (end) => ({ end, error }))
  })
  const lost: Respond = (sent, request) => (sent.method === "POST" ? answer(502, {}) : respond(sent, request))
  return valueOf(sentBy(program, { respond: lost }))
}

/** The fields in which the only candidate differs. */
const differences = (end: Ended): ReadonlyArray<Transactions.Difference> => {
  assert(end._tag === "SeveralCandidates", end._tag)
  assert.lengthOf(end.candidates, 1)
  return end.candidates[0].differences
}

/** The tag of the cause of a failure. */
const causeOf = (end: Ended): string => {
  assert(end._tag === "ReconcileFailed", end._tag)
  return (end.cause as { readonly _tag: string })._tag
}

const messageOf = (end: Ended): string => ("message" in end ? end.message : end._tag)

describe("reconcile finds a row", () => {
  it.effect.each([
    ["its amount has other zeros, and its address is in another case", { to: payout.to.toLowerCase() }],
    ["there is white space around its note", { note: " payout 7 " }]
  ] as const)("reconcile finds a payment by its note if %s", ([, row]) =>
    Effect.gen(function* () {
      const found = yield* look(history({ ...shown, id: "t-2", note: "payout 8" }, { ...ours, ...row }))
      assert.strictEqual(found._tag === "Found" && String(found.transaction.id), "t-1")
    })
  )

  it.effect("reconcile finds a payment by its note in the other Unicode form", () =>
    Effect.gen(function* () {
      const note = "Zahlung f\u00fcr 7"
      const found = yield* look(history({ ...shown, note }), { ...payout, note: note.normalize("NFD") })
      assert.strictEqual(found._tag, "Found")
    })
  )

  it.effect("reconcile finds several candidates if two rows have the note, or no row has one", () =>
    Effect.gen(function* () {
      for (const row of [shown, ours]) {
        const several = yield* look(history(row, { ...row, id: "t-2" }))
        assert(several._tag === "SeveralCandidates")
        assert.lengthOf(several.candidates, 2)
      }
    })
  )

  it.effect("reconcile returns a row with other fields as a candidate with its differences", () =>
    Effect.gen(function* () {
      const row = { ...ours, amount: "-1", to: "0xabc", clientId: "4711" }
      assert.deepStrictEqual(differences(yield* look(history(row))), [
        { field: "amount", requested: "12.50", shown: "-1" },
        { field: "to", requested: payout.to, shown: "0xabc" },
        { field: "clientId", requested: "alice", shown: "4711" }
      ])
    })
  )

  it.effect("reconcile finds a transfer by its note and its recipient", () =>
    Effect.gen(function* () {
      const move = { fromClientId: "alice", toClientId: "bob", assetId: "usdc", amount: Amount.of("3"), note: "rent 7" }
      const error = new OutcomeUnknown({
        operation: "transactions.transfer",
        fingerprint: Result.getOrThrow(Endpoint.fingerprint(Transactions.transfer, move)),
        sentAt: DateTime.makeUnsafe("2026-11-20T12:00:00Z"),
        reason: "ECONNRESET"
      })
      yield* TestClock.setTime(Date.UTC(2026, 10, 20, 12))
      const program = ended(Transactions.reconcile(error, move))
      const row = { id: "t-9", status: "COMPLETED", clientId: "alice", assetId: "usdc", amount: "3.00", note: "rent 7" }
      const found = yield* valueOf(sentBy(program, { respond: history({ ...row, toClientId: "bob" }) }))
      assert.strictEqual(found._tag, "Found")
      assert.deepStrictEqual(differences(yield* valueOf(sentBy(program, { respond: history(row) }))), [
        { field: "toClientId", requested: "bob", shown: undefined }
      ])
    })
  )
})

/** Notes, and the forms that services gave them. A few are other notes that cannot be told from such a form. */
const alteredNotes: ReadonlyArray<readonly [note: string, seen: ReadonlyArray<unknown>]> = [
  // White space, escapes and encodings; cut, masked, replaced, or with something added.
  ["payout 7f3a", ["payout7f3a", "payout+7f3a", "payout 7", "payout 7…", "payout 7...", "API: payout 7f3a (alice)"]],
  ["payout 7f3a", ["PAYOUT 7F3A", "payout xxxa", "Memo: payout 7f3b", "payout 7?4a", "payout 70"]],
  ["payout 7f3a", ["0x7061796f75742037663361", "0x7061796f75742037663362", "cGF5b3V0IDdmM2E=", "cGF5b3V0IDdmM2I="]],
  ["payout 7f3a", ["-", "****", "N/A", "null", "rent", 4711, false, { id: "n-1", text: "payout 7f3a" }]],
  ["payout 7f3a", ["x".repeat(1_001), `p${"*?".repeat(300)}7`]],
  ["payout  7f3a", ["payout 7f3a"]],
  ["payout\n7f3a", ["payout 7f3a"]],
  ["payout #7f3a!", ["payout 7f3a"]],
  ["payout/7f3a", ["payout_7f3a"]],
  ["payout 7f3a99", ["payout 7****9", "payout 7****8"]],
  ["payout 7f3a-0b1c-22aa-4d1f", ["payout 7f…-4d1f", "ACME* payout 7f3a-0b1c-22aa"]],
  ["payout <7f3a> alice", ["payout  alice", "payout 8 alice"]],
  ["invoice 4111111111111111 x", ["invoice ***1111 x"]],
  ["12e5", ["1200000"]],
  // A service may have rounded a number.
  ["1234567890123456789", [1_234_567_890_123_456_800]],
  ["Smith & Co '7'", ["Smith &amp; Co &#39;7&#39;"]],
  ["Smith & Co '7'", ["Smith &amp; Co &#x27;7&#x27;"]],
  ["Smith & Co '7'", ["Smith &amp;amp; Co &amp;quot;7&amp;quot;"]],
  ["«Acme» 7f3a", ["&laquo;Acme&raquo; 7f"]],
  ["Anna’s rent – €500 … 7", ["Anna&rsquo;s rent &ndash; &euro;500 &hellip; 7"]],
  ["Anna’s rent – €500 … 7", ["Annaâ\u0080\u0099s rent 7"]],
  ["Anna’s rent – €500 … 7", ["Rent EUR500 7"]],
  // Letters beyond ASCII: escaped, decoded wrongly, replaced, dropped, or written in others.
  [
    "Zahlung für 7f3a",
    ["Zahlung f&uuml;r 7f3a", "Zahlung%20f%C3%BCr%207f3a", "Zahlung f\\u00fcr 7f3a", "Zahlung f=C3=BCr 7f3a"]
  ],
  [
    "Zahlung für 7f3a",
    ["=?UTF-8?Q?Zahlung_f=C3=BCr_7f3a?=", "Zahlung fÃ¼r 7f3a", "Zahlung fÃƒÂ¼r 7f3a", "Zahlung für 8"]
  ],
  ["Zahlung für 7f3a", ["Zahlung f?r 7f3a", "Zahlung fr 7f", "Zahlung fur 7f3a", "Zahlung fuer 7f3a"]],
  ["Straße 7", ["STRASSE 7"]],
  ["Müller Łódź 7", ["Müller \uFFFDód\uFFFD 7", "Müller Lodz 7", "Müller ód 7f", "Möller 7"]],
  ["Dvořák účet 7f3a", ["Dvo?ák ú?et 7f3a", "Dvorák úcet 7f3a"]],
  ["Çay açık 7", ["Çay a??k 7"]],
  ["зарплата 7", ["zarplata 7", "премия 7"]],
  ["платёж май 7", ["платеж маи 7"]],
  ["Πληρωμή 7", ["ΠΛΗΡΩΜΗ 7"]],
  ["invoice 7f3a", ["İNVOİCE 7F3A", "ınvoıce 7f3a"]],
  // Signs and emoji.
  ["Factura nº 7f3a", ["Factura n? 7f3a", "Factura n 7f3a"]],
  ["Invoice № 7f3a", ["Invoice ? 7f3a"]],
  ["Acme™ ½ m² 7f3a", ["Acme  m 7f3a", "Acme 1/2 m 7f3a", "Acme 8"]],
  ["step 1️⃣ of 7f3a", ["step  of 7f3a", "step 1 of 7f3a"]],
  ["Miete März ✈️ 7f3a", ["Miete März  7f3a", "Miete März ? 7f3a"]],
  ["Аренда ❤️ 7f3a", ["Аренда ❤ 7f3a"]]
]

describe("reconcile returns a candidate", () => {
  it.effect.each(alteredNotes)("a row with an altered form of the note %j is a candidate", ([note, seen]) =>
    Effect.gen(function* () {
      for (const altered of seen) {
        const row = { ...shown, id: "t-2", note: altered }
        const [difference] = differences(yield* look(history(row), { ...payout, note }))
        assert.deepInclude(difference, { field: "note", requested: note })
        // The exact note takes precedence over a similar note.
        const found = yield* look(history(row, { ...shown, note }), { ...payout, note })
        assert.strictEqual(found._tag === "Found" && String(found.transaction.id), "t-1", String(altered))
      }
    })
  )

  it.effect.each<readonly [string, object, ReadonlyArray<string>]>([
    ["the amount in base units", { amount: "12500000" }, ["amount"]],
    ["the amount without the fee", { amount: "10.5", fee: "2" }, ["amount"]],
    ["the amount with the fee", { amount: "-14.5", fee: "2" }, ["amount"]],
    ["the amount in base units, without a fee in units", { amount: "8500000", fee: "4" }, ["amount"]],
    ["the amount in base units, with a fee in them", { amount: "-16500000", fee: "4000000" }, ["amount"]],
    ["the amount and a negative fee", { amount: "-16.5", fee: "-4" }, ["amount"]],
    ["the amount less a tenth", { amount: "11.25" }, ["amount"]],
    ["the amount cut to its whole units", { amount: "12" }, ["amount"]],
    ["the amount rounded", { amount: "-13" }, ["amount"]],
    ["an amount of 0", { amount: "0" }, ["amount"]],
    ["no amount", { amount: undefined }, ["amount"]],
    ["another address", { to: "0x0000000000000000000000000000000000000bad" }, ["to"]],
    ["a masked address", { to: "0x5290…9EE7" }, ["to"]],
    ["another name of the asset", { assetId: "USDC_ETH" }, ["assetId"]],
    ["another name of the client", { clientId: "4711" }, ["clientId"]],
    ["a type that a payout cannot have", { type: "INCOMING" }, ["type"]]
  ])("a row without a note and with %s is a candidate", ([, row, fields]) =>
    Effect.gen(function* () {
      const found = differences(yield* look(history({ ...shown, ...row }))).map(({ field }) => field)
      assert.deepStrictEqual<ReadonlyArray<string>>(found.toSorted(), [...fields, "note"].toSorted())
      const noted = yield* look(history({ ...ours, ...row }))
      assert.deepStrictEqual(
        differences(noted).map(({ field }) => field),
        fields
      )
    })
  )

  it.effect("a row whose note contains the sent note is a candidate with any amount", () =>
    Effect.gen(function* () {
      const found = differences(yield* look(history({ ...shown, amount: "30", note: "Memo: payout 7" })))
      assert.deepStrictEqual(
        found.map(({ field }) => field),
        ["amount", "note"]
      )
    })
  )
})

describe("reconcile ignores a row", () => {
  it.effect.each([
    ["payout 7f3a", "payout 7f3b"],
    ["12345678901234567890", "12345678901234567891"],
    ["INV-0042/a", "inv-0043/A"]
  ] as const)("a payment with the note %s is not found in a row with the note %s", ([note, seen]) =>
    Effect.gen(function* () {
      const end = yield* look(history(others[0]!, { ...shown, note: seen }), { ...payout, note })
      assert.strictEqual(end._tag, "NotFoundSoFar")
    })
  )

  it.effect.each([
    ["12.50", "14"],
    ["12.50", "11"],
    ["12.50", "1.4e7"],
    ["12.50", "-9"],
    ["0.123456789", "0.14"],
    ["0.015", "0.03"]
  ] as const)("a payment with the amount %s is not found in a row with the amount %s", ([amount, seen]) =>
    Effect.gen(function* () {
      const wanted = { ...withoutNote, amount: Amount.fromStringUnsafe(amount) }
      const end = yield* look(history({ ...others[0], amount: "100000" }, { ...shown, amount: seen }), wanted)
      assert.strictEqual(end._tag, "NotFoundSoFar")
    })
  )
})

/** A history whose rows change from the second request on, in pages of two. */
const moving =
  (first: ReadonlyArray<object>, then: (request: number) => ReadonlyArray<object>): Respond =>
  ({ url }, request) => {
    const at = Number(new URL(url).searchParams.get("page"))
    return page((request === 0 ? first : then(request)).slice((at - 1) * 2, at * 2))
  }

describe("reconcile reads the history", () => {
  it.effect.each<readonly [string, string, Respond]>([
    ["moves to the first page", "Found", moving([...others, ours], () => [ours, ...others])],
    ["is inserted before one full page", "Found", moving(others.slice(0, 2), () => [ours, ...others.slice(0, 2)])],
    ["is missing, and another row is inserted", "NotFoundSoFar", moving(others.slice(0, 2), () => others.slice(0, 3))],
    ["has the id of another row", "Found", moving([{ ...shown, note: "payout 6" }, ours], () => [ours])],
    ["is behind a row on two pages", "Found", moving([...others, others[1]!, ours], () => [ours])]
  ])("the history is read until it is complete if the row %s: %s", ([, tag, respond]) =>
    Effect.gen(function* () {
      assert.strictEqual((yield* look(respond))._tag, tag)
    })
  )

  const many = Array.from({ length: 100 }, (_, at) => ({ ...others[0], id: `t-${at + 20}` }))
  const shrinking = (request: number) => many.slice(request, request + 6)
  const endless = (request: number) => Array.from({ length: 10_000 }, (_, at) => ({ ...shown, id: `${request}-${at}` }))

  it.effect.each<readonly [string, Respond, reason: string]>([
    ["rows keep leaving it", moving(shrinking(0), shrinking), "rows left it, or stood on two pages"],
    ["another row is on two pages", moving([...others, others[1]!], () => [...others, others[1]!]), "two pages"],
    ["it counts rows, and shows none", () => page([], { totalItems: 5 }), "5 items"],
    ["an empty page says that others follow", () => page([], { totalPages: 2 }), "others follow"],
    ["it has no end", (_, request) => page(endless(request)), "more than 100000 rows: look with a smaller clockSkew"],
    ["each page is the same", () => page(others), "PageRepeated"],
    ["it cannot be read", () => answer(403, { status: 403, message: "No" }), "HTTP 403"]
  ])("the history proves nothing if %s", ([, respond, reason]) =>
    Effect.gen(function* () {
      const end = yield* look(respond)
      assert.include(`${causeOf(end)}: ${messageOf(end)}`, reason)
    })
  )

  it.effect.each(["from", "clientId", "assetId"])(
    "the history is read without the filter %s too if the filter matches no row",
    (filter) =>
      Effect.gen(function* () {
        const end = yield* look(({ url }) =>
          page(new URL(url).searchParams.has(filter) ? [] : [ours], { hasNextPage: false })
        )
        assert.strictEqual(end._tag, "Found")
      })
  )

  it.effect("a search for several payments reads each query once, and finds what a search for each finds", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 20, 14))
      const payments = [
        payout,
        { ...payout, note: "payout 8" },
        { ...payout, note: "payout 9", amount: Amount.of("55") },
        { ...payout, note: "later" }
      ].map((wanted, at) => ({
        wanted,
        since: DateTime.makeUnsafe(at < 3 ? "2026-11-19T12:00:00Z" : "2026-11-20T14:00:00Z")
      }))
      const old = { ...others[0], id: "t-3", createdAt: "2026-11-19T10:00:00Z" }
      const respond = history(old, ...others, ours, { ...shown, id: "t-2", createdAt: "2026-11-19T12:30:00Z" })
      const clockSkew = "1 hour"
      const list = { endpoint: Transactions.list, read: Transactions.list }
      const together = yield* sentBy(HistorySearch.findEach(list, payments, { clockSkew }), { respond })
      const alone = yield* Effect.forEach(payments, ({ since, wanted }) =>
        sentBy(HistorySearch.find(list, wanted, { since, clockSkew }), { respond })
      )
      assert(together.exit._tag === "Success", String(together.exit))
      const { value } = together.exit
      // Numbers of equal amounts may differ in what they have computed.
      const found = alone.map(({ exit }) => (exit._tag === "Success" ? exit.value : exit))
      assert.isTrue(Equal.equals<unknown, unknown>(value.map(Result.getOrThrow), found), JSON.stringify([value, found]))
      const tags = ["Found", "SeveralCandidates", "NotFoundSoFar", "NotFoundSoFar"]
      assert.deepStrictEqual(value.map(tagOf), tags)
      assert.strictEqual(together.sent.length, alone[1]!.sent.length)
    })
  )

  it.effect("the history is read in pages of the requested size, from a day and two hours before the call", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 20, 12))
      const seen: Array<[string | null, string | null]> = []
      const { end } = yield* reconciled(
        ({ url }) => {
          const { searchParams } = new URL(url)
          seen.push([searchParams.get("limit"), searchParams.get("from")])
          return page([ours], { hasNextPage: false })
        },
        payout,
        { limit: 50 }
      )
      assert.strictEqual(end._tag, "Found")
      assert.deepStrictEqual(seen[0], ["50", "2026-11-19T10:00:00.000Z"])
    })
  )

  it.effect("the history is not read from the future, except for a small difference of the clocks", () =>
    Effect.gen(function* () {
      assert.strictEqual(causeOf(yield* look(history(), payout, "2026-11-20T12:31:00Z")), "InputInvalid")
      assert.strictEqual((yield* look(history(), payout, "2026-11-20T12:29:00Z"))._tag, "NotFoundSoFar")
    })
  )

  it.effect("reconcile finds a payment while others pay, and does not find one that was not made", () =>
    Effect.gen(function* () {
      const emulator = yield* CustodyEmulator
      yield* emulator.fund({ clientId: "alice", assetId: "usdc", amount: Amount.of("100000") })
      yield* emulator.setDurations({ latency: "20 millis" })
      const pay = (note: string) => Transactions.send({ ...payout, amount: Amount.of("1"), note })
      const paying = Effect.forEach(
        Array.from({ length: 3 }, (_, at) => at),
        (at) => Effect.repeat(pay(`other ${at}`), { times: 200 }),
        { concurrency: "unbounded" }
      )
      const looking = Effect.gen(function* () {
        const since = yield* DateTime.now
        yield* Transactions.send(payout)
        yield* Effect.sleep("1 second")
        const find = (note: string) => Transactions.find({ ...payout, note }, { since, limit: 10 })
        return [(yield* find(payout.note))._tag, (yield* find("payout 8"))._tag]
      })
      const fiber = yield* Effect.forkChild(Effect.raceFirst(looking, Effect.andThen(paying, Effect.never)))
      for (let tick = 0; fiber.pollUnsafe() === undefined && tick < 500; tick++) yield* TestClock.adjust("100 millis")
      assert.deepStrictEqual(yield* Fiber.join(fiber), ["Found", "NotFoundSoFar"])
    }).pipe(Effect.provide(CustodyEmulator.layer))
  )
})

describe("reconcile fails", () => {
  it.effect("reconcile refuses an input that differs from the call, and an invalid input", () =>
    Effect.gen(function* () {
      const { end } = yield* reconciled(history(), { ...payout, amount: Amount.of("12.51") })
      assert.strictEqual(causeOf(end), "InputInvalid")
      assert.notInclude(messageOf(end), "was not sent")
      assert.strictEqual((yield* look(history(), { ...payout, to: "" }))._tag, "InputInvalid")
    })
  )

  it.effect("a failed reconcile leaves the outcome of the payment unknown", () =>
    Effect.gen(function* () {
      const { end, error } = yield* reconciled(() => answer(403, { status: 403, message: "No" }))
      assert.strictEqual(causeOf(end), "OtherApiError")
      const outcome = yield* Outcome.of(Effect.fail(end as Transactions.ReconcileFailed))
      assert(outcome._tag === "Unknown")
      const { fingerprint, operation } = error
      assert.deepInclude<object>(outcome.error, { fingerprint, operation, unknown: error })
      assert.match(outcome.error.message, /may have happened, and its history could not be read/)
    })
  )
})
