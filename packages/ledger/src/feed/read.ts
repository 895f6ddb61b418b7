/** Reads a feed: once, or again and again. */
import type { CustodyClient } from "@effect-custody/core/CustodyClient"
import type { ConfigurationInvalid } from "@effect-custody/core/SdkError"
import type * as Transactions from "@effect-custody/transactions/Transactions"
import * as Clock from "effect/Clock"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { type Database, reporting } from "../database/database.ts"
import { dropLease, readerOf } from "../database/leases.ts"
import { makePace } from "../history/pace.ts"
import { millis } from "../payouts/ledger.ts"
import type { LedgerError } from "../payouts/LedgerError.ts"
import { isLasting, type LastingError } from "../payouts/sendOutcome.ts"
import { type Handler, HandlerFailed, type Pass, run as runPass } from "./pass.ts"

/**
 * The options of a feed.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** The feed skips transactions that were made before this time. Default: it skips none. */
  readonly from?: DateTime.Utc | undefined
  /** The longest delay of a transaction in the history, together with the differences of clocks. Default: 26 hours. */
  readonly overlap?: Duration.Input | undefined
  /** The wait between two passes. Default: 5 seconds. */
  readonly pollInterval?: Duration.Input | undefined
}

/**
 * The errors of `readOnce`, beside those of the handler.
 *
 * @since 0.1.0
 * @category errors
 */
export type ReadError = Transactions.StreamError | Transactions.GetError | LedgerError | ConfigurationInvalid

/**
 * The service: each member is what the function of its name does.
 *
 * @since 0.1.0
 * @category services
 */
export interface Service {
  readonly readOnce: <E, R>(
    name: string,
    handler: Handler<E, R>,
    options?: Options
  ) => Effect.Effect<number, ReadError | E, R | CustodyClient>
  readonly run: <E, R>(
    name: string,
    handler: Handler<E, R>,
    options?: Options
  ) => Effect.Effect<never, E | LastingError | ConfigurationInvalid, R | CustodyClient>
}

/** How often a long pass reads the whole overlap again. */
const longPassEvery = 60 * 60_000

const whileFailing = Schedule.min([Schedule.exponential("500 millis"), Schedule.spaced("30 seconds")]).pipe(
  Schedule.jittered
)

const makePass = Effect.fnUntraced(function* <E, R>(
  database: Database,
  name: string,
  handler: Handler<E, R>,
  { from, overlap = "26 hours" }: Options
): Effect.fn.Return<Pass<E, R>, ConfigurationInvalid> {
  return {
    database,
    handler,
    pace: makePace(),
    settings: {
      name,
      reader: SecureRandom.uuidV4Unsafe(),
      from: from === undefined ? 0 : DateTime.toEpochMillis(from),
      overlap: yield* millis("overlap", overlap)
    }
  }
})

/** The handler's own error, and the error of the database as the ledger's. */
const unwrap = <A, E1, E, R>(
  work: Effect.Effect<A, E1 | HandlerFailed<E>, R>
): Effect.Effect<A, Exclude<E1, HandlerFailed<E>> | E, R> =>
  Effect.mapError(work, (error) =>
    error instanceof HandlerFailed ? (error.error as E) : (error as Exclude<E1, HandlerFailed<E>>)
  )

export const readOnce =
  (database: Database): Service["readOnce"] =>
  (name, handler, options = {}) =>
    Effect.gen(function* () {
      const pass = yield* makePass(database, name, handler, options)
      const { settings } = pass
      const changes = yield* Effect.ensuring(
        reporting("read")(runPass(pass, true)),
        Effect.ignore(dropLease(database, readerOf(name), settings.reader))
      )
      return changes ?? 0
    }).pipe(unwrap)

export const run =
  (database: Database): Service["run"] =>
  <E, R>(name: string, handler: Handler<E, R>, options: Options = {}) =>
    Effect.gen(function* () {
      const pass = yield* makePass(database, name, handler, options)
      const { settings } = pass
      const pause = Duration.millis(yield* millis("pollInterval", options.pollInterval ?? "5 seconds"))
      let longPassAt = 0
      const once = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const isLong = now >= longPassAt
        const changes = yield* runPass(pass, isLong)
        if (isLong && changes !== undefined) longPassAt = now + longPassEvery
        yield* Effect.sleep(pause)
      })
      const stops = (error: { readonly _tag: string }): boolean => error._tag === "HandlerFailed" || isLasting(error)
      return yield* once.pipe(
        Effect.tapError((error) =>
          stops(error) ? Effect.void : Effect.logWarning(`The feed ${name} failed, and reads again`, error)
        ),
        Effect.retry({ while: (error) => !stops(error), schedule: whileFailing }),
        Effect.mapError((error) => error as HandlerFailed<E> | LastingError),
        Effect.forever,
        Effect.ensuring(Effect.ignore(dropLease(database, readerOf(name), settings.reader)))
      )
    }).pipe(unwrap)
