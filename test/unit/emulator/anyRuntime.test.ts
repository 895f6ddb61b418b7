import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import * as Path from "node:path"

const packages = Path.resolve(import.meta.dirname, "../../../packages")

const statement = /^(?:import|export)\s+(?!type\b)[^"';]*?from\s*"([^"]+)"|^import\s*"([^"]+)"/gm

/** The file of a module of this workspace; undefined for any other module. */
const fileOf = (from: string, specifier: string): string | undefined => {
  if (specifier.startsWith(".")) return Path.resolve(Path.dirname(from), specifier)
  const [scope, name, module = "index"] = specifier.split("/")
  return scope === "@effect-custody" ? Path.join(packages, name!, "src", `${module}.ts`) : undefined
}

/** Every module outside the workspace that a file loads when it is imported. */
const loadedBy = (file: string, seen = new Set<string>()): ReadonlyArray<string> => {
  if (seen.has(file)) return []
  seen.add(file)
  return [...readFileSync(file, "utf8").matchAll(statement)].flatMap(([, first, second]) => {
    const specifier = first ?? second!
    const target = fileOf(file, specifier)
    return target === undefined ? [specifier] : loadedBy(target, seen)
  })
}

describe("in process", () => {
  it("the emulator loads no part of Node", () => {
    const loaded = loadedBy(Path.join(packages, "emulator/src/index.ts"))
    assert.isAbove(loaded.length, 50)
    assert.deepStrictEqual(
      loaded.filter((specifier) => /^(?:node:|@effect\/platform-node)/.test(specifier)),
      []
    )
  })
})
