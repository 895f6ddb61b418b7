import * as Session from "@effect-custody/authentication/Session"
import { TokenStore, VersionConflict } from "@effect-custody/authentication/TokenStore"
import { TokenStoreError } from "@effect-custody/core/SessionError"
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { letTime } from "../../../test/support/worlds/sessionWorld.ts"
import * as RecordStore from "../src/recordStore.ts"

const environment = "https://acme.custody.example/api/integration"
const identity = { name: "acme", environment }
const recordAt = (lastStartAt: number): Session.SessionRecord => ({ ...Session.empty(environment), lastStartAt })
const conflict = (expectedVersion: number) => new VersionConflict({ identity: "acme", expectedVersion })

/** Decides on each record that it is given, and remembers which. */
const deciding = () => {
  const seen: Array<number> = []
  return { seen, decide: ({ version }: { readonly version: number }) => (seen.push(version), { record: recordAt(9) }) }
}

describe("modify", () => {
  it.effect("decides again on the loaded record after each conflict, and gives up after 32 conflicts", () =>
    Effect.gen(function* () {
      let version = 0
      let writes = 0
      const store = RecordStore.make(
        TokenStore.of({
          load: () => Effect.sync(() => Option.some({ version: ++version, record: recordAt(version) })),
          compareAndSwap: (_, expected) => Effect.suspend(() => (writes++, Effect.fail(conflict(expected))))
        }),
        identity,
        Duration.seconds(10)
      )
      const { decide, seen } = deciding()
      const { failure, stored } = yield* letTime(store.modify(decide))
      assert.strictEqual(writes, 32)
      assert.deepStrictEqual(
        seen,
        Array.from({ length: 32 }, (_, index) => index + 1)
      )
      assert.strictEqual(stored.version, 32)
      assert.match(failure?.message ?? "", /the record changes faster than it can be written/)
    })
  )

  it.effect("returns the decision with the failure if the record cannot be loaded after a conflict", () =>
    Effect.gen(function* () {
      const store = RecordStore.make(
        TokenStore.of({
          load: () => Effect.fail(new TokenStoreError({ operation: "load", reason: "out of order" })),
          compareAndSwap: (_, expected) => Effect.fail(conflict(expected))
        }),
        identity,
        Duration.seconds(10)
      )
      const { decide, seen } = deciding()
      const from = { version: 5, record: recordAt(5) }
      const { decision, failure, stored } = yield* store.modify(decide, from)
      assert.deepStrictEqual(seen, [5])
      assert.deepStrictEqual(decision, { record: recordAt(9) })
      assert.strictEqual(stored, from)
      assert.deepInclude(failure, { _tag: "TokenStoreError", operation: "load", reason: "out of order" })
    })
  )

  it.effect("fails if the first record cannot be loaded, because nothing is decided", () =>
    Effect.gen(function* () {
      const store = RecordStore.make(
        TokenStore.of({
          load: () => Effect.fail(new TokenStoreError({ operation: "load", reason: "out of order" })),
          compareAndSwap: (_, expected) => Effect.fail(conflict(expected))
        }),
        identity,
        Duration.seconds(10)
      )
      const { decide, seen } = deciding()
      assert.strictEqual((yield* Effect.flip(store.modify(decide)))._tag, "TokenStoreError")
      assert.deepStrictEqual(seen, [])
    })
  )
})
