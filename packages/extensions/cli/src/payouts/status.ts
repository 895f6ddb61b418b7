/** `custody payouts status`, `list` and `show`. */
import * as Amount from "@effect-custody/core/Amount"
import { Payout, PayoutState } from "@effect-custody/ledger/Payout"
import * as Payouts from "@effect-custody/ledger/Payouts"
import * as Spreadsheet from "@effect-custody/ledger/siblings/Spreadsheet"
import * as Argument from "effect/cli/Argument"
import * as CliCommand from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Struct from "effect/Struct"
import * as Output from "../terminal/output.ts"
import * as Place from "./place.ts"
import * as States from "./states.ts"

const maxShown = 20

const line = ({
  amount,
  assetId,
  detail,
  lookedForUntil,
  reference,
  state,
  to,
  transactionId
}: Payout): ReadonlyArray<string> => [
  reference,
  state,
  Amount.format(amount),
  assetId,
  to,
  transactionId ?? "",
  [...(lookedForUntil === null ? [] : [`until ${DateTime.formatIso(lookedForUntil)}`]), detail ?? ""].join(" ")
]

/**
 * Fails with exit code 1 if a person has to look at a payout before anything more is sent, or if a payout was not paid;
 * with exit code 2 while a payout is open or undecided.
 */
const failUnlessPaid = Effect.fnUntraced(function* ({ alarms, states }: Payouts.Progress) {
  if (alarms.length > 0) return yield* Output.failure("the ledger is stopped")
  if (States.countWorking(states) + States.count(states, "undecided") > 0) return yield* new Output.Open()
  if (States.count(states, "refused", "failed") > 0) {
    return yield* Output.failure(`${States.count(states, "refused", "failed")} were not paid`)
  }
})

const alarmTexts = {
  behind: "was in the history before this ledger sent it, as",
  clash: "was PAID TWICE, or the service named another payout's transaction:",
  mismatch: "was not paid as ordered:",
  reversed: "has ended in another way than before:"
}

export const describeAlarm = ({ alarm, detail, reference }: Payouts.Progress["alarms"][number]): string =>
  `${reference} ${alarmTexts[alarm]} ${detail}`

/** Why the ledger does not send everything, while it is not stopped. */
export const describeWaits = ({ changedAt, confirmations }: Payouts.Progress): ReadonlyArray<string> => [
  ...(changedAt === null
    ? []
    : [
        `since ${DateTime.formatIso(changedAt)} the database is another one: it is compared with the history before anything is sent`
      ]),
  ...confirmations.map(({ assetId, reference, shownAt }) =>
    shownAt === null
      ? `the first payout of ${assetId} with this contract, ${reference}, goes alone: the others wait until transactions.get shows its transaction`
      : `the first payout of ${assetId} with this contract, ${reference}, is shown: the others wait until a person confirms it`
  )
]

/** Why the ledger sends nothing, or not everything. */
const describeStop = (progress: Payouts.Progress): ReadonlyArray<string> => {
  const { alarms, confirmations } = progress
  return [
    ...(alarms.length > 0 ? ["STOPPED: nothing more is sent until a person has looked at this:"] : []),
    ...alarms.map(describeAlarm),
    ...(alarms.length > 0 ? ["then: custody payouts decide, cancel or acknowledge"] : []),
    ...describeWaits(progress),
    ...(confirmations.some(({ shownAt }) => shownAt !== null) ? ["to confirm: custody payouts confirm"] : [])
  ]
}

/** How far a new ledger has read the history. */
export const describeReading = ({ reading }: Payouts.Progress): ReadonlyArray<string> => {
  if (reading === null) return []
  const { at, back, isDone, rows } = reading
  if (isDone)
    return [
      `the history was read back to ${back === null ? "its beginning" : DateTime.formatIso(back)}: ${rows} transactions`
    ]
  return [`reading the history: ${rows} transactions${at === null ? "" : `, at ${DateTime.formatIso(at)}`}`]
}

/** Shows what a person has to look at. Fails as {@link failUnlessPaid} does. */
export const conclude = Effect.fnUntraced(function* (place: Place.Place, batch?: string) {
  const progress = yield* Payouts.progress(batch)
  const { states, waiting } = progress
  const paint = yield* Output.paint
  yield* Output.lines(describeStop(progress).map((text) => (progress.alarms.length > 0 ? paint("bad", text) : text)))
  yield* Output.lines([`${Place.describe(place)}: ${States.describe(states)}`])
  for (const state of ["undecided", "unknown", "mismatched", "refused", "failed"] as const) {
    const shown = yield* Payouts.list({ state, limit: maxShown, ...(batch === undefined ? {} : { batch }) })
    if (shown.length === 0) continue
    const more = States.count(states, state) - shown.length
    yield* Output.lines([
      ...Output.table(shown.map(line)),
      ...(more > 0 ? [`and ${more} more: custody payouts list --state ${state}`] : [])
    ])
  }
  yield* Output.lines(waiting.map(({ reference, waitsFor }) => `${reference} waits for ${waitsFor}: an equal payout`))
  const advice = [
    ...(States.count(states, "undecided") > 0
      ? ["undecided: they may have been paid. Look at the service, then custody payouts decide"]
      : []),
    ...(States.count(states, "unknown") > 0
      ? [
          "unknown: they may have been paid, and are looked for in the history until the time above. Run custody payouts run again; " +
            "a shorter --undecided-after asks a person sooner"
        ]
      : []),
    ...(States.count(states, "refused") > 0
      ? ["refused: not paid. Mend the reason, then custody payouts send-again"]
      : []),
    ...(States.count(states, "held") > 0 ? ["held: another person sends them with custody payouts approve"] : [])
  ]
  yield* Output.lines(advice)
  yield* failUnlessPaid(progress)
})

const batch = Flag.String("batch").pipe(
  Flag.withDescription("Only the payouts of this batch"),
  Flag.withMetavar("NAME"),
  Flag.optional
)

export const status = CliCommand.make(
  "status",
  { ...Place.flags, batch, json: Output.json },
  Effect.fnUntraced(function* ({ batch, json, ...options }) {
    const only = Option.getOrUndefined(batch)
    const place = yield* Place.locate(options)
    const asJson = Effect.flatMap(Payouts.progress(only), (progress) =>
      Effect.andThen(Output.value(progress), failUnlessPaid(progress))
    )
    yield* Place.onLedger(options)(json ? asJson : conclude(place, only))
  })
).pipe(
  CliCommand.withDescription(
    "Shows how many payouts are in each state, and what a person has to look at. Exits with 2 while something is open or undecided"
  )
)

const columns = [
  "reference",
  "batch",
  "state",
  "clientId",
  "assetId",
  "networkId",
  "to",
  "amount",
  "note",
  "transactionId",
  "detail"
] as const

export const Shown = Schema.Struct(Struct.Record(columns, Schema.String))

/** A payout as texts. */
export const record = (payout: Payout) => ({
  ...Struct.pick(payout, columns),
  networkId: payout.networkId ?? "",
  amount: Amount.format(payout.amount),
  transactionId: payout.transactionId ?? "",
  detail: payout.detail ?? ""
})

/** All payouts of a batch or a state, page by page. */
export const all = (filter: Parameters<typeof Payouts.list>[0]) =>
  Stream.paginate("", (after) =>
    Effect.map(Payouts.list({ ...filter, after }), (page) => {
      const last = page.at(-1)?.reference
      return [page, last === undefined ? Option.none() : Option.some(last)] as const
    })
  )

export const list = CliCommand.make(
  "list",
  {
    ...Place.flags,
    batch,
    state: Flag.Literals("state", PayoutState.literals).pipe(
      Flag.withDescription("Only the payouts in this state"),
      Flag.optional
    ),
    csv: Flag.Boolean("csv").pipe(Flag.withDescription("Print CSV"), Flag.withDefault(false)),
    json: Output.json
  },
  Effect.fnUntraced(function* ({ batch, csv, json, state, ...options }) {
    const filter = {
      ...Option.match(batch, { onNone: () => ({}), onSome: (batch) => ({ batch }) }),
      ...Option.match(state, { onNone: () => ({}), onSome: (state) => ({ state }) })
    }
    const payouts = yield* Place.onLedger(options)(Stream.runCollect(all(filter)))
    if (json) return yield* Output.value(payouts.map(record))
    if (!csv) return yield* Output.lines(Output.table(payouts.map(line)))
    yield* Console.log(Spreadsheet.toCsv(columns, payouts.map(record)).trimEnd())
  })
).pipe(CliCommand.withDescription("Lists payouts"))

export const show = CliCommand.make(
  "show",
  { reference: Argument.String("reference"), ...Place.flags },
  Effect.fnUntraced(function* ({ reference, ...options }) {
    const [payout, events] = yield* Place.onLedger(options)(
      Effect.all([Payouts.get(reference), Payouts.events(reference)])
    )
    if (Option.isNone(payout)) return yield* Output.failure(`the ledger has no payout "${reference}"`)
    const { alarm, lookedForUntil } = payout.value
    yield* Output.lines([
      ...Output.table([
        ...Object.entries(record(payout.value)),
        ...(lookedForUntil === null ? [] : [["looked for until", DateTime.formatIso(lookedForUntil)]]),
        ...(alarm === null ? [] : [["alarm", alarm]])
      ]),
      "",
      ...Output.table(
        events.map(({ at, by, detail, state, step }) => [DateTime.formatIso(at), by, step, state, detail ?? ""])
      )
    ])
  })
).pipe(CliCommand.withDescription("Shows a payout and every step of it"))
