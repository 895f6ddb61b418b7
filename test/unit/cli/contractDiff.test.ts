import { ContractImport } from "@effect-custody/cli"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { diff } from "../../../packages/cli/src/internal/documentDiff.ts"
import { openApiOf, type Row, snake } from "./dialects.ts"

const read = (rows: ReadonlyArray<Row>) =>
  Result.getOrThrow(ContractImport.read(JSON.stringify(openApiOf(rows, "result"))))

const changed = (route: string, change: (row: Row) => Row | undefined) => {
  const rows = snake.map((row) => (row[1] === route ? change(row) : row)).filter((row) => row !== undefined)
  return diff(read(snake), read(rows))
}

const route = "POST /v2/payouts"

describe("the difference of two documents", () => {
  it("is nothing where nothing differs, also with other names for the parameters of a path", () => {
    assert.deepStrictEqual(diff(read(snake), read(snake)), [])
    const renamed = snake.map(([ours, path, ...rest]): Row => [ours, path.replace("{wallet_id}", "{id}"), ...rest])
    assert.deepStrictEqual(diff(read(snake), read(renamed)), [])
  })

  it.each([
    [
      "a field more that is required",
      ([ours, path, summary, query, body, answer]: Row): Row => [
        ours,
        path,
        summary,
        query,
        `${body} purpose!`,
        answer
      ],
      "changed",
      ["body purpose is new: string required"]
    ],
    [
      "a field of the answer that is gone",
      ([ours, path, summary, query, body, answer]: Row): Row => [
        ours,
        path,
        summary,
        query,
        body,
        answer.replace("fee ", "")
      ],
      "changed",
      ["answer result.fee was removed"]
    ],
    [
      "another constant",
      ([ours, path, summary, query, body, answer]: Row): Row => [
        ours,
        path,
        summary,
        query,
        body.replace("EXTERNAL", "OUT"),
        answer
      ],
      "changed",
      ["body type was string required one of EXTERNAL, is now string required one of OUT"]
    ],
    ["an operation that is gone", () => undefined, "removed", []]
  ] as const)("says %s", (_, change, kind, details) => {
    assert.deepStrictEqual(changed(route, change), [{ operation: route, kind, details }])
  })

  it("says another path as one that is gone and one that is new", () => {
    const moved = changed(route, ([ours, , ...rest]) => [ours, "POST /v3/payouts", ...rest])
    assert.deepStrictEqual(
      moved.map(({ kind, operation }) => `${kind} ${operation}`),
      ["removed POST /v2/payouts", "added POST /v3/payouts"]
    )
  })
})
