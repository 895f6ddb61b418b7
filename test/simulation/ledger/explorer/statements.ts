/**
 * The statements of the ledger, each as one step of the database. Where SQL decides, this repeats its conditions: `claim`
 * is `database/claim.ts`, `settle` is `database/settle.ts`, `expire` is `database/follow.ts`. The steps are the product's.
 */
import { decide } from "../../../../packages/ledger/src/model/Transitions.ts"
import { type Attempt, type Move, nameOf, type Row, type World } from "./world.ts"

const changeRow = (world: World, row: number, changes: Partial<Row>): World => ({
  ...world,
  rows: world.rows.map((one, at) => (at === row ? { ...one, ...changes } : one))
})

/** Of `due` rows, those that a claim may take: of twins one, while no other is guarded. */
const claimable = ({ areTwins, notes, rows }: World, due: ReadonlyArray<number>): ReadonlyArray<number> => {
  const ready = due.filter((row) => rows[row]!.state === "ready")
  if (!areTwins || notes === "shown") return ready
  return rows.some(({ isGuarded }) => isGuarded) ? [] : ready.slice(0, 1)
}

/** Claims rows. PostgreSQL makes two claims of twins one after the other: `guard` is UNIQUE. */
export const claim = (world: World, due: ReadonlyArray<number>): readonly [World, ReadonlyArray<Attempt>] => {
  const taken = claimable(world, due).map((row) => ({ row, attempt: world.rows[row]!.attempt + 1 }))
  const isGuarded = world.notes !== "shown"
  const claimed = taken.reduce((next, { attempt, row }) => {
    const intents = [...world.rows[row]!.intents, "valid" as const]
    return changeRow(next, row, { state: "sending", attempt, intents, isGuarded, detail: undefined })
  }, world)
  return [claimed, taken]
}

/** Compares and swaps one row. */
const swap = (world: World, { attempt, detail, row, step, transaction }: Move): World | undefined => {
  const now = world.rows[row]!
  const state = decide(now.state, step)
  if (now.attempt !== attempt || state === undefined) return undefined
  if (world.rows.some((other, at) => at !== row && transaction !== undefined && other.transaction === transaction))
    return undefined
  return changeRow(world, row, {
    state,
    detail,
    transaction: now.transaction ?? transaction,
    isGuarded: now.isGuarded && (state === "unknown" || state === "undecided")
  })
}

/** Moves rows. A transaction that is another row's makes a row without one `undecided`. */
export const settle = (world: World, moves: ReadonlyArray<Move>): World =>
  moves.reduce((next, move) => {
    const moved = swap(next, move)
    if (moved !== undefined) return judge(moved, move.row)
    const isDoubtful = move.transaction !== undefined && next.rows[move.row]!.transaction === undefined
    return (isDoubtful ? swap(next, { ...move, step: "doubted", transaction: undefined }) : undefined) ?? next
  }, world)

/** What is accepted or paid has a transaction that the service made for it. */
const judge = (world: World, row: number): World => {
  const { state, transaction } = world.rows[row]!
  if (transaction === undefined || (state !== "accepted" && state !== "paid")) return world
  if (transaction === row) return world
  return { ...world, broken: `${nameOf(row)} is ${state} by the payment of ${nameOf(transaction)}` }
}

export const expire = (world: World): World =>
  settle(
    world,
    world.rows.flatMap(({ attempt, intents, state }, row): ReadonlyArray<Move> =>
      state === "sending" && intents[attempt - 1] !== "valid" ? [{ row, attempt, step: "expired" }] : []
    )
  )
