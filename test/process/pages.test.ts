/**
 * The programs of the README and of the recipes, run as a reader would: each page's files in a directory, each program
 * on Node against an emulator of its own. A page shows what a program prints in the block of text below it.
 *
 * A block of TypeScript is a file of its page if its first line names one, such as `// payout.ts`. It is run if a block
 * of text follows.
 */
import { TokenStore } from "@effect-custody/authentication"
import { CustodyEmulator } from "@effect-custody/emulator"
import { NodeCustody } from "@effect-custody/node"
import { Clients, Custody } from "@effect-custody/sdk"
import { Faults } from "@effect-custody/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { spawn } from "node:child_process"
import { globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { hasPostgres, postgresServer } from "../support/servers/postgres.ts"

const root = Path.resolve(import.meta.dirname, "../..")

interface Program {
  readonly file: string
  readonly prints: string
}

const block = /^```(\w*)[^\n]*\n([^]*?)\n```$/gm

/** The named files of a page, and those of them that are run. */
const read = (page: string) => {
  const files: Array<{ readonly file: string; readonly text: string }> = []
  const programs: Array<Program> = []
  let last: string | undefined
  for (const [, language, text = ""] of readFileSync(Path.join(root, page), "utf8").matchAll(block)) {
    const file = language === "ts" ? /^\/\/ ([\w-]+\.ts)$/m.exec(text.split("\n")[0]!)?.[1] : undefined
    if (file !== undefined) files.push({ file, text })
    if (language === "text" && last !== undefined) programs.push({ file: last, prints: text })
    last = file
  }
  return { page, files, programs }
}

const pages = globSync(["README.md", "docs/**/*.md"], { cwd: root })
  .sort()
  .map(read)
  .filter(({ programs }) => programs.length > 0)

/** What goes wrong while the programs of a page run, where the page says so. */
const faults: Readonly<Record<string, Faults.Faults>> = {
  "docs/recipes/payout.md": Faults.next("transactions.send", Faults.answerLost)
}

/** A folder outside of the workspace with the files of a page, where the packages can be imported by their names. */
const folderWith = (files: ReadonlyArray<{ readonly file: string; readonly text: string }>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const folder = mkdtempSync(Path.join(Os.tmpdir(), "effect-custody-"))
      symlinkSync(Path.join(root, "node_modules"), Path.join(folder, "node_modules"))
      writeFileSync(Path.join(folder, "package.json"), `{ "type": "module" }`)
      for (const { file, text } of files) writeFileSync(Path.join(folder, file), `${text}\n`)
      return folder
    }),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )

/** A client of the emulator's vault, with 1000 USDC. */
const onboard = Effect.fnUntraced(function* (clientId: string) {
  const { environment, fund, issueApiKey } = yield* CustodyEmulator
  const client = Custody.layer({ environment, apiKey: yield* issueApiKey() }).pipe(
    Layer.provide([TokenStore.layerMemory, NodeCustody.layerHttpClient()])
  )
  yield* Effect.provide(Clients.create({ id: clientId }), client, { local: true })
  yield* fund({ clientId, assetId: "usdc", amount: "1000" })
})

const run = (directory: string, file: string, env: Readonly<Record<string, string>>) =>
  Effect.promise(
    () =>
      new Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>((resolve) => {
        const child = spawn(process.execPath, [file], {
          cwd: directory,
          env: { PATH: process.env["PATH"], NO_COLOR: "1", ...env },
          stdio: ["ignore", "pipe", "pipe"]
        })
        let stdout = ""
        let stderr = ""
        child.stdout.on("data", (chunk) => (stdout += chunk))
        child.stderr.on("data", (chunk) => (stderr += chunk))
        child.once("close", (code) => resolve({ code, stdout, stderr }))
      })
  )

const settle = Layer.effectDiscard(
  Effect.gen(function* () {
    const { setDurations } = yield* CustodyEmulator
    yield* setDurations({ pendingFor: 0, broadcastingFor: 0 })
    yield* onboard("alice")
  })
)

const emulator = settle.pipe(Layer.provideMerge(CustodyEmulator.layerServer()))

const environment = Effect.fnUntraced(function* (text: string) {
  const { baseUrl, issueApiKey } = yield* CustodyEmulator
  const names = [...new Set(text.match(/\b[A-Z]+_API_KEY\b/g)), "CUSTODY_API_KEY"]
  const keys: Record<string, string> = {}
  for (const name of names) keys[name] = Redacted.value(yield* issueApiKey())
  const database = text.includes("DATABASE_URL") ? { DATABASE_URL: yield* postgresServer } : {}
  return { ...keys, ...database, CUSTODY_BASE_URL: baseUrl, CUSTODY_SESSION_FILE: "session.db" }
})

for (const { files, page, programs } of pages) {
  const text = files.map((file) => file.text).join("\n")
  describe.skipIf(text.includes("DATABASE_URL") && !hasPostgres)(page, () => {
    it.live.each(programs)("$file prints what the page says", ({ file, prints }) =>
      Effect.gen(function* () {
        const folder = yield* folderWith(files)
        const env = yield* environment(text)
        if (faults[page] !== undefined) yield* Faults.play(faults[page])
        const { code, stderr, stdout } = yield* run(folder, file, env)
        assert.strictEqual(stdout.trimEnd(), prints, stderr)
        assert.strictEqual(code, 0, stderr)
      }).pipe(Effect.scoped, Effect.provide(emulator, { local: true }))
    )
  })
}

describe("the pages", () => {
  it("with programs are the README and every recipe", () => {
    const recipes = globSync("docs/recipes/*.md", { cwd: root }).filter((file) => !file.endsWith("README.md"))
    assert.deepStrictEqual(
      pages.map(({ page }) => page),
      ["README.md", ...recipes].toSorted()
    )
  })
})
