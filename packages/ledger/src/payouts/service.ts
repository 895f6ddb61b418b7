/** The service of payouts: what it does, and how a database does it. */
import type { CustodyClient } from "@effect-custody/core/CustodyClient"
import * as Span from "@effect-custody/core/unstable/Span"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Database from "../database/database.ts"
import { awaitEnd } from "./awaitEnd.ts"
import { checkPaid, findPaid } from "./checkDecision.ts"
import * as Gates from "./gates.ts"
import type { Ledger } from "./ledger.ts"
import {
  type LedgerError,
  type LedgerStopped,
  type OrdersInvalid,
  type PayoutFailed,
  type PayoutRefused,
  type PayoutUndecided,
  type ReferenceConflict,
  StepRefused
} from "./LedgerError.ts"
import { toColumns } from "./orders.ts"
import type { Order, Payout, PayoutEvent, ReferencedOrder } from "./Payout.ts"
import * as People from "./people.ts"
import * as Read from "./read.ts"
import { makeReview, refuseApproval, type Review } from "./review.ts"
import type { LastingError } from "./sendOutcome.ts"
import * as Submit from "./submit.ts"

/**
 * The input of `submit`.
 *
 * @since 0.2.0
 * @category models
 */
export interface SubmitInput {
  readonly batch: string
  /** Who submits it: a person or a program. */
  readonly by: string
  readonly orders: ReadonlyArray<ReferencedOrder>
  /** With `true`, nothing is sent before a second person approves it. */
  readonly held?: boolean | undefined
}

/**
 * The errors of `pay`.
 *
 * @since 0.2.0
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
 * The transaction that a payout was paid by.
 *
 * @since 0.2.0
 * @category people
 */
export interface PaidBy {
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
export interface NotPaid {
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
export interface Decide<R = never> {
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

type Reads<A> = Effect.Effect<A, LedgerError>
type Takes<A> = Effect.Effect<A, StepRefused | LedgerError>

/**
 * The service: each member is what the function of its name does.
 *
 * @since 0.1.0
 * @category services
 */
export interface Service {
  readonly submit: (input: SubmitInput) => Effect.Effect<number, OrdersInvalid | ReferenceConflict | LedgerError>
  readonly findConflicts: (
    orders: ReadonlyArray<ReferencedOrder>
  ) => Effect.Effect<ReadonlyArray<string>, OrdersInvalid | LedgerError>
  readonly pay: (reference: string, order: Order, options?: { readonly by?: string }) => Effect.Effect<Payout, PayError>
  readonly run: Effect.Effect<never, LedgerError | LedgerStopped | LastingError, CustodyClient>
  readonly get: (reference: string) => Reads<Option.Option<Payout>>
  readonly list: (filter?: Read.ListFilter) => Reads<ReadonlyArray<Payout>>
  readonly progress: (batch?: string) => Reads<Read.Progress>
  readonly batches: Reads<ReadonlyArray<Read.Batch>>
  readonly events: (reference: string) => Reads<ReadonlyArray<PayoutEvent>>
  readonly changes: (cursor?: string) => Reads<ReadonlyArray<PayoutEvent>>
  readonly review: (batch: string) => Reads<Review>
  readonly approve: (batch: string, signed: Pick<Signed, "by"> & Pick<Review, "digest">) => Takes<number>
  readonly cancel: (target: People.Target, signed: Signed) => Takes<number>
  readonly confirmations: Reads<ReadonlyArray<Gates.Confirmation>>
  readonly confirm: (first: Gates.Pair, signed: Pick<Signed, "by">) => Takes<void>
  readonly acknowledge: (reference: string, signed: Signed) => Takes<void>
  readonly decide: Decide
  readonly retry: (target: People.Target, signed: Signed) => Takes<number>
}

const notShown = ({ reference }: Gates.Pair) =>
  new StepRefused({
    step: "confirm",
    subject: reference,
    reason: "the service does not show it yet, or it was confirmed before"
  })

/** The steps of people. */
const makePeople = (
  ledger: Ledger
): Pick<Service, "approve" | "cancel" | "confirm" | "acknowledge" | "decide" | "retry"> => {
  const { database } = ledger
  const take = (target: People.Target, step: People.PersonStep) =>
    Database.reporting(step.name)(People.take(database, target, step))
  return {
    approve: (batch, signed) =>
      take(
        { batch },
        {
          name: "approve",
          step: "approved",
          by: signed.by,
          refuse: (held) => refuseApproval(makeReview(batch, held), signed)
        }
      ),
    cancel: (target, signed) => take(target, { name: "cancel", step: "cancelled", ...signed }),
    retry: (target, signed) => take(target, { name: "retry", step: "retried", ...signed }),
    confirm: (first, { by }) =>
      Effect.filterOrFail(
        Database.reporting("confirm")(Database.durably(database)(Gates.confirm(database, first, by))),
        (isDone) => isDone,
        () => notShown(first)
      ),
    acknowledge: (reference, signed) =>
      Database.reporting("acknowledge")(People.acknowledge(database, reference, signed)),
    decide: (target: People.Target, outcome: NotPaid | PaidBy, signed: Signed) => {
      const step =
        "paid" in outcome
          ? ({ step: "decidedPaid", transactionId: outcome.paid, unchecked: outcome.unchecked } as const)
          : ({ step: "decidedNotPaid" } as const)
      const look = "paid" in outcome ? checkPaid(ledger, target, outcome.paid) : findPaid(ledger, target)
      const decided = take(target, { name: "decide", ...step, ...signed })
      const checked = outcome.unchecked === true ? decided : Effect.andThen(look, decided)
      // `Decide` says when it needs a client.
      return checked as typeof decided
    }
  }
}

/** The service over a database. */
export const make = (ledger: Ledger, run: Service["run"]): Service => {
  const { database, settings } = ledger
  const read = Database.reporting("read")
  const submit: Service["submit"] = ({ batch, by, held = false, orders }) =>
    Effect.flatMap(Effect.fromResult(toColumns(orders)), (columns) =>
      Database.reporting("submit")(Submit.submit(database, { batch, by, held }, columns))
    ).pipe(Span.around("payouts.submit"))
  const get = (reference: string) => read(Read.get(database, reference))
  const progress = (batch?: string) => read(Read.progress(database, batch))
  return {
    ...makePeople(ledger),
    run,
    submit,
    get,
    progress,
    findConflicts: (orders) =>
      Effect.flatMap(Effect.fromResult(toColumns(orders)), (columns) => read(Submit.findConflicts(database, columns))),
    pay: (reference, order, { by = settings.worker } = {}) =>
      Database.outsideTransactions(database, "pay").pipe(
        Effect.andThen(submit({ batch: reference, by, orders: [{ ...order, reference }] })),
        Effect.andThen(awaitEnd({ get, progress }, reference)),
        Span.around("payouts.pay")
      ),
    list: (filter) => read(Read.list(database, filter)),
    batches: read(Read.batches(database)),
    events: (reference) => read(Read.events(database, reference)),
    changes: (cursor) => read(Read.changes(database, cursor)),
    review: (batch) =>
      Effect.map(read(Read.list(database, { batch, state: "held", limit: 2 ** 31 - 1 })), (held) =>
        makeReview(batch, held)
      ),
    confirmations: read(Gates.findAwaited(database))
  }
}
