import { ApiError, catchCode, Outcome, Polling } from "@effect-custody/core"
import { assert, describe, it } from "@effect/vitest"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { globSync } from "node:fs"
import { basename } from "node:path"

/** What an error class of the SDK has. */
interface ErrorClass {
  readonly identifier: string
  readonly fields: { readonly _tag: Schema.tag<string> }
}

const root = new URL("../../", import.meta.url)

const modules = globSync("*/src/{*,*/*}.ts", { cwd: root }).filter((path) => /^[A-Z]/.test(basename(path)))

/** The error classes of every package that have a schema, each with the modules that export it. */
const errorClasses: ReadonlyMap<ErrorClass, ReadonlyArray<string>> = await (async () => {
  const found = new Map<ErrorClass, ReadonlyArray<string>>()
  for (const path of modules) {
    const module: Record<string, unknown> = await import(new URL(path, root).href)
    const place = `@effect-custody/${path.split("/")[0]}/${basename(path, ".ts")}`
    for (const value of Object.values(module)) {
      if (typeof value !== "function" || !(value.prototype instanceof Error) || !Schema.isSchema(value)) continue
      // The base of the error answers has no tag.
      if (value === ApiError.ErrorAnswer) continue
      const one = value as unknown as ErrorClass
      found.set(one, [...(found.get(one) ?? []), place])
    }
  }
  return found
})()

const tags = [...errorClasses.keys()].map(({ fields }) => fields._tag.schema.literal)

const given = { row: "41", code: "E40000", phase: "NotSent", isCertain: true }

/** The errors that a user's own classes of a tag make. */
const namesakes = (tag: string) => {
  class OfSchema extends Schema.TaggedError<OfSchema>()(tag, {
    row: Schema.String,
    code: Schema.String,
    phase: Schema.String,
    isCertain: Schema.Boolean
  }) {}
  class OfData extends Data.TaggedError(tag)<typeof given> {}
  return [new OfSchema(given), new OfData(given)]
}

describe("the errors of the SDK", () => {
  it("each error class has its package, its module and its tag in its identifier", () => {
    assert.isAbove(errorClasses.size, 25)
    for (const [{ fields, identifier }, places] of errorClasses) {
      assert.include(
        places.map((place) => `${place}/${fields._tag.schema.literal}`),
        identifier
      )
    }
  })
})

it.effect("a user's error with the tag of an SDK error is no SDK error", () =>
  Effect.gen(function* () {
    const wait = {
      operation: "transactions.get",
      id: "t-1",
      isFinal: Polling.isOneOf("COMPLETED"),
      schedule: Schedule.recurs(0)
    }
    for (const error of tags.flatMap(namesakes)) {
      assert.deepStrictEqual<object>(yield* Outcome.of(Effect.fail(error)), { _tag: "Unknown", error })
      const caught = catchCode(Effect.fail(error), "E40000", () => Effect.succeed("caught"))
      assert.strictEqual(yield* Effect.flip(caught), error)
      assert.strictEqual(yield* Effect.flip(Polling.awaitFinal(Effect.fail(error), wait)), error)
      assert.strictEqual(yield* Effect.flip(Stream.runDrain(Polling.watch(Effect.fail(error), wait))), error)
    }
  })
)
