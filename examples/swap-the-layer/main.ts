/** The tests are the example: this runs them, each with its sentence. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Exit, Path, Runtime } from "effect"
import { ChildProcess } from "effect/process"

const program = Effect.gen(function* () {
  const path = yield* Path.Path
  const root = path.join(import.meta.dirname, "../..")
  const vitest = yield* ChildProcess.make(
    path.join(root, "node_modules/.bin/vitest"),
    ["run", "examples/swap-the-layer/test", "--reporter=tree"],
    { cwd: root, stdin: "inherit", stdout: "inherit", stderr: "inherit" }
  )
  return yield* vitest.exitCode
})

program.pipe(
  Effect.scoped,
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain({
    // It ends as the tests did.
    teardown: (exit, onExit) =>
      Exit.isSuccess(exit) ? onExit(Number(exit.value)) : Runtime.defaultTeardown(exit, onExit)
  })
)
