/** The workflows that release: what each may do, and what keeps a stranger's code from what may publish. */
import { assert, describe, it } from "@effect/vitest"
import { createHash } from "node:crypto"
import { globSync, mkdtempDisposableSync, readFileSync, writeFileSync } from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { weaknesses } from "../../tools/release/osv.ts"
import { verified } from "../../tools/release/publish.ts"
import { root } from "../../tools/workspace.ts"

const read = (file: string) => readFileSync(Path.join(root, file), "utf8")
const workflows = globSync(".github/workflows/*.yml", { cwd: root }).sort()

/** The jobs of a workflow, by name. */
const jobsOf = (file: string): ReadonlyMap<string, string> =>
  new Map(
    read(file)
      .split(/^jobs:\n/m)[1]!
      .split(/^(?= {2}[\w-]+:\n)/m)
      .flatMap((job) => {
        const name = /^ {2}([\w-]+):\n/.exec(job)?.[1]
        return name === undefined ? [] : [[name, job] as const]
      })
  )

const jobs = workflows.flatMap((file) => [...jobsOf(file)].map(([name, job]) => ({ file, name, job })))

/** Commands that run or fetch what somebody else wrote. */
const installs = /\b(npm (i|ci|install|exec|run)|npx|pnpm|yarn|corepack|apt-get|curl|wget|pip|docker)\b/

describe("the workflows", () => {
  it("every action is pinned by its commit, and no image by a tag alone", () => {
    const used = workflows.flatMap((file) => read(file).match(/\buses: .*/g) ?? [])
    assert.isAbove(used.length, 10)
    for (const step of used) assert.match(step, /^uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
    for (const file of workflows) assert.notMatch(read(file), /docker:\/\/(?!\S+@sha256:)|^\s+(image|container):/m)
  })

  it("every workflow begins with no more than reading, and no step saves the token of the checkout without need", () => {
    for (const file of workflows) assert.match(read(file), /^permissions:( read-all|\n {2}contents: read)$/m, file)
    for (const { file, job, name } of jobs)
      if (job.includes("actions/checkout@") && !job.includes("changesets/action@"))
        assert.include(job, "persist-credentials: false", `${file} ${name}`)
  })

  it("one job of the release can publish: it installs nothing, and sends what another one built and tried", () => {
    const release = jobsOf(".github/workflows/release.yml")
    const publishing = [...release].filter(([, job]) => job.includes("id-token: write"))
    assert.deepStrictEqual(
      publishing.map(([name]) => name),
      ["publish"]
    )
    const [[, publish]] = publishing as [[string, string]]
    assert.notMatch(publish, installs)
    assert.notInclude(publish, "contents: write")
    assert.deepStrictEqual(publish.match(/ run: .*/g), [` run: node tools/release/publish.ts tarballs --sums "$SUMS"`])
    const build = release.get("build")!
    assert.notInclude(build, "permissions:")
    assert.notInclude(build, "secrets.")
    assert.match(build, installs)
    assert.isBelow(build.indexOf("pnpm release pack tarballs"), build.indexOf("pnpm release try --tarballs tarballs"))
  })

  it("no step of the release takes the answer of a command that failed", () => {
    // Bash goes on after a failure inside the words of another command.
    assert.notMatch(read(".github/workflows/release.yml"), /echo "[^"\n]*\$\(/)
  })
})

describe("the tarballs that a release publishes", () => {
  const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")
  const folderOf = (files: Readonly<Record<string, string>>) => {
    const folder = mkdtempDisposableSync(Path.join(Os.tmpdir(), "effect-custody-sums-"))
    for (const [name, text] of Object.entries(files)) writeFileSync(Path.join(folder.path, name), text)
    return folder
  }
  const list = `${sha256("a")}  a.tgz\n${sha256("b")}  b.tgz\n`

  it.each<readonly [string, Readonly<Record<string, string>>, RegExp]>([
    ["a changed tarball", { SHA256SUMS: list, "a.tgz": "a", "b.tgz": "x" }, /b\.tgz is not as its checksum says/],
    ["a missing tarball", { SHA256SUMS: list, "a.tgz": "a" }, /b\.tgz/],
    ["a tarball more", { SHA256SUMS: list, "a.tgz": "a", "b.tgz": "b", "c.tgz": "c" }, /c\.tgz has no checksum/],
    ["another list", { SHA256SUMS: `${list}\n`, "a.tgz": "a", "b.tgz": "b" }, /SHA256SUMS is not the list/]
  ])("%s is refused", (_, files, message) => {
    using folder = folderOf(files)
    assert.throws(() => verified(folder.path, sha256(list)), message)
  })

  it("what is as the checksums say is published", () => {
    using folder = folderOf({ SHA256SUMS: list, "a.tgz": "a", "b.tgz": "b" })
    assert.deepStrictEqual(
      verified(folder.path, sha256(list)),
      ["a.tgz", "b.tgz"].map((file) => Path.join(folder.path, file))
    )
    assert.throws(() => verified(folder.path, ""), /\(none\)/)
  })
})

describe("a known weakness", () => {
  const resultOf = (max_severity: string | undefined) => ({
    results: [
      {
        source: { path: "pnpm-lock.yaml" },
        packages: [
          {
            package: { name: "left", version: "1.0.0" },
            groups: [{ ids: ["GHSA-1"], ...(max_severity === undefined ? {} : { max_severity }) }]
          }
        ]
      }
    ]
  })

  it.each<readonly [string | undefined, boolean]>([
    ["9.8", true],
    ["7.0", true],
    ["6.9", false],
    ["0.0", false],
    ["", true],
    [undefined, true],
    ["HIGH", true]
  ])("of severity %s fails: %s", (severity, isHigh) => {
    assert.deepStrictEqual(
      weaknesses(resultOf(severity)).map((one) => one.isHigh),
      [isHigh]
    )
  })

  it("is not excluded by something that is no result", () => {
    assert.throws(() => weaknesses({}))
    assert.deepStrictEqual(weaknesses({ results: null }), [])
  })
})
