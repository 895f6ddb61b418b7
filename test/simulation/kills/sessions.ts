/**
 * A sequence of sessions: each expires and is then read with by all workers at once, again and again; a session that is
 * lost is followed by a new one.
 */
import * as Effect from "effect/Effect"
import type { Source } from "../../support/random.ts"
import type { Loss } from "./accounts.ts"
import type { startEmulator } from "./emulator.ts"
import type { makeLooks } from "./recordChecks.ts"
import { clock } from "./protocol.ts"
import { until, type Worker } from "./workerProcess.ts"

export const identityOf = (vaultId: number): string => `session ${vaultId}`

/** A session lives for so many rounds at most: then a new one is begun, so that API keys are sent under fire as well. */
const roundsAtMost = 8
/** How long a round may take altogether, whoever is killed in it: several leases, one after the other. */
const roundSeconds = 180
/** After which a worker that could not read is asked again. */
const againMillis = 500

const isLost = (tag: string | undefined) => tag === "SessionLost" || tag === "NoSession"

export interface Sessions extends ReturnType<typeof makeSessions> {}

export const makeSessions = (options: {
  readonly emulator: Effect.Success<ReturnType<typeof startEmulator>>
  readonly looks: Effect.Success<ReturnType<typeof makeLooks>>
  readonly workers: () => ReadonlyArray<Worker>
  readonly random: Source
  readonly lifetimeMillis: number
  readonly isEnding: () => boolean
}) => {
  const { emulator, isEnding, lifetimeMillis, looks, random, workers } = options
  const losses: Array<Loss> = []
  const otherEnds = new Map<string, number>()
  /** The sessions that all workers of their first round have read with. */
  const begun = new Set<string>()
  const keys = new Map<string, string>()
  const underWay = new Set<{ readonly identity: string; readonly apiKey: string; readonly round: number }>()
  let vaults = 0

  const present = () => workers().filter(({ isAlive, isFrozen, isReady }) => isAlive && isReady && !isFrozen)

  /** All read at once; whether the session goes on. */
  const round = Effect.fnUntraced(function* (identity: string, apiKey: string, number: number) {
    const told = { identity, apiKey, round: number }
    const name = `${identity} ${number}`
    underWay.add(told)
    for (const worker of present()) worker.tell(told)
    const tags = () =>
      present()
        .filter(({ asked }) => asked.has(name))
        .map(({ asked }) => asked.get(name))
    const isDone = () => tags().includes("ok") && tags().every((tag) => tag !== undefined)
    const deadline = clock() + roundSeconds * 1000
    const silent = () =>
      present()
        .filter(({ asked }) => asked.has(name) && asked.get(name) === undefined)
        .map((worker) => worker.name)
    for (;;) {
      yield* until(
        () => `${name}: all have read; ${silent().join()} have not`,
        () => isDone() || tags().some((tag) => tag !== undefined && tag !== "ok"),
        (deadline - clock()) / 1000
      )
      const toldAt = clock()
      const failed = present().filter(({ asked }) => asked.has(name) && ![undefined, "ok"].includes(asked.get(name)))
      if (failed.length === 0) break
      const end = failed.map(({ asked }) => asked.get(name)!).find((tag) => isLost(tag))
      const served = (yield* emulator.sessions).find(({ vaultId }) => identityOf(vaultId) === identity)
      if (end !== undefined || served?.revoked === true) {
        const generation = (yield* looks.at(identity))?.generation ?? -1
        losses.push({ identity, generation, served: served?.generation ?? -1, at: toldAt })
        underWay.delete(told)
        return false
      }
      for (const { asked } of failed) otherEnds.set(asked.get(name)!, (otherEnds.get(asked.get(name)!) ?? 0) + 1)
      yield* Effect.sleep(againMillis)
      for (const worker of failed) if (worker.isAlive) worker.tell(told)
    }
    underWay.delete(told)
    begun.add(identity)
    yield* looks.at(identity)
    return true
  })

  const session = Effect.gen(function* () {
    const vaultId = ++vaults
    const identity = identityOf(vaultId)
    const apiKey = yield* emulator.issueApiKey(vaultId)
    keys.set(identity, apiKey)
    const rounds = 1 + Math.floor(random.next() * roundsAtMost)
    for (let number = 1; ; number++) {
      const isLast = isEnding() || number === rounds
      if (!(yield* round(identity, apiKey, number)) || isLast) return
      yield* Effect.sleep(lifetimeMillis * (1 + random.next() / 2))
    }
  })

  return {
    losses,
    begun,
    /** How reads ended that neither succeeded nor told of a lost session. */
    otherEnds,
    /** Sessions, one after the other, until the end. */
    place: Effect.whileLoop({ while: () => !isEnding(), body: () => session, step: () => {} }),
    /** All read once with each session that began after they had been told of none: it goes on, or it is lost as well. */
    readLate: Effect.suspend(() =>
      Effect.forEach(
        losses.filter(({ generation }) => generation === -1),
        Effect.fnUntraced(function* ({ identity }) {
          const look = yield* looks.at(identity)
          if (look !== undefined && look.generation >= 0) yield* round(identity, keys.get(identity)!, 0)
        }),
        { concurrency: "unbounded", discard: true }
      )
    ),
    /** A worker that comes later reads in the rounds that are under way. */
    join: (worker: Worker) => {
      for (const told of underWay) worker.tell(told)
    },
    look: Effect.suspend(() => Effect.forEach(underWay, ({ identity }) => looks.at(identity), { discard: true }))
  }
}
