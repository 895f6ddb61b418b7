/** The programs of the README and of the recipes, run as a reader would. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { globSync, mkdtempSync, rmSync, symlinkSync } from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { faultOf, pagesOf, write } from "../../.ci/pack-try/recipes/pages.ts"
import { hasPostgres, postgresServer } from "../support/servers/postgres.ts"

const root = Path.resolve(import.meta.dirname, "../..")

const pages = pagesOf(root)

/** A folder outside of the workspace, where the packages can be imported by their names. */
const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = mkdtempSync(Path.join(Os.tmpdir(), "effect-custody-"))
    symlinkSync(Path.join(root, "node_modules"), Path.join(folder, "node_modules"))
    return folder
  }),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

for (const page of pages) {
  describe.skipIf(page.needsDatabase && !hasPostgres)(page.page, () => {
    it.live.each(page.programs)("$file prints what the page says", (program) =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        write(folder, page)
        assert.isUndefined(
          yield* faultOf(folder, page, program, page.needsDatabase ? yield* postgresServer : undefined)
        )
      }).pipe(Effect.scoped)
    )
  })
}

describe("the pages", () => {
  it("with programs are the README and every recipe", () => {
    const recipes = globSync("docs/recipes/*.md", { cwd: root }).filter((file) => !file.endsWith("README.md"))
    assert.deepStrictEqual(
      pages.map(({ page }) => page),
      ["README.md", ...recipes].toSorted()
    )
  })
})
