/** A package's README is what its user reads first: its example prints what the page says. The snippets test compiles it. */
import { CustodyEmulator } from "@effect-custody/emulator"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { execFile } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { packages, root } from "../../.ci/workspace.ts"
import { hasPostgres, postgresServer } from "../support/servers/postgres.ts"

const blockOf = (page: string, language: string) =>
  new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, "m").exec(page)?.[1]

const pages = packages.map(({ directory, folder, name }) => {
  const page = readFileSync(Path.join(folder, "README.md"), "utf8")
  return { directory, name, page, code: blockOf(page, "ts"), output: blockOf(page, "text") }
})

/** A folder outside of the workspace, where the packages can be imported by their names. */
const place = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = mkdtempSync(Path.join(Os.tmpdir(), "effect-custody-"))
    mkdirSync(folder, { recursive: true })
    symlinkSync(Path.join(root, "node_modules"), Path.join(folder, "node_modules"))
    writeFileSync(Path.join(folder, "package.json"), `{ "type": "module" }`)
    return folder
  }),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

const run = (cwd: string, env: Record<string, string>, ...args: ReadonlyArray<string>) =>
  Effect.promise(
    () =>
      new Promise<string>((resolve, reject) => {
        execFile(process.execPath, args, { cwd, env: { ...process.env, ...env } }, (error, stdout, stderr) =>
          error === null ? resolve(stdout) : reject(new Error(`${stdout}${stderr}`))
        )
      })
  )

/** Runs an example as its reader would, in a process of its own. */
const runExample = Effect.fn("runExample")(function* (code: string, env: Record<string, string>) {
  const folder = yield* place
  if (code.includes(`"@effect/vitest"`)) {
    writeFileSync(Path.join(folder, "example.test.ts"), code)
    const vitest = Path.join(root, "node_modules/vitest/vitest.mjs")
    return yield* run(folder, env, vitest, "run", "--root", folder, "--testTimeout=60000")
  }
  writeFileSync(Path.join(folder, "example.ts"), code)
  return yield* run(folder, { ...env, CUSTODY_SESSION_FILE: Path.join(folder, "session.db") }, "example.ts")
})

/** What an example needs around it: an emulator on a port, and a database for the package that is about one. */
const environmentOf = Effect.fn("environmentOf")(function* (code: string) {
  const emulator = yield* CustodyEmulator
  const apiKey = yield* emulator.issueApiKey()
  return {
    CUSTODY_BASE_URL: emulator.baseUrl,
    CUSTODY_API_KEY: Redacted.value(apiKey),
    ...(code.includes("DATABASE_URL") ? { DATABASE_URL: yield* postgresServer } : {})
  }
})

describe("the README of", () => {
  it.each(pages)(
    "$directory says what the package is, how to install it, and links on",
    ({ code, name, output, page }) => {
      assert.isTrue(page.startsWith(`# ${name}\n\n`))
      assert.match(page, new RegExp(`npm install (--save-dev )?${name} `))
      assert.match(page, /\]\(\.\.\/\.\.\/(README|docs\/[\w-]+)\.md\)/)
      assert.isDefined(code, "an example")
      assert.isTrue(output !== undefined || code!.includes("assert."), "what the example prints, or asserts")
    }
  )

  for (const { code = "", directory, output } of pages)
    it.live.skipIf(code.includes("DATABASE_URL") && !hasPostgres)(
      `${directory} shows an example that does what it says`,
      () =>
        Effect.gen(function* () {
          const printed = yield* runExample(code, yield* environmentOf(code))
          if (output !== undefined) assert.strictEqual(printed, output)
        }).pipe(Effect.provide(Layer.fresh(CustodyEmulator.layerServer()))),
      60_000
    )
})
