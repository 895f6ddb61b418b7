/** The reads of the API as tools. Each derives from the declaration of its endpoint. */
import type { CustodyClient } from "@effect-custody/core/CustodyClient"
import type * as Endpoint from "@effect-custody/core/Endpoint"
import * as Declaration from "@effect-custody/core/siblings/Declaration"
import type { TokenService } from "@effect-custody/core/TokenService"
import * as Operations from "@effect-custody/sdk/Operations"
import * as McpServer from "effect/ai/McpServer"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Client from "../service/client.ts"
import type { Failure } from "../service/endpoints.ts"
import { Refusal, refusal, visible } from "./refusal.ts"

type Read = Endpoint.Endpoint<object, unknown, Failure>

const reads = [...Operations.functions.values()].filter(
  ({ safety }) => safety === "read"
) as unknown as ReadonlyArray<Read>

/** The name of an operation as a tool: some models allow no dot. */
const nameOf = (operation: string): string => operation.replace(".", "_")

const toolOf = (read: Read) =>
  Tool.make(nameOf(read.operation), {
    description: Operations.summaries[read.operation],
    parameters: Object.keys(Declaration.fields(read)).length === 0 ? Tool.EmptyParams : read.input,
    success: read.output,
    failure: Refusal
  })
    .annotate(Tool.Readonly, true)
    .annotate(Tool.Destructive, false)
    .annotate(Tool.Idempotent, true)
    // A misspelled filter is refused. Ignored, it would read what nobody asked for.
    .annotate(Tool.Strict, true)

/** What an agent hears leaves this machine. So an answer that repeats a secret is not shown. */
const withoutSecrets = Effect.fnUntraced(function* (read: Read, input: object) {
  const result = yield* read(input)
  const text = yield* Effect.orDie(Schema.encodeEffect(Schema.fromJsonString(read.output))(result))
  if ((yield* Client.redaction)(text) === text) return visible(result)
  return yield* Effect.fail({
    _tag: "SecretInAnswer",
    message: `${read.operation}: the answer has a secret of the session`
  })
}, Effect.mapError(refusal))

export const layer: Layer.Layer<never, never, McpServer.McpServer | CustodyClient | TokenService> = Layer.unwrap(
  Effect.map(Effect.context<CustodyClient | TokenService>(), (context) => {
    const toolkit = Toolkit.make(...reads.map(toolOf))
    const handlers = reads.map((read) => [
      nameOf(read.operation),
      (input: object) => Effect.provideContext(withoutSecrets(read, input), context)
    ])
    return McpServer.toolkit(toolkit).pipe(Layer.provide(toolkit.toLayer(Object.fromEntries(handlers))))
  })
)
