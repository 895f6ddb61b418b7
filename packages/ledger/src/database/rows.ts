/** Decodes the rows of the ledger. A row that this version does not know is an error, and no payout. */
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import type { SqlError } from "effect/sql/SqlError"
import { LedgerError } from "../payouts/LedgerError.ts"
import type { Database } from "./database.ts"

/** The failure of the database, or a row that does not decode. */
export type RowError = SqlError | LedgerError

/** A time in milliseconds. PostgreSQL's driver returns a `BIGINT` as a `bigint` or a text, SQLite's as a number. */
export const Millis = Schema.Union([Schema.Finite, Schema.BigInt, Schema.String]).pipe(
  Schema.decodeTo(
    Schema.Finite,
    SchemaTransformation.transform<number, number | bigint | string>({ decode: Number, encode: identity })
  )
)

export const Integer = Millis.pipe(Schema.decodeTo(Schema.Int))

/** SQLite keeps the fractions of a computed time. */
export const Time = Millis.pipe(
  Schema.decodeTo(
    Schema.DateTimeUtcFromMillis,
    SchemaTransformation.transform<number, number>({ decode: Math.round, encode: identity })
  )
)

/** 1 or 0. */
export const Flag = Integer.pipe(
  Schema.decodeTo(Schema.Boolean, SchemaTransformation.transform({ decode: (flag) => flag === 1, encode: Number }))
)

/** The rows of a statement. */
export const decodeRows = <Row, Columns>(row: Schema.Codec<Row, Columns>) => {
  const decode = Schema.decodeUnknownEffect(Schema.Array(row))
  return <E>(statement: Effect.Effect<ReadonlyArray<unknown>, E>): Effect.Effect<ReadonlyArray<Row>, E | LedgerError> =>
    Effect.flatMap(statement, (rows) =>
      Effect.mapError(decode(rows), ({ message }) => {
        const reason = `it has a row that this version does not know: ${message.replace(/\s+/g, " ")}`
        return new LedgerError({ operation: "read", reason })
      })
    )
}

/** The value of a name of the ledger's own notes, or an empty text. */
export const findNote = ({ sql }: Database, name: string): Effect.Effect<string, SqlError> =>
  Effect.map(
    sql<{ readonly value: string }>`SELECT value FROM payout_meta WHERE name = ${name}`,
    ([row]) => row?.value ?? ""
  )
