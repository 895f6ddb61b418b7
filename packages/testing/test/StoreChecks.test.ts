import * as RowStore from "@effect-custody/authentication/RowStore"
import { type Row, type Rows, TokenStore } from "@effect-custody/authentication/TokenStore"
import { TokenStoreError } from "@effect-custody/core/SessionError"
import { StoreChecks } from "@effect-custody/testing"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"

/** Rows in memory that are right, but for what a mistake changes. */
const rowsWith = (mistake: {
  readonly name?: (identity: string) => string
  readonly kept?: (text: string) => string
  readonly isExpected?: (row: Row | undefined, expected: number) => boolean
}): Rows => {
  const { isExpected = (row, expected) => (row?.version ?? 0) === expected, kept = String, name = String } = mistake
  const rows = new Map<string, Row>()
  return {
    load: (identity) => Effect.sync(() => Option.fromUndefinedOr(rows.get(name(identity)))),
    compareAndSwap: (identity, expected, { text, version }) =>
      Effect.sync(() => {
        const row = rows.get(name(identity))
        if (!isExpected(row, expected)) return false
        rows.set(name(identity), { version, text: kept(text) })
        return true
      })
  }
}

const storeOf = (rows: Rows) => Layer.effect(TokenStore, Effect.orDie(RowStore.make(rows)))

/** The names of the checks that a store fails. */
const failed = (store: Layer.Layer<TokenStore>) =>
  Effect.map(
    Effect.forEach(StoreChecks.all, ({ name, run }) =>
      Effect.match(run(store), { onFailure: () => [name], onSuccess: () => [] })
    ),
    (names) => names.flat()
  )

describe("StoreChecks", () => {
  it.live("a correct store passes every check", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* failed(storeOf(rowsWith({}))), [])
    })
  )

  const mistakes: ReadonlyArray<readonly [string, Layer.Layer<TokenStore>, string]> = [
    [
      "ignores the expected version",
      storeOf(rowsWith({ isExpected: () => true })),
      "of 64 swaps at once exactly one wins"
    ],
    ["never replaces a row", storeOf(rowsWith({ isExpected: (row) => row === undefined })), "expects its version"],
    [
      "ignores the case of identities",
      storeOf(rowsWith({ name: (n) => n.toLowerCase() })),
      "identities do not see each other"
    ],
    ["cuts a long text", storeOf(rowsWith({ kept: (text) => text.slice(0, 65_536) })), "of a megabyte"],
    ["keeps ASCII only", storeOf(rowsWith({ kept: (t) => t.replaceAll(/[^ -~]/g, "?") })), "with all of its parts"],
    ["forgets when it is closed", TokenStore.layerMemory, "is opened again"]
  ]
  it.live.each(mistakes)("the checks find a store that %s", ([, store, name]) =>
    Effect.gen(function* () {
      assert.include((yield* failed(store)).join("; "), name)
    })
  )

  it.live("each failed check shows the reason of a store that fails", () =>
    Effect.gen(function* () {
      const correct = rowsWith({})
      const fail = (operation: TokenStoreError["operation"]) =>
        Effect.fail(new TokenStoreError({ operation, reason: "no such column: text" }))
      const failing = [
        storeOf({ ...correct, load: () => fail("load") }),
        storeOf({ ...correct, compareAndSwap: () => fail("compareAndSwap") })
      ]
      for (const store of failing) {
        const failures = yield* Effect.forEach(StoreChecks.all, ({ name, run }) =>
          Effect.match(run(store), { onFailure: ({ message }) => [`${name}: ${message}`], onSuccess: () => [] })
        )
        assert.isAtLeast(failures.flat().length, StoreChecks.all.length - 1)
        for (const failure of failures.flat()) assert.include(failure, "no such column: text")
      }
    })
  )
})
