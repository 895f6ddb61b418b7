/** Walks the small worlds of the ledger, and judges them. */
import { type Explored, type Limits, walk } from "../../support/simulation/breadthFirst.ts"
import { nextOf } from "./steps.ts"
import { begin, keyOf, nameOf, type Scene, type World } from "./world.ts"

export const scenes = (faults: number): Readonly<Record<string, Scene>> => ({
  "notes shown": { showsNotes: true, areTwins: true, faults, wishes: 1 },
  "notes hidden": { showsNotes: false, areTwins: true, faults, wishes: 1 },
  "two payouts": { showsNotes: false, areTwins: false, faults, wishes: 1 }
})

const ends = ["paid", "refused", "cancelled"]

const hasEnded = ({ requests, rows, workers }: World): boolean =>
  requests.length === 0 &&
  rows.every(({ state }) => ends.includes(state)) &&
  workers.every(({ tasks }) => tasks.every(({ at }) => at === "Releasing"))

/** What ended is as the ledger says. */
const judge = (world: World): string | undefined => {
  if (!hasEnded(world)) return undefined
  const wrong = world.rows.findIndex(({ state }, row) => (state === "paid") !== (world.transactions[row] !== undefined))
  return wrong === -1 ? undefined : `${nameOf(wrong)} ends as ${world.rows[wrong]!.state}, and is not`
}

export const explore = (scene: Scene, limits: Limits): Explored =>
  walk({ first: begin(scene), nextOf, keyOf, judge, hasEnded }, limits)
