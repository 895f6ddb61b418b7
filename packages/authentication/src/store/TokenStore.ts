/** Stores the newest session, so that it survives the process and many processes can share it. */
import { ConfigurationInvalid } from "@effect-custody/core/SdkError"
import { TokenStoreError } from "@effect-custody/core/SessionError"
import * as Context from "effect/Context"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as HashMap from "effect/HashMap"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import * as RecordCodec from "./recordCodec.ts"
import { SessionRecord } from "./Session.ts"

export type { StoreOptions } from "./recordCodec.ts"

/**
 * The record has changed since it was loaded. Nothing was written.
 *
 * @since 0.1.0
 * @category errors
 */
export class VersionConflict extends Schema.TaggedError<VersionConflict>(
  "@effect-custody/authentication/TokenStore/VersionConflict"
)("VersionConflict", {
  identity: Schema.String,
  expectedVersion: Schema.Int
}) {}

/**
 * A record and its version. No two writes have the same version, even if the store is restored and written to again.
 *
 * @since 0.1.0
 * @category models
 */
export interface Stored {
  readonly version: number
  readonly record: SessionRecord
}

/**
 * A record as it is stored.
 *
 * @since 0.1.0
 * @category models
 */
export interface Row {
  /** An integer from 2^52 to 2^53. */
  readonly version: number
  readonly text: string
}

/**
 * The operations of your own store: one row per identity. `TokenStore.make` adds versions, format and encryption.
 *
 * @since 0.1.0
 * @category models
 */
export interface Rows {
  /** The row of an identity, or none. */
  readonly load: (identity: string) => Effect.Effect<Option.Option<Row>, TokenStoreError>
  /**
   * Replaces the row if it has the expected version (0: if there is no row). `false` if the row has another version.
   * **The row must be durable before this returns `true`.**
   */
  readonly compareAndSwap: (
    identity: string,
    expectedVersion: number,
    next: Row
  ) => Effect.Effect<boolean, TokenStoreError>
}

/** The high bits of a version count the writes. The low bits are random, so that a restored store repeats no version. */
const randomPart = 2 ** 24

/**
 * The count of the first write. It is high, so that a database column that is too narrow for versions fails at the
 * first write, not after hundreds of writes.
 */
const firstCount = 2 ** 28

const getWriteCount = (version: number): number => Math.max(Math.floor(version / randomPart), firstCount - 1)

/**
 * The newest session record of each identity.
 *
 * Specification: "Persist the newest refresh token immediately after each refresh."
 *
 * @since 0.1.0
 * @category services
 */
export class TokenStore extends Context.Service<
  TokenStore,
  {
    /** The record of an identity, or none. */
    readonly load: (identity: string) => Effect.Effect<Option.Option<Stored>, TokenStoreError>
    /**
     * Replaces the record if it has the expected version (0: if there is no record), and returns the new version, which is
     * unique to this write. The record is durable before this returns.
     */
    readonly compareAndSwap: (
      identity: string,
      expectedVersion: number,
      next: SessionRecord
    ) => Effect.Effect<number, VersionConflict | TokenStoreError>
  }
>()("@effect-custody/authentication/TokenStore") {
  /**
   * A store over rows of text. Fails with `ConfigurationInvalid` if a key is not 32 bytes in base64.
   *
   * @since 0.1.0
   *
   * @example
   * ```ts
   * import { type Row, TokenStore } from "@effect-custody/authentication"
   * import { Effect, Option } from "effect"
   *
   * const rows = new Map<string, Row>() // or your database
   * const store = TokenStore.make({
   *   load: (identity) => Effect.sync(() => Option.fromNullishOr(rows.get(identity))),
   *   compareAndSwap: (identity, expectedVersion, next) =>
   *     Effect.sync(() => {
   *       if ((rows.get(identity)?.version ?? 0) !== expectedVersion) return false
   *       rows.set(identity, next)
   *       return true
   *     })
   * })
   * ```
   */
  static readonly make = Effect.fnUntraced(function* (
    rows: Rows,
    options: RecordCodec.StoreOptions = {}
  ): Effect.fn.Return<TokenStore["Service"], ConfigurationInvalid, SecureRandom.SecureRandom> {
    const codec = yield* RecordCodec.make(options)
    const random = yield* SecureRandom.SecureRandom
    return TokenStore.of({
      load: Effect.fnUntraced(function* (identity) {
        const row = yield* rows.load(identity)
        if (Option.isNone(row)) return Option.none()
        const { text, version } = row.value
        if (!Number.isSafeInteger(version)) {
          return yield* new TokenStoreError({ operation: "load", reason: "the version of the row is not an integer" })
        }
        const record = yield* codec.decode(identity, version, text)
        return Option.some({ version, record })
      }),
      compareAndSwap: Effect.fnUntraced(function* (identity, expectedVersion, next) {
        const version =
          (getWriteCount(expectedVersion) + 1) * randomPart + (yield* random.intBetween(0, randomPart - 1))
        const text = yield* codec.encode(identity, version, next)
        const swapped = yield* rows.compareAndSwap(identity, expectedVersion, { version, text })
        return swapped ? version : yield* new VersionConflict({ identity, expectedVersion })
      })
    })
  }, Effect.provide(SecureRandom.layerWebCrypto))

  /**
   * A store in memory: for tests, and for sessions that may be lost with the process.
   *
   * @since 0.1.0
   */
  static readonly layerMemory: Layer.Layer<TokenStore> = Layer.effect(
    this,
    Effect.gen(function* () {
      const rows = yield* Ref.make(HashMap.empty<string, Row>())
      return yield* TokenStore.make({
        load: (identity) => Effect.map(Ref.get(rows), HashMap.get(identity)),
        compareAndSwap: (identity, expectedVersion, next) =>
          Ref.modify(rows, (all) => {
            const version = Option.match(HashMap.get(all, identity), { onNone: () => 0, onSome: (row) => row.version })
            return version === expectedVersion ? [true, HashMap.set(all, identity, next)] : [false, all]
          })
      })
    }).pipe(Effect.orDie)
  )
}
