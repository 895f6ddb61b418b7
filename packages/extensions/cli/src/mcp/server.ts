/** Serves tools to the agent that has started this process, over standard input and output. */
import type { McpServer as Registry } from "effect/ai/McpServer"
import * as McpProtocol from "effect/ai/McpProtocol"
import * as McpServer from "effect/ai/McpServer"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { version } from "../internal/version.ts"

export const protocols = [
  McpProtocol.v2025_11_25,
  McpProtocol.v2025_06_18,
  McpProtocol.v2025_03_26,
  McpProtocol.v2024_11_05,
  McpProtocol.v2026_07_28
] as const

/** Serves until standard input ends. */
export const serve = Effect.fnUntraced(function* <E, R>(tools: Layer.Layer<never, E, R | Registry>) {
  const server = McpServer.layerStdio({ name: "custody", version, protocols, registrations: tools })
  // The end of the input interrupts the fiber of the server.
  const exit = yield* Effect.flatMap(Effect.forkChild(Layer.launch(server)), Fiber.await)
  if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)) return yield* Effect.failCause(exit.cause)
})
