/** What a user of every package installs: a CycloneDX document of it, and what is asked of each part. */
import { readFileSync } from "node:fs"
import * as Path from "node:path"
import { readJson } from "../../workspace.ts"
import { inTool, must, node } from "./run.ts"

/** Licences that ask no more of a user than to name them. Another one is a decision, which is made here. */
const allowed = [
  "MIT",
  "MIT-0",
  "ISC",
  "0BSD",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "Unlicense"
]

interface Component {
  readonly name: string
  readonly group?: string
  readonly version: string
  readonly licenses?: ReadonlyArray<{
    readonly license?: { readonly id?: string; readonly name?: string }
    readonly expression?: string
  }>
}

const partOf = ({ group, licenses = [], name, version }: Component) => ({
  name: group === undefined ? name : `${group}/${name}`,
  version,
  licence: licenses.map(({ expression, license }) => expression ?? license?.id ?? license?.name ?? "none").join(", ")
})

/** Whether one of the licences that are offered is allowed. */
const isAllowed = (licence: string) =>
  licence
    .replace(/^\(|\)$/g, "")
    .split(" OR ")
    .some((one) => allowed.includes(one))

/** The bill of materials of a folder that npm has installed. */
export const bill = async (folder: string, fail: (what: string) => void) => {
  const file = Path.join(folder, "sbom.json")
  const args = ["--omit", "dev", "--output-reproducible", "--output-file", file, "package.json"]
  const env = { npm_execpath: inTool("npm-12", "bin/npm-cli.js") }
  await must(node(inTool("@cyclonedx/cyclonedx-npm", "bin/cyclonedx-npm-cli.js"), args, { cwd: folder, env }))
  const document = readFileSync(file, "utf8")
  const components: ReadonlyArray<Component> = JSON.parse(document).components
  const parts = components.map(partOf).sort((a, b) => (a.name < b.name ? -1 : 1))
  for (const { licence, name } of parts)
    if (!isAllowed(licence)) fail(`${name} has a licence that nobody has allowed: ${licence}`)
  const locked: Record<string, { readonly hasInstallScript?: boolean }> = readJson(
    Path.join(folder, "package-lock.json")
  ).packages
  for (const [name, { hasInstallScript = false }] of Object.entries(locked))
    if (hasInstallScript) fail(`${name} runs a script when it is installed`)
  return { document, parts }
}
