/** Each operation of each document left out once: `import` must not take another one for it. */
import { assert, it } from "@effect/vitest"
import { Result } from "effect"
import { read } from "../src/internal/document/read.ts"
import { propose } from "../src/internal/match/propose.ts"
import { documents } from "../../../test/support/servers/dialects/documents.ts"

it.each([...documents.entries()])("import takes nothing else for any operation of service %i", (_, published) => {
  const { document, right } = published
  const { paths, ...rest } = document as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  }
  for (const route of right.values()) {
    const [method = "", path = ""] = route.replaceAll(/:(\w+)/g, "{$1}").split(" ")
    const { [method.toLowerCase()]: __, ...others } = paths[path]!
    const without = { ...rest, paths: { ...paths, [path]: others } }
    const { entries } = propose(Result.getOrThrow(read(JSON.stringify(without))))
    for (const { candidates, operation, verdict } of entries) {
      if (verdict !== "proposed") continue
      assert.strictEqual(candidates[0]!.theirs, right.get(operation), `${operation} without ${route}`)
    }
  }
})
