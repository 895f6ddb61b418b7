/** Each operation of each dialect left out once: `import` must not take another one for it. */
import { ContractImport } from "@effect-custody/cli"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { foreign, openApiOf, snake, wrong } from "./dialects.ts"

describe("import", () => {
  it.each(
    [snake, foreign].flatMap((dialect) =>
      dialect.filter(([ours]) => ours !== null).map(([ours, route]) => [ours, route, dialect] as const)
    )
  )("takes nothing else for %s where %s is missing", (_, route, dialect) => {
    const rows = dialect.filter((row) => row[1] !== route)
    const document = Result.getOrThrow(ContractImport.read(JSON.stringify(openApiOf(rows, "result"))))
    assert.deepStrictEqual(wrong(rows, ContractImport.propose(document)), [])
  })
})
