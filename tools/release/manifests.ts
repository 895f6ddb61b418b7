/**
 * `pnpm release manifests`: writes into each package what follows from its place and its version, so that nobody writes
 * it twice. That is the metadata of its `package.json`, and `src/internal/version.ts` where a package has one. The
 * starter depends on the packages as they are now.
 */
import { execFileSync } from "node:child_process"
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { isDeepStrictEqual } from "node:util"
import {
  type Manifest,
  type Module,
  modulesOf,
  type Package,
  packages,
  readJson,
  repository,
  root,
  versionFileOf
} from "../workspace.ts"

/** pnpm keeps these scripts out of the manifest that it publishes. */

const keywords = ["custody", "digital-assets", "effect", "sdk", "typescript"]

/** A module has one path; what is internal has none. */
const exportsOf = (one: Package, pathOf: (module: Module) => unknown) => ({
  ...Object.fromEntries(
    modulesOf(one)
      .map((module) => [module.name === "index" ? "." : `./${module.name}`, pathOf(module)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1))
  ),
  "./package.json": "./package.json"
})

/** What a manifest says that follows from the package's name and place. */
export const metadata = (one: Package) => {
  const { directory, folder, manifest } = one
  const packedPages = `node ${Path.posix.relative(directory, "tools/release/packedPages.ts")}`
  return {
    keywords: [...new Set([...keywords, Path.basename(directory)])].sort(),
    homepage: `${repository}/tree/main/${directory}#readme`,
    bugs: { url: `${repository}/issues` },
    license: "MIT",
    repository: { type: "git", url: `git+${repository}.git`, directory },
    files: [
      ...(manifest.bin === undefined ? [] : ["bin"]),
      "dist",
      "lib",
      "src",
      "README.md",
      "CHANGELOG.md",
      ...globSync(["AGENTS.md", "*.schema.json"], { cwd: folder }),
      ...(directory === "packages/core" ? ["docs"] : []),
      "!dist/.tsbuildinfo",
      "!**/*.test.*",
      "!**/*.test-d.*"
    ],
    type: "module",
    scripts: { ...manifest.scripts, prepack: `${packedPages} prepack`, postpack: `${packedPages} postpack` },
    sideEffects: false,
    exports: exportsOf(one, ({ source }) => `./src/${source}.ts`),
    publishConfig: {
      access: "public",
      provenance: true,
      exports: exportsOf(one, ({ name, source }) => ({ types: `./dist/${source}.d.ts`, default: `./lib/${name}.js` }))
    },
    engines: { node: ">=22.19.0" }
  }
}

export const versionModule = ({
  manifest
}: Package) => `/** The version from \`package.json\`. \`pnpm release manifests\` writes this file. */
export const version = "${manifest.version}"
`

/** What the starter depends on: our packages as they are now, and their peers in the ranges that they allow. */
const ranges: Record<string, string> = Object.assign(
  {},
  ...packages.map(({ manifest }) => manifest.peerDependencies),
  ...packages.map(({ manifest, name }) => ({ [name]: `^${manifest.version}` }))
)

const inRange = (dependencies: Record<string, string> = {}) =>
  Object.fromEntries(Object.entries(dependencies).map(([name, range]) => [name, ranges[name] ?? range]))

const starter = () => {
  const file = Path.join(root, "examples/starter/package.json")
  const manifest: Manifest = readJson(file)
  const dependencies = inRange(manifest.dependencies)
  const devDependencies = inRange(manifest.devDependencies)
  return { file, text: `${JSON.stringify({ ...manifest, dependencies, devDependencies }, undefined, 2)}\n` }
}

/** Every file that is written here, with what it should hold. */
const wanted = packages
  .flatMap((one) => {
    const versionFile = versionFileOf(one)
    const manifest = `${JSON.stringify({ ...one.manifest, ...metadata(one) }, undefined, 2)}\n`
    return [
      { file: Path.join(one.folder, "package.json"), text: manifest },
      ...(versionFile === undefined ? [] : [{ file: versionFile, text: versionModule(one) }])
    ]
  })
  .concat(starter())

/** What is not as it should be. */
export const stale = () =>
  wanted.filter(({ file, text }) => {
    if (!existsSync(file)) return true
    const now = readFileSync(file, "utf8")
    return file.endsWith(".json") ? !isDeepStrictEqual(JSON.parse(now), JSON.parse(text)) : now !== text
  })

if (import.meta.main) {
  const files = stale()
  for (const { file, text } of files) {
    writeFileSync(file, text)
    console.log(Path.relative(root, file))
  }
  // The formatter orders the fields.
  const formatter = Path.join(root, "node_modules/oxfmt/bin/oxfmt")
  const manifests = files.map(({ file }) => file).filter((file) => file.endsWith(".json"))
  if (manifests.length > 0) execFileSync(process.execPath, [formatter, ...manifests], { cwd: root, stdio: "ignore" })
}
