/** `custody payouts run` and `dry-run`. */
import * as Payouts from "@effect-custody/ledger/Payouts"
import * as Argument from "effect/cli/Argument"
import * as CliCommand from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Path from "node:path"
import * as Client from "../service/client.ts"
import * as ContractFiles from "../service/contractFiles.ts"
import * as Output from "../terminal/output.ts"
import * as Person from "../terminal/person.ts"
import * as Csv from "./csv.ts"
import * as DryRun from "./dryRun.ts"
import * as Place from "./place.ts"
import * as Progress from "./progress.ts"
import * as States from "./states.ts"
import * as Status from "./status.ts"

const file = Argument.String("FILE.csv").pipe(
  Argument.withDescription("Payouts: the columns reference,clientId,assetId,to,amount, and optionally networkId,note")
)

const duration = (name: string, fallback: Duration.Input, description: string) =>
  Flag.String(name).pipe(
    Flag.withDescription(description),
    Flag.withMetavar("DURATION"),
    Flag.withSchema(Schema.DurationFromString),
    Flag.withDefault(Duration.fromInputUnsafe(fallback))
  )

const config = {
  file: Argument.optional(file),
  ...Place.flags,
  by: Person.by,
  batch: Flag.String("batch").pipe(
    Flag.withDescription("The name of the batch; default: the name of the file"),
    Flag.withMetavar("NAME"),
    Flag.optional
  ),
  hold: Flag.Boolean("hold").pipe(
    Flag.withDescription("Only submit: another person has to approve the batch before anything is sent"),
    Flag.withDefault(false)
  ),
  inFlight: Flag.Int("in-flight").pipe(
    Flag.withDescription("How many payouts to send at once; default: 8"),
    Flag.withDefault(8)
  ),
  undecidedAfter: duration(
    "undecided-after",
    "26 hours",
    'How long to look for a payout that may have been sent, before a person decides; default: "26 hours". Longer than the service needs to show a transaction, and at least --send-within'
  ),
  shownWithin: duration(
    "shown-within",
    "10 minutes",
    'How late the service shows a payment at most; default: "10 minutes". After a failover, a run waits so long, or for the greatest delay that it has seen, before it sends anything'
  ),
  sendWithin: duration(
    "send-within",
    "30 seconds",
    'How long an intent to send is valid; default: "30 seconds". What a killed run was sending is looked for afterwards. At least 100 milliseconds'
  ),
  history: Flag.String("history").pipe(
    Flag.withDescription(
      'How far back a new ledger reads the history before its first payout, such as "30 days"; default: "90 days"; all reads everything'
    ),
    Flag.withMetavar("DURATION"),
    Flag.withSchema(Schema.Union([Schema.Literal("all"), Schema.DurationFromString])),
    Flag.withDefault(Duration.days(90))
  ),
  riskWrongPayouts: Flag.Boolean("risk-wrong-payouts").pipe(
    Flag.withDescription(
      "Send all payouts with a contract that nobody has confirmed: a mistake in it may pay every one of them wrongly"
    ),
    Flag.withDefault(false)
  ),
  wait: duration("wait", "2 minutes", 'Stop when nothing has changed for so long; default: "2 minutes"'),
  contract: ContractFiles.flag,
  yes: Output.yes
}

const refuse = (name: string, mistakes: ReadonlyArray<Csv.Mistake>) =>
  Output.failure([...Csv.describe(name, mistakes), "nothing was submitted"].join("\n"))

/** Reads a file, or fails with every mistake in it. */
const readOrders = Effect.fnUntraced(function* (name: string) {
  const parsed = yield* Csv.readFile(name)
  if (parsed.mistakes.length > 0) return yield* refuse(name, parsed.mistakes)
  return parsed
})

/** `true` if every payout that is left waits for a person to confirm a first payout. */
const awaitsConfirmation = ({ confirmations, states }: Payouts.Progress): boolean =>
  confirmations.length > 0 &&
  confirmations.every(({ shownAt }) => shownAt !== null) &&
  States.countWorking(states) === States.count(states, "ready")

/** Waits until nothing is left to do, or nothing changes any more. Says how far the history is read, unless it was. */
const watch = Effect.fnUntraced(function* (wait: Duration.Duration, wasRead: boolean) {
  const progress = yield* Progress.make
  let [before, changedAt] = ["", yield* Clock.currentTimeMillis]
  let isRead = wasRead
  const step = Effect.gen(function* () {
    const found = yield* Payouts.progress()
    const { reading, states } = found
    // The reading of a new ledger comes before everything else, and is said once more when it is done.
    if (reading !== null && !isRead) {
      isRead = reading.isDone
      yield* progress.say(Status.describeReading(found).join(), isRead)
    }
    if (reading === null || isRead) yield* progress.show(states)
    const [now, text] = [yield* Clock.currentTimeMillis, `${States.describe(states)} ${reading?.rows}`]
    if (text !== before) [before, changedAt] = [text, now]
    const isOver = States.countWorking(states) === 0 || awaitsConfirmation(found)
    // After a change of the database, the ledger waits for the history, and says so.
    return isOver || (found.changedAt === null && now - changedAt > Duration.toMillis(wait))
  })
  while (!(yield* step)) yield* Effect.sleep("1 second")
})

export const run = CliCommand.make(
  "run",
  config,
  Effect.fnUntraced(function* ({
    batch,
    by,
    contract,
    file,
    history,
    hold,
    inFlight,
    riskWrongPayouts,
    shownWithin,
    undecidedAfter,
    sendWithin,
    wait,
    yes,
    ...options
  }) {
    const place = yield* Place.locate(options)
    const where = Place.describe(place)
    if (Option.isNone(file) && (yield* Place.isNew(place))) return yield* Output.failure(`there is no ledger ${where}`)
    const client = Client.under(ContractFiles.layer(contract))
    const parsed = Option.isSome(file) ? yield* readOrders(file.value) : { orders: [], lines: [], mistakes: [] }
    const { orders } = parsed
    if (Option.isSome(file)) {
      const { mistakes, repeats } = yield* DryRun.foresee(parsed, place)
      if (mistakes.length > 0) return yield* refuse(file.value, mistakes)
      const paint = yield* Output.paint
      const into = (yield* Place.isNew(place)) ? `${where}, a new ledger` : where
      yield* Output.lines([
        `${file.value}: ${orders.length} payouts`,
        ...Output.table(DryRun.sums(orders)),
        `into ${into}`,
        ...DryRun.describeRepeats(repeats, orders).map((line) => paint("doubtful", line))
      ])
      yield* Output.ask(`${hold ? "Submit" : "Pay"} them?`, yes)
    }
    yield* Effect.gen(function* () {
      if (Option.isSome(file)) {
        const name = Option.getOrElse(batch, () => Path.parse(file.value).name)
        const added = yield* (hold ? Payouts.hold : Payouts.submit)({ batch: name, by, orders })
        yield* Output.lines([`batch ${name}: ${added} new, ${orders.length - added} in the ledger already`])
        if (hold)
          return yield* Output.lines([`it is held: another person sends it with custody payouts approve ${name}`])
      }
      const { reading } = yield* Payouts.progress()
      yield* Effect.raceFirst(Payouts.run, watch(wait, reading?.isDone === true)).pipe(Effect.provide(client))
      yield* Status.conclude(place)
    }).pipe(
      Effect.provide(
        Place.layer(place, {
          history,
          inFlight,
          risksWrongPayouts: riskWrongPayouts,
          sendWithin,
          shownWithin,
          undecidedAfter
        })
      ),
      Output.orFail
    )
  })
).pipe(
  CliCommand.withDescription(
    "Submits the payouts of a file, and sends and follows everything in the ledger. Run it again after any " +
      "interruption: a reference is paid once. Exits with 2 while something is open or undecided"
  )
)

export const dryRun = CliCommand.make(
  "dry-run",
  { file, ...Place.flags, contract: ContractFiles.flag },
  ({ contract, file, ...options }) =>
    Effect.flatMap(Place.locate(options), (place) => DryRun.report(file, place, contract))
).pipe(
  CliCommand.withDescription(
    "Checks a file, and sends nothing: mistakes, sums and balances, what is in the ledger or in the history already, " +
      "addresses never paid before. Exits with 1 for a mistake in the file, and with 2 if a payout would be refused, or " +
      "may have been paid already, or if nothing could be checked at the service"
  )
)
