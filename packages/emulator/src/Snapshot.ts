/**
 * All that an emulated service knows, written down: another emulator goes on from it. Of the requests that were received,
 * and of faults yet to be played, it says nothing.
 */
import { ConfigurationInvalid } from "@effect-custody/core/SdkError"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Settings } from "./Options.ts"
import { Write } from "./Write.ts"

/** The state of slices, by name. */
const States = Schema.Record(Schema.String, Schema.Json)

/** The input of a write may have any names, `__proto__` among them. */
const WrittenDown = Schema.Struct({
  ...Write.fields,
  input: Schema.Json as unknown as Schema.Codec<Readonly<Record<string, unknown>>>
})

/**
 * A snapshot. It holds keys and tokens: those of the emulator, but keep it as you would others.
 *
 * @example
 * ```ts
 * import { CustodyEmulator, Snapshot } from "@effect-custody/emulator"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const emulator = yield* CustodyEmulator
 *   const text = Snapshot.toText(yield* emulator.snapshot)
 *   const snapshot = yield* Snapshot.fromText(text)
 *   return CustodyEmulator.layerWith({ snapshot })
 * })
 * ```
 */
export const Snapshot = Schema.Struct({
  format: Schema.Literal("custody-emulator"),
  version: Schema.Literal(1),
  settings: Settings,
  numbers: Schema.Struct({ serial: Schema.Int, nextId: Schema.Int }),
  writes: Schema.Array(WrittenDown),
  world: States,
  vaults: Schema.Array(Schema.Struct({ id: Schema.Int, states: States }))
})
export interface Snapshot extends Schema.Schema.Type<typeof Snapshot> {}

const codec = Schema.fromJsonString(Schema.toCodecJson(Snapshot))

const encode = Schema.encodeResult(codec)
const decode = Schema.decodeEffect(codec, { onExcessProperty: "error" })

/** A snapshot as text. */
export const toText = (snapshot: Snapshot): string => Result.getOrThrow(encode(snapshot))

/** A snapshot from text, or what is wrong with it. */
export const fromText = (text: string): Effect.Effect<Snapshot, ConfigurationInvalid> =>
  Effect.mapError(decode(text), ({ message }) => new ConfigurationInvalid({ option: "snapshot", reason: message }))
