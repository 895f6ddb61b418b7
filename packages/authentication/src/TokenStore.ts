/**
 * Where the newest session is kept, so that it survives the process and is shared by all of them.
 *
 * Specification: "Persist the newest refresh token immediately after each refresh."
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
import * as Seal from "./internal/recordCodec.ts"
import { SessionRecord } from "./Session.ts"

/** The record was changed by somebody else since it was loaded. Nothing was written. */
export class VersionConflict extends Schema.TaggedError<VersionConflict>()("VersionConflict", {
  identity: Schema.String,
  expectedVersion: Schema.Int
}) {}

/** A record and the version it was stored under, from 1. */
export interface Stored {
  readonly version: number
  readonly record: SessionRecord
}

/**
 * What a store of one's own has to do: keep a text and its version per identity. Reading, encryption and format are
 * done above it.
 */
export interface Rows {
  /** The text of an identity and its version, or none. */
  readonly load: (
    identity: string
  ) => Effect.Effect<Option.Option<{ readonly version: number; readonly text: string }>, TokenStoreError>
  /**
   * Replaces the text if it still has the expected version (0: if there is none), and gives it the next one; `false` if
   * it has not. **Durable before it returns `true`.**
   */
  readonly compareAndSwap: (
    identity: string,
    expectedVersion: number,
    text: string
  ) => Effect.Effect<boolean, TokenStoreError>
}

/** How records are kept. */
export interface StoreOptions {
  /**
   * Encrypts the records (AES-256-GCM): 32 bytes in base64, such as `openssl rand -base64 32` gives. Without a key they
   * are stored as they are; with one, a record in clear is refused, for anybody could have put it there. To encrypt
   * what is stored in clear, load it from a store without the key and swap it into one with it, at its version.
   */
  readonly key?: Redacted.Redacted | undefined
  /** Keys that were in use before: still read, never written with. */
  readonly previousKeys?: ReadonlyArray<Redacted.Redacted> | undefined
}

/** The newest session, by identity. */
export class TokenStore extends Context.Service<
  TokenStore,
  {
    /** The record of an identity, or none. */
    readonly load: (identity: string) => Effect.Effect<Option.Option<Stored>, TokenStoreError>
    /** Replaces the record if it still has the expected version (0: none), and gives the new version. Durable. */
    readonly compareAndSwap: (
      identity: string,
      expectedVersion: number,
      next: SessionRecord
    ) => Effect.Effect<number, VersionConflict | TokenStoreError>
  }
>()("@effect-custody/authentication/TokenStore") {
  /**
   * A store over rows of text.
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
    const sealing = yield* Seal.make(options)
    return TokenStore.of({
      load: Effect.fnUntraced(function* (identity) {
        const row = yield* rows.load(identity)
        if (Option.isNone(row)) return Option.none()
        const { text, version } = row.value
        const record = yield* sealing.open(identity, version, text)
        return Option.some({ version, record })
      }),
      compareAndSwap: Effect.fnUntraced(function* (identity, expectedVersion, next) {
        const version = expectedVersion + 1
        const text = yield* sealing.seal(identity, version, next)
        const swapped = yield* rows.compareAndSwap(identity, expectedVersion, text)
        return swapped ? version : yield* new VersionConflict({ identity, expectedVersion })
      })
    })
  })

  /** A store that lives as long as the layer: for tests, and for sessions that may be lost with the process. */
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
