/** A session store that keeps rows of text in your own database. */
import type { ConfigurationInvalid } from "@effect-custody/core/SdkError"
import { TokenStoreError } from "@effect-custody/core/SessionError"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as RecordCodec from "./recordCodec.ts"
import { type Rows, type StoreOptions, TokenStore, VersionConflict } from "./TokenStore.ts"

/**
 * The high bits of a version count the writes. The low bits are random, so that a store that is restored from a backup
 * repeats no version.
 */
const randomPart = 2 ** 24

/**
 * The count of the first write. It is so high that a column too narrow for versions rejects the first write, not a
 * later one.
 */
const firstCount = 2 ** 28

const getWriteCount = (version: number): number => Math.max(Math.floor(version / randomPart), firstCount - 1)

/**
 * Makes a `TokenStore` from your row operations. Fails with `ConfigurationInvalid` if a key is not 32 bytes in base64.
 *
 * @since 0.1.0
 * @category constructors
 *
 * @example
 * ```ts
 * import { type Row, RowStore } from "@effect-custody/authentication"
 * import { Effect, Option } from "effect"
 *
 * const rows = new Map<string, Row>() // or your database
 * const store = RowStore.make({
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
export const make = Effect.fnUntraced(function* (
  rows: Rows,
  options: StoreOptions = {}
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
      const version = (getWriteCount(expectedVersion) + 1) * randomPart + (yield* random.intBetween(0, randomPart - 1))
      const text = yield* codec.encode(identity, version, next)
      const swapped = yield* rows.compareAndSwap(identity, expectedVersion, { version, text })
      return swapped ? version : yield* new VersionConflict({ identity, expectedVersion })
    })
  })
}, Effect.provide(SecureRandom.layerWebCrypto))
