/** The service of payouts. */
import type { CustodyClient } from "@effect-custody/core/CustodyClient"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Gates from "../payouts/firstPayoutConfirmation.ts"
import type { Allowance } from "../payouts/allowance.ts"
import type {
  AllowanceExceeded,
  LedgerError,
  LedgerStopped,
  OrdersInvalid,
  PayoutFailed,
  PayoutRefused,
  PayoutUndecided,
  ReferenceConflict,
  StepRefused
} from "../payouts/LedgerError.ts"
import type { Order, Payout, PayoutEvent, ReferencedOrder } from "../payouts/Payout.ts"
import type * as People from "../people/steps.ts"
import type * as Read from "../payouts/read.ts"
import type { Review } from "../people/review.ts"
import type { LastingError } from "../payouts/sendOutcome.ts"

/**
 * The input of `submit`.
 *
 * @since 0.1.0
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
 * The input of `hold`.
 *
 * @since 0.1.0
 * @category models
 */
export interface HoldInput extends Pick<SubmitInput, "batch" | "by"> {
  readonly order: ReferencedOrder
  /** What the batch may have with this payout. */
  readonly atMost: Allowance
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
 * The transaction that a payout was paid by.
 *
 * @since 0.1.0
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

type Reads<A> = Effect.Effect<A, LedgerError>
type Takes<A> = Effect.Effect<A, StepRefused | LedgerError>
type Checked = Effect.Effect<number, StepRefused | LedgerError, CustodyClient>

/**
 * The service: each member is what the function of its name does.
 *
 * @since 0.1.0
 * @category services
 */
export interface Service {
  readonly submit: (input: SubmitInput) => Effect.Effect<number, OrdersInvalid | ReferenceConflict | LedgerError>
  readonly hold: (
    input: HoldInput
  ) => Effect.Effect<Payout, AllowanceExceeded | OrdersInvalid | ReferenceConflict | LedgerError>
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
  readonly decide: (target: People.Target, outcome: NotPaid | PaidBy, signed: Signed) => Checked
  /** The decision of `decide` with `unchecked`. */
  readonly decideUnchecked: (target: People.Target, outcome: NotPaid | PaidBy, signed: Signed) => Takes<number>
  readonly retry: (target: People.Target, signed: Signed) => Takes<number>
}
