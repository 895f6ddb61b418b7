/** Runs sessions in turn. In each round of a session its token expires, and all workers then read at once. */
import * as Effect from "effect/Effect"
import type { Source } from "../../support/random.ts"
import type { Loss } from "./accounts.ts"
import type { startEmulator } from "./emulator.ts"
import type { makeRecordChecks } from "./recordChecks.ts"
import { clock } from "./protocol.ts"
import { until, type Worker } from "./workerProcess.ts"

export const identityOf = (vaultId: number): string => `session ${vaultId}`

/** The limit of rounds. A new session then begins, so that workers are also killed while they send API keys. */
const maxRounds = 8
/** The time limit of a round: several leases in turn. */
const maxRoundSeconds = 180
/** The pause before a worker that failed reads again. */
const retryMillis = 500

const isLost = (tag: string | undefined) => tag === "SessionLost" || tag === "NoSession"

export interface Sessions extends ReturnType<typeof makeSessions> {}

export const makeSessions = (options: {
  readonly emulator: Effect.Success<ReturnType<typeof startEmulator>>
  readonly recordChecks: Effect.Success<ReturnType<typeof makeRecordChecks>>
  readonly workers: () => ReadonlyArray<Worker>
  readonly random: Source
  readonly lifetimeMillis: number
  readonly isEnding: () => boolean
}) => {
  const { emulator, isEnding, lifetimeMillis, recordChecks, random, workers } = options
  const losses: Array<Loss> = []
  const otherErrors = new Map<string, number>()
  /** The sessions that all workers have read with once. */
  const begun = new Set<string>()
  const keys = new Map<string, string>()
  const current = new Set<{ readonly identity: string; readonly apiKey: string; readonly round: number }>()
  let vaults = 0

  const present = () => workers().filter(({ isAlive, isFrozen, isReady }) => isAlive && isReady && !isFrozen)

  /** All workers read at once. Returns `true` if the session continues. */
  const playRound = Effect.fnUntraced(function* (identity: string, apiKey: string, number: number) {
    const instruction = { identity, apiKey, round: number }
    const name = `${identity} ${number}`
    current.add(instruction)
    for (const worker of present()) worker.instruct(instruction)
    const tags = () =>
      present()
        .filter(({ results }) => results.has(name))
        .map(({ results }) => results.get(name))
    const isDone = () => tags().includes("ok") && tags().every((tag) => tag !== undefined)
    const deadline = clock() + maxRoundSeconds * 1000
    const silent = () =>
      present()
        .filter(({ results }) => results.has(name) && results.get(name) === undefined)
        .map((worker) => worker.name)
    for (;;) {
      yield* until(
        () => `${name}: all have read; ${silent().join()} have not`,
        () => isDone() || tags().some((tag) => tag !== undefined && tag !== "ok"),
        (deadline - clock()) / 1000
      )
      const failedAt = clock()
      const failed = present().filter(
        ({ results }) => results.has(name) && ![undefined, "ok"].includes(results.get(name))
      )
      if (failed.length === 0) break
      const end = failed.map(({ results }) => results.get(name)!).find((tag) => isLost(tag))
      const served = (yield* emulator.sessions).find(({ vaultId }) => identityOf(vaultId) === identity)
      if (end !== undefined || served?.revoked === true) {
        const generation = (yield* recordChecks.read(identity))?.generation ?? -1
        losses.push({ identity, generation, served: served?.generation ?? -1, at: failedAt })
        current.delete(instruction)
        return false
      }
      for (const { results } of failed)
        otherErrors.set(results.get(name)!, (otherErrors.get(results.get(name)!) ?? 0) + 1)
      yield* Effect.sleep(retryMillis)
      for (const worker of failed) if (worker.isAlive) worker.instruct(instruction)
    }
    current.delete(instruction)
    begun.add(identity)
    yield* recordChecks.read(identity)
    return true
  })

  const session = Effect.gen(function* () {
    const vaultId = ++vaults
    const identity = identityOf(vaultId)
    const apiKey = yield* emulator.issueApiKey(vaultId)
    keys.set(identity, apiKey)
    const rounds = 1 + Math.floor(random.next() * maxRounds)
    for (let number = 1; ; number++) {
      const isLast = isEnding() || number === rounds
      if (!(yield* playRound(identity, apiKey, number)) || isLast) return
      yield* Effect.sleep(lifetimeMillis * (1 + random.next() / 2))
    }
  })

  return {
    losses,
    begun,
    /** The counts of other errors of reads, by tag. */
    otherErrors,
    /** Runs sessions in turn until the run ends. */
    runInTurn: Effect.whileLoop({ while: () => !isEnding(), body: () => session, step: () => {} }),
    /** Reads once with each session that began after its workers had failed with `NoSession`: it continues, or is lost too. */
    readLate: Effect.suspend(() =>
      Effect.forEach(
        losses.filter(({ generation }) => generation === -1),
        Effect.fnUntraced(function* ({ identity }) {
          const record = yield* recordChecks.read(identity)
          if (record !== undefined && record.generation >= 0) yield* playRound(identity, keys.get(identity)!, 0)
        }),
        { concurrency: "unbounded", discard: true }
      )
    ),
    /** Lets a worker that starts later read in the current rounds. */
    join: (worker: Worker) => {
      for (const instruction of current) worker.instruct(instruction)
    },
    checkRecords: Effect.suspend(() =>
      Effect.forEach(current, ({ identity }) => recordChecks.read(identity), { discard: true })
    )
  }
}
