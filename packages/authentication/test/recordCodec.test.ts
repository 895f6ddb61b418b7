import * as Session from "@effect-custody/authentication/Session"
import * as RowStore from "@effect-custody/authentication/RowStore"
import type { Row, StoreOptions } from "@effect-custody/authentication/TokenStore"
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { canary, recordOf, testKey } from "../../../test/support/worlds/tokenStoreConformance.ts"

/** What a store writes for a record, and what it reads from a row. */
const codec = Effect.fnUntraced(function* (options: StoreOptions) {
  let row: Row | undefined
  const store = yield* RowStore.make(
    {
      load: () => Effect.sync(() => Option.fromUndefinedOr(row)),
      compareAndSwap: (_identity, _version, next) => Effect.sync(() => ((row = next), true))
    },
    options
  )
  const encode = (identity: string, record: Session.SessionRecord) =>
    Effect.map(store.compareAndSwap(identity, 0, record), () => row!)
  const decode = (identity: string, stored: Row) =>
    Effect.suspend(() => {
      row = stored
      return Effect.map(store.load(identity), (loaded) => Option.getOrThrow(loaded).record)
    })
  return { encode, decode }
})

const shown = Schema.encodeSync(Schema.toCodecJson(Session.SessionRecord))

describe("the record codec", () => {
  for (const [how, options] of [
    ["in clear", {}],
    ["sealed", { key: testKey(1) }]
  ] satisfies ReadonlyArray<[string, StoreOptions]>) {
    it.effect.prop(
      `every record is decoded as it was encoded, ${how}`,
      { record: Arbitrary.schema(Session.SessionRecord), identity: Arbitrary.schema(Schema.String) },
      ({ identity, record }) =>
        Effect.gen(function* () {
          const { decode, encode } = yield* codec(options)
          const opened = yield* decode(identity, yield* encode(identity, record))
          assert.deepStrictEqual(shown(opened), shown(record))
        })
    )
  }

  it.effect("a record is never sealed to the same text twice, and the text contains no part of it", () =>
    Effect.gen(function* () {
      const { encode } = yield* codec({ key: testKey(1) })
      const rows = yield* Effect.forEach([1, 2, 3, 4], () => encode("alice", recordOf(0)))
      assert.strictEqual(new Set(rows.map(({ text }) => text)).size, 4)
      for (const { text } of rows) {
        assert.notInclude(text, canary)
        assert.notInclude(text, Buffer.from(canary).toString("base64").slice(0, 12))
        assert.notInclude(text, "acme")
      }
    })
  )

  it.effect("a sealed record with one changed bit does not open", () =>
    Effect.gen(function* () {
      const { decode, encode } = yield* codec({ key: testKey(1) })
      const { text, version } = yield* encode("alice", Session.empty("e"))
      const row = JSON.parse(text) as { readonly sealed: string }
      const sealed = Buffer.from(row.sealed, "base64")
      for (let bit = 0; bit < sealed.length * 8; bit++) {
        const other = Buffer.from(sealed)
        other[bit >> 3]! ^= 1 << (bit & 7)
        const error = yield* Effect.flip(
          decode("alice", { version, text: JSON.stringify({ ...row, sealed: other.toString("base64") }) })
        )
        assert.match(error.reason, /was changed/)
      }
    })
  )

  it.effect("a sealed record does not open under another identity or version", () =>
    Effect.gen(function* () {
      const { decode, encode } = yield* codec({ key: testKey(1) })
      const { text, version } = yield* encode("1:alice", recordOf(0))
      yield* decode("1:alice", { version, text })
      for (const [identity, other] of [
        ["alice", Number(`${version}1`)],
        [`${version}:1:alice`, 1],
        ["1:alice", version - 1],
        ["alice", version]
      ] as const) {
        const error = yield* Effect.flip(decode(identity, { version: other, text }))
        assert.strictEqual(error._tag, "TokenStoreError")
      }
    })
  )

  it.effect("a value that is not a record cannot be stored", () =>
    Effect.gen(function* () {
      const { encode } = yield* codec({ key: testKey(1) })
      const error = yield* Effect.flip(encode("alice", { environment: 7 } as never))
      assert.deepInclude(error, { _tag: "TokenStoreError", operation: "compareAndSwap" })
    })
  )

  const secret = "c2VjcmV0LWNhbmFyeQ"
  const wrong: ReadonlyArray<readonly [what: string, options: StoreOptions, option: string, reason: RegExp]> = [
    ["a key that is not base64", { key: Redacted.make(`${secret}!`) }, "key", /base64/],
    ["a key that is too short", { key: Redacted.make(`${secret}==`) }, "key", /32 bytes, not 13/],
    ["an empty key", { key: Redacted.make("") }, "key", /32 bytes, not 0/],
    ["a key of 31 bytes", { key: Redacted.make(Buffer.alloc(31).toString("base64")) }, "key", /not 31/],
    [
      "a wrong previous key",
      { key: testKey(1), previousKeys: [testKey(2), Redacted.make(secret)] },
      "previousKeys.1",
      /./
    ],
    ["a key from a variable that is not set", { key: Redacted.make(undefined as never) }, "key", /Redacted text/],
    ["a key that is not Redacted", { key: secret as never }, "key", /Redacted text/],
    ["previous keys without a key", { previousKeys: [testKey(2)] }, "key", /in clear/]
  ]
  for (const [what, options, option, reason] of wrong) {
    it.effect(`the error for ${what} names the option, and does not contain the value`, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(codec(options))
        assert.deepInclude(error, { _tag: "ConfigurationInvalid", option })
        assert.match(error.reason, reason)
        assert.notInclude(error.message, secret)
      })
    )
  }

  it.effect("a store key that ends with a newline is accepted", () =>
    Effect.gen(function* () {
      const fromFile = yield* codec({ key: Redacted.make(`${Redacted.value(testKey(1))}\n`) })
      const plain = yield* codec({ key: testKey(1) })
      yield* plain.decode("alice", yield* fromFile.encode("alice", recordOf(0)))
    })
  )
})
