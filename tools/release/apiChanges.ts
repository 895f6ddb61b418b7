/** The public API of a package, as its declarations say it, and what a new version of it takes away. */
import { globSync, readFileSync } from "node:fs"
import * as Path from "node:path"

/** The exported declarations of a module, without comments, by their text. */
export const declarationsOf = (source: string): ReadonlySet<string> => {
  const code = source.replaceAll(/\/\*[^]*?\*\//g, "").replaceAll(/^\s*\/\/.*$/gm, "")
  return new Set(
    code
      .split(/^(?=(?:export|declare|import|interface|type|class)\b)/m)
      .map((statement) => statement.replaceAll(/\s+/g, " ").trim())
      .filter((statement) => statement.startsWith("export") && !/^export \{\};?$/.test(statement))
  )
}

export type Api = ReadonlyMap<string, ReadonlySet<string>>

/** The modules that have an export path, in a folder of declarations. */
export const apiOf = (folder: string): Api =>
  new Map(
    globSync("*.d.ts", { cwd: folder })
      .sort()
      .map((file) => [file.slice(0, -".d.ts".length), declarationsOf(readFileSync(Path.join(folder, file), "utf8"))])
  )

/** What was there and is gone, or is not as it was. What is new breaks nobody. */
export const changed = (before: Api, after: Api): ReadonlyArray<string> =>
  [...before].flatMap(([module, declarations]) =>
    [...declarations]
      .filter((declaration) => !(after.get(module)?.has(declaration) ?? false))
      .map((declaration) => `${module}: ${declaration.slice(0, 100)}`)
  )
