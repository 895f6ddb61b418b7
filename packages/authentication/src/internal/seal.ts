/**
 * Records as text, and back: a format version, encrypted when there is a key. A record of a newer format, under another
 * key, or changed by anyone is told as such and never overwritten.
 */
import { ConfigurationInvalid } from "@effect-custody/core/SdkError"
import { TokenStoreError } from "@effect-custody/core/SessionError"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { SessionRecord } from "../Session.ts"
import type { StoreOptions } from "../TokenStore.ts"

/** The format that is written. Older ones are read; newer ones are refused, never downgraded. */
export const currentFormat = 1

/** What a row holds: the record in clear, or encrypted under a key that is named by its fingerprint. */
const Row = Schema.fromJsonString(
  Schema.Union([
    Schema.Struct({ format: Schema.Int, record: Schema.Unknown }),
    Schema.Struct({ format: Schema.Int, keyId: Schema.String, nonce: Schema.String, sealed: Schema.String })
  ])
)

const decodeRow = Schema.decodeUnknownEffect(Row)
const encodeRow = Schema.encodeEffect(Row)
const Json = Schema.toCodecJson(SessionRecord)
const decodeRecord = Schema.decodeUnknownEffect(Json)
const encodeRecord = Schema.encodeEffect(Json)

const unreadable = (reason: string) => new TokenStoreError({ operation: "load", reason })

/** An AES key and its name. */
interface Key {
  readonly id: string
  readonly key: CryptoKey
}

const keyBytes = 32

const importKey = (option: string, secret: Redacted.Redacted) =>
  Effect.gen(function* () {
    const bytes = yield* Effect.try({
      try: () => Uint8Array.from(atob(Redacted.value(secret)), (character) => character.charCodeAt(0)),
      catch: () => new ConfigurationInvalid({ option, reason: "must be base64" })
    })
    if (bytes.byteLength !== keyBytes) {
      return yield* new ConfigurationInvalid({ option, reason: `must be ${keyBytes} bytes, not ${bytes.byteLength}` })
    }
    const digest = yield* Effect.promise(() => crypto.subtle.digest("SHA-256", bytes))
    const key = yield* Effect.promise(() => crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt", "decrypt"]))
    return { id: base64(new Uint8Array(digest).slice(0, 6)), key } satisfies Key
  })

const base64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))

const fromBase64 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text), (character) => character.charCodeAt(0))

const utf8 = new TextEncoder()

/** A sealed record holds for one identity and version only: a row copied elsewhere, or put back, does not open. */
const associated = (identity: string, version: number): Uint8Array<ArrayBuffer> =>
  utf8.encode(JSON.stringify([identity, version]))

export const make = Effect.fnUntraced(function* (options: StoreOptions) {
  const current = options.key === undefined ? undefined : yield* importKey("key", options.key)
  const previous = yield* Effect.forEach(options.previousKeys ?? [], (key, index) =>
    importKey(`previousKeys.${index}`, key)
  )
  const keys = new Map((current === undefined ? previous : [current, ...previous]).map((key) => [key.id, key]))

  const seal = Effect.fnUntraced(function* (identity: string, version: number, record: SessionRecord) {
    const encoded = yield* Effect.orDie(encodeRecord(record))
    if (current === undefined) {
      return yield* Effect.orDie(encodeRow({ format: currentFormat, record: encoded }))
    }
    const nonce = crypto.getRandomValues(new Uint8Array(12))
    const sealed = yield* Effect.promise(() =>
      crypto.subtle.encrypt(
        { name: "AES-GCM", iv: nonce, additionalData: associated(identity, version) },
        current.key,
        utf8.encode(JSON.stringify(encoded))
      )
    )
    return yield* Effect.orDie(
      encodeRow({
        format: currentFormat,
        keyId: current.id,
        nonce: base64(nonce),
        sealed: base64(new Uint8Array(sealed))
      })
    )
  })

  const open = Effect.fnUntraced(function* (identity: string, version: number, text: string) {
    const row = yield* Effect.mapError(decodeRow(text), () => unreadable("the stored record cannot be read"))
    if (row.format > currentFormat) {
      return yield* unreadable(`the record has format ${row.format}, and this version knows ${currentFormat}`)
    }
    const encoded = "record" in row ? row.record : yield* decrypt(identity, version, row)
    return yield* Effect.mapError(decodeRecord(encoded), () => unreadable("the stored record is not a session"))
  })

  const decrypt = Effect.fnUntraced(function* (
    identity: string,
    version: number,
    row: { readonly keyId: string; readonly nonce: string; readonly sealed: string }
  ) {
    const found = keys.get(row.keyId)
    if (found === undefined) {
      return yield* unreadable(
        keys.size === 0 ? "the record is encrypted, and no key is given" : "the record is encrypted with another key"
      )
    }
    const opened = yield* Effect.tryPromise({
      try: () =>
        crypto.subtle.decrypt(
          { name: "AES-GCM", iv: fromBase64(row.nonce), additionalData: associated(identity, version) },
          found.key,
          fromBase64(row.sealed)
        ),
      catch: () => unreadable("the record was changed, or belongs elsewhere: it does not open")
    })
    return JSON.parse(new TextDecoder().decode(opened)) as unknown
  })

  return { seal, open }
})
