/** Payouts in memory, without a database, a worker or a client: for the tests of what stands on payouts. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { ReferenceConflict } from "./LedgerError.ts"
import { findForged, type OrderColumns, refuseForged, toColumns } from "./order.ts"
import type { Order, Payout, PayoutState, ReferencedOrder } from "./Payout.ts"
import type { Service } from "./service.ts"
import { unpaidStates } from "./siblings/Transitions.ts"
import { type Allowance, awaitEnd, exceeded, type Submission } from "./submit.ts"

/**
 * What a payout of `layerTest` is now. Without a `transactionId`, one of the reference stands for it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Told {
  readonly state: PayoutState
  readonly detail?: string | undefined
  readonly transactionId?: string | undefined
}

export type Tell = (payout: Payout) => Told

/** The states that no telling changes. */
const kept: ReadonlySet<PayoutState> = new Set<PayoutState>(["held", "paid", "failed", "refused", "cancelled"])

const unpaid: ReadonlySet<PayoutState> = new Set<PayoutState>(unpaidStates)

/** The states with a transaction. */
const known: ReadonlySet<PayoutState> = new Set<PayoutState>(["accepted", "mismatched", "paid", "failed"])

interface Kept {
  readonly columns: OrderColumns
  payout: Payout
}

/** `true` if another order has the reference or the note. */
const isConflict =
  (all: ReadonlyMap<string, Kept>) =>
  ({ note, reference, twin }: OrderColumns): boolean => {
    const other = all.get(reference)?.columns
    return other === undefined
      ? [...all.values()].some(({ columns }) => columns.note === note)
      : other.twin !== twin || other.note !== note
  }

export const make = (tell: Tell = () => ({ state: "paid" })) => {
  const all = new Map<string, Kept>()
  const look = (one: Kept): Payout => {
    const { payout } = one
    if (kept.has(payout.state)) return payout
    const { detail = null, state, transactionId = `transaction of ${payout.reference}` } = tell(payout)
    one.payout = Object.assign({}, payout, {
      state,
      detail,
      attempt: state === "ready" ? payout.attempt : 1,
      intentAt: state === "ready" ? payout.intentAt : payout.submittedAt,
      transactionId: known.has(state) ? transactionId : null
    })
    return one.payout
  }
  const get: Service["get"] = (reference) =>
    Effect.sync(() => Option.map(Option.fromUndefinedOr(all.get(reference)), look))
  const list: Service["list"] = ({ after = "", batch, limit = 1_000, state } = {}) =>
    Effect.sync(() =>
      Array.from(all.values(), look)
        .filter(
          (one) => one.reference > after && one.batch === (batch ?? one.batch) && one.state === (state ?? one.state)
        )
        .toSorted((one, other) => (one.reference < other.reference ? -1 : 1))
        .slice(0, limit)
    )
  const progress: Service["progress"] = (batch) =>
    Effect.map(list({ batch, limit: Infinity }), (found) => ({
      states: Object.fromEntries(
        Array.from(
          Map.groupBy(found, ({ state }) => state),
          ([state, of]) => [state, of.length]
        )
      ),
      waiting: [],
      alarms: [],
      confirmations: [],
      changedAt: null,
      reading: null
    }))
  const write = Effect.fnUntraced(function* (
    { batch, by, state }: Submission,
    orders: ReadonlyArray<ReferencedOrder>,
    atMost?: Allowance
  ) {
    const rows = yield* Effect.fromResult(toColumns(orders))
    yield* Effect.fromResult(refuseForged(orders, findForged(orders, { batch, by }), all))
    const references = rows.filter(isConflict(all)).map(({ reference }) => reference)
    if (references.length > 0) return yield* new ReferenceConflict({ references })
    const submittedAt = yield* DateTime.now
    const before = [...all.values()].filter(({ payout }) => payout.batch === batch).map(({ columns }) => columns)
    const added = rows.filter(({ reference }) => !all.has(reference))
    const failure = atMost === undefined ? undefined : exceeded(batch, before, added, atMost)
    if (failure !== undefined) return yield* failure
    for (const columns of added) {
      const { amount, assetId, clientId, to } = orders.find(({ reference }) => reference === columns.reference)!
      const { network_id: networkId, note, reference } = columns
      const order = { reference, batch, clientId, assetId, networkId, to, amount, note }
      const empty = { transactionId: null, detail: null, intentAt: null, lookedForUntil: null, alarm: null }
      all.set(reference, { columns, payout: { ...order, ...empty, state, attempt: 0, submittedBy: by, submittedAt } })
    }
    return added.length
  })
  const submit: Service["submit"] = ({ orders, batch = orders[0]?.reference ?? "", by = "test" }) =>
    Effect.catchTag(write({ batch, by, state: "ready" }, orders), "AllowanceExceeded", Effect.die)
  const hold: Service["hold"] = ({ atMost, batch, by, orders }) => write({ batch, by, state: "held" }, orders, atMost)
  return {
    submit,
    hold,
    get,
    list,
    progress,
    run: Effect.never,
    preview: Effect.fnUntraced(function* (orders: ReadonlyArray<ReferencedOrder>) {
      const rows = yield* Effect.fromResult(toColumns(orders))
      yield* Effect.fromResult(refuseForged(orders, findForged(orders), all))
      const sent = new Map(
        Array.from(all.values(), (one) => [one.columns.twin, look(one)] as const)
          .filter(([, { state }]) => !unpaid.has(state))
          .map(([twin, { reference }]) => [twin, reference])
      )
      return {
        conflicts: rows.filter(isConflict(all)).map(({ reference }) => reference),
        known: rows.filter(({ reference }) => all.has(reference)).length,
        repeats: rows.flatMap(({ reference, twin }) => {
          const of = sent.get(twin)
          return of === undefined || all.has(reference) ? [] : [{ reference, of }]
        })
      }
    }),
    pay: (reference: string, order: Order, { by = "test" }: { readonly by?: string } = {}) =>
      Effect.andThen(
        submit({ batch: reference, by, orders: [{ ...order, reference }] }),
        awaitEnd({ get, progress }, reference)
      )
  }
}
