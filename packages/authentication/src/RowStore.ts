/** A session store that keeps rows of text in your own database: the format of a row, its encryption and its version. */
import { ConfigurationInvalid } from "@effect-custody/core/SdkError"
import { TokenStoreError } from "@effect-custody/core/SessionError"
import * as Aead from "effect/crypto/Aead"
import * as Digest from "effect/crypto/Digest"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { isSecret } from "./secrets.ts"
import { SessionRecord } from "./Session.ts"
import { type Rows, type StoreOptions, TokenStore, VersionConflict } from "./TokenStore.ts"

/** The format of written records. A change that older SDK versions cannot read, or would lose, needs a new number. */
const currentFormat = 1

const Json = Schema.toCodecJson(SessionRecord)

/** The part that all formats share. It distinguishes a newer format from a damaged record. */
const Envelope = Schema.fromJsonString(Schema.Struct({ format: Schema.Int }))
const Plain = Schema.Struct({ format: Schema.Literal(currentFormat), record: Json })
const Encrypted = Schema.Struct({
  format: Schema.Literal(currentFormat),
  /** The key's name: the first bytes of its SHA-256. */
  keyId: Schema.String,
  nonce: Schema.Uint8ArrayFromBase64,
  sealed: Schema.Uint8ArrayFromBase64
})
const Row = Schema.fromJsonString(Schema.Union([Plain, Encrypted]))
const RecordText = Schema.fromJsonString(Json)

const decodeEnvelope = Schema.decodeEffect(Envelope)
const decodeRow = Schema.decodeEffect(Row)
const encodeRow = Schema.encodeEffect(Row)
const decodeRecord = Schema.decodeEffect(RecordText)
const encodeRecord = Schema.encodeEffect(RecordText)

const unreadable = (reason: string) => new TokenStoreError({ operation: "load", reason })
const unwritable = (reason: string) => new TokenStoreError({ operation: "compareAndSwap", reason })

const utf8 = new TextEncoder()
const fromUtf8 = new TextDecoder()

/** Binds a record to its row and version, so that a copy in another row does not decrypt. */
const associatedData = (identity: string, version: number): Uint8Array =>
  utf8.encode(`${currentFormat}:${version}:${identity}`)

const importKey = Effect.fnUntraced(function* (option: string, secret: Redacted.Redacted) {
  if (!isSecret(secret)) return yield* new ConfigurationInvalid({ option, reason: "must be a Redacted text" })
  // A key from a file often ends with a newline.
  const bytes = Base64.decode(Redacted.value(secret).trim())
  if (Result.isFailure(bytes))
    return yield* new ConfigurationInvalid({
      option,
      reason: "must be base64, such as `openssl rand -base64 32` prints"
    })
  const key = yield* Effect.mapError(
    Aead.key(Aead.aes256Gcm, bytes.success),
    () => new ConfigurationInvalid({ option, reason: `must be 32 bytes, not ${bytes.success.byteLength}` })
  )
  const digest = yield* Digest.Digest.use(({ digest }) => digest(Digest.sha256, bytes.success))
  return { id: Base64.encode(digest.slice(0, 6)), key }
})

/** Encodes records as text, and decodes them. An unreadable record is an error, and is never overwritten. */
const makeCodec = Effect.fnUntraced(
  function* (options: StoreOptions) {
    const aead = yield* Aead.Aead
    const random = yield* SecureRandom.SecureRandom
    if (options.key === undefined && options.previousKeys !== undefined && options.previousKeys.length > 0) {
      return yield* new ConfigurationInvalid({
        option: "key",
        reason: "is missing, and there are previous keys: records that are encrypted would be written in clear"
      })
    }
    const current = options.key === undefined ? undefined : yield* importKey("key", options.key)
    const previous = yield* Effect.forEach(options.previousKeys ?? [], (key, index) =>
      importKey(`previousKeys.${index}`, key)
    )
    const keys = new Map((current === undefined ? [] : [current, ...previous]).map(({ id, key }) => [id, key]))

    const encode = Effect.fnUntraced(
      function* (identity: string, version: number, record: SessionRecord) {
        if (current === undefined) return yield* encodeRow({ format: currentFormat, record })
        const text = yield* encodeRecord(record)
        const nonce = yield* random.randomBytes(Aead.aes256Gcm.nonceLength)
        const aad = associatedData(identity, version)
        const sealed = yield* aead.encrypt(current.key, utf8.encode(text), { nonce, aad })
        return yield* encodeRow({ format: currentFormat, keyId: current.id, nonce, sealed })
      },
      Effect.mapError(() => unwritable("the record is not one that can be stored"))
    )

    const decode = Effect.fnUntraced(function* (identity: string, version: number, text: string) {
      const notARecord = () => unreadable("what is stored is not a session record")
      const { format } = yield* Effect.mapError(decodeEnvelope(text), notARecord)
      if (format > currentFormat) {
        return yield* unreadable(`the record has format ${format}, and this version knows ${currentFormat}: update it`)
      }
      const row = yield* Effect.mapError(decodeRow(text), notARecord)
      if ("record" in row) {
        if (current === undefined) return row.record
        return yield* unreadable(
          "the record is not encrypted, and a key is given: anybody could have written it. Leave the key out, or encrypt it, if it is yours: custody session encrypt"
        )
      }
      const key = keys.get(row.keyId)
      if (key === undefined) {
        return yield* unreadable(
          keys.size === 0 ? "the record is encrypted, and no key is given" : "the record is encrypted with another key"
        )
      }
      const opened = yield* Effect.mapError(
        aead.decrypt(key, row.sealed, { nonce: row.nonce, aad: associatedData(identity, version) }),
        () => unreadable("the record was changed, or belongs elsewhere: it does not open")
      )
      return yield* Effect.mapError(decodeRecord(fromUtf8.decode(opened)), notARecord)
    })

    return { encode, decode }
  },
  Effect.provide(
    Layer.merge(Aead.layerWebCrypto, Digest.layerWebCrypto).pipe(Layer.provideMerge(SecureRandom.layerWebCrypto))
  )
)

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
  const codec = yield* makeCodec(options)
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
