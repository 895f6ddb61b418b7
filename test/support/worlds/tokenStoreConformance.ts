/** Runs the checks of `@effect-custody/testing` on a store, and checks its stored data from outside. */
import * as Session from "@effect-custody/authentication/Session"
import { type Row, type StoreOptions, TokenStore } from "@effect-custody/authentication/TokenStore"
import type { ConfigurationInvalid } from "@effect-custody/core/SdkError"
import type { TokenStoreError } from "@effect-custody/core/SessionError"
import { StoreChecks } from "@effect-custody/testing"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"

/** An empty place for sessions. */
export interface Place {
  /** A store in this place. Every build is a separate connection. */
  readonly store: (options: StoreOptions) => Layer.Layer<TokenStore, TokenStoreError | ConfigurationInvalid>
  /** The access to the stored data from outside, if it outlives a store. */
  readonly outside?: {
    /** All stored bytes, with everything beside them. */
    readonly bytes: Effect.Effect<string>
    readonly row: (identity: string) => Effect.Effect<Row>
    readonly put: (identity: string, row: Row) => Effect.Effect<void>
  }
}

/** A key of 32 times the same byte. */
export const testKey = (byte: number): Redacted.Redacted => Redacted.make(Buffer.alloc(32, byte).toString("base64"))

/** Opens a connection until the scope ends. */
export const connect = (place: Pick<Place, "store">, options: StoreOptions = {}) =>
  Effect.map(Layer.build(Layer.fresh(place.store(options))), Context.get(TokenStore))

/** Opens a connection for one effect. */
const visit = <A, E>(
  place: Place,
  options: StoreOptions,
  work: (store: TokenStore["Service"]) => Effect.Effect<A, E>
) => Effect.scoped(Effect.flatMap(connect(place, options), work))

/** Tokens that a search can find in any place. */
export const canary = "canary-7f3a"

/** A record with a session of a generation. */
export const recordOf = (generation: number, spentKeys: ReadonlyArray<string> = []): Session.SessionRecord => ({
  environment: "https://acme.custody.example/api/integration",
  session: {
    generation,
    accessToken: Redacted.make(`${canary}-access-${generation}`),
    refreshToken: Redacted.make(`${canary}-refresh-${generation}`),
    obtainedAt: 1_700_000_000_000
  },
  spentKeys
})

/** Shows the secrets of a record, because redacted values compare by their labels. */
const shown = Schema.encodeSync(Schema.toCodecJson(Session.SessionRecord))

/** Reads the newest record of an identity, which must exist. */
const newest = (store: TokenStore["Service"], identity: string) =>
  Effect.flatMap(store.load(identity), Effect.fromOption)

/** Reads the version of the newest record of an identity. 0: there is no record. */
export const versionOf = (store: TokenStore["Service"], identity: string) =>
  Effect.map(store.load(identity), Option.match({ onNone: () => 0, onSome: ({ version }) => version }))

/** Writes over any stored record, and returns the new version. */
export const write = (store: TokenStore["Service"], identity: string, record: Session.SessionRecord) =>
  Effect.flatMap(versionOf(store, identity), (version) => store.compareAndSwap(identity, version, record))

/** Adds the tests that a store keeps the promises of `TokenStore`. */
export const tokenStoreConformance = (
  name: string,
  makePlace: Effect.Effect<Place, never, Scope.Scope>,
  options: { readonly timeout?: number; readonly outlives: boolean }
): void => {
  const unique = (identity: string) => `${identity} ${SecureRandom.uuidV4Unsafe()}`
  const test = <E>(sentence: string, body: (place: Place) => Effect.Effect<void, E, Scope.Scope>) =>
    it.live(sentence, () => Effect.flatMap(makePlace, body), options.timeout)

  describe(`the checks of every store on ${name}`, () => {
    for (const { name: sentence, outlives, run } of StoreChecks.all) {
      if (options.outlives || !outlives) test(sentence, (place) => run(place.store({})))
    }
  })

  if (!options.outlives) return

  describe(`the checks of a durable store on ${name}`, () => {
    const durable = <E>(
      sentence: string,
      body: (place: Place, outside: NonNullable<Place["outside"]>) => Effect.Effect<void, E, Scope.Scope>
    ) => test(sentence, (place) => body(place, place.outside!))

    const key = testKey(1)
    const otherKey = testKey(2)

    durable("with a key nothing of a secret is in what is stored, and without one it is", (place, outside) =>
      Effect.gen(function* () {
        const sealed = yield* connect(place, { key })
        for (const generation of [0, 1, 2]) yield* write(sealed, "sealed", recordOf(generation))
        assert.notInclude(yield* outside.bytes, canary)
        assert.notInclude(yield* outside.bytes, Redacted.value(key))

        const clear = yield* connect(place)
        yield* clear.compareAndSwap("clear", 0, recordOf(0))
        assert.include(yield* outside.bytes, canary)
      })
    )

    /**
     * Stores a record under `key`, changes the stored data, and checks that the store reports this and leaves the record
     * unchanged.
     */
    const told = (
      sentence: string,
      options: {
        readonly written?: StoreOptions
        readonly read: StoreOptions
        readonly change?: (row: Row) => Row
        readonly reason: RegExp
      }
    ) =>
      durable(sentence, (place, outside) =>
        Effect.gen(function* () {
          const alice = unique("alice")
          yield* visit(place, options.written ?? { key }, (store) => store.compareAndSwap(alice, 0, recordOf(0)))
          const row = yield* outside.row(alice)
          if (options.change !== undefined) yield* outside.put(alice, options.change(row))
          const before = yield* outside.row(alice)

          const store = yield* connect(place, options.read)
          for (let attempt = 0; attempt < 2; attempt++) {
            const error = yield* Effect.flip(store.load(alice))
            assert.deepInclude(error, { _tag: "TokenStoreError", operation: "load" })
            assert.match(error.reason, options.reason)
            assert.notInclude(error.message, canary)
          }
          const conflict = yield* Effect.flip(store.compareAndSwap(alice, 0, recordOf(1)))
          assert.strictEqual(conflict._tag, "VersionConflict")
          assert.deepStrictEqual(yield* outside.row(alice), before)
        })
      )

    const noRecord = /not a session record/
    const withText =
      (change: (text: string) => string) =>
      (row: Row): Row => ({ ...row, text: change(row.text) })
    const changed =
      (part: string) =>
      (row: Row): Row => {
        const parts = JSON.parse(row.text) as Record<string, unknown>
        const bytes = Buffer.from(String(parts[part]), "base64")
        bytes[bytes.length >> 1]! ^= 1
        return { ...row, text: JSON.stringify({ ...parts, [part]: bytes.toString("base64") }) }
      }

    const clear = { written: {}, read: {} }
    const sealed = { read: { key } }
    const refusals: ReadonlyArray<readonly [sentence: string, options: Parameters<typeof told>[1]]> = [
      ["a wrong key", { read: { key: otherKey }, reason: /another key/ }],
      ["a missing key", { read: {}, reason: /no key is given/ }],
      ["a record in clear where a key is given", { written: {}, read: { key }, reason: /not encrypted/ }],
      ["a record that was changed", { ...sealed, change: changed("sealed"), reason: /was changed/ }],
      ["a record whose nonce was changed", { ...sealed, change: changed("nonce"), reason: /was changed/ }],
      ["a record that was cut off", { ...sealed, change: withText((text) => text.slice(0, -10)), reason: noRecord }],
      ["no text", { ...clear, change: withText(() => ""), reason: noRecord }],
      ["an empty record", { ...clear, change: withText(() => '{"format":1,"record":{}}'), reason: noRecord }],
      [
        "an old record under a newer version",
        {
          ...sealed,
          change: (row) => ({ ...row, version: row.version + 1 }),
          reason: /was changed, or belongs elsewhere/
        }
      ],
      [
        "a record of a newer format",
        { ...sealed, change: withText(() => '{"format":2,"somethingNew":true}'), reason: /format 2.*knows 1/ }
      ],
      [
        "a record in clear of a newer format",
        { ...clear, change: withText((text) => text.replace('"format":1', '"format":2')), reason: /format 2.*knows 1/ }
      ]
    ]
    for (const [sentence, options] of refusals) told(`${sentence} is told, and nothing is overwritten`, options)

    durable("a record that was copied to another identity is told, and not overwritten", (place, outside) =>
      Effect.gen(function* () {
        const store = yield* connect(place, { key })
        const [alice, mallory] = [unique("alice"), unique("mallory")]
        yield* store.compareAndSwap(alice, 0, recordOf(0))
        const row = yield* outside.row(alice)
        yield* outside.put(mallory, row)
        const error = yield* Effect.flip(store.load(mallory))
        assert.match(error.reason, /belongs elsewhere/)
        assert.deepStrictEqual(yield* outside.row(mallory), row)
        assert.strictEqual((yield* newest(store, alice)).version, row.version)
      })
    )

    durable("a record under a previous key is read, and written with the new one", (place) =>
      Effect.gen(function* () {
        const alice = unique("alice")
        yield* visit(place, { key: otherKey }, (store) => store.compareAndSwap(alice, 0, recordOf(0)))
        yield* visit(place, { key, previousKeys: [testKey(9), otherKey] }, (store) =>
          Effect.gen(function* () {
            const { record, version } = yield* newest(store, alice)
            assert.deepStrictEqual(shown(record), shown(recordOf(0)))
            yield* store.compareAndSwap(alice, version, recordOf(1))
          })
        )
        yield* visit(place, { key }, (store) =>
          Effect.map(newest(store, alice), ({ record }) => {
            assert.deepStrictEqual(shown(record), shown(recordOf(1)))
          })
        )
      })
    )

    durable("what is stored in clear is encrypted by a swap from a store without a key to one with it", (place) =>
      Effect.gen(function* () {
        const alice = unique("alice")
        const clear = yield* connect(place)
        const sealed = yield* connect(place, { key })
        yield* clear.compareAndSwap(alice, 0, recordOf(0))
        const { record, version } = yield* newest(clear, alice)
        yield* sealed.compareAndSwap(alice, version, record)
        assert.deepStrictEqual(shown((yield* newest(sealed, alice)).record), shown(recordOf(0)))
        assert.match((yield* Effect.flip(clear.load(alice))).reason, /no key is given/)
      })
    )
  })
}
