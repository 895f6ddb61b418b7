/**
 * Where the newest session is stored, so that it survives the process and many processes can share it.
 *
 * Specification: "Persist the newest refresh token immediately after each refresh."
 *
 * @since 0.1.0
 */
import { ConfigurationInvalid } from "@effect-custody/core/SdkError"
import { TokenStoreError } from "@effect-custody/core/SessionError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HashMap from "effect/HashMap"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import * as RecordCodec from "./internal/recordCodec.ts"
import { SessionRecord } from "./Session.ts"

/**
 * The record has changed since it was loaded. Nothing was written.
 *
 * @since 0.1.0
 * @category errors
 */
export class VersionConflict extends Schema.TaggedError<VersionConflict>()("VersionConflict", {
  identity: Schema.String,
  expectedVersion: Schema.Int
}) {}

/**
 * A record and its version, from 1.
 *
 * @since 0.1.0
 * @category models
 */
export interface Stored {
  readonly version: number
  readonly record: SessionRecord
}

/**
 * What your own store provides: one text with a version per identity. `TokenStore.make` adds format and encryption.
 *
 * @since 0.1.0
 * @category models
 */
export interface Rows {
  /** The text of an identity and its version, or none. */
  readonly load: (
    identity: string
  ) => Effect.Effect<Option.Option<{ readonly version: number; readonly text: string }>, TokenStoreError>
  /**
   * Replaces the text if it has the expected version (0: if there is none), and increments the version. `false` if it
   * has another version. **The text must be durable before this returns `true`.**
   */
  readonly compareAndSwap: (
    identity: string,
    expectedVersion: number,
    text: string
  ) => Effect.Effect<boolean, TokenStoreError>
}

/**
 * How records are encrypted.
 *
 * @since 0.1.0
 * @category models
 */
export interface StoreOptions {
  /**
   * Encrypts the records with AES-256-GCM: 32 bytes in base64, for example from `openssl rand -base64 32`. Without a key,
   * records are stored as plain text. With a key, a plain record is refused, because anybody could have written it. To
   * encrypt a plain record, load it from a store without the key and swap it into a store with the key, at its version.
   */
  readonly key?: Redacted.Redacted | undefined
  /** Former keys: they still decrypt, and never encrypt. */
  readonly previousKeys?: ReadonlyArray<Redacted.Redacted> | undefined
}

/**
 * The newest session record of each identity.
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
     * Replaces the record if it has the expected version (0: if there is none), and returns the new version. The record
     * is durable before this returns.
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
   * import { TokenStore } from "@effect-custody/authentication"
   * import { Effect, Option } from "effect"
   *
   * const rows = new Map<string, { version: number; text: string }>() // or your database
   * const store = TokenStore.make({
   *   load: (identity) => Effect.sync(() => Option.fromNullishOr(rows.get(identity))),
   *   compareAndSwap: (identity, expectedVersion, text) =>
   *     Effect.sync(() => {
   *       if ((rows.get(identity)?.version ?? 0) !== expectedVersion) return false
   *       rows.set(identity, { version: expectedVersion + 1, text })
   *       return true
   *     })
   * })
   * ```
   */
  static readonly make = Effect.fnUntraced(function* (
    rows: Rows,
    options: StoreOptions = {}
  ): Effect.fn.Return<TokenStore["Service"], ConfigurationInvalid> {
    const codec = yield* RecordCodec.make(options)
    return TokenStore.of({
      load: Effect.fnUntraced(function* (identity) {
        const row = yield* rows.load(identity)
        if (Option.isNone(row)) return Option.none()
        const { text, version } = row.value
        const record = yield* codec.decode(identity, version, text)
        return Option.some({ version, record })
      }),
      compareAndSwap: Effect.fnUntraced(function* (identity, expectedVersion, next) {
        const version = expectedVersion + 1
        const text = yield* codec.encode(identity, version, next)
        const swapped = yield* rows.compareAndSwap(identity, expectedVersion, text)
        return swapped ? version : yield* new VersionConflict({ identity, expectedVersion })
      })
    })
  })

  /**
   * A store in memory: for tests, and for sessions that may be lost with the process.
   *
   * @since 0.1.0
   */
  static readonly layerMemory: Layer.Layer<TokenStore> = Layer.effect(
    this,
    Effect.gen(function* () {
      const rows = yield* Ref.make(HashMap.empty<string, { readonly version: number; readonly text: string }>())
      return yield* TokenStore.make({
        load: (identity) => Effect.map(Ref.get(rows), HashMap.get(identity)),
        compareAndSwap: (identity, expectedVersion, text) =>
          Ref.modify(rows, (all) => {
            const version = Option.match(HashMap.get(all, identity), { onNone: () => 0, onSome: (row) => row.version })
            return version === expectedVersion
              ? [true, HashMap.set(all, identity, { version: version + 1, text })]
              : [false, all]
          })
      })
    }).pipe(Effect.orDie)
  )
}
