/** What people do to payouts: `custody payouts approve`, `decide`, `cancel`, `send-again` and `archive`. */
import * as Payouts from "@effect-custody/ledger/Payouts"
import * as Argument from "effect/cli/Argument"
import * as CliCommand from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Client from "../service/client.ts"
import * as ContractFiles from "../service/contractFiles.ts"
import * as Output from "../terminal/output.ts"
import * as Person from "../terminal/person.ts"
import * as FirstPayout from "./firstPayout.ts"
import * as Place from "./place.ts"
import * as Review from "./review.ts"
import * as Status from "./status.ts"

const target = {
  reference: Argument.optional(Argument.String("reference")),
  batch: Flag.String("batch").pipe(
    Flag.withDescription("All payouts of this batch to which it applies"),
    Flag.withMetavar("NAME"),
    Flag.optional
  )
}

const unchecked = Flag.Boolean("unchecked").pipe(
  Flag.withDescription("Without a look at the service"),
  Flag.withDefault(false)
)

const signed = { by: Person.by, reason: Place.reason, yes: Output.yes }

const readTarget = (reference: Option.Option<string>, batch: Option.Option<string>) => {
  if (Option.isSome(reference) && Option.isNone(batch)) return Effect.succeed(reference.value)
  if (Option.isSome(batch) && Option.isNone(reference)) return Effect.succeed({ batch: batch.value })
  return Output.failure("give a reference or --batch")
}

const name = (target: Payouts.Target): string => (typeof target === "string" ? target : `batch ${target.batch}`)

const counted = (done: string) => (payouts: number) =>
  Output.lines([`${payouts} ${payouts === 1 ? "payout" : "payouts"} ${done}`])

export const approve = CliCommand.make(
  "approve",
  { batch: Argument.String("batch"), ...Place.flags, by: Person.by, yes: Output.yes },
  Effect.fnUntraced(function* ({ batch, by, yes, ...options }) {
    const review = yield* Place.onLedger(options)(Payouts.review(batch))
    const { digest, payouts } = review
    if (payouts.length > 0) {
      const { count, recipients, sums } = Review.show(review)
      const more = count - recipients.length
      yield* Output.lines([
        ...Output.table(sums),
        `${count} ${count === 1 ? "recipient" : "recipients"}:`,
        ...Output.table(recipients),
        ...(more > 0 ? [`and ${more} more: custody payouts list --batch ${batch} --state held`] : [])
      ])
      yield* Output.ask(`Approve ${payouts.length} payouts of ${batch} as ${by}?`, yes)
    }
    yield* Effect.flatMap(Place.onLedger(options)(Payouts.approve(batch, { by, digest })), counted("approved"))
    yield* Output.lines(["custody payouts run sends them"])
  })
).pipe(
  CliCommand.withDescription(
    "Shows the sums and recipients of a held batch, and lets it be sent if it has not changed since. Refuses the person who submitted it"
  )
)

/** The payouts that a person decides about. */
const findDecided = (target: Payouts.Target) =>
  typeof target === "string"
    ? Effect.map(Payouts.get(target), Option.toArray)
    : Stream.runCollect(Status.all({ ...target, state: "undecided" }))

/** Shows what is known of payouts, and returns the attempt of each that it has shown. */
const showEvidence = Effect.fnUntraced(function* (options: Place.Options, target: Payouts.Target) {
  const found = yield* Place.onLedger(options)(findDecided(target))
  yield* Output.lines(
    Output.table(
      found.map(({ attempt, detail, intentAt, reference, state }) => [
        reference,
        state,
        intentAt === null ? "never sent" : `sent ${DateTime.formatIso(intentAt)}, attempt ${attempt}`,
        detail ?? ""
      ])
    )
  )
  return Object.fromEntries(found.map(({ attempt, reference }) => [reference, attempt]))
})

export const decide = CliCommand.make(
  "decide",
  {
    ...target,
    paid: Flag.String("paid").pipe(
      Flag.withDescription("It was paid, by this transaction"),
      Flag.withMetavar("TRANSACTION"),
      Flag.optional
    ),
    notPaid: Flag.Boolean("not-paid").pipe(
      Flag.withDescription("It was certainly not paid: it is sent AGAIN"),
      Flag.withDefault(false)
    ),
    unchecked,
    ...Place.flags,
    ...signed,
    contract: ContractFiles.flag
  },
  Effect.fnUntraced(function* ({ batch, by, contract, notPaid, paid, reason, reference, unchecked, yes, ...options }) {
    const target = yield* readTarget(reference, batch)
    if (Option.isSome(paid) === notPaid) return yield* Output.failure("give --paid TRANSACTION or --not-paid")
    const attempts = yield* showEvidence(options, target)
    if (Option.isSome(paid) && typeof target !== "string") {
      return yield* Output.failure("--paid is about one payout: give its reference")
    }
    const [question, outcome, done] = Option.isSome(paid)
      ? ([`Was ${name(target)} paid by transaction ${paid.value}?`, { paid: paid.value, attempts }, "decided"] as const)
      : ([
          `Does the service certainly not have ${name(target)}? It will be sent AGAIN`,
          { notPaid: true, attempts },
          "will be sent again by custody payouts run"
        ] as const)
    yield* Output.ask(question, yes)
    const signed = { by, reason }
    const decided = unchecked
      ? Payouts.decide(target, { ...outcome, unchecked }, signed)
      : Effect.provide(Payouts.decide(target, outcome, signed), Client.under(ContractFiles.layer(contract)))
    yield* Effect.flatMap(Place.onLedger(options)(decided), counted(done))
  })
).pipe(
  CliCommand.withDescription(
    "Says what became of undecided payouts, after you have looked at the service: --paid TRANSACTION, or --not-paid"
  )
)

export const cancel = CliCommand.make(
  "cancel",
  { ...target, ...Place.flags, ...signed },
  Effect.fnUntraced(function* ({ batch, by, reason, reference, yes, ...options }) {
    const target = yield* readTarget(reference, batch)
    yield* Output.ask(`Cancel what has not been sent of ${name(target)}?`, yes)
    yield* Effect.flatMap(Place.onLedger(options)(Payouts.cancel(target, { by, reason })), counted("cancelled"))
  })
).pipe(CliCommand.withDescription("Cancels payouts that have not been sent"))

export const confirm = CliCommand.make(
  "confirm",
  { ...Place.flags, by: Person.by, yes: Output.yes },
  Effect.fnUntraced(function* ({ by, yes, ...options }) {
    const waiting = yield* Place.onLedger(options)(Payouts.confirmations)
    const shown = waiting.filter(({ shownAt }) => shownAt !== null)
    if (shown.length === 0) {
      return yield* Output.failure(
        waiting.length === 0
          ? "no first payout waits"
          : "the service does not show the first payout yet: custody payouts run"
      )
    }
    for (const first of shown) {
      const payout = Option.getOrThrow(yield* Place.onLedger(options)(Payouts.get(first.reference)))
      const { answer, known, request, title } = FirstPayout.show(first, payout)
      yield* Output.lines([
        title,
        ...Output.table(Object.entries(known)),
        "",
        "The request as it was sent:",
        ...Output.linesOf(request),
        "",
        "The transaction as the service gave it, read by no contract:",
        ...Output.linesOf(answer),
        ""
      ])
      yield* Output.ask(FirstPayout.question, yes)
      yield* Place.onLedger(options)(Payouts.confirm(first, { by }))
      yield* Output.lines([`${first.reference} is confirmed: custody payouts run sends the others of ${first.assetId}`])
    }
  })
).pipe(
  CliCommand.withDescription(
    "Confirms the first payout of an asset with a new contract: compare the request with the transaction, both as they went over the wire"
  )
)

export const acknowledge = CliCommand.make(
  "acknowledge",
  { reference: Argument.String("reference"), ...Place.flags, ...signed },
  Effect.fnUntraced(function* ({ by, reason, reference, yes, ...options }) {
    yield* showEvidence(options, reference)
    yield* Output.ask(`Have you found out why ${reference} clashes? The ledger will send again`, yes)
    yield* Place.onLedger(options)(Payouts.acknowledge(reference, { by, reason }))
    yield* Output.lines([`${reference} is acknowledged`])
  })
).pipe(
  CliCommand.withDescription(
    "Says that you have looked at a payout that was paid twice, or that ended in another way, so that the ledger sends again"
  )
)

export const sendAgain = CliCommand.make(
  "send-again",
  { ...target, unchecked, ...Place.flags, ...signed, contract: ContractFiles.flag },
  Effect.fnUntraced(function* ({ batch, by, contract, reason, reference, unchecked, yes, ...options }) {
    const target = yield* readTarget(reference, batch)
    yield* Output.ask(`Send again what the service has refused of ${name(target)}?`, yes)
    const sent = unchecked
      ? Payouts.sendAgain(target, { by, reason, unchecked })
      : Effect.provide(Payouts.sendAgain(target, { by, reason }), Client.under(ContractFiles.layer(contract)))
    yield* Effect.flatMap(Place.onLedger(options)(sent), counted("will be sent by custody payouts run"))
  })
).pipe(CliCommand.withDescription("Sends payouts again that the service has refused, once the reason is mended"))

export const archive = CliCommand.make(
  "archive",
  {
    before: Flag.Date("before").pipe(
      Flag.withDescription("Only what ended before this time (UTC)"),
      Flag.withMetavar("TIME"),
      Flag.map(DateTime.fromDateUnsafe)
    ),
    yes: Output.yes,
    ...Place.flags
  },
  Effect.fnUntraced(function* ({ before, yes, ...options }) {
    const time = DateTime.formatIso(before)
    yield* Output.ask(`Archive what ended before ${time}?`, yes)
    yield* Effect.flatMap(Place.onLedger(options)(Payouts.archive({ before })), counted("archived"))
  })
).pipe(
  CliCommand.withDescription(
    "Moves payouts that have ended, and their steps, to an archive in the same database. Each stays known. Workers may run"
  )
)
