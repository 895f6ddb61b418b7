/** What is in a package as it is installed: nothing too much, nothing missing, and every module can be imported. */
import { existsSync, globSync, readFileSync, realpathSync, writeFileSync } from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { isDeepStrictEqual } from "node:util"
import { modulesOf, type Package, readManifest, root, specifierOf } from "../../workspace.ts"
import { guides } from "../packedPages.ts"
import { node } from "./run.ts"

type Fail = (what: string) => void

const exportedBy = async (file: string) => Object.keys(await import(file)).sort()

/** The build must have the same modules as the sources, with the same exports. */
export const checkBuild = async (one: Package, fail: Fail) => {
  const modules = modulesOf(one)
  const names = modules.map(({ name }) => name)
  const built = globSync(["*.js", "siblings/*.js"], { cwd: Path.join(one.folder, "lib") }).map((file) =>
    file.slice(0, -".js".length)
  )
  for (const name of names) if (!built.includes(name)) fail(`lib/${name}.js is missing: run \`pnpm build\``)
  for (const module of built) if (!names.includes(module)) fail(`lib/${module}.js is stale: run \`pnpm build\``)
  for (const module of modules.filter(({ name }) => built.includes(name))) {
    const [source, published] = await Promise.all([
      exportedBy(Path.join(one.folder, "src", `${module.source}.ts`)),
      exportedBy(Path.join(one.folder, "lib", `${module.name}.js`))
    ])
    if (!isDeepStrictEqual(source, published))
      fail(`lib/${module.name}.js exports ${published.join(" ")}, and its source ${source.join(" ")}`)
  }
}

const pathsOfThisMachine = [realpathSync(root), Os.homedir()]
  .filter((path) => path.length > 1)
  .map((path) => new RegExp(`(?<![\\w.~-])${path.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")}(?![\\w-])`))
const pathsOfAnyMachine = [/(?<![\w.~-])\/(?:home|Users)\/[\w.-]+\//, /\bfile:\/\/\/\w/, /\b[A-Z]:\\\\?Users\\/]

const checkFiles = (installed: string, fail: Fail) => {
  for (const file of globSync("**/*", { cwd: installed, withFileTypes: true })) {
    const path = Path.join(file.parentPath, file.name)
    const shown = Path.relative(installed, path)
    if (!file.isFile() || shown.startsWith("node_modules")) continue
    if (/(^|\/)(tests?|__tests__|fixtures)\/|\.(test|test-d|spec)\./.test(shown)) fail(`${shown} is a test`)
    if (/\.tsbuildinfo$|(^|\/)tsconfig.*\.json$|(^|\/)\.env/.test(shown)) fail(`${shown} is of no use to a user`)
    const text = readFileSync(path, "utf8")
    for (const pattern of [...pathsOfThisMachine, ...pathsOfAnyMachine]) {
      const found = pattern.exec(text)
      if (found !== null) fail(`${shown} names an absolute path: ${found[0]}`)
    }
  }
}

const checkManifest = (installed: string, fail: Fail) => {
  const text = readFileSync(Path.join(installed, "package.json"), "utf8")
  const { scripts = {} } = readManifest(installed)
  if (text.includes("workspace:")) fail("its package.json still speaks of the workspace")
  if (text.includes("./src/")) fail("its package.json still exports sources")
  for (const script of ["preinstall", "install", "postinstall", "prepare"])
    if (script in scripts) fail(`it runs a ${script} script on its user's machine`)
  const pages = Path.basename(installed) === "core" ? [...guides.values()].map((page) => `docs/${page}`) : []
  for (const file of ["LICENSE", "README.md", ...pages])
    if (!existsSync(Path.join(installed, file))) fail(`its tarball holds no ${file}`)
}

/** Imports what it is told, each in the same process, and says what went wrong. */
const importer = `
const [name, internal, ...specifiers] = process.argv.slice(2)
for (const specifier of specifiers) {
  try {
    await import(specifier)
  } catch (error) {
    console.log(specifier + " does not import: " + error)
  }
}
for (const closed of ["/index", "/internal/" + internal]) {
  try {
    await import(name + closed)
    console.log(name + closed + " imports, and should not")
  } catch (error) {
    if (error.code !== "ERR_PACKAGE_PATH_NOT_EXPORTED") console.log(name + closed + ": " + error)
  }
}
const manifest = await import(name + "/package.json", { with: { type: "json" } })
if (manifest.default.name !== name) console.log("its package.json is another's")
`

const checkImports = async (one: Package, folder: string, fail: Fail) => {
  const internal = globSync("*.ts", { cwd: Path.join(one.folder, "src/internal") })[0]?.slice(0, -".ts".length) ?? "x"
  const specifiers = modulesOf(one).map(({ name }) => specifierOf(one.name, name))
  writeFileSync(Path.join(folder, "import.mjs"), importer)
  const { ok, output, stdout } = await node("import.mjs", [one.name, internal, ...specifiers], { cwd: folder })
  for (const line of stdout.split("\n").filter((text) => text !== "")) fail(line)
  if (!ok) fail(`importing it fails: ${output}`)
}

const checkCommands = async (installed: string, fail: Fail) => {
  for (const [command, file] of Object.entries(readManifest(installed).bin ?? {})) {
    const { ok, output } = await node(Path.join(installed, file), ["--help"], { cwd: installed })
    if (!ok) fail(`\`${command} --help\` fails: ${output}`)
  }
}

/** Checks a package in a folder where it is installed. */
export const checkInstalled = async (one: Package, folder: string, fail: Fail) => {
  const installed = realpathSync(Path.join(folder, "node_modules", one.name))
  checkManifest(installed, fail)
  checkFiles(installed, fail)
  await checkImports(one, folder, fail)
  await checkCommands(installed, fail)
}
