import { assert, describe, it } from "@effect/vitest"
import { existsSync, globSync, readFileSync, readdirSync } from "node:fs"
import * as Path from "node:path"

const packages = Path.resolve(import.meta.dirname, "../../packages")

/** Whom each package may import, package by package, as the design has it. An import only ever points to a row above. */
const order: Record<string, ReadonlyArray<string>> = {
  core: ["effect", "@noble/hashes", "jsonc-parser"],
  authentication: ["effect", "@noble/hashes", "@effect-custody/core"],
  clients: ["effect", "@effect-custody/core"],
  wallets: ["effect", "@effect-custody/core"],
  vaults: ["effect", "@effect-custody/core"],
  transactions: ["effect", "@effect-custody/core"],
  assets: ["effect", "@effect-custody/core"],
  tokens: ["effect", "@effect-custody/core"],
  nfts: ["effect", "@effect-custody/core"],
  "payment-orders": ["effect", "@effect-custody/core"],
  "fiat-gateway": ["effect", "@effect-custody/core"],
  sdk: [
    "effect",
    "@effect-custody/core",
    "@effect-custody/authentication",
    "@effect-custody/clients",
    "@effect-custody/wallets",
    "@effect-custody/vaults",
    "@effect-custody/transactions",
    "@effect-custody/assets",
    "@effect-custody/tokens",
    "@effect-custody/nfts",
    "@effect-custody/payment-orders",
    "@effect-custody/fiat-gateway"
  ],
  node: [
    "effect",
    "node:",
    "@effect/platform-node",
    "@effect-custody/core",
    "@effect-custody/authentication",
    "@effect-custody/sdk"
  ],
  postgres: ["effect", "node:", "@effect/sql-pg", "@effect-custody/core", "@effect-custody/authentication"],
  emulator: [
    "effect",
    "node:",
    "@effect/platform-node",
    "@noble/hashes",
    "@effect-custody/core",
    "@effect-custody/authentication",
    "@effect-custody/clients",
    "@effect-custody/wallets",
    "@effect-custody/vaults",
    "@effect-custody/transactions",
    "@effect-custody/assets",
    "@effect-custody/tokens",
    "@effect-custody/nfts",
    "@effect-custody/payment-orders",
    "@effect-custody/fiat-gateway",
    "@effect-custody/sdk"
  ],
  testing: [
    "effect",
    "node:",
    "@effect/platform-node",
    "@effect-custody/core",
    "@effect-custody/authentication",
    "@effect-custody/sdk",
    "@effect-custody/emulator"
  ],
  conformance: ["effect", "node:", "@effect/platform-node", "@effect-custody/core", "@effect-custody/emulator"]
}

const staticImport =
  /^(?:import|export)\s+(?:type\s+)?(?:[\w$]+\s*,\s*)?(?:\*(?:\s+as\s+[\w$]+)?|\{[^}]*\}|[\w$]+)\s*from\s*["']([^"']+)["']/gm
const bareImport = /^import\s*["']([^"']+)["']/gm
const importCall = /^(?!\s*(?:\*|\/\/|\/\*)).*?\bimport\(\s*["'`]([^"'`]+)["'`]/gm

/** The specifiers of a source: statements begin a line, which examples in comments never do. */
const specifiersOf = (source: string): ReadonlyArray<string> =>
  [staticImport, bareImport, importCall].flatMap((form) => [...source.matchAll(form)].map((match) => match[1]!))

const packageOf = (specifier: string): string =>
  specifier.startsWith("node:") ? "node:" : specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/")

interface Import {
  readonly file: string
  readonly specifier: string
}

/** Why this import of `name` may not be, or undefined. */
const objection = (name: string, { file, specifier }: Import): string | undefined => {
  if (specifier.startsWith(".")) {
    const target = Path.resolve(packages, Path.dirname(file), specifier)
    return target.startsWith(Path.join(packages, name, "src") + Path.sep) ? undefined : "leaves the package by a path"
  }
  if (!order[name]!.includes(packageOf(specifier))) return "points upwards, or to a stranger"
  if (specifier === "@effect/platform-node") return "is the barrel, which needs redis"
  if (/^@effect-custody\/[^/]+\/internal(\/|$)/.test(specifier)) return "is internal to another package"
  if (name === "node" && /^@effect-custody\/sdk(?!\/Custody$)/.test(specifier))
    return "is more of the sdk than `Custody`"
  return undefined
}

const importsOf = (name: string): ReadonlyArray<Import> =>
  globSync("src/**/*.ts", { cwd: Path.join(packages, name) }).flatMap((path) => {
    const file = Path.join(name, path)
    return specifiersOf(readFileSync(Path.join(packages, file), "utf8")).map((specifier) => ({ file, specifier }))
  })

describe("imports", () => {
  it("the table names every package", () => {
    const present = readdirSync(packages).filter((name) => existsSync(Path.join(packages, name, "package.json")))
    assert.deepStrictEqual(Object.keys(order).sort(), present.sort())
  })

  for (const name of Object.keys(order)) {
    it(`${name} imports only what is above it`, () => {
      const objections = importsOf(name).flatMap((found) => {
        const why = objection(name, found)
        return why === undefined ? [] : [`${found.file}: "${found.specifier}" ${why}`]
      })
      assert.deepStrictEqual(objections, [])
    })

    it(`${name} declares every package that it imports, and no other`, () => {
      const manifest = JSON.parse(readFileSync(Path.join(packages, name, "package.json"), "utf8"))
      const declared = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })
      const allowed = order[name]!.filter((dependency) => dependency !== "node:")
      assert.deepStrictEqual(declared.sort(), [...allowed].sort())
    })
  }

  it("the scanner sees every form of import, and none in comments", () => {
    const source = [
      `import * as A from "a"`,
      `import B, { type C } from "b"`,
      `import type { D } from 'd'`,
      `import {\n  E,\n  F\n} from "ef"`,
      `import "g"`,
      `export * from "h"`,
      `export * as I from "i"`,
      `export type { J } from "j"`,
      `const k = () => import("k")`,
      ` * import { X } from "x"`,
      ` * const y = await import("y")`,
      `// import "z"`
    ].join("\n")
    assert.deepStrictEqual([...specifiersOf(source)].sort(), ["a", "b", "d", "ef", "g", "h", "i", "j", "k"])
  })

  it.each([
    ["core", "@effect-custody/vaults"],
    ["core", "node:crypto"],
    ["core", "../../vaults/src/Vault.ts"],
    ["vaults", "@effect-custody/tokens"],
    ["vaults", "@effect-custody/core/internal/engine"],
    ["authentication", "@effect-custody/vaults"],
    ["sdk", "@effect/platform-node/NodeRuntime"],
    ["sdk", "@effect-custody/emulator"],
    ["node", "@effect/platform-node"],
    ["node", "@effect-custody/emulator"],
    ["node", "@effect-custody/sdk"],
    ["postgres", "@effect-custody/sdk/Custody"],
    ["emulator", "@effect-custody/testing"],
    ["testing", "@effect-custody/vaults"]
  ])("%s may not import %s", (name, specifier) => {
    assert.isString(objection(name, { file: `${name}/src/Module.ts`, specifier }))
  })

  it.each([
    ["core", "effect/Effect"],
    ["core", "./internal/engine.ts"],
    ["node", "@effect-custody/sdk/Custody"],
    ["node", "@effect/platform-node/NodeRuntime"],
    ["emulator", "@effect-custody/vaults/VaultsApi"]
  ])("%s may import %s", (name, specifier) => {
    assert.isUndefined(objection(name, { file: `${name}/src/Module.ts`, specifier }))
  })
})
