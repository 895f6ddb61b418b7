/**
 * `pnpm release check`: whether what is here may be published, each reason why not. With `--rehearsal`, what only who
 * publishes can mend is said and does not count: the address of the repository, and the registry's list of weaknesses.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import * as Os from "node:os"
import * as Path from "node:path"
import { parseArgs } from "node:util"
import { apiOf, changed } from "./apiChanges.ts"
import { installTools, inTool, must, node, pnpm, run } from "./try/run.ts"
import { isRepositorySet, packages, root } from "../workspace.ts"
import { mistakes } from "./workflows.ts"

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

const checkWorkflows = async () => {
  await installTools()
  failures.push(...(await mistakes()))
}

/** Weaknesses that are known of what a user installs. None is accepted. */
const checkAudit = async () => {
  const audit = await pnpm(["audit", "--prod"], { cwd: root, timeoutSeconds: 60 })
  if (audit.ok) return
  if (/AUDIT_BAD_RESPONSE|ENOTFOUND|ECONNREFUSED/.test(audit.output))
    forWhoPublishes("the registry gave no list of weaknesses")
  else failures.push(`pnpm audit --prod: ${audit.output}`)
}

const registry = async () =>
  (await must(node(inTool("npm-12", "bin/npm-cli.js"), ["config", "get", "registry"], { cwd: root }))).stdout.trim()

/** The version that users have now, if there is one. */
const published = async (from: string, name: string, temporary: string) => {
  const answer = await fetch(new URL(name, from))
  if (answer.status === 404) return undefined
  if (!answer.ok) throw new Error(`the registry answers ${answer.status} for ${name}`)
  const document: {
    readonly "dist-tags": { readonly latest: string }
    readonly versions: Record<string, { readonly dist: { readonly tarball: string } }>
  } = JSON.parse(await answer.text())
  const version = document["dist-tags"].latest
  const tarball = await fetch(document.versions[version]!.dist.tarball)
  if (!tarball.ok) throw new Error(`the registry answers ${tarball.status} for ${name} ${version}`)
  const file = Path.join(temporary, "package.tgz")
  writeFileSync(file, Buffer.from(await tarball.arrayBuffer()))
  await must(run("tar", ["-xzf", file, "-C", temporary], { cwd: temporary }))
  return { version, api: apiOf(Path.join(temporary, "package/dist")) }
}

/** Whether a version says by its number that something may break: a minor one does before 1.0. */
const mayBreak = (before: string, after: string) => {
  const diff = semver.diff(before, after)
  return diff === "major" || (diff === "minor" && before.startsWith("0."))
}

const checkApi = async () => {
  const from = await registry()
  for (const { folder, manifest, name } of packages) {
    const temporary = mkdtempSync(Path.join(Os.tmpdir(), "effect-custody-"))
    try {
      const before = await published(from, name, temporary)
      if (before === undefined || mayBreak(before.version, manifest.version)) continue
      const gone = changed(before.api, apiOf(Path.join(folder, "dist")))
      for (const one of gone)
        failures.push(`${name} ${manifest.version} is no breaking version after ${before.version}, and changes ${one}`)
    } finally {
      rmSync(temporary, { recursive: true, force: true })
    }
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
