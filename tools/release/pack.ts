/**
 * `pnpm release pack FOLDER`: builds all packages and packs them as they are published, with `SHA256SUMS`. A step of a
 * workflow gets the checksum of that list, and the version.
 */
import { createHash } from "node:crypto"
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { pack, packages, pnpm } from "../workspace.ts"

const [target] = process.argv.slice(2)
if (target === undefined) {
  console.error("usage: pnpm release pack FOLDER")
  process.exit(2)
}
const folder = Path.resolve(process.env["INIT_CWD"] ?? process.cwd(), target)
if (existsSync(folder) && readdirSync(folder).length > 0) {
  console.error(`${folder} is not empty`)
  process.exit(1)
}
const sha256 = (content: string | Buffer) => createHash("sha256").update(content).digest("hex")

pnpm(["build"], { stdout: "ignore" })
const list = pack(folder)
  .map(({ tarball }) => `${sha256(readFileSync(tarball))}  ${Path.basename(tarball)}\n`)
  .join("")
writeFileSync(Path.join(folder, "SHA256SUMS"), list)
const output = `sums=${sha256(list)}\nversion=${packages[0]!.manifest.version}\n`
const outputs = process.env["GITHUB_OUTPUT"]
if (outputs !== undefined) appendFileSync(outputs, output)
console.log(output.trim())
