/** What became of a transaction whose outcome is unknown: from the history alone. */
import { Amount, Fingerprint, Outcome, OutcomeUnknown, RetryPolicy } from "@effect-custody/core"
import { CustodyEmulator } from "@effect-custody/emulator"
import { Transactions } from "@effect-custody/transactions"
import { assert, describe, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { TestClock } from "effect/testing"
import { sentBy } from "../../support/clients/reports.ts"
import { answered, layer, notSent, refused, reset, script, Scripted, sent } from "../../support/clients/scripted.ts"
import { answer, type Sent } from "../../support/clients/stubHttp.ts"

const payout = {
  clientId: "alice",
  assetId: "usdc",
  to: "0x52908400098527886E0F7030069857D2E4169EE7",
  amount: Amount.of("12.50"),
  note: "payout 7"
}

const shown = {
  id: "t-1",
  status: "PENDING",
  clientId: "alice",
  assetId: "usdc",
  to: payout.to,
  amount: "12.5",
  createdAt: "2026-11-20T12:30:00Z"
}

/** A page of the history, of which the service does not say whether it is the last. */
const page = (...transactions: ReadonlyArray<object>) =>
  answered(200, { message: "Transactions", data: transactions, status: 200 })

/** The whole history. */
const history = (...transactions: ReadonlyArray<object>) =>
  answered(200, { message: "Transactions", data: transactions, meta: { hasNextPage: false }, status: 200 })

const unknownOutcome = Effect.flip(Transactions.send(payout)).pipe(
  Effect.filterOrElse(
    (error) => error._tag === "OutcomeUnknown",
    (error) => Effect.die(error)
  )
)

/** The tag of the error for which a look failed. */
const causeOf = (end: object): unknown =>
  Schema.is(Transactions.ReconcileFailed)(end) && Predicate.hasProperty(end.cause, "_tag") ? end.cause._tag : undefined

const reconciled = (...transactions: ReadonlyArray<object>) =>
  Effect.gen(function* () {
    yield* script(reset, history(...transactions))
    return yield* Transactions.reconcile(yield* unknownOutcome, payout)
  })

describe("the history, asked for a transaction whose outcome is unknown,", () => {
  it.effect("shows it under its note: found, whatever the amount's zeros and the address's case", () =>
    Effect.gen(function* () {
      const other = { ...shown, id: "t-2", amount: "12.51" }
      const found = yield* reconciled(other, { ...shown, to: payout.to.toLowerCase(), note: payout.note })
      assert.strictEqual(found._tag === "Found" && String(found.transaction.id), "t-1")
    }).pipe(Effect.provide(layer()))
  )

  it.effect("shows several: candidates, unless one has the note", () =>
    Effect.gen(function* () {
      const several = yield* reconciled(shown, { ...shown, id: "t-2" })
      assert.strictEqual(several._tag === "SeveralCandidates" && several.candidates.length, 2)
      const noted = yield* reconciled(shown, { ...shown, id: "t-2", note: "payout 7" })
      assert.strictEqual(noted._tag === "Found" && String(noted.transaction.id), "t-2")
      const twice = yield* reconciled({ ...shown, note: "payout 7" }, { ...shown, id: "t-2", note: "payout 7" })
      assert.strictEqual(twice._tag, "SeveralCandidates")
    }).pipe(Effect.provide(layer()))
  )

  const differences = (found: Transactions.Reconciliation): ReadonlyArray<Transactions.Difference> => {
    assert(found._tag === "SeveralCandidates", found._tag)
    assert.lengthOf(found.candidates, 1)
    return found.candidates[0].differences
  }

  it.effect(
    "shows it under its note, whatever its amount and its address: a candidate that says in what it differs",
    () =>
      Effect.gen(function* () {
        const noted = { ...shown, note: " payout 7 " }
        const others = [
          { amount: "12.3" },
          { amount: "-12.5" },
          { amount: 12_500_000 },
          { amount: "1" },
          { to: `${payout.to}?memo=7` },
          { to: "0xabc" }
        ]
        for (const other of others) {
          const [field, seen] = Object.entries(other)[0]!
          const asked = field === "to" ? payout.to : "12.50"
          assert.deepStrictEqual<unknown>(differences(yield* reconciled({ ...noted, ...other })), [
            { field, asked, shown: String(seen) }
          ])
        }
        const twofold = differences(yield* reconciled({ ...noted, amount: "-1", to: "0xabc", clientId: "4711" }))
        assert.deepStrictEqual(
          twofold.map(({ field }) => field),
          ["amount", "to", "clientId"]
        )
      }).pipe(Effect.provide(layer()))
  )

  it.effect.each<readonly [string, object, ReadonlyArray<string>]>([
    ["a negative amount", { amount: "-12.5" }, ["amount"]],
    ["the amount in base units", { amount: "12500000" }, ["amount"]],
    ["the amount without the fee", { amount: "10.5", fee: "2" }, ["amount"]],
    ["the amount with the fee", { amount: "-14.5", fee: "2" }, ["amount"]],
    ["the amount in base units, without a fee in units", { amount: "8500000", fee: "4" }, ["amount"]],
    ["the amount in base units, with a fee in them", { amount: "-16500000", fee: "4000000" }, ["amount"]],
    ["the amount and a negative fee", { amount: "-16.5", fee: "-4" }, ["amount"]],
    ["the amount less a tenth", { amount: "11.25" }, ["amount"]],
    ["an amount of 0", { amount: "0" }, ["amount"]],
    ["no amount", { amount: undefined }, ["amount"]],
    ["another address", { to: "0x0000000000000000000000000000000000000bad" }, ["to"]],
    ["a masked address", { to: "0x5290…9EE7" }, ["to"]],
    ["another name of the asset", { assetId: "USDC_ETH" }, ["assetId"]],
    ["another name of the client", { clientId: "4711" }, ["clientId"]],
    ["a type that a payout cannot have", { type: "INCOMING" }, ["type"]]
  ])("shows it without its note, and with %s: a candidate that says so", ([, row, fields]) =>
    Effect.gen(function* () {
      const found = differences(yield* reconciled({ ...shown, ...row })).map(({ field }) => field)
      assert.deepStrictEqual<ReadonlyArray<string>>(found.toSorted(), [...fields, "note"].toSorted())
    }).pipe(Effect.provide(layer()))
  )

  it.effect.each([
    ["12.50", "14"],
    ["12.50", "11"],
    ["12.50", "1.4e7"],
    ["12.50", "-9"],
    ["0.123456789", "0.14"],
    ["0.015", "0.03"],
    ["1.5", "3"]
  ] as const)("shows another amount than %s: %s", ([amount, seen]) =>
    Effect.gen(function* () {
      const { note: _, ...input } = payout
      yield* script(history({ ...shown, amount: seen }))
      const wanted = { ...input, amount: Amount.fromStringUnsafe(amount) }
      const result = yield* Transactions.find(wanted, { since: DateTime.makeUnsafe(0) })
      assert.strictEqual(result._tag, "NotFoundSoFar")
    }).pipe(Effect.provide(layer()))
  )

  it.effect.each([
    ["0.015", "0.01"],
    ["0.015", "0.02"],
    ["1.5", "-2"],
    ["1.5", "1"]
  ] as const)("shows %s cut or rounded, as %s: a candidate", ([amount, seen]) =>
    Effect.gen(function* () {
      yield* script(history({ ...shown, amount: seen }))
      const wanted = { ...payout, amount: Amount.fromStringUnsafe(amount) }
      const result = yield* Transactions.find(wanted, { since: DateTime.makeUnsafe(0) })
      assert.strictEqual(result._tag, "SeveralCandidates")
    }).pipe(Effect.provide(layer()))
  )

  const noted = (note: string, ...shownNotes: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const rows = shownNotes.map((note, at) => ({ ...shown, id: `t-${at + 1}`, note }))
      yield* script(history(...rows))
      return yield* Transactions.find({ ...payout, note }, { since: DateTime.makeUnsafe(0) })
    })

  it.effect("shows it under its note in Unicode's other form: found", () =>
    Effect.gen(function* () {
      const note = "Zahlung f\u00fcr 7"
      assert.strictEqual((yield* noted(note.normalize("NFD"), note))._tag, "Found")
      assert.strictEqual((yield* noted(note, ` ${note.normalize("NFD")} `))._tag, "Found")
    }).pipe(Effect.provide(layer()))
  )

  it.effect.each([
    ["white space is collapsed", "payout  7f3a", "payout 7f3a"],
    ["white space is a line's end no more", "payout\n7f3a", "payout 7f3a"],
    ["white space is gone", "payout 7f3a", "payout7f3a"],
    ["HTML is escaped", "Smith & Co '7'", "Smith &amp; Co &#39;7&#39;"],
    ["HTML is escaped twice", 'Smith & Co "7"', "Smith &amp;amp; Co &amp;quot;7&amp;quot;"],
    ["HTML is escaped, in hexadecimal", "Smith & Co/7", "Smith &#x26; Co&#x2F;7"],
    ["HTML is escaped, accents too", "Zahlung für 7", "Zahlung f&uuml;r 7"],
    ["HTML is escaped and cut within an escape", "Smith & Co '7'", "Smith &amp; Co &#3"],
    ["a URL is escaped", "Zahlung für 7", "Zahlung%20f%C3%BCr%207"],
    ["a form is escaped", "payout 7f3a", "payout+7f3a"],
    ["JSON is escaped", "Zahlung\nfür 7", "Zahlung\\nf\\u00fcr 7"],
    ["it is cut at a length", "payout 7f3a", "payout 7"],
    ["it is cut with an ellipsis", "payout 7f3a", "payout 7…"],
    ["it is cut with three dots", "payout 7f3a", "payout 7..."],
    ["something is added", "payout 7f3a", "API: payout 7f3a (alice)"],
    ["punctuation is gone", "payout #7f3a!", "payout 7f3a"],
    ["punctuation is another", "payout/7f3a", "payout_7f3a"],
    ["case is another, beyond one letter", "Straße 7", "STRASSE 7"],
    ["what is not ASCII is a question mark", "Zahlung für 7", "Zahlung f?r 7"],
    ["what is not ASCII is gone, and it is cut", "Zahlung für 7f3a", "Zahlung fr 7f"],
    ["accents are gone", "Zahlung für Łódź 7", "Zahlung fur Lodz 7"],
    ["umlauts are written out", "Zahlung für 7", "Zahlung fuer 7"],
    ["another script is written in Latin letters", "зарплата 7", "zarplata 7"],
    ["signs are escaped in HTML by name", "Anna’s rent – €500 … 7", "Anna&rsquo;s rent &ndash; &euro;500 &hellip; 7"],
    ["HTML is escaped by a name, and it is cut", "«Acme» 7f3a", "&laquo;Acme&raquo; 7f"],
    ["a letter is escaped in HTML by its name", "Kær 7f3a", "K&aelig;r 7f3a"],
    ["nº is n?", "Factura nº 7f3a", "Factura n? 7f3a"],
    ["nº is n", "Factura nº 7f3a", "Factura n 7f3a"],
    ["№ is a question mark", "Invoice № 7f3a", "Invoice ? 7f3a"],
    ["™, ½ and ² are gone", "Acme™ ½ m² 7f3a", "Acme  m 7f3a"],
    ["½ is written out", "Rent ½ May 7f3a", "Rent 1/2 May 7f3a"],
    ["€ is written out", "Rent €500 7f3a", "Rent EUR500 7f3a"],
    ["a keycap is gone", "step 1️⃣ of 7f3a", "step  of 7f3a"],
    ["a keycap is its digit", "step 1️⃣ of 7f3a", "step 1 of 7f3a"],
    ["an emoji is gone, and a letter kept", "Miete März ✈️ 7f3a", "Miete März  7f3a"],
    ["an emoji is a question mark, and a letter kept", "Miete März ✈️ 7f3a", "Miete März ? 7f3a"],
    ["an emoji has lost its selector", "Аренда ❤️ 7f3a", "Аренда ❤ 7f3a"],
    ["some letters are question marks", "Dvořák účet 7f3a", "Dvo?ák ú?et 7f3a"],
    ["some letters are question marks, by case", "Çay açık 7", "Çay a??k 7"],
    ["some letters are replacement characters", "Müller Łódź 7", "Müller \uFFFDód\uFFFD 7"],
    ["some letters have lost their accent", "Dvořák účet 7f3a", "Dvorák úcet 7f3a"],
    ["some letters are written in ASCII", "Müller Łódź 7", "Müller Lodz 7"],
    ["some letters are gone, and it is cut", "Müller Łódź 7f3a", "Müller ód 7f"],
    ["letters of another script have lost their accent", "платёж май 7", "платеж маи 7"],
    ["Greek is in upper case", "Πληρωμή 7", "ΠΛΗΡΩΜΗ 7"],
    ["case is Turkish, and upper", "invoice 7f3a", "İNVOİCE 7F3A"],
    ["case is Turkish, and lower", "INVOICE 7F3A", "ınvoıce 7f3a"],
    ["some characters are stars", "payout 7f3a99", "payout 7****9"],
    ["most characters are stars", "invoice 4111111111111111 x", "invoice ***1111 x"],
    ["the middle is dots", "payout 7f3a-0b1c-22aa-4d1f", "payout 7f…-4d1f"],
    ["it is cut after something else", "payout 7f3a-0b1c-22aa", "ACME* payout 7f3a-0b1c"],
    ["it is escaped as in mail", "Zahlung für 7f3a", "Zahlung f=C3=BCr 7f3a"],
    ["it is a word of mail", "Zahlung für 7f3a", "=?UTF-8?Q?Zahlung_f=C3=BCr_7f3a?="],
    ["what looks like HTML is gone", "payout <7f3a> alice", "payout  alice"],
    ["it is hexadecimal", "payout 7f3a", "0x7061796f75742037663361"],
    ["it is base64", "payout 7f3a", "cGF5b3V0IDdmM2E="],
    ["it is another form of the number", "12e5", "1200000"],
    ["UTF-8 is read as something else", "Zahlung für 7", "Zahlung fÃ¼r 7"],
    ["UTF-8 is read as something else, twice", "Zahlung für 7", "Zahlung fÃƒÂ¼r 7"],
    ["UTF-8 is read as ISO-8859-1", "Anna’s rent 7", "Annaâ\u0080\u0099s rent 7"],
    ["it is replaced by a dash", "payout 7f3a", "-"],
    ["it is replaced by stars", "payout 7f3a", "****"],
    ["it is replaced by N/A", "payout 7f3a", "N/A"],
    ["it is replaced by null", "payout 7f3a", "null"]
  ] as const)("shows it under its note, of which %s: a candidate that says so", ([, note, seen]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(differences(yield* noted(note, seen)), [{ field: "note", asked: note, shown: seen }])
      // The note itself decides, beside what may be it.
      const found = yield* noted(note, seen, note)
      assert.strictEqual(found._tag === "Found" && String(found.transaction.id), "t-2")
    }).pipe(Effect.provide(layer()))
  )

  it.effect.each([
    ["payout 7f3a", "payout 7f3b"],
    ["payout 7", "payout 8"],
    ["12345678901234567890", "12345678901234567891"],
    ["INV-0042/a", "inv-0043/A"]
  ] as const)("shows it under another note: %s is not %s", ([note, seen]) =>
    Effect.gen(function* () {
      assert.strictEqual((yield* noted(note, seen))._tag, "NotFoundSoFar")
    }).pipe(Effect.provide(layer()))
  )

  it.effect.each([
    ["payout 7f3a", "PAYOUT 7F3A", "in another case"],
    ["payout 7f3a", "payout xxxa", "masked"],
    ["payout 7f3a", "Memo: payout 7f3b", "with something added"],
    ["payout 7", "payout 70", "of another shape"],
    ["payout 7f3a", "cGF5b3V0IDdmM2I=", "of another shape"],
    ["payout 7f3a", "0x7061796f75742037663362", "of another shape"],
    ["payout <7f3a> alice", "payout 8 alice", "of another shape"],
    ["payout 7", "61", "of another shape"],
    ["payout 7f3a", "payout 7?4a", "of another shape"],
    ["payout 7f3a99", "payout 7****8", "of another shape"],
    ["payout 7", "rent", "without a digit"],
    ["Müller", "Möller", "beyond ASCII"],
    ["Zahlung für 7", "Zahlung für 8", "beyond ASCII"],
    ["зарплата 7", "премия 7", "beyond ASCII"],
    ["Acme™ 7", "Acme 8", "beyond ASCII"]
  ] as const)("shows it under a note that may be ours: %s as %s, %s", ([note, seen]) =>
    Effect.gen(function* () {
      assert.strictEqual((yield* noted(note, seen))._tag, "SeveralCandidates")
    }).pipe(Effect.provide(layer()))
  )

  it.effect("shows its note within another, and another amount: a candidate", () =>
    Effect.gen(function* () {
      yield* script(history({ ...shown, amount: "30", note: "Memo: payout 7" }))
      const result = yield* Transactions.find(payout, { since: DateTime.makeUnsafe(0) })
      assert.deepStrictEqual(
        differences(result).map(({ field }) => field),
        ["amount", "note"]
      )
    }).pipe(Effect.provide(layer()))
  )

  it.effect.each([
    // A service may have rounded a number.
    ["7001", 7001, "SeveralCandidates"],
    ["1234567890123456789", 1_234_567_890_123_456_800, "SeveralCandidates"],
    ["payout 7001", 4711, "SeveralCandidates"],
    ["7001", { id: "n-1", text: "7001" }, "SeveralCandidates"],
    ["7001", false, "SeveralCandidates"]
  ] as const)("shows the note %s as %j: %s", ([note, seen, tag]) =>
    Effect.gen(function* () {
      yield* script(history({ ...shown, note: seen }))
      const result = yield* Transactions.find({ ...payout, note }, { since: DateTime.makeUnsafe(0) })
      assert.strictEqual(result._tag, tag)
    }).pipe(Effect.provide(layer()))
  )

  it.effect.each([
    ["a text too long to be read", "x".repeat(1_001)],
    ["signs that stand for most of it", `p${"*?".repeat(300)}7`],
    ["more texts than are compared, none of them ours", Array.from({ length: 65 }, (_, at) => `invoice ${at} for bob`)]
  ] as const)("shows as its note %s: a candidate, not another's", ([, note]) =>
    Effect.gen(function* () {
      assert.strictEqual((yield* reconciled({ ...shown, note }))._tag, "SeveralCandidates")
    }).pipe(Effect.provide(layer()))
  )

  it.effect("is asked by a process that has the input and a time, and no error", () =>
    Effect.gen(function* () {
      const since = DateTime.makeUnsafe("2026-11-20T12:00:00Z")
      yield* TestClock.setTime(DateTime.toEpochMillis(since))
      yield* script(history({ ...shown, note: payout.note }))
      assert.strictEqual((yield* Transactions.find(payout, { since }))._tag, "Found")
      assert.strictEqual((yield* Transactions.find(payout, { since, window: "2 hours" }))._tag, "Found")
      assert.deepStrictEqual(
        (yield* Scripted).queries.map(({ from }) => from),
        // A page with fewer rows than the limit: one more request shows that it is the last.
        ["2026-11-19T10:00:00.000Z", "2026-11-20T10:00:00.000Z"].flatMap((from) => [from, from])
      )
      const refusal = yield* Effect.flip(Transactions.find({ ...payout, to: "" }, { since }))
      assert.strictEqual(refusal._tag, "RequestInvalid")
    }).pipe(Effect.provide(layer()))
  )

  it.effect("is asked for in pages as large as the service takes", () =>
    Effect.gen(function* () {
      const respond = ({ method, url }: Sent) => {
        if (method === "POST") return answer(502, {})
        const tooMany = { status: 422, code: "E00422", message: "at most 50", errors: {} }
        const found = {
          message: "",
          data: [{ ...shown, note: payout.note }],
          meta: { hasNextPage: false },
          status: 200
        }
        return new URL(url).searchParams.get("limit") === "50" ? answer(200, found) : answer(422, tooMany)
      }
      const program = Effect.gen(function* () {
        const error = yield* unknownOutcome
        return [
          yield* Effect.flip(Transactions.reconcile(error, payout)),
          yield* Transactions.reconcile(error, payout, { limit: 50 })
        ]
      })
      const { exit } = yield* sentBy(program, { respond })
      assert(exit._tag === "Success", String(exit))
      assert.deepStrictEqual(
        exit.value.map((end) => causeOf(end) ?? end._tag),
        ["ValidationFailed", "Found"]
      )
    })
  )

  it.effect("shows it on a later page of a service that gives fewer than were asked for", () =>
    Effect.gen(function* () {
      const others = (from: number) =>
        Array.from({ length: 50 }, (_, at) => ({ ...shown, id: `t-${from + at}`, amount: "1" }))
      yield* script(reset, page(...others(0)), page(...others(50)), page({ ...shown, note: payout.note }), page())
      assert.strictEqual((yield* Transactions.reconcile(yield* unknownOutcome, payout))._tag, "Found")
    }).pipe(Effect.provide(layer()))
  )

  it.effect.each([
    ["25 hours", "the default window", {}],
    ["1 hour", "a window of two hours", { window: "2 hours" }]
  ] as const)("shows it to a client whose clock is %s ahead: by %s", ([ahead, , options]) =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 20, 12))
      const serviceTime = DateTime.subtractDuration(yield* DateTime.now, ahead)
      const respond = ({ method, url }: Sent) => {
        if (method === "POST") return answer(502, {})
        const from = DateTime.makeUnsafe(new URL(url).searchParams.get("from")!)
        const data = DateTime.isGreaterThan(serviceTime, from) ? [{ ...shown, note: payout.note }] : []
        return answer(200, { message: "", data, meta: { hasNextPage: false }, status: 200 })
      }
      const program = Effect.flatMap(unknownOutcome, (error) => Transactions.reconcile(error, payout, options))
      const { exit } = yield* sentBy(program, { respond })
      assert(exit._tag === "Success", String(exit))
      assert.strictEqual(exit.value._tag, "Found")
    })
  )

  it.effect("is not read from a time in the future: the clock that it was taken from was ahead", () =>
    Effect.gen(function* () {
      yield* script(history())
      const now = yield* DateTime.now
      const findIn = (later: Duration.Input) => Transactions.find(payout, { since: DateTime.addDuration(now, later) })
      const failed = yield* Effect.flip(findIn("31 minutes"))
      assert.strictEqual(causeOf(failed), "RequestInvalid")
      assert.include(failed.message, "since")
      assert.strictEqual((yield* findIn("29 minutes"))._tag, "NotFoundSoFar")
      // Without rows, once for each filter that may hide them.
      assert.lengthOf(yield* sent, 5)
    }).pipe(Effect.provide(layer()))
  )

  /** A history whose rows change from the second request on, in pages of two. */
  const moving =
    (first: ReadonlyArray<object>, then: (request: number) => ReadonlyArray<object>, isCounted = false) =>
    ({ url }: Sent, request: number) => {
      const page = Number(new URL(url).searchParams.get("page"))
      const rows = request === 0 ? first : then(request)
      const totalPages = Math.ceil(rows.length / 2)
      const meta = isCounted ? { meta: { totalItems: rows.length, totalPages, currentPage: page } } : {}
      return answer(200, { message: "", data: rows.slice((page - 1) * 2, page * 2), ...meta, status: 200 })
    }
  const others = Array.from({ length: 5 }, (_, at) => ({ ...shown, id: `t-${at + 10}`, amount: "1" }))
  const ours = { ...shown, note: payout.note }
  const found = (respond: ReturnType<typeof moving>, note: { readonly note?: string } = { note: payout.note }) => {
    const { note: _, ...input } = payout
    return Effect.andThen(
      // After all of its rows were made.
      TestClock.setTime(Date.UTC(2026, 10, 21)),
      sentBy(Transactions.find({ ...input, ...note }, { since: DateTime.makeUnsafe(0) }), { respond })
    )
  }

  it.effect.each([
    ["moves to the first page", [...others, ours], [ours, ...others], false],
    ["moves to the first page, of counted ones", [...others, ours], [ours, ...others], true],
    [
      "moves up, for another was removed",
      [...others.slice(0, 2), ours, others[2]!],
      [others[1]!, ours, others[2]!],
      false
    ],
    [
      "moves up, for another was removed and a third one came",
      [...others.slice(0, 2), ours, others[2]!],
      [others[1]!, ours, others[2]!, others[3]!],
      true
    ]
  ] as const)("shows it where its row %s while it is read", ([, before, after, isCounted]) =>
    Effect.gen(function* () {
      const noted = yield* found(moving(before, () => after, isCounted))
      assert(noted.exit._tag === "Success", String(noted.exit))
      assert.strictEqual(noted.exit.value._tag, "Found")
      const plain = (rows: ReadonlyArray<object>) => rows.map((row) => ({ ...row, note: undefined }))
      const without = yield* found(
        moving(plain(before), () => plain(after), isCounted),
        {}
      )
      assert(without.exit._tag === "Success", String(without.exit))
      assert.strictEqual(without.exit.value._tag, "SeveralCandidates")
    })
  )

  it.effect("counts as complete if it is one full page, and a row is inserted while it is read", () =>
    Effect.gen(function* () {
      const rows = others.slice(0, 2)
      const { exit } = yield* found(moving(rows, () => [others[2]!, ...rows]))
      assert(exit._tag === "Success", String(exit))
      assert.strictEqual(exit.value._tag, "NotFoundSoFar")
      const inserted = yield* found(moving(rows, () => [ours, ...rows]))
      assert(inserted.exit._tag === "Success", String(inserted.exit))
      assert.strictEqual(inserted.exit.value._tag, "Found")
    })
  )

  it.effect("does not count as complete if its rows keep leaving, unless it shows the note", () =>
    Effect.gen(function* () {
      const many = Array.from({ length: 100 }, (_, at) => ({ ...others[0], id: `t-${at + 20}` }))
      const shrinking = (request: number) => many.slice(request, request + 6)
      const { exit } = yield* found(moving(shrinking(0), shrinking))
      assert.include(String(exit), "rows left it, or stood on two pages, while it was read 4 times")
      const noted = yield* found(moving(shrinking(0), (request) => [ours, ...shrinking(request)]))
      assert(noted.exit._tag === "Success", String(noted.exit))
      assert.strictEqual(noted.exit.value._tag, "Found")
    })
  )

  it.effect.each([
    ["first", (rows: ReadonlyArray<object>, news: ReadonlyArray<object>) => [...news.toReversed(), ...rows]],
    ["last", (rows: ReadonlyArray<object>, news: ReadonlyArray<object>) => [...rows, ...news]]
  ] as const)("counts as complete if a row without a time comes with each request, and the newest is %s", ([, grown]) =>
    Effect.gen(function* () {
      const news = (requests: number) =>
        Array.from({ length: requests }, (_, at) => ({ ...others[0], id: `t-${at + 20}`, createdAt: undefined }))
      for (const isCounted of [true, false]) {
        const { exit } = yield* found(moving(others, (request) => grown(others, news(request)), isCounted))
        assert(exit._tag === "Success", String(exit))
        assert.strictEqual(exit.value._tag, "NotFoundSoFar")
      }
    })
  )

  it.effect("is not taken for read where another row stands on two pages, and one row is new", () =>
    Effect.gen(function* () {
      const rows = [{ ...others[0], createdAt: "2026-11-21T00:00:05Z" }, others[1]!, others[1]!, others[2]!]
      const { exit } = yield* found(moving(rows, () => rows))
      assert.include(String(exit), "PagesIncomplete")
    })
  )

  it.effect.each([
    ["the first page and the third", [...others, others[1]!], true],
    ["two pages, one after the other", [...others.slice(0, 2), ...others.slice(1, 3)], false]
  ] as const)("is not taken for read where another row stands on %s", ([, rows, isCounted]) =>
    Effect.gen(function* () {
      for (const note of [{ note: payout.note }, {}]) {
        const { exit } = yield* found(
          moving(rows, () => rows, isCounted),
          note
        )
        assert.include(String(exit), "PagesIncomplete")
      }
      // What is there is there.
      const there = [...rows, ours]
      const { exit } = yield* found(moving(there, () => there))
      assert(exit._tag === "Success", String(exit))
      assert.strictEqual(exit.value._tag, "Found")
    })
  )

  it.effect("without an end is read up to a bound, once, and says so", () =>
    Effect.gen(function* () {
      let requests = 0
      const respond = () => {
        requests++
        const data = Array.from({ length: 10_000 }, (_, row) => ({ id: `t-${requests}-${row}`, status: "PENDING" }))
        return answer(200, { message: "", data, meta: { hasNextPage: true }, status: 200 })
      }
      const program = Effect.flip(Transactions.find(payout, { since: DateTime.makeUnsafe(0) }))
      const { exit } = yield* sentBy(program, { respond })
      assert(exit._tag === "Success", String(exit))
      assert.strictEqual(causeOf(exit.value), "PagesIncomplete")
      assert.include(exit.value.message, "more than 100000 rows: look with a shorter window")
      assert.strictEqual(requests, 11)
    })
  )

  it.effect("counts as complete if a row was on two pages, and is on one now", () =>
    Effect.gen(function* () {
      const { exit } = yield* found((sent, request) =>
        moving([], (request) => (request < 5 ? [...others.slice(0, 2), ...others.slice(1, 3)] : others.slice(0, 3)))(
          sent,
          request + 1
        )
      )
      assert(exit._tag === "Success", String(exit))
      assert.strictEqual(exit.value._tag, "NotFoundSoFar")
    })
  )

  it.effect("shows two rows of one id, one on each page: both count", () =>
    Effect.gen(function* () {
      const rows = [others[0]!, { ...shown, note: "payout 6" }, ours, others[1]!]
      const { exit } = yield* found(moving(rows, () => rows))
      assert(exit._tag === "Success", String(exit))
      assert.strictEqual(exit.value._tag, "Found")
    })
  )

  const hour = 3_600_000
  const day = 24 * hour

  it.effect.each([
    ["in its own time zone", (from: number) => from + 5 * hour],
    ["as a date", (from: number) => Math.ceil(from / day) * day],
    ["as a date that it leaves out", (from: number) => (Math.floor(from / day) + 1) * day]
  ] as const)("shows it where the service reads the time %s", ([, read]) =>
    Effect.gen(function* () {
      const since = Date.UTC(2026, 10, 20, 12)
      yield* TestClock.setTime(since)
      const respond = ({ url }: Sent) => {
        const from = Date.parse(new URL(url).searchParams.get("from")!)
        const data = read(from) <= since ? [ours] : []
        return answer(200, { message: "", data, meta: { hasNextPage: false }, status: 200 })
      }
      const program = Transactions.find(payout, { since: DateTime.makeUnsafe(since) })
      const { exit } = yield* sentBy(program, { respond })
      assert(exit._tag === "Success", String(exit))
      assert.strictEqual(exit.value._tag, "Found")
    })
  )

  it.effect.each([
    ["2026-11-20T12:01:00Z", "SeveralCandidates"],
    // By the service's clock, or in a time zone of the service.
    ["2026-11-19T11:00:00Z", "SeveralCandidates"],
    ["2026-11-18T19:00:00", "SeveralCandidates"],
    ["2026-11-19T09:00:00Z", "NotFoundSoFar"],
    ["Thu, 19 Nov 2026 09:00:00 GMT", "NotFoundSoFar"],
    ["today", "SeveralCandidates"],
    [undefined, "SeveralCandidates"]
  ] as const)("shows one at %s, and the call was at 12: %s", ([createdAt, tag]) =>
    Effect.gen(function* () {
      const since = DateTime.makeUnsafe("2026-11-20T12:00:00Z")
      yield* TestClock.setTime(DateTime.toEpochMillis(since))
      yield* script(history({ ...shown, createdAt }))
      const { note: _, ...withoutNote } = payout
      assert.strictEqual((yield* Transactions.find(withoutNote, { since }))._tag, tag)
    }).pipe(Effect.provide(layer()))
  )

  it.effect.each([
    ["with the note, of the asset by another name", { ...ours, assetId: "USDC_ETH" }, "SeveralCandidates"],
    ["with the note, of the asset", ours, "Found"],
    ["without a note, of no asset", { ...shown, assetId: undefined }, "SeveralCandidates"],
    ["with another note", { ...ours, note: "payout 8" }, "NotFoundSoFar"]
  ] as const)("shows nothing of the asset: it is read for all assets too, and has a row %s", ([, row, tag]) =>
    Effect.gen(function* () {
      const respond = ({ url }: Sent) => {
        const data = new URL(url).searchParams.has("assetId") ? [] : [row]
        return answer(200, { message: "", data, meta: { hasNextPage: false, totalItems: data.length }, status: 200 })
      }
      const program = Transactions.find(payout, { since: DateTime.makeUnsafe(0) })
      const { exit, sent } = yield* sentBy(program, { respond })
      assert(exit._tag === "Success", String(exit))
      assert.strictEqual(exit.value._tag, tag)
      assert.lengthOf(
        sent.filter(({ url }) => new URL(url).searchParams.has("assetId")),
        1
      )
    })
  )

  it.effect.each([
    ["from", "Found"],
    ["clientId", "SeveralCandidates"]
  ] as const)("shows nothing under the filter %s, which lets no row through: it is read without it", ([filter, tag]) =>
    Effect.gen(function* () {
      const { clientId: _, ...foreign } = ours
      const respond = ({ url }: Sent) => {
        const rows = filter === "from" ? [ours] : [foreign]
        const data = new URL(url).searchParams.has(filter) ? [] : rows
        return answer(200, { message: "", data, meta: { hasNextPage: false }, status: 200 })
      }
      const { exit } = yield* found(respond)
      assert(exit._tag === "Success", String(exit))
      assert.strictEqual(exit.value._tag, tag)
    })
  )

  it.effect("shows nothing under its filters, and too much without them: it does not say that it is not there", () =>
    Effect.gen(function* () {
      const respond = ({ url }: Sent, nth: number) => {
        const isFiltered = ["from", "clientId"].some((name) => new URL(url).searchParams.has(name))
        const rows = isFiltered ? 0 : 10_000
        const data = Array.from({ length: rows }, (_, row) => ({
          id: `t-${nth}-${row}`,
          status: "PENDING",
          note: "x 1"
        }))
        return answer(200, { message: "", data, status: 200 })
      }
      const { exit } = yield* found(respond)
      assert.include(String(exit), "more than 100000 rows")
    })
  )

  it.effect("is read while others pay: the payment is found, and one that was not made is not found so far", () =>
    Effect.gen(function* () {
      const emulator = yield* CustodyEmulator
      yield* emulator.fund({ clientId: "alice", assetId: "usdc", amount: Amount.of("100000") })
      yield* emulator.setDurations({ latency: "20 millis" })
      const pay = (note: string) => Transactions.send({ ...payout, amount: Amount.of("1"), note })
      const paying = Effect.forEach(
        Array.from({ length: 8 }, (_, at) => at),
        (at) => Effect.repeat(pay(`other ${at}`), { times: 200 }),
        { concurrency: "unbounded" }
      )
      const looking = Effect.gen(function* () {
        const since = yield* DateTime.now
        yield* Transactions.send(payout)
        yield* Effect.sleep("1 second")
        const look = (note: string) => Transactions.find({ ...payout, note }, { since, limit: 25 })
        return [(yield* look(payout.note))._tag, (yield* look("payout 8"))._tag]
      })
      const fiber = yield* Effect.forkChild(Effect.raceFirst(looking, Effect.andThen(paying, Effect.never)))
      for (let tick = 0; fiber.pollUnsafe() === undefined && tick < 500; tick++) yield* TestClock.adjust("100 millis")
      assert.deepStrictEqual(yield* Fiber.join(fiber), ["Found", "NotFoundSoFar"])
    }).pipe(Effect.provide(CustodyEmulator.layer))
  )

  it.effect.each([
    ["counts rows", { totalItems: 5 }],
    ["counts rows on one page", { totalItems: 5, totalPages: 1 }],
    ["says that a page follows", { hasNextPage: true }],
    ["counts pages", { totalPages: 2 }]
  ] as const)("does not count as empty if it shows no row and %s", ([, meta]) =>
    Effect.gen(function* () {
      const { exit } = yield* found(() => answer(200, { message: "", data: [], meta, status: 200 }))
      assert.include(String(exit), "PagesIncomplete")
    })
  )

  it.effect("shows a row twice: it is one candidate", () =>
    Effect.gen(function* () {
      const rows = [ours, ...others.slice(0, 3), ours]
      const { exit } = yield* found(moving(rows, () => rows))
      assert(exit._tag === "Success", String(exit))
      assert.strictEqual(exit.value._tag, "Found")
    })
  )

  it.effect("does not count as complete if the service returns the same page for ever", () =>
    Effect.gen(function* () {
      const others = Array.from({ length: 50 }, (_, at) => ({ ...shown, id: `t-${at + 10}`, amount: "1" }))
      yield* script(reset, page(...others))
      const refusal = yield* Effect.flip(Transactions.reconcile(yield* unknownOutcome, payout))
      assert.strictEqual(causeOf(refusal), "PageRepeated")
    }).pipe(Effect.provide(layer()))
  )

  it.effect("is not asked for another input than that of the call", () =>
    Effect.gen(function* () {
      yield* script(reset)
      const error = yield* unknownOutcome
      const other = { ...payout, amount: Amount.of("12.51") }
      const refusal = yield* Effect.flip(Transactions.reconcile(error, other))
      assert.strictEqual(causeOf(refusal), "RequestInvalid")
      assert.notInclude(refusal.message, "was not sent")
      assert.lengthOf(yield* sent, 1)
    }).pipe(Effect.provide(layer()))
  )

  it.effect("cannot be read: the reason is reported", () =>
    Effect.gen(function* () {
      yield* script(reset, refused(403))
      const refusal = yield* Effect.flip(Transactions.reconcile(yield* unknownOutcome, payout))
      assert.strictEqual(causeOf(refusal), "UnknownApiError")
    }).pipe(Effect.provide(layer()))
  )

  it.effect("cannot be asked for: the payment is still unknown, and the error carries the doubt", () =>
    Effect.gen(function* () {
      yield* script(reset, notSent)
      const unknown = yield* unknownOutcome
      const outcome = yield* Outcome.of(Transactions.reconcile(unknown, payout))
      assert(outcome._tag === "Unknown" && outcome.error._tag === "ReconcileFailed", outcome._tag)
      const { fingerprint, message, operation } = outcome.error
      assert.strictEqual(outcome.error.unknown, unknown)
      assert.deepStrictEqual(
        { fingerprint, operation },
        { fingerprint: unknown.fingerprint, operation: unknown.operation }
      )
      assert.strictEqual(
        message,
        "transactions.send may have happened, and its history could not be read " +
          "(transactions.list failed: ECONNREFUSED): look again before sending it again"
      )
      const found = yield* Outcome.of(Transactions.find(payout, { since: unknown.sentAt }))
      assert(found._tag === "Unknown" && found.error._tag === "ReconcileFailed", found._tag)
      assert.deepInclude<object>(found.error, { fingerprint, operation, message })
    }).pipe(RetryPolicy.provide(RetryPolicy.none), Effect.provide(layer()))
  )

  it.effect("is asked for a transfer between clients by its sender, asset, amount and recipient", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 20, 12))
      const move = { fromClientId: "alice", toClientId: "bob", assetId: "usdc", amount: Amount.of("3"), note: "rent 7" }
      const error = new OutcomeUnknown({
        operation: "transactions.transfer",
        fingerprint: Result.getOrThrow(Fingerprint.of(Transactions.transfer, move)),
        sentAt: DateTime.makeUnsafe("2026-11-20T12:00:00Z"),
        reason: "ECONNRESET"
      })
      const row = { id: "t-9", status: "COMPLETED", clientId: "alice", assetId: "usdc", amount: "3.00", note: "rent 7" }
      yield* script(history({ ...row, toClientId: "bob" }))
      assert.strictEqual((yield* Transactions.reconcile(error, move))._tag, "Found")
      yield* script(history(row))
      assert.deepStrictEqual(differences(yield* Transactions.reconcile(error, move)), [
        { field: "toClientId", asked: "bob", shown: undefined }
      ])
    }).pipe(Effect.provide(layer()))
  )
})
