import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { detector } from "./detector.ts"
import { emulated } from "./emulated.ts"
import { count, look, lookAtEmulator, sample, whole } from "./matrix.ts"
import { planted, plants } from "./plants.ts"
import { spellings } from "./secrets.ts"

describe("the canary matrix, of which this is a small part", () => {
  const counted = count()

  it.live("no sink holds a secret, whatever kind and size it has, whichever call fails, and however", () =>
    Effect.gen(function* () {
      for (const row of sample(whole(), 1)) {
        if (!row.name.includes("100000 characters")) yield* look(row, counted)
      }
      // A secret that is an option is no part of the session whose start fails.
      for (const row of whole().filter(({ name }) => name === "plain, 300 characters, as option")) {
        const started = row.tried.filter(
          ({ call, failure }) => call === "a start" && /in (?:code|x-request-id)$/.test(failure.name)
        )
        yield* look({ ...row, tried: started }, counted)
      }
      yield* lookAtEmulator(
        emulated.filter((_, at) => at % 11 === 0),
        counted
      )
      assert.deepStrictEqual(counted.leaks, [])
      assert.isAbove(counted.cases, 80)
    })
  )

  it.live("a leak that is planted in any sink is found", () =>
    Effect.gen(function* () {
      const { find } = detector([planted])
      const found = new Set<string>()
      for (const sinks of yield* plants) {
        for (const [sink, text] of Object.entries(sinks)) if (find(text) !== undefined) found.add(sink)
      }
      assert.deepStrictEqual(
        [...counted.sinks].filter((sink) => !found.has(sink)),
        []
      )
    })
  )

  it("every spelling is found in a text, and nothing else", () => {
    const { find } = detector([planted])
    for (const [how, spell] of Object.entries(spellings)) assert.isDefined(find(`no: ${spell(planted)} here`), how)
    assert.isUndefined(find(`no: ${planted.slice(0, 11)} here`))
  })
})
