/** The controls over HTTP, under `/emulator/`, only for programs on the same machine. */
import { ConfigurationInvalid } from "@effect-custody/core/SdkError"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Sse from "effect/encoding/Sse"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { EmulatorEvent } from "../model/EmulatorEvent.ts"
import { failure, refusal } from "./Guard.ts"
import { ControlGroup } from "./controlContract.ts"
import type { Controls } from "../service/controls.ts"
import type { Save } from "./snapshotFile.ts"

type Endpoints = (typeof ControlGroup)["endpoints"]

type TypeOf<S> = [S] extends [never] ? undefined : S extends { readonly Type: infer T } ? T : undefined

/** A handler for each endpoint. The handler's input is the fields of the body or of the query. */
type Handlers = {
  readonly [N in keyof Endpoints]: (
    input: NonNullable<TypeOf<Endpoints[N]["~Payload"]> | TypeOf<Endpoints[N]["~Query"]>>
  ) => Effect.Effect<unknown, ConfigurationInvalid>
}

const noFile = new ConfigurationInvalid({
  option: "snapshot",
  reason: "the emulator was started without a file for it"
})

const encodeEvent = Schema.encodeResult(EmulatorEvent)

/** Sends comments, because proxies and clients close a quiet stream. */
const heartbeat = Stream.map(Stream.tick("15 seconds"), () => ":\n\n")

const streamEvents = (events: Stream.Stream<EmulatorEvent>): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.stream(
    events.pipe(
      Stream.map((event) =>
        Sse.encoder.write({
          _tag: "Event",
          event: "message",
          id: `${event.sequence}`,
          data: JSON.stringify(Result.getOrThrow(encodeEvent(event)))
        })
      ),
      Stream.merge(heartbeat),
      Stream.encodeText
    ),
    { contentType: "text/event-stream", headers: { "cache-control": "no-store" } }
  )

const makeHandlers = (controls: Controls, save: Save = Effect.fail(noFile)): Handlers => ({
  issueApiKey: (options) => Effect.map(controls.issueApiKey(options), (apiKey) => ({ apiKey: Redacted.value(apiKey) })),
  setTokenLifetime: ({ tokenLifetime }) => controls.setTokenLifetime(tokenLifetime as Duration.Input),
  expireTokens: () => controls.expireTokens,
  revokeSessions: () => controls.revokeSessions,
  sessions: () => controls.sessions,
  fund: controls.fund,
  payOrder: ({ orderId }) => controls.payOrder(orderId),
  payLink: ({ linkId }) => controls.payLink(linkId),
  failNext: controls.failNext,
  approve: ({ transactionId }) => controls.approve(transactionId),
  reject: ({ transactionId }) => controls.reject(transactionId),
  ledger: ({ after = 0 }) => controls.ledgerAfter(after),
  received: ({ after = 0 }) => Effect.map(controls.received, (all) => all.filter(({ sequence }) => sequence > after)),
  events: ({ after }) => Effect.succeed(streamEvents(controls.events({ after }))),
  counts: () => controls.counts,
  addFault: ({ fault, operation, times }) => controls.faults.next(operation, fault, { times }),
  // `null` is the count of faults that repeat for ever, because JSON has no infinity.
  pendingFaults: () =>
    Effect.map(controls.faults.pending, (pending) =>
      pending.map((one) => ({ ...one, times: Number.isFinite(one.times) ? one.times : null }))
    ),
  removeFaults: ({ id }) => (id === undefined ? controls.faults.clear : controls.faults.remove(id)),
  setDurations: (durations) => controls.setDurations(durations as Parameters<Controls["setDurations"]>[0]),
  setQuirks: (quirks) => controls.setQuirks(quirks as Parameters<Controls["setQuirks"]>[0]),
  saveSnapshot: () => save
})

type Respond = (
  input: unknown
) => Effect.Effect<HttpServerResponse.HttpServerResponse, ConfigurationInvalid | Schema.SchemaError>

/** Decodes the input, runs the handler and encodes its result, all as the contract declares. */
const respondBy = (
  endpoint: HttpApiEndpoint.Top,
  handler: (input: never) => Effect.Effect<unknown, ConfigurationInvalid>
): Respond => {
  const [payload] = [...endpoint.payload.values()]
  const input = (payload?.schemas[0] ?? endpoint.query ?? Schema.Struct({})) as Schema.Codec<never, unknown>
  const [success] = [...endpoint.success]
  const decode = Schema.decodeUnknownEffect(input, { onExcessProperty: "error" })
  const encode = Schema.encodeUnknownEffect((success ?? Schema.Void) as Schema.Codec<unknown, unknown>)
  return (raw) =>
    Effect.flatMap(Effect.flatMap(decode(raw), handler), (result) =>
      result === undefined
        ? Effect.succeed(HttpServerResponse.empty())
        : HttpServerResponse.isHttpServerResponse(result)
          ? Effect.succeed(result)
          : Effect.map(encode(result), (body) => HttpServerResponse.jsonUnsafe(body))
    )
}

const parse = Schema.decodeEffect(Schema.fromJsonString(Schema.Unknown))

/** A client that lost its connection sends the number of its last event, and the stream continues after that event. */
const lastEvent = ({ headers, url }: HttpServerRequest.HttpServerRequest) =>
  url.startsWith("/emulator/events") && headers["last-event-id"] !== undefined
    ? { after: headers["last-event-id"] }
    : {}

const readInput = (request: HttpServerRequest.HttpServerRequest, query: string) =>
  request.method === "POST"
    ? request.text.pipe(
        Effect.flatMap((text) => parse(text === "" ? "{}" : text)),
        Effect.mapError(() => failure(400, "Request body is not JSON"))
      )
    : Effect.succeed({ ...Object.fromEntries(new URLSearchParams(query)), ...lastEvent(request) } as unknown)

export const controlApi = (
  controls: Controls,
  save?: Save
): ((request: HttpServerRequest.HttpServerRequest) => Effect.Effect<HttpServerResponse.HttpServerResponse>) => {
  const handlers = makeHandlers(controls, save)
  const routes = new Map(
    Object.entries(ControlGroup.endpoints as unknown as Record<keyof Endpoints, HttpApiEndpoint.Top>).map(
      ([name, endpoint]) => [
        `${endpoint.method} ${endpoint.path}`,
        respondBy(endpoint, handlers[name as keyof Endpoints] as Parameters<typeof respondBy>[1])
      ]
    )
  )
  return Effect.fnUntraced(
    function* (request) {
      const refused = refusal(request)
      if (refused !== undefined) return yield* refused
      const [path = "", query = ""] = request.url.split("?", 2)
      const respond = routes.get(`${request.method} ${path}`)
      if (respond === undefined) return failure(404, `Cannot ${request.method} ${path}`)
      const input = yield* readInput(request, query)
      return yield* Effect.mapError(respond(input), (error) => failure(400, error.message))
    },
    Effect.catch((response) => Effect.succeed(response))
  )
}
