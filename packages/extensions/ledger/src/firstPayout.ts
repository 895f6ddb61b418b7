/**
 * The first payouts: with each contract, the first payout of an asset goes alone, and a person confirms it once. The
 * confirmed pairs of contract and asset stay, so that two versions of a program can run side by side.
 */
import type { CustodyClient } from "@effect-custody/core/CustodyClient"
import { Recorder, type WireRecord } from "@effect-custody/core/siblings/Transport"
import type * as Transactions from "@effect-custody/transactions/Transactions"
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import { type Database, decodeRows, Flag, quietly, type RowError, Time, wellFormed } from "./database.ts"
import { judge, stepAfterStatus, stepsOf } from "./evidence.ts"
import * as History from "./history.ts"
import type { Ledger } from "./ledger.ts"
import { report } from "./metrics.ts"
import * as PayoutRows from "./payoutRows.ts"
import { record, takeSteps } from "./settle.ts"

/**
 * The first payout of an asset with a contract, which a person has to confirm before any other payout of the asset is
 * sent.
 *
 * @since 0.1.0
 * @category models
 */
export interface Confirmation {
  /** The contract's fingerprint. */
  readonly contract: string
  readonly assetId: string
  readonly reference: string
  /** The request as it was sent; `null` if its process ended before it could be kept. */
  readonly request: string | null
  /** The transaction as the service gave it, read by no contract; `null` until the service shows it. */
  readonly answer: string | null
  /** Since when the service shows it with the order's client, asset, recipient and amount. */
  readonly shownAt: DateTime.Utc | null
  /** `true` if `answer` shows the end of the transaction: the state of the payout is to be compared with it. */
  readonly isFinal: boolean
}

/** The contract, the asset and the payout that a confirmation is about. */
export type Pair = Pick<Confirmation, "contract" | "assetId" | "reference">

const decodeConfirmations = decodeRows(
  Schema.Struct({
    contract: Schema.String,
    assetId: Schema.String,
    reference: Schema.String,
    request: Schema.NullOr(Schema.String),
    answer: Schema.NullOr(Schema.String),
    shownAt: Schema.NullOr(Time),
    isFinal: Flag
  }).pipe(Schema.encodeKeys({ assetId: "asset_id", shownAt: "shown_at", isFinal: "is_final" }))
)

const selectGates = ({ sql }: Database, condition: Fragment): Effect.Effect<ReadonlyArray<Confirmation>, RowError> =>
  decodeConfirmations(sql`SELECT contract, asset_id, reference, request, answer, shown_at, is_final FROM payout_gates
    WHERE confirmed_at IS NULL AND ${condition} ORDER BY asset_id, contract`)

/** The first payouts that others of their asset wait for. */
export const findAwaited = (database: Database): Effect.Effect<ReadonlyArray<Confirmation>, RowError> =>
  selectGates(
    database,
    database.sql`EXISTS (SELECT 1 FROM payouts p WHERE p.state = 'ready' AND p.asset_id = payout_gates.asset_id)`
  )

/** The first payouts with a contract that nobody has confirmed. */
export const findUnconfirmed = (
  database: Database,
  contract: string
): Effect.Effect<ReadonlyArray<Confirmation>, RowError> => selectGates(database, database.sql`contract = ${contract}`)

/** Keeps the request of a first payout. */
export const writeRequest = ({ sql }: Database, reference: string, request: string): Effect.Effect<void, SqlError> =>
  Effect.asVoid(
    sql`UPDATE payout_gates SET request = ${request} WHERE reference = ${reference} AND confirmed_at IS NULL`
  )

/** Notes that the service shows a first payout as it was ordered, and what it shows now. */
export const noteShown = Effect.fnUntraced(function* (
  database: Database,
  { contract, reference }: Pick<Confirmation, "contract" | "reference">,
  answer: string,
  isFinal: boolean
): Effect.fn.Return<void, SqlError> {
  const { sql } = database
  const now = yield* database.now
  yield* sql`UPDATE payout_gates SET answer = ${answer}, shown_at = COALESCE(shown_at, ${now}), is_final = ${Number(isFinal)}
    WHERE contract = ${contract} AND reference = ${reference} AND confirmed_at IS NULL AND is_final = 0`
})

/** Lets another payout be the first in place of one that was certainly not paid. */
export const freeUnpaid = ({ sql }: Database): Effect.Effect<void, SqlError> =>
  Effect.asVoid(sql`DELETE FROM payout_gates WHERE confirmed_at IS NULL AND reference IN (
    SELECT p.reference FROM payouts p WHERE p.reference = payout_gates.reference
      AND p.state IN ('ready', 'refused', 'cancelled'))`)

/** Confirms a first payout that the service shows. Returns `false` if there is none, or it was confirmed before. */
export const confirm = Effect.fnUntraced(function* (
  database: Database,
  { assetId, contract, reference }: Pair,
  by: string
): Effect.fn.Return<boolean, SqlError> {
  const { durable, sql } = database
  const now = yield* database.now
  const confirmed = yield* sql`UPDATE payout_gates SET confirmed_at = ${now}, confirmed_by = ${by}
    WHERE contract = ${contract} AND asset_id = ${assetId} AND reference = ${reference}
      AND shown_at IS NOT NULL AND confirmed_at IS NULL AND ${durable} RETURNING reference`
  if (confirmed.length === 0) return false
  yield* record(database, by, [{ reference, step: "confirmed", detail: `contract ${contract}, ${assetId}` }])
  return true
})

// Looks at the first payout of an asset with a contract. To read it back through the contract proves nothing about a mistake that both directions share, so a person compares the request as it was sent with the transaction as the service gave it.

/** The maximum length of a text that is kept for a person. */
const maxText = 10_000

const shorten = (given: string): string => {
  const text = wellFormed(given)
  return text.length <= maxText ? text : `${text.slice(0, maxText)}\n(cut: it has ${text.length} characters)`
}

/** Runs a call, and returns its last exchange with the service. */
const recorded = Effect.fnUntraced(function* <A, E, R>(call: Effect.Effect<A, E, R>) {
  let last: WireRecord | undefined
  const result = yield* Effect.provideService(call, Recorder, (exchange) => {
    last = exchange
  })
  return [result, last] as const
})

const describeRequest = ({ body, headers, method, url }: WireRecord): string =>
  [`${method} ${url}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), "", body ?? ""].join(
    "\n"
  )

/** Keeps the request of a first payout for the person who confirms it. */
export const keepRequest =
  ({ database }: Ledger, reference: string) =>
  <A, E, R>(send: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(recorded(send), ([result, exchange]) =>
      exchange === undefined
        ? Effect.succeed(result)
        : Effect.as(
            // Without it, the person looks at the service.
            Effect.ignore(writeRequest(database, reference, shorten(describeRequest(exchange)))),
            result
          )
    )

/** Looks at one first payout: if the service shows it as it was ordered, a person may confirm it. */
const lookAt = Effect.fnUntraced(function* <E, R>(
  ledger: Ledger,
  { assetId, contract, reference, shownAt }: Confirmation,
  compare: Effect.Effect<unknown, E, R>
) {
  const { database } = ledger
  const [payout] = yield* PayoutRows.findFollowed(database, PayoutRows.ofTarget(database, reference))
  if (payout === undefined || payout.transactionId === null || payout.state === "mismatched") return
  const { transactionId } = payout
  const read = recorded(History.get(transactionId))
  const found = yield* Effect.catchTag(Effect.asSome(read), "NotFound", () => Effect.succeedNone)
  if (Option.isNone(found)) return
  const [transaction, exchange] = found.value
  const asked = { ...payout, transactionId: transaction.id }
  const judgement = judge(asked, transaction)
  if (judgement.verdict !== "is") return yield* takeSteps(ledger, stepsOf(asked, transaction, judgement))
  const isFinal = stepAfterStatus(transaction.status) !== undefined
  // Another ledger may have begun at the same time: its payouts show by now.
  if (shownAt === null) yield* compare
  yield* noteShown(database, { contract, reference }, shorten(exchange?.answer?.body ?? ""), isFinal)
  if (shownAt !== null) return
  yield* report("payouts.unconfirmed", `${reference} is the first payout of ${assetId} with this contract`)
})

/** Looks at the first payouts with a contract until the service has shown their ends, or a person has confirmed them. */
export const look = Effect.fnUntraced(function* <E, R>(
  ledger: Ledger,
  contract: string,
  compare: Effect.Effect<unknown, E, R>
): Effect.fn.Return<void, E | Transactions.GetError | RowError, CustodyClient | R> {
  const { database } = ledger
  yield* quietly(freeUnpaid(database))
  for (const first of yield* quietly(findUnconfirmed(database, contract))) {
    if (!first.isFinal) yield* lookAt(ledger, first, compare)
  }
})
