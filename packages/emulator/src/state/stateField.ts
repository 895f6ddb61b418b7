/** One part of the state: its name, initial value, and form in a snapshot. Each category declares its own fields. */
import * as Schema from "effect/Schema"

export interface StateField<S, Owner = unknown> {
  readonly name: string
  readonly initial: (owner: Owner) => S
  /** Converts between the state and JSON. */
  readonly codec: Schema.Codec<S, Schema.Json>
}

/** A mutable map by id. Decoding creates a new map. */
export const map = <S extends Schema.Constraint>(value: S) =>
  Schema.ReadonlyMap(Schema.String, value) as unknown as Schema.Codec<Map<string, S["Type"]>, unknown>

export const list = <S extends Schema.Constraint>(value: S) =>
  Schema.Array(value) as unknown as Schema.Codec<Array<S["Type"]>, unknown>

/** Makes a state field. Its records must refer to other records by id, never by object. */
export const make = <S, Owner = unknown>(options: {
  readonly name: string
  readonly schema: Schema.Codec<S, any>
  readonly initial: (owner: Owner) => S
}): StateField<S, Owner> => {
  let codec: Schema.Codec<S, Schema.Json> | undefined
  return {
    name: options.name,
    initial: options.initial,
    // Compile on first use, because most emulators take no snapshot.
    get codec() {
      return (codec ??= Schema.toCodecJson(options.schema) as unknown as Schema.Codec<S, Schema.Json>)
    }
  }
}

/** Makes a state field for a table of records by id. The table starts empty. */
export const table = <S extends Schema.Constraint>(name: string, record: S): StateField<Map<string, S["Type"]>> =>
  make({ name, schema: map(record), initial: () => new Map() })
