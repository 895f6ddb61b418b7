/** A part of the state: its name, how it is at the start, and how it is written down. A category declares its own. */
import * as Schema from "effect/Schema"

export interface Slice<S, Owner = unknown> {
  readonly name: string
  readonly initial: (owner: Owner) => S
  /** Between the state and JSON. */
  readonly codec: Schema.Codec<S, Schema.Json>
}

/** A map that goes on changing, as all of the state does: it is decoded to what nobody else has. */
export const table = <S extends Schema.Constraint>(value: S) =>
  Schema.ReadonlyMap(Schema.String, value) as unknown as Schema.Codec<Map<string, S["Type"]>, unknown>

/** A list that goes on changing. */
export const list = <S extends Schema.Constraint>(value: S) =>
  Schema.Array(value) as unknown as Schema.Codec<Array<S["Type"]>, unknown>

/** A slice, whose state is as a schema says. No two parts of it are the same object: they name each other by id. */
export const make = <S, Owner = unknown>(options: {
  readonly name: string
  readonly schema: Schema.Codec<S, any>
  readonly initial: (owner: Owner) => S
}): Slice<S, Owner> => {
  let codec: Schema.Codec<S, Schema.Json> | undefined
  return {
    name: options.name,
    initial: options.initial,
    // Made when it is first asked for: most emulators are never written down.
    get codec() {
      return (codec ??= Schema.toCodecJson(options.schema) as unknown as Schema.Codec<S, Schema.Json>)
    }
  }
}
