/**
 * `pnpm run docs stability`: writes `docs/effect-versions.md`, the list of what the packages use of Effect that may
 * break in a minor release, as Effect's own `@stability` tags have it.
 */
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import * as Path from "node:path"
import { packages, readManifest, root } from "../workspace.ts"

/** The tests that a change of each module would show in, by the beginning of its name; the first that fits counts. */
const told: ReadonlyArray<readonly [string, string]> = [
  ["effect/cli", "test/process/commands.test.ts"],
  ["effect/http-api", "test/wire"],
  ["effect/http", "test/wire"],
  ["effect/crypto", "packages/authentication/test"],
  ["effect/persistence/Redis", "test/process/TokenStoreRedis.test.ts"],
  ["effect/persistence", "packages/core/test"],
  ["effect/sql", "test/process/TokenStorePostgres.test.ts"],
  ["@effect/sql-pg", "test/process/TokenStorePostgres.test.ts"],
  ["@effect/platform-node", "packages/node/test"],
  ["@effect/vitest", "packages/testing/test"],
  ["effect/Arbitrary", "packages/testing/test"],
  ["effect", "packages/core/test"]
]

interface Use {
  readonly module: string
  /** The members that are unstable, where the module as a whole is not. */
  readonly members: ReadonlySet<string>
  readonly stability: string
  readonly users: ReadonlySet<string>
  readonly test: string
}

/** The TypeScript of a module of Effect, which is published beside its JavaScript. */
const sourceOf = (specifier: string, from: string): string | undefined => {
  const [scope = "", name = ""] = specifier.split("/")
  const owner = specifier.startsWith("@") ? `${scope}/${name}` : scope
  const manifest = createRequire(Path.join(from, "package.json")).resolve(`${owner}/package.json`)
  const inside = specifier.slice(owner.length + 1) || "index"
  const candidates = [`src/${inside}.ts`, `src/${inside}/index.ts`].map((file) =>
    Path.join(Path.dirname(manifest), file)
  )
  const file = candidates.find((candidate) => existsSync(candidate))
  return file === undefined ? undefined : readFileSync(file, "utf8")
}

const tagOf = (comment: string) => /@stability (\w+)/.exec(comment)?.[1] ?? "stable"

/** What the module's own comment says, and what the comments of its exports say. */
const stabilityOf = (source: string) => {
  const first = /^\/\*\*[^]*?\*\//.exec(source)?.[0] ?? ""
  const members = new Map<string, string>()
  const declaration =
    /(\/\*\*(?:(?!\*\/)[^])*\*\/)\s*export (?:declare )?(?:const|function|class|interface|type) (\w+)/g
  for (const [, comment = "", name = ""] of source.matchAll(declaration)) members.set(name, tagOf(comment))
  return { module: tagOf(first), members }
}

const importStatement =
  /^import\s+(?:type\s+)?(?:\*\s+as\s+(\w+)|\{([^}]*)\})\s+from\s+"((?:effect|@effect\/[\w-]+)(?:\/[^"]*)?)"/gm

/** Every import of Effect in a source: the module, and the members of it that the source names. */
const importsOf = (source: string) =>
  [...source.matchAll(importStatement)].map(([, namespace, names = "", module = ""]) => ({
    module,
    members:
      namespace === undefined
        ? names.split(",").map((name) =>
            name
              .trim()
              .replace(/^type /, "")
              .replace(/ as .*$/, "")
          )
        : [...source.matchAll(new RegExp(`\\b${namespace}\\.(\\w+)`, "g"))].map(([, member = ""]) => member)
  }))

const uses = (): ReadonlyArray<Use> => {
  const found = new Map<string, Use>()
  for (const { directory, folder } of packages)
    for (const file of globSync("src/**/*.ts", { cwd: folder }))
      for (const { members, module } of importsOf(readFileSync(Path.join(folder, file), "utf8"))) {
        const source = sourceOf(module, folder)
        if (source === undefined) throw new Error(`${directory}/${file}: no source of ${module}`)
        const stability = stabilityOf(source)
        const loose = members.filter((member) => (stability.members.get(member) ?? "stable") !== "stable")
        if (stability.module === "stable" && loose.length === 0) continue
        const test = told.find(([prefix]) => module.startsWith(prefix))![1]
        if (!existsSync(Path.join(root, test))) throw new Error(`${test}, which tells of ${module}, is not there`)
        const before = found.get(module)
        found.set(module, {
          module,
          stability: stability.module === "stable" ? stability.members.get(loose[0]!)! : stability.module,
          members: new Set([...(before?.members ?? []), ...(stability.module === "stable" ? loose : [])]),
          users: new Set([...(before?.users ?? []), Path.basename(directory)]),
          test
        })
      }
  return [...found.values()].sort((a, b) => (a.module < b.module ? -1 : 1))
}

/** The peers of the packages: the range that is promised, and the version that the workspace is tried with. */
const peers = () => {
  const ranges = new Map<string, string>()
  const pinned = new Map<string, string>()
  for (const { manifest } of packages) {
    for (const [name, range] of Object.entries(manifest.peerDependencies ?? {})) ranges.set(name, range)
    for (const [name, version] of Object.entries(manifest.devDependencies ?? {})) pinned.set(name, version)
  }
  for (const [name, version] of Object.entries(readManifest(root).devDependencies ?? {})) pinned.set(name, version)
  return [...ranges]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, range]) => `| \`${name}\` | \`${range}\` | ${pinned.get(name)} |`)
}

export const file = Path.join(root, "docs/effect-versions.md")

export const page = () => `# Versions of Effect

| peer | range | tried with |
| --- | --- | --- |
${peers().join("\n")}

Effect promises for its stable modules that a minor release breaks nothing. The modules below carry no such promise: a minor release of Effect may break them, and then a release of these packages follows. The oldest allowed \`effect\` is the first that has \`effect/crypto/SecureRandom\`. Every week \`pnpm release peers lowest\` and \`pnpm release peers highest\` run the tests with the oldest and the newest versions that the ranges allow.

This page is written by \`pnpm run docs stability\` from the sources and Effect's own \`@stability\` tags.

| module | stability | used by | a change shows in |
| --- | --- | --- | --- |
${uses()
  .map(({ members, module, stability, test, users }) => {
    const names =
      members.size === 0
        ? ""
        : ` (${[...members]
            .sort()
            .map((name) => `\`${name}\``)
            .join(", ")})`
    return `| \`${module}\`${names} | ${stability} | ${[...users].sort().join(", ")} | \`${test}\` |`
  })
  .join("\n")}
`

if (import.meta.main) writeFileSync(file, page())
