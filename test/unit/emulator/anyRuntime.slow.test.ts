import { assert, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import * as Path from "node:path"

/** Runs a program in a Node that has none of Node's own modules. */
const runWithoutNode = (program: string) => {
  const file = (name: string) => Path.join(import.meta.dirname, "anyRuntime", name)
  return spawnSync(process.execPath, ["--import", file("withoutNode.ts"), file(program)], { encoding: "utf8" })
}

it("in process, the emulator and the SDK need no module of Node, whether imported or loaded by a call", () => {
  const { status, stderr, stdout } = runWithoutNode("inProcess.ts")
  assert.strictEqual(status, 0, stderr)
  assert.include(stdout, "COMPLETED")
})

it("a module of Node is found out, wherever it is imported", () => {
  const { status, stderr } = runWithoutNode("server.ts")
  assert.strictEqual(status, 1)
  assert.match(stderr, /no module of Node: node:\S+, wanted by/)
})
