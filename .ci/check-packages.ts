/**
 * What a user gets from the registry, proved before it is there: packs every package, installs the tarballs in an empty
 * project beside `effect` as a peer, and imports every module with plain Node. Run through pnpm, after a build.
 */
import { execFileSync, spawnSync } from "node:child_process"
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync
} from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"

interface Manifest {
  readonly name: string
  readonly version: string
  readonly bin?: Record<string, string>
  readonly peerDependencies?: Record<string, string>
  readonly devDependencies?: Record<string, string>
}

interface Package {
  readonly folder: string
  readonly name: string
  readonly modules: ReadonlyArray<string>
}

const root = realpathSync(Path.resolve(import.meta.dirname, ".."))
const readManifest = (folder: string): Manifest => JSON.parse(readFileSync(Path.join(folder, "package.json"), "utf8"))

const failures: Array<string> = []
const fail = (name: string, what: string) => {
  failures.push(`${name}: ${what}`)
}

/** pnpm as it runs this script, on the Node that runs this script. */
const pnpm = (cwd: string, ...args: ReadonlyArray<string>) => {
  const script = process.env["npm_execpath"]
  const [command, first] = script === undefined ? ["pnpm", []] : [process.execPath, [script]]
  return execFileSync(command, [...first, ...args], { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] })
}

const packages = readdirSync(Path.join(root, "packages"))
  .map((folder) => Path.join(root, "packages", folder))
  .filter((folder) => existsSync(Path.join(folder, "package.json")))
  .map((folder): Package => {
    const modules = globSync("*.ts", { cwd: Path.join(folder, "src") }).map((file) => file.slice(0, -".ts".length))
    return { folder, name: readManifest(folder).name, modules: modules.sort() }
  })
const present = packages.filter(({ modules }) => modules.includes("index"))

/** What the build left must be what the sources say. */
for (const { folder, name, modules } of present) {
  const built = globSync("*.js", { cwd: Path.join(folder, "dist") }).map((file) => file.slice(0, -".js".length))
  for (const module of modules)
    if (!built.includes(module)) fail(name, `dist/${module}.js is missing: run \`pnpm build\``)
  for (const module of built)
    if (!modules.includes(module)) fail(name, `dist/${module}.js is stale: run \`pnpm build\``)
}

const pathsOfThisMachine = [root, Os.homedir()]
  .filter((path) => path.length > 1)
  .map((path) => new RegExp(`(?<![\\w.~-])${path.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")}(?![\\w-])`))
const pathsOfAnyMachine = [/(?<![\w.~-])\/(?:home|Users)\/[\w.-]+\//, /\bfile:\/\/\/\w/, /\b[A-Z]:\\\\?Users\\/]

const checkFiles = (name: string, installed: string) => {
  for (const file of globSync("**/*", { cwd: installed, withFileTypes: true })) {
    const path = Path.join(file.parentPath, file.name)
    const shown = Path.relative(installed, path)
    if (!file.isFile() || shown.startsWith("node_modules")) continue
    if (/(^|\/)(tests?|__tests__|fixtures)\/|\.(test|test-d|spec)\./.test(shown)) fail(name, `${shown} is a test`)
    if (/\.tsbuildinfo$|(^|\/)tsconfig.*\.json$|(^|\/)\.env/.test(shown)) fail(name, `${shown} is nobody's business`)
    const text = readFileSync(path, "utf8")
    for (const pattern of [...pathsOfThisMachine, ...pathsOfAnyMachine]) {
      const found = pattern.exec(text)
      if (found !== null) fail(name, `${shown} names an absolute path: ${found[0]}`)
    }
  }
}

/** Imports what it is told, each in the same process, and says what went wrong. Runs in the temporary project. */
const importer = `
const [name, internal, ...modules] = process.argv.slice(2)
for (const module of modules) {
  const specifier = module === "index" ? name : name + "/" + module
  try {
    await import(specifier)
  } catch (error) {
    console.log(specifier + " does not import: " + error)
  }
}
try {
  await import(name + "/internal/" + internal)
  console.log(name + "/internal/" + internal + " imports, and should not")
} catch (error) {
  if (error.code !== "ERR_PACKAGE_PATH_NOT_EXPORTED") console.log(name + "/internal/" + internal + ": " + error)
}
`

const checkImports = ({ folder, name, modules }: Package, project: string) => {
  const internal = globSync("*.ts", { cwd: Path.join(folder, "src/internal") })[0]?.slice(0, -".ts".length) ?? "x"
  const run = spawnSync(process.execPath, ["import.mjs", name, internal, ...modules], {
    cwd: project,
    encoding: "utf8",
    timeout: 60_000
  })
  for (const line of run.stdout.split("\n").filter((text) => text !== "")) fail(name, line)
  if (run.status !== 0) fail(name, `importing it ends with ${run.signal ?? run.status}: ${run.stderr}`)
}

/** The declarations, read by a strict compiler that skips nothing. */
const checkTypes = (project: string) => {
  const specifiers = present.flatMap(({ modules, name }) =>
    modules.map((module) => (module === "index" ? name : `${name}/${module}`))
  )
  writeFileSync(
    Path.join(project, "types.ts"),
    specifiers.map((specifier, index) => `export * as M${index} from "${specifier}"\n`).join("")
  )
  const compilerOptions = { module: "NodeNext", target: "ES2024", strict: true, skipLibCheck: false, noEmit: true }
  writeFileSync(
    Path.join(project, "tsconfig.json"),
    JSON.stringify({ compilerOptions: { ...compilerOptions, types: ["node"] }, files: ["types.ts"] })
  )
  const tsc = Path.join(root, "node_modules/typescript/bin/tsc")
  const run = spawnSync(process.execPath, [tsc, "-p", project], { encoding: "utf8" })
  if (run.status !== 0) fail("types", run.stdout)
}

const checkManifest = (name: string, installed: string) => {
  const text = readFileSync(Path.join(installed, "package.json"), "utf8")
  if (text.includes("workspace:")) fail(name, "its package.json still speaks of the workspace")
  if (text.includes("./src/")) fail(name, "its package.json still exports sources")
  if (!existsSync(Path.join(installed, "LICENSE"))) fail(name, "its tarball holds no LICENSE")
}

const checkCommands = (name: string, installed: string) => {
  for (const [command, file] of Object.entries(readManifest(installed).bin ?? {})) {
    const run = spawnSync(process.execPath, [Path.join(installed, file), "--help"], {
      encoding: "utf8",
      timeout: 60_000
    })
    if (run.status !== 0) fail(name, `\`${command} --help\` ends with ${run.signal ?? run.status}: ${run.stderr}`)
  }
}

const check = (temporary: string) => {
  const tarballs = Path.join(temporary, "tarballs")
  const project = Path.join(temporary, "project")
  mkdirSync(tarballs)
  mkdirSync(project)

  // All of them, for the ones that are there depend on names and versions that no registry has yet.
  const files: Record<string, string> = {}
  const peers: Record<string, string> = { "@types/node": readManifest(root).devDependencies!["@types/node"]! }
  for (const { folder } of packages) {
    pnpm(folder, "pack", "--pack-destination", tarballs)
    const { devDependencies, name, peerDependencies, version } = readManifest(folder)
    files[name] = `file:${Path.join(tarballs, `${name.slice(1).replace("/", "-")}-${version}.tgz`)}`
    for (const peer of Object.keys(peerDependencies ?? {})) peers[peer] = devDependencies?.[peer] ?? "latest"
  }

  writeFileSync(
    Path.join(project, "package.json"),
    JSON.stringify({ name: "consumer", private: true, type: "module", dependencies: { ...files, ...peers } })
  )
  // Nothing hoisted: a package finds what it declares, and nothing else.
  writeFileSync(
    Path.join(project, "pnpm-workspace.yaml"),
    JSON.stringify({ hoist: false, autoInstallPeers: false, strictDepBuilds: false, overrides: files })
  )
  writeFileSync(Path.join(project, "import.mjs"), importer)
  pnpm(project, "install", "--prefer-offline", "--no-frozen-lockfile", "--reporter", "silent")

  for (const one of present) {
    const installed = realpathSync(Path.join(project, "node_modules", one.name))
    checkManifest(one.name, installed)
    checkFiles(one.name, installed)
    checkImports(one, project)
    checkCommands(one.name, installed)
    console.log(`${one.name}: ${one.modules.length} modules`)
  }
  checkTypes(project)
  for (const { name } of packages.filter((one) => !present.includes(one)))
    console.log(`${name}: skipped, it has no src/index.ts`)
}

if (failures.length === 0) {
  const temporary = mkdtempSync(Path.join(Os.tmpdir(), "effect-custody-"))
  try {
    check(temporary)
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
}

for (const failure of failures) console.error(`✗ ${failure}`)
if (failures.length > 0) process.exitCode = 1
