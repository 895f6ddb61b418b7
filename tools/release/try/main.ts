/**
 * `pnpm release try`: the packages as their users will have them, before they are published. Builds and packs them all,
 * serves them as a registry would, and installs them with every package manager in fresh folders; compiles a consumer
 * with old and new compilers, runs the quickstart on every runtime, and lists what a user installs.
 *
 * `pnpm release try sbom --output FILE` writes the CycloneDX document; with names of parts, only those are tried.
 * `--tarballs FOLDER` tries what `pnpm release pack FOLDER` made.
 */
import { chmodSync, cpSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { parseArgs } from "node:util"
import { replaceIn, table } from "../../docs/tables.ts"
import { pack, type Packed, packedIn, packages, pinned, root } from "../../workspace.ts"
import { temporaryFolder } from "../copy.ts"
import { compilations } from "./compilers.ts"
import { checkBuild, checkInstalled } from "./contents.ts"
import { attw, publint } from "./lint.ts"
import { type Manager, managers, npm12, strictPnpm } from "./managers.ts"
import { serve } from "./registry.ts"
import { installTools, must, node, programOf } from "./run.ts"
import { attempts, runtimes, workers } from "./runtimes.ts"
import { bill } from "./sbom.ts"
import { sentOnce } from "./sentOnce.ts"
import { starterSteps } from "./starter.ts"

const parts = ["lint", "contents", "managers", "compilers", "runtimes", "recipes", "starter", "sbom"] as const
type Part = (typeof parts)[number]

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { keep: { type: "boolean", default: false }, output: { type: "string" }, tarballs: { type: "string" } }
})
const isPart = (name: string): name is Part => (parts as ReadonlyArray<string>).includes(name)
const unknown = positionals.filter((name) => !isPart(name))
if (unknown.length > 0) {
  console.error(`usage: pnpm release try [${parts.join(" | ")}]… [--keep] [--output FILE] [--tarballs FOLDER]`)
  process.exit(2)
}
/** pnpm changes to the root of the clone, and keeps where it was called. */
const at = (path: string) => Path.resolve(process.env["INIT_CWD"] ?? process.cwd(), path)

const wanted = new Set<string>(positionals.length === 0 ? parts : positionals)

interface Row {
  readonly what: string
  readonly by: string
  readonly ok: boolean
  readonly seconds: number
}

const rows: Array<Row> = []
const failures: Array<string> = []

type Fail = (text: string) => void

/** Tries something, and records how it ends. It fails by `fail`, or by an error. */
const attempt = async (what: string, by: string, run: (fail: Fail) => Promise<unknown>): Promise<boolean> => {
  const start = performance.now()
  const found: Array<string> = []
  await run((text) => found.push(text)).catch((error: unknown) => found.push(String(error)))
  const [ok, seconds] = [found.length === 0, (performance.now() - start) / 1000]
  rows.push({ what, by, ok, seconds })
  console.log(`${ok ? "✓" : "✗"} ${what} · ${by} · ${seconds.toFixed(1)} s`)
  if (!ok) failures.push(`${what}, ${by}:\n${found.join("\n").trim()}`)
  return ok
}

/** The packages that are named, with the peers that they ask for. */
const dependenciesOf = (names: ReadonlyArray<string>) => {
  const chosen = packages.filter(({ name }) => names.includes(name))
  const peers = new Set(chosen.flatMap(({ manifest }) => Object.keys(manifest.peerDependencies ?? {})))
  return Object.fromEntries([
    ...chosen.map(({ manifest, name }) => [name, manifest.version]),
    ...[...peers].map((peer) => [peer, pinned[peer] ?? "latest"])
  ])
}

const everything = packages.map(({ name }) => name)

/** A fresh folder with a consumer in it, and what it depends on. */
const consumer = (temporary: string, name: string, names: ReadonlyArray<string>) => {
  const folder = Path.join(temporary, name.replace(/\W+/g, "-"))
  cpSync(Path.join(import.meta.dirname, "consumer"), folder, { recursive: true })
  cpSync(Path.join(root, "examples/quickstart"), Path.join(folder, "quickstart"), { recursive: true })
  const devDependencies = { "@types/node": pinned["@types/node"]! }
  writeFileSync(
    Path.join(folder, "package.json"),
    JSON.stringify({
      name: "consumer",
      version: "1.0.0",
      license: "MIT",
      private: true,
      type: "module",
      dependencies: dependenciesOf(names),
      devDependencies
    })
  )
  return folder
}

const installWith = (manager: Manager, folder: string, registry: string) =>
  attempt("install", manager.name, () => must(manager.install(folder, registry)))

const lintAll = async (packed: ReadonlyArray<Packed>) => {
  await attempt("publint --strict", `${packed.length} packages`, async (fail) => {
    for (const one of packed) for (const message of await publint(one)) fail(`${one.name}: ${message}`)
  })
  await attempt("attw, every module", `${packed.length} packages`, async (fail) => {
    for (const one of packed) for (const problem of await attw(one)) fail(`${one.name}: ${problem}`)
  })
}

const tryAll = async (temporary: string) => {
  const packed = values.tarballs === undefined ? pack(Path.join(temporary, "tarballs")) : packedIn(at(values.tarballs))
  await using registry = await serve(packed)
  if (wanted.has("lint")) await lintAll(packed)

  if (wanted.has("contents") || wanted.has("compilers")) {
    const folder = consumer(temporary, "everything", everything)
    if (await installWith(strictPnpm, folder, registry.url)) {
      if (wanted.has("contents"))
        await attempt("contents, imports, commands", `${packed.length} packages`, async (fail) => {
          for (const one of packed) await checkInstalled(one, folder, (text) => fail(`${one.name}: ${text}`))
        })
      if (wanted.has("compilers"))
        for (const { by, run } of compilations(folder)) await attempt("types, nothing skipped", by, run)
    }
  }

  const main = ["authentication", "contract", "core", "emulator", "node", "sdk"].map(
    (name) => `@effect-custody/${name}`
  )
  if (wanted.has("managers"))
    for (const manager of managers) {
      const folder = consumer(temporary, manager.name, main)
      if (await installWith(manager, folder, registry.url))
        await attempt("import", manager.name, () => must(node("import.ts", [], { cwd: folder })))
    }

  if (wanted.has("runtimes")) {
    const folder = consumer(temporary, "runtimes", [...main, "@effect-custody/ledger"])
    if (await installWith(npm12, folder, registry.url)) {
      const installed = rows.length
      for (const { run, runtime, what } of attempts) await attempt(what, runtime, () => run(folder))
      const tried = rows.slice(installed)
      for (const { run, runtime, what } of workers) await attempt(what, runtime, () => run(folder))
      const paying = new Set(workers.filter(({ pays }) => pays).map(({ runtime }) => runtime))
      const where = tried.map(({ by, ok, what }) => [by, what, ok ? "yes" : "no", paying.has(by) ? "yes" : "no"])
      replaceIn("docs/packages.md", "runtimes", table(["runtime", "layer", "runs", "a ledger sends"], where))
    }
    for (const { args, command, runtime } of [...runtimes, { runtime: "Bun", command: programOf("bun"), args: [] }])
      await attempt("a payment over fetch is sent once", runtime, () => sentOnce(command, args, folder))
  }

  if (wanted.has("recipes")) {
    const folder = consumer(temporary, "recipes", [
      ...main,
      "@effect-custody/cli",
      "@effect-custody/ledger",
      "@effect-custody/testing"
    ])
    if (await installWith(npm12, folder, registry.url)) {
      cpSync(Path.join(import.meta.dirname, "recipes"), folder, { recursive: true })
      await attempt("every program of README and recipes", "npm 12", async () =>
        console.log((await must(node("pages.ts", [root], { cwd: folder }))).stdout)
      )
    }
  }

  if (wanted.has("starter"))
    for (const { run, what } of starterSteps(Path.join(temporary, "starter"), registry.url))
      if (!(await attempt(what, "the starter", run))) break

  if (wanted.has("sbom")) {
    const folder = consumer(temporary, "user", everything)
    if (await installWith(npm12, folder, registry.url))
      await attempt("licences, no install scripts", `${packed.length} packages`, async (fail) => {
        const { document, parts } = await bill(folder, fail)
        for (const { name } of packages) if (!parts.some((part) => part.name === name)) fail(`${name} is not listed`)
        if (values.output !== undefined) writeFileSync(at(values.output), document)
        console.log(`\nWhat a user of every package installs:\n`)
        for (const { licence, name, version } of parts) console.log(`  ${name} ${version} · ${licence}`)
      })
  }
}

await import("../../build.ts")
await installTools()
for (const one of packages) await checkBuild(one, (text) => failures.push(`${one.name}: ${text}`))
if (failures.length === 0) {
  const temporary = temporaryFolder()
  // Root starts PostgreSQL as another user, who has to reach its programs in this folder.
  chmodSync(temporary.path, 0o755)
  try {
    await tryAll(temporary.path)
  } finally {
    if (values.keep) console.log(`\nkept: ${temporary.path}`)
    else temporary.remove()
  }
}
const cells = rows.map(({ by, ok, seconds, what }) => [what, by, ok ? "ok" : "FAILS", seconds.toFixed(1)])
console.log(`\n${table(["what", "by", "", "seconds"], cells, 3)}\n`)
for (const failure of failures) console.error(`✗ ${failure}\n`)
if (failures.length > 0) process.exitCode = 1
