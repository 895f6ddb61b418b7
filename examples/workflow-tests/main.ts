/** The tests are the example: this runs them, each with its sentence. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Path } from "effect"
import { ChildProcess } from "effect/process"

const program = Effect.gen(function* () {
  const path = yield* Path.Path
  const root = path.join(import.meta.dirname, "../..")
  const vitest = yield* ChildProcess.make(
    path.join(root, "node_modules/.bin/vitest"),
    ["run", "test/examples/workflow-tests", "--reporter=tree"],
    { cwd: root, stdin: "inherit", stdout: "inherit", stderr: "inherit" }
  )
  const code = yield* vitest.exitCode
  yield* Effect.sync(() => {
    process.exitCode = code
  })
})

program.pipe(Effect.scoped, Effect.provide(NodeServices.layer), NodeRuntime.runMain)
