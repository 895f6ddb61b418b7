import { assert, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import * as Path from "node:path"

const file = (name: string) => Path.join(import.meta.dirname, "anyRuntime", name)

it("in process, the emulator and the SDK need no module of Node, whether imported or loaded by a call", () => {
  const args = ["--import", file("withoutNode.ts"), file("inProcess.ts")]
  const { status, stderr, stdout } = spawnSync(process.execPath, args, { encoding: "utf8" })
  assert.strictEqual(status, 0, stderr)
  assert.include(stdout, "COMPLETED")
})
