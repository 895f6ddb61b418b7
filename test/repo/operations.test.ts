import { OperatorLog } from "@effect-custody/core"
import { metrics } from "@effect-custody/core/Telemetry"
import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import * as Path from "node:path"

const root = Path.resolve(import.meta.dirname, "../..")
const guide = readFileSync(Path.join(root, "docs/operations.md"), "utf8")

/** The rows of a table of the guide, by its head. */
const rowsBelow = (...head: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> => {
  const lines = guide.split("\n")
  const at = lines.indexOf(`| ${head.join(" | ")} |`)
  assert.isAtLeast(at, 0, `a table of ${head.join(", ")}`)
  const after = lines.slice(at + 2)
  return after
    .slice(
      0,
      after.findIndex((line) => !line.startsWith("|"))
    )
    .map((line) => line.slice(2, -2).split(" | "))
}

/** Everything that users run, without what is only shown in comments. */
const sources = globSync("packages/{core,authentication,node,postgres,sdk}/src/**/*.ts", { cwd: root }).map((file) => ({
  file,
  text: readFileSync(Path.join(root, file), "utf8").replaceAll(/^\s*(?:\/?\*|\/\/).*$/gm, "")
}))

describe("the operations guide", () => {
  it("has each log line, with its level, what it says and what to do", () => {
    assert.deepStrictEqual(
      rowsBelow("log line", "level", "what happened", "what to do"),
      Object.entries(OperatorLog.lines).map(([name, { action, event, level }]) => [`\`${name}\``, level, event, action])
    )
  })

  it("has each metric, with its type and its labels", () => {
    assert.deepStrictEqual(
      rowsBelow("metric", "type", "labels", "what it says"),
      Object.values(metrics).map(({ description, labels, name, type }) => [
        `\`${name}\``,
        type,
        labels.map((label) => `\`${label}\``).join(", "),
        description
      ])
    )
  })

  it("every log line is written somewhere, and nothing logs around them", () => {
    for (const name of Object.keys(OperatorLog.lines)) {
      const users = sources.filter(
        ({ text }) => text.includes(`report("${name}"`) || text.includes(`\n      "${name}",`)
      )
      assert.isAtLeast(users.length, 1, name)
    }
    const around = sources.filter(
      ({ file, text }) => !file.endsWith("OperatorLog.ts") && /Effect\.log|console\./.test(text)
    )
    assert.deepStrictEqual(
      around.map(({ file }) => file),
      []
    )
  })
})
