/** Runs the programs of the READMEs and of the recipes as a reader would. */
import { CustodyEmulator } from "@effect-custody/emulator"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { globSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { faultOf, pagesOf, write } from "../../tools/release/try/recipes/pages.ts"
import { packages, root } from "../../tools/workspace.ts"
import { hasPostgres, postgresServer } from "../support/servers/postgres.ts"
import { hasRedis, redisServer } from "../support/servers/redis.ts"
import { temporaryDirectory } from "../support/servers/sqlitePlace.ts"
import * as Program from "../support/childProgram.ts"

const pages = pagesOf(root)

/** A folder outside of the workspace, where the packages can be imported by their names. */
const place = Effect.tap(temporaryDirectory, (folder) =>
  Effect.sync(() => {
    symlinkSync(Path.join(root, "node_modules"), Path.join(folder, "node_modules"))
    writeFileSync(Path.join(folder, "package.json"), `{ "type": "module" }`)
  })
)

for (const page of pages) {
  describe.skipIf(page.needsDatabase && !hasPostgres)(`the programs of ${page.page}`, () => {
    it.live.each(page.programs)("$file prints the output that the page shows", (program) =>
      Effect.gen(function* () {
        const folder = yield* place
        write(folder, page)
        const database = page.needsDatabase ? yield* postgresServer : undefined
        assert.isUndefined(yield* faultOf(folder, page, program, database))
      })
    )
  })
}

const ownStore = pages.filter(({ page }) => page === "docs/recipes/own-store.md")

it.live.each(ownStore)("the store of $page passes every check in the test that the page shows", (page) =>
  Effect.gen(function* () {
    const folder = yield* place
    write(folder, page)
    const ran = yield* Program.run([Path.join(root, "node_modules/vitest/vitest.mjs"), "run"], {}, folder)
    assert.strictEqual(ran.code, 0, `${ran.output}${ran.errors}`)
  })
)

it("every recipe has a program, except that of the agent, who is the program", () => {
  const recipes = globSync("docs/recipes/*.md", { cwd: root, exclude: ["**/README.md", "**/agents.md"] })
  assert.includeMembers(
    pages.map(({ page }) => page),
    ["README.md", ...recipes]
  )
})

const [withLedger, withoutLedger] = ["pay.ts", "payout.ts"].map((name) =>
  pages.filter(({ files }) => files.some(({ file }) => file === name))
)

it("a page shows a payout with a ledger, and one without", () => {
  assert.deepStrictEqual(
    [withLedger, withoutLedger].map((found) => found?.length),
    [1, 1]
  )
})

describe("a documented payout that is killed", () => {
  it.live.each(withoutLedger ?? [])(
    "the payout of $page that is killed after send pays once when it runs again",
    (page) =>
      Effect.gen(function* () {
        const emulator = yield* CustodyEmulator
        yield* emulator.setDurations({ pendingFor: "1 hour" })
        yield* Program.onboard("alice")
        const folder = yield* place
        write(folder, page)
        const program = Path.join(folder, "payout.ts")
        const env = { ...(yield* Program.environmentOf()), CUSTODY_SESSION_FILE: Path.join(folder, "session.db") }
        const first = yield* Program.start([program], env)
        const id = yield* first.saying(/The payout has the id (.+)\./)
        yield* first.kill("SIGKILL")
        yield* first.ended
        assert.strictEqual(yield* Program.sends, 1)

        const second = yield* Program.start([program], env)
        assert.strictEqual(yield* second.saying(/The payout has the id (.+)\./), id)
        assert.strictEqual(yield* Program.sends, 1)
      }).pipe(Effect.provide(CustodyEmulator.layerServer(), { local: true }))
  )

  it.live.each(withLedger ?? [])("the ledger of $page pays once when the program is killed and runs again", (page) =>
    Effect.gen(function* () {
      yield* Program.onboard("alice")
      const folder = yield* place
      write(folder, page)
      const program = Path.join(folder, "pay.ts")
      const env = { ...(yield* Program.environmentOf()), CUSTODY_SESSION_FILE: Path.join(folder, "session.db") }
      const first = yield* Program.start([program], env, folder)
      yield* Program.untilSent(1)
      yield* first.kill("SIGKILL")
      yield* first.ended
      const second = yield* Program.run([program], env, folder)
      assert.match(second.output, /The payout is paid: .+\./, second.errors)
      assert.strictEqual(yield* Program.sends, 1)
    }).pipe(Effect.provide(CustodyEmulator.layerServer(), { local: true }))
  )
})

const blockOf = (page: string, language: string) =>
  new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, "m").exec(page)?.[1]

const readmes = packages.map(({ directory, folder, name }) => {
  const page = readFileSync(Path.join(folder, "README.md"), "utf8")
  return { directory, name, page, code: blockOf(page, "ts") ?? "", output: blockOf(page, "text") }
})

/** `cli` is a command: its page has no example in code. */
const withExample = readmes.filter(({ directory }) => directory !== "packages/extensions/cli")

describe.each(withExample)("the README of $directory", ({ code, name, output, page }) => {
  it("the README names the package, shows its installation, and links to a guide", () => {
    assert.isTrue(page.startsWith(`# ${name}\n\n`))
    assert.match(page, new RegExp(`npm install (--save-dev )?${name} `))
    assert.match(page, /\]\((\.\.\/){2,3}(README|docs\/[\w-]+)\.md\)/)
    assert.isTrue(
      output !== undefined || code.includes("assert."),
      "the page shows the output of its example, or the example asserts"
    )
  })

  it.live.skipIf((code.includes("DATABASE_URL") && !hasPostgres) || (code.includes("REDIS_URL") && !hasRedis))(
    "the example of the README prints its documented output or passes",
    () =>
      Effect.gen(function* () {
        const folder = yield* place
        if (code.includes(`clientId: "alice"`)) yield* Program.onboard("alice")
        const isTest = code.includes(`"@effect/vitest"`)
        const file = isTest ? "example.test.ts" : "example.ts"
        writeFileSync(Path.join(folder, file), code)
        const env = {
          ...(yield* Program.environmentOf()),
          CUSTODY_SESSION_FILE: Path.join(folder, "session.db"),
          ...(code.includes("DATABASE_URL") ? { DATABASE_URL: yield* postgresServer } : {}),
          ...(code.includes("REDIS_URL") ? { REDIS_URL: (yield* redisServer()).url } : {})
        }
        const vitest = [Path.join(root, "node_modules/vitest/vitest.mjs"), "run", "--root", folder]
        const args = isTest ? [...vitest, "--testTimeout=60000"] : [Path.join(folder, file)]
        const ended = yield* Program.run(args, env, folder)
        assert.strictEqual(ended.code, 0, ended.output + ended.errors)
        // On a slow machine a payout takes so long that the log says what it waits for.
        const printed = ended.output.replaceAll(/^\[[\d:.]+\] INFO .*\n/gm, "")
        if (output !== undefined) assert.strictEqual(printed, output)
      }).pipe(Effect.provide(CustodyEmulator.layerServer(), { local: true }))
  )
})
