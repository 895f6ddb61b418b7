import { assert, describe, it } from "@effect/vitest"
import { existsSync, globSync, readFileSync, readdirSync } from "node:fs"
import * as Path from "node:path"
import lint from "../../oxlint.config.ts"

const packages = Path.resolve(import.meta.dirname, "../../packages")

const staticImport =
  /^(?:import|export)\s+(?:type\s+)?(?:[\w$]+\s*,\s*)?(?:\*(?:\s+as\s+[\w$]+)?|\{[^}]*\}|[\w$]+)\s*from\s*["']([^"']+)["']/gm
const bareImport = /^import\s*["']([^"']+)["']/gm
const importCall = /^(?!\s*(?:\*|\/\/|\/\*)).*?\bimport\(\s*["'`]([^"'`]+)["'`]/gm

/** Reads the specifiers of a source. Statements begin a line, and examples in comments do not. */
const specifiersOf = (source: string): ReadonlyArray<string> =>
  [staticImport, bareImport, importCall].flatMap((form) => [...source.matchAll(form)].map((match) => match[1]!))

const packageOf = (specifier: string): string => specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/")

/** The packages that the sources of a package import, without Node's own modules. */
const importedBy = (name: string): ReadonlyArray<string> => {
  const files = globSync("src/**/*.ts", { cwd: Path.join(packages, name) })
  const specifiers = files.flatMap((file) => specifiersOf(readFileSync(Path.join(packages, name, file), "utf8")))
  const others = specifiers.filter((specifier) => !specifier.startsWith(".") && !specifier.startsWith("node:"))
  return [...new Set(others.map(packageOf))].sort()
}

const present = readdirSync(packages).filter((name) => existsSync(Path.join(packages, name, "package.json")))

const manifestOf = (name: string): Readonly<Record<"dependencies" | "peerDependencies", object | undefined>> =>
  JSON.parse(readFileSync(Path.join(packages, name, "package.json"), "utf8"))

describe("imports of the packages", () => {
  it("the linter has import rules for exactly the packages of the workspace", () => {
    const ruled = (lint.overrides ?? []).flatMap(({ files, rules }) =>
      rules !== undefined && "no-restricted-imports" in rules ? files : []
    )
    const ofPackages = ruled.filter((files) => /^packages\/[^/]+\/src\/\*\*$/.test(files))
    assert.deepStrictEqual(ofPackages.toSorted(), present.map((name) => `packages/${name}/src/**`).sort())
  })

  it.each(present)("%s declares exactly the packages that it imports, and their peers", (name) => {
    const { dependencies, peerDependencies } = manifestOf(name)
    const workspace = present.filter((other) => `@effect-custody/${other}` in { ...dependencies })
    const passedOn = workspace.flatMap((other) => Object.keys(manifestOf(other).peerDependencies ?? {}))
    const wanted = new Set([...importedBy(name), ...passedOn])
    assert.deepStrictEqual(Object.keys({ ...dependencies, ...peerDependencies }).sort(), [...wanted].sort())
  })
})
