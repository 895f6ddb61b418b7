/**
 * `node tools/release/publish.ts FOLDER --sums SHA256`: publishes the tarballs that `pnpm release pack` made and that the
 * registry lacks, a package after those that it depends on. Sends nothing unless `SHA256SUMS` has the given checksum and
 * each tarball its own. Needs Node and npm alone: it runs where the right to publish is, and nothing else is installed
 * there. `--dry-run` shows what would be sent; `--lacking`, without a folder, names the packages that the registry lacks.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import * as Path from "node:path"
import { parseArgs } from "node:util"
import { type Manifest, packages } from "../workspace.ts"

const sha256 = (content: Buffer) => createHash("sha256").update(content).digest("hex")

/** The tarballs of a folder. Fails if one is not as its checksum says, is missing, or has no checksum. */
export const verified = (folder: string, sums: string): ReadonlyArray<string> => {
  const list = readFileSync(Path.join(folder, "SHA256SUMS"))
  if (sha256(list) !== sums) throw new Error(`SHA256SUMS is not the list with the checksum ${sums || "(none)"}`)
  const named = new Map(
    list
      .toString()
      .trim()
      .split("\n")
      .map((line) => [line.slice(66), line.slice(0, 64)])
  )
  for (const file of readdirSync(folder))
    if (file !== "SHA256SUMS" && !named.has(file)) throw new Error(`${file} has no checksum`)
  for (const [file, sum] of named)
    if (sha256(readFileSync(Path.join(folder, file))) !== sum) throw new Error(`${file} is not as its checksum says`)
  return [...named.keys()].map((file) => Path.join(folder, file))
}

/** Packages, each after those of them that it depends on. */
const inOrder = <A extends { readonly manifest: Manifest }>(all: ReadonlyArray<A>): ReadonlyArray<A> => {
  const done = new Set<A>()
  const visit = (one: A) => {
    for (const other of all)
      if (!done.has(other) && other !== one && other.manifest.name in (one.manifest.dependencies ?? {})) visit(other)
    done.add(one)
  }
  for (const one of all) visit(one)
  return [...done]
}

/** Whether the registry has no such version. Every other failure is one: nobody may take it for "not there". */
export const isLacking = (name: string, version: string): boolean => {
  const { error, status, stderr, stdout } = spawnSync("npm", ["view", `${name}@${version}`, "version", "--json"], {
    encoding: "utf8"
  })
  if (status === 0) return stdout.trim() === ""
  if (/\bE404\b/.test(stderr + stdout)) return true
  throw error ?? new Error(`npm view ${name}: ${stderr}`)
}

if (import.meta.main) {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      "dry-run": { type: "boolean", default: false },
      lacking: { type: "boolean", default: false },
      sums: { type: "string", default: "" }
    }
  })
  const [folder] = positionals
  if (values.lacking) {
    const lacking = packages.filter(({ manifest, name }) => isLacking(name, manifest.version))
    console.log(lacking.map(({ name }) => name).join(" "))
  } else if (folder === undefined) {
    console.error("usage: node tools/release/publish.ts FOLDER --sums SHA256 [--dry-run]")
    process.exitCode = 2
  } else {
    const tarballs = verified(folder, values.sums).map((tarball) => {
      const manifest: Manifest = JSON.parse(
        execFileSync("tar", ["-xzOf", tarball, "package/package.json"], { encoding: "utf8" })
      )
      return { manifest, tarball }
    })
    for (const { manifest, tarball } of inOrder(tarballs)) {
      const { name, version } = manifest
      if (!isLacking(name, version)) {
        console.log(`· ${name} ${version} is there`)
        continue
      }
      const options = ["--access", "public", "--ignore-scripts", ...(values["dry-run"] ? ["--dry-run"] : [])]
      execFileSync("npm", ["publish", Path.resolve(tarball), ...options], { stdio: ["ignore", "ignore", "inherit"] })
      console.log(`✓ ${name} ${version} ${values["dry-run"] ? "would be published" : "is published"}`)
    }
  }
}
