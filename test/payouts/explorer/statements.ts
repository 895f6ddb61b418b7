/**
 * The statements of the ledger, each as one step of the database. Where SQL decides, this and `rules.ts` repeat its
 * conditions: `claim` is `claim.ts`, `settle` is `settle.ts`, `expire` is in `follow.ts`, `compareUnsent` is in `foreign.ts`. The
 * steps are the product's.
 */
import { claimable, hasTerms, isForgotten, stateAfter, staysGuarded, suspectsOf } from "./rules.ts"
import { type Attempt, idOf, type Move, nameOf, type Row, type World } from "./world.ts"

const changeRow = (world: World, row: number, changes: Partial<Row>): World => ({
  ...world,
  rows: world.rows.map((one, at) => (at === row ? { ...one, ...changes } : one))
})

/** Claims rows. PostgreSQL makes two claims of twins one after the other: `guard` is UNIQUE. */
export const claim = (world: World, due: ReadonlyArray<number>): readonly [World, ReadonlyArray<Attempt>] => {
  const { intents, rows } = world
  const taken = claimable(world, due).map((row): Attempt => ({
    row,
    attempt: rows[row]!.attempt + 1,
    claim: intents[row]!.length + 1
  }))
  const isGuarded = world.notes !== "shown"
  const claimed = taken.reduce((next, { attempt, claim, row }) => {
    const begun = { ...next, intents: next.intents.with(row, [...next.intents[row]!, "valid" as const]) }
    return changeRow(begun, row, { state: "sending", attempt, claim, isGuarded, detail: undefined })
  }, world)
  return [claimed, taken]
}

/** Compares and swaps one row. */
const swap = (world: World, move: Move): World | undefined => {
  const { attempt, claim, detail, row, transaction } = move
  const now = world.rows[row]!
  const state = stateAfter(now, move)
  if (state === undefined) return undefined
  if (world.rows.some((other, at) => at !== row && transaction !== undefined && other.transaction === transaction))
    return undefined
  return changeRow(world, row, {
    state,
    attempt,
    claim: isForgotten(now, move) ? claim : now.claim,
    detail,
    transaction: now.transaction ?? transaction,
    isGuarded: staysGuarded(now, state),
    alarm: now.alarm === "clash" ? now.alarm : undefined
  })
}

/** Moves rows. A transaction that the row does not get is a clash, and a row without one becomes `undecided`. */
export const settle = (world: World, moves: ReadonlyArray<Move>): World =>
  moves.reduce((next, move) => {
    const moved = swap(next, move)
    if (moved !== undefined) return judge(moved, move.row)
    const { transaction } = next.rows[move.row]!
    if (move.transaction === undefined || transaction === move.transaction) return next
    const clashing = changeRow(next, move.row, { alarm: "clash" })
    if (transaction !== undefined) return clashing
    return swap(clashing, { ...move, step: "doubted", transaction: undefined }) ?? clashing
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
    world.rows.flatMap(({ attempt, claim, state }, row): ReadonlyArray<Move> =>
      state === "sending" && world.intents[row]![claim - 1] !== "valid"
        ? [{ row, attempt, claim, step: "expired" }]
        : []
    )
  )

/** A person has looked at a clash. */
export const acknowledge = (world: World, row: number): World => changeRow(world, row, { alarm: undefined })

/** A person has said that no foreign row is the payment of a payout. */
export const dismiss = (world: World, row: number): World => ({
  ...world,
  foreign: world.foreign.map((one) => (hasTerms(world, row, one.transaction) ? { ...one, isDismissed: true } : one))
})

/** Writes down the foreign rows of a page, and compares the payouts that are to be sent with them. */
export const compareUnsent = (before: World, page: ReadonlyArray<number>): World => {
  const isOwned = (transaction: number) => before.rows.some((row) => row.transaction === transaction)
  const added = page.filter(
    (one) =>
      !isOwned(one) &&
      !(before.showsNotes && before.rows[one]!.attempt > 0) &&
      !before.foreign.some(({ transaction }) => transaction === one)
  )
  const foreign = [...before.foreign, ...added.map((transaction) => ({ transaction, isDismissed: false }))]
  const free = foreign.filter(({ transaction }) => !isOwned(transaction))
  return before.rows.reduce<World>(
    (world, row, at) => {
      if (row.state !== "ready" || row.alarm !== undefined) return world
      if (before.showsNotes && free.some(({ transaction }) => transaction === at))
        return changeRow(world, at, { alarm: "behind" })
      const suspects = suspectsOf(before, free, at)
      if (suspects.length === 0) return world
      const detail = `${suspicion}${suspects.map(({ transaction }) => `${idOf(transaction)} `).join("")}`
      return settle(world, [{ row: at, attempt: row.attempt, claim: row.claim, step: "suspected", detail }])
    },
    { ...before, foreign }
  )
}

/** How the evidence of a suspected payout begins. */
export const suspicion = "suspected: "
