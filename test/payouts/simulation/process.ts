/**
 * A process of a ledger, which may die or stand still at each of its steps: before and after each transaction of the
 * database, before the first byte of a request, and before it reads an answer. A dead process never acts again.
 */
import * as LedgerSqlite from "@effect-custody/ledger/LedgerSqlite"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { ConnectionError, SqlError } from "effect/sql/SqlError"
import * as Statement from "effect/sql/Statement"
import type { Source } from "../../support/random.ts"

export type Point = "first byte" | "answer" | "read" | "transaction" | "commit"

export interface Process {
  readonly name: string
  /** Passes a point, unless the process dies there. */
  readonly reaches: (point: Point) => Effect.Effect<void>
  readonly isDead: () => boolean
  readonly kill: () => void
  /** What to do when the process dies: its connections are closed. */
  onDeath: () => void
}

/** What may still happen to the processes of a schedule. */
export interface Mishaps {
  /** The chance of dying at a point. */
  readonly death: number
  /** The chance of standing still at a point. */
  readonly freeze: number
  /** When the last process that stands still goes on, in milliseconds of the virtual time. */
  lastThaw: number
  deathsLeft: number
  freezesLeft: number
}

/** The times that a process stands still, in milliseconds: shorter and longer than an intent is valid. */
const freezes = [5_000, 40_000, 500_000]

/** Nothing of a dead process runs on, and nothing waits for it. */
const stopped = Effect.interruptible(Effect.never)

export const makeProcess = (name: string, random: Source, mishaps: Mishaps, now: () => number): Process => {
  let isDead = false
  /** A process stands still as a whole. */
  let thawsAt = 0
  const process: Process = {
    name,
    onDeath: () => {},
    isDead: () => isDead,
    kill: () => {
      if (isDead) return
      isDead = true
      process.onDeath()
    },
    reaches: (point) =>
      Effect.suspend(() => {
        // A read changes nothing. A first byte is rare, and the worst moment for a freeze.
        const share = point === "read" ? 0.1 : 1
        const freezeShare = point === "first byte" ? 8 : share
        if (!isDead && mishaps.deathsLeft > 0 && random.chance(mishaps.death * share)) {
          mishaps.deathsLeft--
          process.kill()
        } else if (!isDead && mishaps.freezesLeft > 0 && random.chance(mishaps.freeze * freezeShare)) {
          mishaps.freezesLeft--
          const pause = random.pick(freezes)
          mishaps.lastThaw = Math.max(mishaps.lastThaw, now() + pause)
          thawsAt = Math.max(thawsAt, now() + pause)
        }
        if (isDead) return stopped
        const pause = Effect.sleep(Math.max(0, thawsAt - now()))
        return Effect.andThen(
          pause,
          Effect.suspend(() => (isDead ? stopped : Effect.void))
        )
      })
  }
  return process
}

const noAnswer = new SqlError({
  reason: new ConnectionError({
    cause: new Error("the connection broke"),
    message: "the connection broke",
    operation: "commit"
  })
})

/** The database of a process: a connection of its own, whose commits may fail, or may get no answer. */
export const databaseOf = (filename: string, process: Process, random: Source, failing: () => number) =>
  Layer.effect(
    SqlClient.SqlClient,
    Effect.map(SqlClient.SqlClient, (client): SqlClient.SqlClient => {
      const wrapped: SqlClient.SqlClient = Object.assign(
        (...args: ReadonlyArray<never>) => Reflect.apply(client, undefined, args),
        client,
        {
          withoutTransforms: () => wrapped,
          withTransaction: <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> =>
            Effect.gen(function* () {
              yield* process.reaches("transaction")
              if (random.chance(failing())) return yield* noAnswer
              const result = yield* client.withTransaction(work)
              yield* process.reaches("commit")
              if (random.chance(failing())) return yield* noAnswer
              return result
            })
        }
      ) as never
      return wrapped
    })
  ).pipe(Layer.provide(LedgerSqlite.layer({ filename })))

/** Ends the statements of a dead process. */
export const endedWith = (process: Process) =>
  Effect.provideService(Statement.CurrentTransformer, (statement) =>
    process.isDead() ? Effect.never : Effect.succeed(statement)
  )
