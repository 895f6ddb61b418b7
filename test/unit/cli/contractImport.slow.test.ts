/** Each operation of each dialect left out once: `import` must not take another one for it. */
import { ContractImport } from "@effect-custody/cli"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { documents } from "../../support/servers/dialects/documents.ts"
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

  it.each([...documents.entries()])(
    "takes nothing else for any operation in the document of service %i",
    (_, published) => {
      const { document, right } = published
      const { paths, ...rest } = document as {
        readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
      }
      for (const route of right.values()) {
        const [method = "", path = ""] = route.replaceAll(/:(\w+)/g, "{$1}").split(" ")
        const { [method.toLowerCase()]: __, ...others } = paths[path]!
        const without = { ...rest, paths: { ...paths, [path]: others } }
        const { entries } = ContractImport.propose(Result.getOrThrow(ContractImport.read(JSON.stringify(without))))
        for (const { operation, theirs, verdict } of entries) {
          if (verdict === "proposed") assert.strictEqual(theirs, right.get(operation), `${operation} without ${route}`)
        }
      }
    }
  )
})
