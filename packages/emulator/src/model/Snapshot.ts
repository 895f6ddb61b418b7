/**
 * Snapshots of an emulator's whole state, from which another emulator can continue. They do not contain received requests
 * or pending faults.
 *
 * @since 0.1.0
 */
import { ConfigurationInvalid } from "@effect-custody/core/SdkError"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Settings } from "./Settings.ts"
import { Write } from "./Write.ts"

/** State fields by name. */
const States = Schema.Record(Schema.String, Schema.Json)

/** A write in a snapshot. Its input may have any property names, such as `__proto__`. */
const SnapshotWrite = Schema.Struct({
  ...Write.fields,
  input: Schema.Json as unknown as Schema.Codec<Readonly<Record<string, unknown>>>
})

/**
 * A snapshot. It contains the emulator's keys and tokens, so keep it as safe as real keys and tokens.
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
 *
 * @since 0.1.0
 * @category schemas
 */
export const Snapshot = Schema.Struct({
  format: Schema.Literal("custody-emulator"),
  version: Schema.Literal(1),
  settings: Settings,
  numbers: Schema.Struct({ serial: Schema.Int, nextId: Schema.Int }),
  writes: Schema.Array(SnapshotWrite),
  world: States,
  vaults: Schema.Array(Schema.Struct({ id: Schema.Int, states: States }))
})
/**
 * @since 0.1.0
 * @category models
 */
export interface Snapshot extends Schema.Schema.Type<typeof Snapshot> {}

const codec = Schema.fromJsonString(Schema.toCodecJson(Snapshot))

const encode = Schema.encodeResult(codec)
const decode = Schema.decodeEffect(codec, { onExcessProperty: "error" })

/**
 * Encodes a snapshot as JSON text.
 *
 * @since 0.1.0
 * @category encoding
 */
export const toText = (snapshot: Snapshot): string => Result.getOrThrow(encode(snapshot))

/**
 * Decodes a snapshot. Fails with a `ConfigurationInvalid` that names the mistake in the text.
 *
 * @since 0.1.0
 * @category decoding
 */
export const fromText = (text: string): Effect.Effect<Snapshot, ConfigurationInvalid> =>
  Effect.mapError(decode(text), ({ message }) => new ConfigurationInvalid({ option: "snapshot", reason: message }))
