/**
 * The programs of the README and of the recipes, run as a reader would: each page's files in a folder, each program on
 * Node against an emulator of its own. A page shows what a program prints in the block of text below it.
 *
 * A block of TypeScript is a file of its page if its first line names one, such as `// payout.ts`. It is run if a block
 * of text follows. An `…` in that text stands for anything on its line, such as an id.
 *
 * `node pages.ts ROOT` runs them all in the folder where it lies, with the packages that are installed there.
 */
import { CustodyEmulator, Fault } from "@effect-custody/emulator"
import { NodeCustody } from "@effect-custody/node"
import { Clients, Custody, TokenStore } from "@effect-custody/sdk"
import { Console, Effect, Layer, Redacted } from "effect"
import { execFile } from "node:child_process"
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import * as Path from "node:path"

interface Program {
  readonly file: string
  readonly prints: string
}

export interface Page {
  readonly page: string
  readonly files: ReadonlyArray<{ readonly file: string; readonly text: string }>
  readonly programs: ReadonlyArray<Program>
  readonly needsDatabase: boolean
}

const block = /^```(\w*)[^\n]*\n([^]*?)\n```$/gm

/** The named files of a page, and those of them that are run. */
const read = (root: string, page: string): Page => {
  const files: Array<Page["files"][number]> = []
  const programs: Array<Program> = []
  let last: string | undefined
  for (const [, language, text = ""] of readFileSync(Path.join(root, page), "utf8").matchAll(block)) {
    const file = language === "ts" ? /^\/\/ ([\w.-]+\.ts)$/m.exec(text.split("\n")[0]!)?.[1] : undefined
    if (file !== undefined) files.push({ file, text })
    if (language === "text" && last !== undefined) programs.push({ file: last, prints: text })
    last = file
  }
  return { page, files, programs, needsDatabase: files.some(({ text }) => text.includes("DATABASE_URL")) }
}

/** The pages of a repository that have programs. */
export const pagesOf = (root: string): ReadonlyArray<Page> =>
  globSync(["README.md", "docs/**/*.md"], { cwd: root })
    .sort()
    .map((page) => read(root, page))
    .filter(({ programs }) => programs.length > 0)

/** What goes wrong with the first send while the programs of a page run, where the page says so. */
const sendFaults: Readonly<Record<string, Fault.Fault>> = {
  "docs/recipes/payout.md": Fault.answerLost()
}

/** A client of the emulator's vault, with 1000 USDC. */
const onboard = Effect.fnUntraced(function* (clientId: string) {
  const { environment, fund, issueApiKey } = yield* CustodyEmulator
  const client = Custody.layer({ environment, apiKey: yield* issueApiKey() }).pipe(
    Layer.provide([TokenStore.layerMemory, NodeCustody.layerHttpClient()])
  )
  yield* Effect.provide(Clients.create({ externalId: clientId }), client, { local: true })
  yield* fund({ clientId, assetId: "usdc", amount: "1000" })
})

const settle = Layer.effectDiscard(
  Effect.gen(function* () {
    const { setDurations } = yield* CustodyEmulator
    yield* setDurations({ pendingFor: 0, broadcastingFor: 0 })
    yield* onboard("alice")
  })
)

const environment = { PATH: process.env["PATH"], NO_COLOR: "1" }

const run = (cwd: string, file: string, own: Readonly<Record<string, string>>) =>
  Effect.callback<{ readonly ok: boolean; readonly stdout: string; readonly stderr: string }>((resume) => {
    const env = { ...environment, ...own }
    const child = execFile(process.execPath, [file], { cwd, env }, (error, stdout, stderr) =>
      resume(Effect.succeed({ ok: error === null, stdout, stderr }))
    )
    child.stdin?.end()
  })

/** Writes the files of a page into a folder that sees the packages. */
export const write = (folder: string, { files }: Page): void => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(Path.join(folder, "package.json"), `{ "type": "module" }`)
  for (const { file, text } of files) writeFileSync(Path.join(folder, file), `${text}\n`)
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

/** On a slow machine the log says what a payout waits for. */
const waits = /^\[[\d:.]+\] (?:INFO|WARN) .*\n/gm

const isPrinted = (stdout: string, prints: string): boolean =>
  new RegExp(`^${prints.split("…").map(escaped).join(".+")}$`).test(stdout.replaceAll(waits, "").trimEnd())

/** Runs a program of a page in its folder, against an emulator of its own. Gives what is wrong, or `undefined`. */
export const faultOf = (folder: string, { files, page }: Page, program: Program, database?: string) =>
  Effect.gen(function* () {
    const { baseUrl, faults, issueApiKey } = yield* CustodyEmulator
    const names = [...new Set(files.flatMap(({ text }) => text.match(/\b[A-Z]+_API_KEY\b/g) ?? [])), "CUSTODY_API_KEY"]
    const env: Record<string, string> = {
      CUSTODY_BASE_URL: baseUrl,
      CUSTODY_ENVIRONMENT: "emulator",
      CUSTODY_SESSION_FILE: "session.db"
    }
    for (const name of names) env[name] = Redacted.value(yield* issueApiKey())
    if (database !== undefined) env["DATABASE_URL"] = database
    const lost = sendFaults[page]
    if (lost !== undefined) yield* faults.next("transactions.send", lost)
    const { ok, stderr, stdout } = yield* run(folder, program.file, env)
    return ok && isPrinted(stdout, program.prints) ? undefined : `${stdout}\n${stderr}`
  }).pipe(
    Effect.provide(settle.pipe(Layer.provideMerge(CustodyEmulator.layerServer())), { local: true }),
    Effect.scoped
  )

/** Every program that needs no database, in a folder of its page. */
const all = Effect.fnUntraced(function* (root: string) {
  let failed = 0
  for (const page of pagesOf(root).filter(({ needsDatabase }) => !needsDatabase)) {
    for (const program of page.programs) {
      const name = `${Path.basename(page.page, ".md")}-${Path.basename(program.file, ".ts")}`
      const folder = Path.join(import.meta.dirname, name)
      write(folder, page)
      const start = performance.now()
      const fault = yield* faultOf(folder, page, program)
      const seconds = ((performance.now() - start) / 1000).toFixed(1)
      yield* Console.log(
        `${fault === undefined ? "✓" : "✗"} ${page.page} · ${program.file} · ${seconds} s${fault ?? ""}`
      )
      if (fault !== undefined) failed++
    }
  }
  return failed
})

if (import.meta.main) process.exitCode = Math.min(await Effect.runPromise(all(process.argv[2]!)), 1)
