/** How far a new ledger has read the history before its first payout. A process that starts again goes on from there. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { SqlError } from "effect/sql/SqlError"
import type { Database } from "../database/database.ts"
import { findNote } from "../database/rows.ts"

/**
 * How far a new ledger has read the history.
 *
 * @since 0.1.0
 * @category models
 */
export const Reading = Schema.Struct({
  /** From when it is read; `null` means all of it. */
  from: Schema.NullOr(Schema.DateTimeUtcFromMillis),
  /** The time of the newest row so far; `null` before the first one. */
  at: Schema.NullOr(Schema.DateTimeUtcFromMillis),
  /** The time of the oldest row so far; `null` before the first one. */
  back: Schema.NullOr(Schema.DateTimeUtcFromMillis),
  /** The number of rows so far. */
  rows: Schema.Int,
  /** `true` once it has read to the end. */
  isDone: Schema.Boolean
})
export type Reading = typeof Reading.Type

const decode = Schema.decodeOption(Schema.fromJsonString(Reading))
const encode = Schema.encodeEffect(Schema.fromJsonString(Reading))

/** `null` if the ledger has begun to read none. */
export const findReading = (database: Database): Effect.Effect<Reading | null, SqlError> =>
  Effect.map(findNote(database, "history"), (value) => Option.getOrNull(decode(value)))

/** Keeps how far the history is read. */
export const keepReading = ({ sql }: Database, reading: Reading): Effect.Effect<void, SqlError> =>
  Effect.flatMap(Effect.orDie(encode(reading)), (value) =>
    Effect.asVoid(sql`UPDATE payout_meta SET value = ${value} WHERE name = 'history'`)
  )

/** Where a reading that was cut off goes on: its rows came in the order of their times. In milliseconds. */
export const resumeAt = (reading: Reading | null, from: number, window: number): number =>
  reading === null || reading.at === null || (reading.from === null ? 0 : DateTime.toEpochMillis(reading.from)) > from
    ? from
    : Math.max(from, DateTime.toEpochMillis(reading.at) - window)
