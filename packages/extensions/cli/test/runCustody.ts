import { command } from "@effect-custody/cli/Command"
import * as UsageError from "@effect-custody/emulator/siblings/UsageError"
import { ConfigProvider, Console, Effect, FileSystem, Result } from "effect"
import { Command } from "effect/cli"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"

/** Runs the command with arguments and an environment. Returns its output and whether it failed. */
export const custody = Effect.fnUntraced(function* (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {}
) {
  const printed: Array<string> = []
  const print = (...texts: ReadonlyArray<unknown>) => void printed.push(texts.join(" "))
  const outcome = yield* Effect.result(Command.runWith(command, { version: "0" })(args)).pipe(
    Effect.provideService(Console.Console, { ...globalThis.console, log: print, error: print }),
    Effect.provide([UsageError.layer, ConfigProvider.layer(ConfigProvider.fromEnv({ env }))])
  )
  const failure = Result.isFailure(outcome) ? outcome.failure : undefined
  return { fails: failure !== undefined, failure, said: printed.join("\n") }
})

/** Starts a server on the loopback. Returns its base address. */
export const server = (listener: RequestListener) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<ReturnType<typeof createServer>>((resume) => {
        const server = createServer(listener)
        server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) =>
        Effect.sync(() => {
          server.closeAllConnections()
          server.close()
        })
    ),
    (server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`
  )

export const inDirectory = FileSystem.FileSystem.use((fileSystem) => fileSystem.makeTempDirectoryScoped())
