/** Stores the newest session, so that it survives the process and many processes can share it. */
import type { TokenStoreError } from "@effect-custody/core/SessionError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { SessionRecord } from "./Session.ts"

/**
 * How records are encrypted.
 *
 * @since 0.1.0
 * @category models
 */
export interface StoreOptions {
  /**
   * Encrypts the records with AES-256-GCM: 32 bytes in base64, for example from `openssl rand -base64 32`. Without a key,
   * records are plain text. With a key, a plain record is refused, because anyone could have written it.
   */
  readonly key?: Redacted.Redacted | undefined
  /** Former keys, which still decrypt but never encrypt. */
  readonly previousKeys?: ReadonlyArray<Redacted.Redacted> | undefined
}

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
 * A record in its stored form.
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
 * The operations of your own store: one row per identity. `RowStore.make` adds versions, format and encryption.
 *
 * @since 0.1.0
 * @category models
 */
export interface Rows {
  /** The row of an identity, or none. */
  readonly load: (identity: string) => Effect.Effect<Option.Option<Row>, TokenStoreError>
  /**
   * Replaces the row if it has the expected version. Version 0 means that there is no row. Returns `false` if the row
   * has another version. **The row must be durable before this returns `true`.**
   */
  readonly compareAndSwap: (
    identity: string,
    expectedVersion: number,
    next: Row
  ) => Effect.Effect<boolean, TokenStoreError>
}

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
     * Replaces the record if it has the expected version, and returns the new version, which is unique to this write.
     * Version 0 means that there is no record. The record is durable before this returns.
     */
    readonly compareAndSwap: (
      identity: string,
      expectedVersion: number,
      next: SessionRecord
    ) => Effect.Effect<number, VersionConflict | TokenStoreError>
  }
>()("@effect-custody/authentication/TokenStore") {
  /**
   * A store in memory: for tests, and for sessions that may be lost with the process.
   *
   * @since 0.1.0
   */
  static readonly layerMemory: Layer.Layer<TokenStore> = Layer.sync(this, () => {
    const records = new Map<string, Stored>()
    let count = 0
    return TokenStore.of({
      load: (identity) => Effect.sync(() => Option.fromUndefinedOr(records.get(identity))),
      compareAndSwap: (identity, expectedVersion, record) =>
        Effect.suspend(() => {
          if ((records.get(identity)?.version ?? 0) !== expectedVersion) {
            return Effect.fail(new VersionConflict({ identity, expectedVersion }))
          }
          const version = ++count
          records.set(identity, { version, record })
          return Effect.succeed(version)
        })
    })
  })
}
