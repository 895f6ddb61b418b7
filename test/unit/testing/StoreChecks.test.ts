import { type Row, type Rows, TokenStore } from "@effect-custody/authentication/TokenStore"
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
  readonly numbered?: (version: number, expected: number) => number
  readonly read?: (row: Row) => Row
}): Rows => {
  const { isExpected = (row, expected) => (row?.version ?? 0) === expected, kept = String, name = String } = mistake
  const { numbered = (version) => version, read = (row) => row } = mistake
  const rows = new Map<string, Row>()
  return {
    load: (identity) => Effect.sync(() => Option.map(Option.fromUndefinedOr(rows.get(name(identity))), read)),
    compareAndSwap: (identity, expected, { text, version }) =>
      Effect.sync(() => {
        const row = rows.get(name(identity))
        if (!isExpected(row, expected)) return false
        rows.set(name(identity), { version: numbered(version, expected), text: kept(text) })
        return true
      })
  }
}

const storeOf = (rows: Rows) => Layer.effect(TokenStore, Effect.orDie(TokenStore.make(rows)))

/** The names of the checks that a store fails. */
const failed = (store: Layer.Layer<TokenStore>) =>
  Effect.map(
    Effect.forEach(StoreChecks.all, ({ name, run }) =>
      Effect.match(run(store), { onFailure: () => [name], onSuccess: () => [] })
    ),
    (names) => names.flat()
  )

describe("the checks of a store", () => {
  it.live("let a store pass that does what it has to", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* failed(storeOf(rowsWith({}))), [])
    })
  )

  const mistakes: ReadonlyArray<readonly [string, Layer.Layer<TokenStore>, string]> = [
    ["swaps whatever is there", storeOf(rowsWith({ isExpected: () => true })), "of 64 swaps at once exactly one wins"],
    ["never writes over a row", storeOf(rowsWith({ isExpected: (row) => row === undefined })), "expects its version"],
    ["counts versions itself", storeOf(rowsWith({ numbered: (_, expected) => expected + 1 })), "expects its version"],
    ["keeps 32 bits of a version", storeOf(rowsWith({ numbered: (version) => version % 2 ** 32 })), "comes back whole"],
    [
      "reads a version as a text",
      storeOf(rowsWith({ read: (row) => ({ ...row, version: String(row.version) as unknown as number }) })),
      "comes back whole"
    ],
    ["rounds versions to 32-bit floats", storeOf(rowsWith({ numbered: Math.fround })), "comes back whole"],
    [
      "does not tell names by case",
      storeOf(rowsWith({ name: (n) => n.toLowerCase() })),
      "identities do not see each other"
    ],
    ["cuts a long text", storeOf(rowsWith({ kept: (text) => text.slice(0, 65_536) })), "of a megabyte"],
    ["keeps ASCII only", storeOf(rowsWith({ kept: (t) => t.replaceAll(/[^ -~]/g, "?") })), "with all of its parts"],
    ["forgets when it is closed", TokenStore.layerMemory, "is opened again"]
  ]
  it.live.each(mistakes)("find a store that %s", ([, store, name]) =>
    Effect.gen(function* () {
      assert.include((yield* failed(store)).join("; "), name)
    })
  )
})
