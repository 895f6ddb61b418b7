import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import * as Path from "node:path"
import lint from "../../oxlint.config.ts"
import { type Package, packages } from "../../tools/workspace.ts"

const staticImport =
  /^(?:import|export)\s+(?:type\s+)?(?:[\w$]+\s*,\s*)?(?:\*(?:\s+as\s+[\w$]+)?|\{[^}]*\}|[\w$]+)\s*from\s*["']([^"']+)["']/gm
const bareImport = /^import\s*["']([^"']+)["']/gm
const importCall = /^(?!\s*(?:\*|\/\/|\/\*)).*?\bimport\(\s*["'`]([^"'`]+)["'`]/gm

/** Reads the specifiers of a source. Statements begin a line, and examples in comments do not. */
const specifiersOf = (source: string): ReadonlyArray<string> =>
  [staticImport, bareImport, importCall].flatMap((form) => [...source.matchAll(form)].map((match) => match[1]!))

const packageOf = (specifier: string): string => specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/")

/** The packages that the sources of a package import, without Node's own modules. */
const importedBy = ({ folder }: Package): ReadonlyArray<string> => {
  const files = globSync("src/**/*.ts", { cwd: folder })
  const specifiers = files.flatMap((file) => specifiersOf(readFileSync(Path.join(folder, file), "utf8")))
  const others = specifiers.filter((specifier) => !specifier.startsWith(".") && !specifier.startsWith("node:"))
  return [...new Set(others.map(packageOf))].sort()
}

describe("imports of the packages", () => {
  it("the linter has import rules for exactly the packages of the workspace", () => {
    const ruled = (lint.overrides ?? []).flatMap(({ files, rules }) =>
      rules !== undefined && "no-restricted-imports" in rules ? files : []
    )
    const ofPackages = ruled.filter((files) => /^packages\/(extensions\/)?[^/]+\/src\/\*\*$/.test(files))
    assert.deepStrictEqual(ofPackages.toSorted(), packages.map(({ directory }) => `${directory}/src/**`).sort())
  })

  it.each(packages.map((one) => [one.name, one] as const))(
    "%s declares exactly the packages that it imports, and their peers",
    (_name, one) => {
      const { dependencies, peerDependencies } = one.manifest
      const workspace = packages.filter(({ name }) => name in { ...dependencies })
      const passedOn = workspace.flatMap(({ manifest }) => Object.keys(manifest.peerDependencies ?? {}))
      const wanted = new Set([...importedBy(one), ...passedOn])
      assert.deepStrictEqual(Object.keys({ ...dependencies, ...peerDependencies }).sort(), [...wanted].sort())
    }
  )
})
