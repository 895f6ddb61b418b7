/** The programs of the documentation that pay, killed behind `send` and run again. */
import { CustodyEmulator } from "@effect-custody/emulator"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdtempSync, rmSync, symlinkSync } from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { pagesOf, write } from "../../.ci/pack-try/recipes/pages.ts"
import * as Program from "./examples/program.ts"

const root = Path.resolve(import.meta.dirname, "../..")

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = mkdtempSync(Path.join(Os.tmpdir(), "effect-custody-"))
    symlinkSync(Path.join(root, "node_modules"), Path.join(folder, "node_modules"))
    return folder
  }),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

const pages = pagesOf(root).filter(({ files }) => files.some(({ file }) => file === "payout.ts"))

describe("a payout of the documentation that is killed between send and awaitFinal", () => {
  it("is in the README and in its recipe", () => {
    assert.includeMembers(
      pages.map(({ page }) => page),
      ["README.md", "docs/recipes/payout.md"]
    )
  })

  it.live.each(pages)("$page: pays once when it is run again", (page) =>
    Effect.gen(function* () {
      const emulator = yield* CustodyEmulator
      yield* emulator.setDurations({ pendingFor: "1 hour" })
      yield* Program.onboard("alice")
      const folder = yield* temporaryFolder
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
    }).pipe(Effect.provide(CustodyEmulator.layerServer(), { local: true }), Effect.scoped)
  )
})
