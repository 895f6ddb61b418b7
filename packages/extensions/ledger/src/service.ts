/** The service of payouts: what each function of `Payouts` does, over a database. Its type is what {@link make} makes. */
import type { CustodyClient } from "@effect-custody/core/CustodyClient"
import * as Instrumentation from "@effect-custody/core/siblings/Instrumentation"
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { archive } from "./archive.ts"
import { durably, outsideTransactions, reporting } from "./database.ts"
import * as FirstPayout from "./firstPayout.ts"
import type { Ledger } from "./ledger.ts"
import {
  type LedgerError,
  type OrdersInvalid,
  type PayoutFailed,
  type PayoutRefused,
  type PayoutUndecided,
  type ReferenceConflict,
  StepRefused
} from "./LedgerError.ts"
import { toColumns } from "./order.ts"
import type { Order, Payout, ReferencedOrder } from "./Payout.ts"
import * as People from "./people.ts"
import * as Read from "./read.ts"
import * as Submit from "./submit.ts"
import * as Worker from "./worker.ts"

/**
 * The input of `submit`.
 *
 * @since 0.1.0
 * @category models
 */
export interface SubmitInput {
  readonly orders: ReadonlyArray<ReferencedOrder>
  /** Default: the reference of the first order. */
  readonly batch?: string | undefined
  /** Who submits it: a person or a program. Default: the name of the worker. */
  readonly by?: string | undefined
}

/**
 * The input of `hold`.
 *
 * @since 0.1.0
 * @category models
 */
export interface HoldInput {
  readonly orders: ReadonlyArray<ReferencedOrder>
  /** What a person approves at once. */
  readonly batch: string
  /** Who submits it: a person or a program. Somebody else has to approve it. */
  readonly by: string
  /** What the batch may have with these payouts. Default: any number and amount. */
  readonly atMost?: Submit.Allowance | undefined
}

/**
 * The errors of `pay`.
 *
 * @since 0.1.0
 * @category errors
 */
export type PayError = PayoutRefused | PayoutFailed | PayoutUndecided | ReferenceConflict | OrdersInvalid | LedgerError

/**
 * Who takes a step, and why.
 *
 * @since 0.1.0
 * @category people
 */
export interface Signed {
  /** The person. */
  readonly by: string
  readonly reason: string
}

/**
 * What a person has seen before a decision.
 *
 * @since 0.1.0
 * @category people
 */
export interface Seen {
  /**
   * The attempt of each payout, by its reference. The decision is refused if it would be about another attempt, or about a
   * payout that is not among them: it was sent again, or came, after the person looked.
   */
  readonly attempts?: Readonly<Record<string, number>> | undefined
}

/**
 * The transaction that a payout was paid by.
 *
 * @since 0.1.0
 * @category people
 */
export interface PaidBy extends Seen {
  readonly paid: string
  /** `true` skips the check: the ledger takes the transaction as it is, now and later. */
  readonly unchecked?: boolean | undefined
}

/**
 * A payout was certainly not paid.
 *
 * @since 0.1.0
 * @category people
 */
export interface NotPaid extends Seen {
  readonly notPaid: true
  /** `true` skips the look at the history. */
  readonly unchecked?: boolean | undefined
}

/**
 * A person's decision, which needs a client unless it is unchecked.
 *
 * @since 0.1.0
 * @category people
 */
export interface Decide<R> {
  (
    target: People.Target,
    outcome: (NotPaid | PaidBy) & { readonly unchecked: true },
    signed: Signed
  ): Effect.Effect<number, StepRefused | LedgerError, R>
  (
    target: People.Target,
    outcome: NotPaid | PaidBy,
    signed: Signed
  ): Effect.Effect<number, StepRefused | LedgerError, R | CustodyClient>
}

/**
 * A person sends again what the service has refused, which needs a client unless it is unchecked.
 *
 * @since 0.1.0
 * @category people
 */
export interface SendAgain<R> {
  (
    target: People.Target,
    signed: Signed & { readonly unchecked: true }
  ): Effect.Effect<number, StepRefused | LedgerError, R>
  (
    target: People.Target,
    signed: Signed & { readonly unchecked?: boolean | undefined }
  ): Effect.Effect<number, StepRefused | LedgerError, R | CustodyClient>
}

const notShown = ({ reference }: FirstPayout.Pair) =>
  new StepRefused({
    step: "confirm",
    subject: reference,
    reason: "the service does not show it yet, or it was confirmed before"
  })

const refuseUnseen =
  (attempts: Readonly<Record<string, number>>) =>
  (payouts: ReadonlyArray<Payout>): string | undefined => {
    const other = payouts.find(({ attempt, reference }) => attempts[reference] !== attempt)
    return other === undefined ? undefined : `${other.reference} has changed since it was shown: look at it again`
  }

/** The steps of people. */
const makePeople = (ledger: Ledger) => {
  const { database } = ledger
  const take = (target: People.Target, step: People.PersonStep) =>
    reporting(step.name)(People.take(database, target, step))
  const decideUnchecked = (target: People.Target, outcome: NotPaid | PaidBy, signed: Signed) => {
    const { attempts } = outcome
    const refuse = attempts === undefined ? {} : { refuse: refuseUnseen(attempts) }
    const decision = { name: "decide", ...refuse, ...signed } as const
    if (!("paid" in outcome)) return take(target, { step: "decidedNotPaid", ...decision })
    const { paid: transactionId, unchecked } = outcome
    return take(target, { step: "decidedPaid", transactionId, unchecked, ...decision })
  }
  const sendAgainUnchecked = (target: People.Target, { by, reason }: Signed) =>
    take(target, { name: "send again", step: "orderedAgain", by, reason })
  return {
    approve: (batch: string, signed: Pick<Signed, "by"> & Pick<People.Review, "digest">) => {
      const refuse: People.PersonStep["refuse"] = (held) =>
        People.refuseApproval(People.makeReview(batch, held), signed)
      return take({ batch }, { name: "approve", step: "approved", by: signed.by, refuse })
    },
    cancel: (target: People.Target, signed: Signed) => take(target, { name: "cancel", step: "cancelled", ...signed }),
    sendAgain: (target: People.Target, signed: Signed) =>
      Effect.andThen(People.findPaid(ledger, target, "send again"), sendAgainUnchecked(target, signed)),
    sendAgainUnchecked,
    confirm: (first: FirstPayout.Pair, { by }: Pick<Signed, "by">) =>
      Effect.flatMap(reporting("confirm")(durably(database)(FirstPayout.confirm(database, first, by))), (isDone) =>
        isDone ? Effect.void : Effect.fail(notShown(first))
      ),
    acknowledge: (reference: string, signed: Signed) =>
      reporting("acknowledge")(People.acknowledge(database, reference, signed)),
    decide: (target: People.Target, outcome: NotPaid | PaidBy, signed: Signed) =>
      Effect.andThen(
        "paid" in outcome ? People.checkPaid(ledger, target, outcome.paid) : People.findPaid(ledger, target, "decide"),
        decideUnchecked(target, outcome, signed)
      ),
    /** The decision of `decide` with `unchecked`. */
    decideUnchecked
  }
}

/** Makes the service: each member is what the function of its name does. */
export const make = (ledger: Ledger) => {
  const { database, settings } = ledger
  const read = reporting("read")
  const columnsOf = (orders: ReadonlyArray<ReferencedOrder>) => Effect.fromResult(toColumns(orders))
  const trace = Effect.map(Effect.context<never>(), (context) =>
    settings.tracesReferences ? Instrumentation.traceparent(context) : undefined
  )
  const submit = ({ orders, batch = orders[0]?.reference ?? "", by = settings.worker }: SubmitInput) =>
    Effect.gen(function* () {
      const columns = yield* columnsOf(orders)
      yield* reporting("submit")(Submit.refuseForged(database, orders, { batch, by }))
      return yield* reporting("submit")(
        Submit.writeOrders(database, { batch, by, state: "ready", trace: yield* trace }, columns)
      )
    }).pipe(Instrumentation.around("payouts.submit"))
  const get = (reference: string) => read(Read.get(database, reference))
  const progress = (batch?: string) => read(Read.progress(database, batch))
  return {
    ...makePeople(ledger),
    run: Worker.run(ledger),
    submit,
    get,
    progress,
    hold: ({ atMost, batch, by, orders }: HoldInput) =>
      Effect.gen(function* () {
        const columns = yield* columnsOf(orders)
        const submission = { batch, by, state: "held", trace: yield* trace } as const
        yield* reporting("hold")(Submit.refuseForged(database, orders, submission))
        return yield* reporting("hold")(
          atMost === undefined
            ? Submit.writeOrders(database, submission, columns)
            : Submit.writeAllowed(database, submission, columns, atMost)
        )
      }).pipe(Instrumentation.around("payouts.hold")),
    preview: (orders: ReadonlyArray<ReferencedOrder>) =>
      Effect.gen(function* () {
        const columns = yield* columnsOf(orders)
        yield* read(Submit.refuseForged(database, orders))
        return yield* read(Submit.preview(database, columns))
      }),
    pay: (reference: string, order: Order, { by }: { readonly by?: string } = {}) =>
      outsideTransactions(database, "pay").pipe(
        Effect.andThen(submit({ by, orders: [{ ...order, reference }] })),
        Effect.andThen(Submit.awaitEnd({ get, progress }, reference)),
        Instrumentation.around("payouts.pay")
      ),
    list: (filter?: Read.ListFilter) => read(Read.list(database, filter)),
    batches: read(Read.batches(database)),
    events: (reference: string) => read(Read.events(database, reference)),
    changes: (cursor?: string) => read(Read.changes(database, cursor)),
    review: (batch: string) =>
      Effect.map(read(Read.list(database, { batch, state: "held", limit: 2 ** 31 - 1 })), (held) =>
        People.makeReview(batch, held)
      ),
    confirmations: read(FirstPayout.findAwaited(database)),
    archive: ({ before }: { readonly before: DateTime.Utc }) => reporting("archive")(archive(ledger, before))
  }
}

/**
 * The service: each member is what the function of its name does.
 *
 * @since 0.1.0
 * @category services
 */
export interface Service extends ReturnType<typeof make> {}
