/** What the model decides itself, because SQL or effects decide it in the product. A planted bug wraps one of these. */
import type { PayoutState } from "@effect-custody/ledger/Payout"
import { decide, stepRule } from "../../../packages/extensions/ledger/src/siblings/Transitions.ts"
import type { Age, Attempt, Foreign, Move, Row, World } from "./world.ts"

export const ageOf = ({ intents }: World, { claim, row }: Attempt): Age | undefined => intents[row]![claim - 1]

/** `validFrom` in `worker/sender.ts`. */
export const mayStart = (world: World, attempt: Attempt): boolean => ageOf(world, attempt) === "valid"

/** The transactions that the history shows. */
export const shown = ({ transactions }: World): ReadonlyArray<number> =>
  transactions.flatMap((one, at) => (one?.isShown === true ? [at] : []))

/** What a read under a filter shows: all, because the product reads again without the filter if no row comes. */
export const filtered = (world: World): ReadonlyArray<number> => shown(world)

/** Every request has arrived or is certainly dead, and the history shows what it will show. */
export const isQuiet = (world: World): boolean =>
  world.requests.length === 0 &&
  world.transactions.every((one) => one?.isShown !== false) &&
  world.workers.every(({ tasks }) =>
    tasks.every(
      (task) =>
        (task.at !== "Sent" || task.answer !== undefined) && (task.at !== "Intended" || ageOf(world, task) !== "valid")
    )
  )

/** Of `due` rows, those that a claim may take: of twins one, while no other is guarded. */
export const claimable = (world: World, due: ReadonlyArray<number>): ReadonlyArray<number> => {
  const { areTwins, isCompared, notes, rows } = world
  if (!isCompared) return []
  if (rows.some(({ alarm }) => alarm !== undefined)) return []
  const ready = due.filter((row) => rows[row]!.state === "ready")
  if (!areTwins || notes === "shown") return ready
  return rows.some(({ isGuarded }) => isGuarded) ? [] : ready.slice(0, 1)
}

/** The steps that also apply to a payout whose attempt the database has forgotten. */
const sent: ReadonlyArray<Move["step"]> = ["accepted", "found", "lost"]

/** The steps of a sender by which its payout may be sent again: they are about its own claim. */
const own: ReadonlyArray<Move["step"]> = ["notSent", "refused"]

/** `true` if the database went back, and has forgotten the attempt of a move. */
export const isForgotten = (now: Row, { attempt, step }: Move): boolean =>
  now.attempt < attempt && now.transaction === undefined && sent.includes(step)

/** The state after a move, or `undefined` if the compare-and-swap finds another state, attempt or claim. */
export const stateAfter = (now: Row, move: Move): PayoutState | undefined => {
  const { attempt, claim, step } = move
  if (isForgotten(now, move)) return stepRule[step].to
  return now.attempt !== attempt || (own.includes(step) && now.claim !== claim) ? undefined : decide(now.state, step)
}

/** `true` if no twin may be claimed yet. */
export const staysGuarded = ({ isGuarded }: Row, state: PayoutState): boolean =>
  isGuarded && (state === "unknown" || state === "undecided")

/** A transaction has the note of one payout, and the terms of two if they are twins. */
export const hasTerms = ({ areTwins }: World, row: number, transaction: number): boolean =>
  areTwins || row === transaction

/** The foreign rows that may be a payout. */
export const suspectsOf = (world: World, free: ReadonlyArray<Foreign>, row: number): ReadonlyArray<Foreign> =>
  free.filter(
    ({ isDismissed, transaction }) => !isDismissed && world.notes !== "shown" && hasTerms(world, row, transaction)
  )
