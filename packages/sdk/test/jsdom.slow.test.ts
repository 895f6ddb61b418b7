import { assert, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import * as Path from "node:path"

it("with window and document, imports, the emulator and stubs work, and only a real address is refused", () => {
  const file = (name: string) => Path.join(import.meta.dirname, "jsdom", name)
  const { status, stderr, stdout } = spawnSync(process.execPath, ["--import", file("globals.ts"), file("program.ts")], {
    encoding: "utf8"
  })
  assert.strictEqual(status, 0, stderr)
  const [emulated, stubbed, custody, node, ...more] = stdout.trimEnd().split("\n")
  assert.strictEqual(emulated, "emulator: Vault 1")
  assert.strictEqual(stubbed, "stub: Vault 2")
  assert.match(custody!, /^Custody: ConfigurationInvalid: environment: .*browser/)
  assert.match(node!, /^NodeCustody: ConfigurationInvalid: environment: .*browser/)
  assert.isEmpty(more)
})
