/** `custody payouts export` as a process, and the program of the page that checks it. */
import { CustodyEmulator } from "@effect-custody/emulator"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { temporaryDirectory } from "../support/servers/sqlitePlace.ts"
import * as Program from "../support/childProgram.ts"

const page = readFileSync(Path.resolve(import.meta.dirname, "../../docs/threat-model.md"), "utf8")
const program = /```js\n([^]*?)```/.exec(page)![1]!

describe("custody payouts export", () => {
  it.live("prints a chain that the program of the page checks, and goes on after an earlier export", () =>
    Effect.gen(function* () {
      yield* Program.onboard("alice")
      const folder = yield* temporaryDirectory
      const at = (name: string) => Path.join(folder, name)
      const env = { ...(yield* Program.environmentOf()), CUSTODY_SESSION_FILE: at("session.db") }
      const custody = (command: string) =>
        Program.run([Program.custody, "payouts", ...Program.words(command)], env, folder)
      const check = (...args: ReadonlyArray<string>) =>
        Effect.promise(
          () =>
            new Promise<{ readonly code: number; readonly said: string }>((resolve) =>
              execFile(process.execPath, [at("check.mjs"), ...args], { cwd: folder }, (error, stdout, stderr) =>
                resolve({ code: error === null ? 0 : 1, said: `${stdout}${stderr}` })
              )
            )
        )
      writeFileSync(at("check.mjs"), program)
      const header = "reference,clientId,assetId,to,amount,note"
      writeFileSync(at("june.csv"), `${header}\njune-1,alice,usdc,0xabc1,0.5,für Zoë\njune-2,alice,usdc,0xabc2,0.5,\n`)
      assert.strictEqual((yield* custody("run june.csv --yes")).code, 0)

      const exported = yield* custody("export")
      assert.strictEqual(exported.code, 0, exported.errors)
      const lines = exported.output.split("\n").slice(0, -1)
      assert.isAtLeast(lines.length, 4)
      const kept = lines.at(-1)!.slice(0, 64)
      assert.include(exported.errors, `${lines.length} steps; the last hash is ${kept}`)
      const write = (all: ReadonlyArray<string>) =>
        writeFileSync(at("steps.txt"), all.map((line) => `${line}\n`).join(""))
      write(lines)
      const whole = yield* check("steps.txt", kept)
      assert.deepStrictEqual(whole, { code: 0, said: `${lines.length} steps, last hash ${kept}\n` })

      // What was exported before stays the beginning of what is exported later.
      writeFileSync(at("july.csv"), `${header}\njuly-1,alice,usdc,0xabc3,0.5,\n`)
      assert.strictEqual((yield* custody("run july.csv --yes")).code, 0)
      const more = (yield* custody("export --continue steps.txt")).output
      assert.include(more, `"reference":"july-1"`)
      assert.notInclude(more, `"reference":"june-1"`)
      writeFileSync(at("steps.txt"), more, { flag: "a" })
      assert.strictEqual(readFileSync(at("steps.txt"), "utf8"), (yield* custody("export")).output)
      assert.strictEqual((yield* check("steps.txt", kept)).code, 0)

      // Any change is seen: by the chain, or, if the whole chain is made anew, by the hash that was kept.
      const changes: ReadonlyArray<ReadonlyArray<string>> = [
        lines.map((line, index) => (index === 1 ? line.replace(`"attempt":0`, `"attempt":1`) : line)),
        [...lines.slice(0, 1), ...lines.slice(2)],
        [lines[1]!, lines[0]!, ...lines.slice(2)],
        lines.slice(0, -1)
      ]
      for (const [index, changed] of changes.entries()) {
        assert.notDeepEqual(changed, lines)
        write(changed)
        assert.strictEqual((yield* check("steps.txt", kept)).code, 1, `change ${index}`)
        if (index < 3) {
          const refused = yield* custody("export --continue steps.txt")
          assert.strictEqual(refused.code, 1)
          assert.include(refused.errors, "is not what was exported")
        }
      }
    }).pipe(Effect.scoped, Effect.provide(CustodyEmulator.layerServer(), { local: true }))
  )
})
