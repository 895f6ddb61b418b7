/** The controls over HTTP, for a server in a process of its own: under `/emulator/`, from the same machine only. */
import { ConfigurationInvalid } from "@effect-custody/core/SdkError"
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { Fault } from "../../Fault.ts"
import { Counts, Received, SessionSummary } from "../../Received.ts"
import { Write } from "../../Write.ts"
import type { Controls } from "./controls.ts"
import { refusal } from "../http/guard.ts"
import type { Save } from "./snapshotFile.ts"

export const controlPrefix = "/emulator/"

/** What a control is asked with: the body's fields, or the query's. */
type Handler = (input: unknown) => Effect.Effect<unknown, ConfigurationInvalid | Schema.SchemaError>

const strictly = <S extends Schema.Top>(schema: S) =>
  Schema.decodeUnknownEffect(schema as S & Schema.Codec<S["Type"], unknown>, { onExcessProperty: "error" })

const ApiKeyRequest = Schema.Struct({ vaultId: Schema.optionalKey(Schema.Int) })
const LifetimeRequest = Schema.Struct({ tokenLifetime: Schema.Union([Schema.Finite, Schema.String]) })
/** Which entries of a list that only grows: those after a sequence number. */
const AfterQuery = Schema.Struct({ after: Schema.optionalKey(Schema.FiniteFromString) })
const FaultRequest = Schema.Struct({
  operation: Schema.String,
  fault: Fault,
  times: Schema.optionalKey(Schema.Int.pipe(Schema.check(Schema.isGreaterThan(0))))
})
const FundRequest = Schema.Struct({
  clientId: Schema.String,
  assetId: Schema.String,
  amount: Schema.String,
  vaultId: Schema.optionalKey(Schema.Int)
})
const FailRequest = Schema.Struct({
  end: Schema.optionalKey(Schema.Literals(["REJECTED", "ERROR"])),
  times: Schema.optionalKey(Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 1, maximum: 10_000 })))),
  vaultId: Schema.optionalKey(Schema.Int)
})
const OrderRequest = Schema.Struct({ orderId: Schema.String })
const LinkRequest = Schema.Struct({ linkId: Schema.String })
const Anything = Schema.Record(Schema.String, Schema.Any)

const encodeReceived = Schema.encodeEffect(Schema.Array(Received))
const encodeLedger = Schema.encodeEffect(Schema.Array(Write))
const encodeCounts = Schema.encodeEffect(Counts)
const encodeSessions = Schema.encodeEffect(Schema.Array(SessionSummary))

/** What the emulator was started without cannot be asked of it. */
const noFile = new ConfigurationInvalid({
  option: "snapshot",
  reason: "the emulator was started without a file for it"
})

const handlersOf = (controls: Controls, save: Save = Effect.fail(noFile)): Readonly<Record<string, Handler>> => ({
  "POST /emulator/api-keys": (input) =>
    strictly(ApiKeyRequest)(input).pipe(
      Effect.flatMap(controls.issueApiKey),
      Effect.map((apiKey) => ({ apiKey: Redacted.value(apiKey) }))
    ),
  "POST /emulator/expire": () => controls.expireTokens,
  "POST /emulator/snapshot": () => save,
  "POST /emulator/revoke": () => controls.revokeSessions,
  "POST /emulator/token-lifetime": (input) =>
    Effect.flatMap(strictly(LifetimeRequest)(input), ({ tokenLifetime }) =>
      controls.setTokenLifetime(tokenLifetime as number)
    ),
  "POST /emulator/quirks": (input) => Effect.flatMap(strictly(Anything)(input), controls.setQuirks),
  "GET /emulator/received": (input) =>
    Effect.flatMap(strictly(AfterQuery)(input), ({ after = 0 }) =>
      Effect.flatMap(controls.receivedAfter(after), encodeReceived)
    ),
  "POST /emulator/durations": (input) => Effect.flatMap(strictly(Anything)(input), controls.setDurations),
  "POST /emulator/fund": (input) => Effect.flatMap(strictly(FundRequest)(input), controls.fund),
  "POST /emulator/fail-next": (input) => Effect.flatMap(strictly(FailRequest)(input), controls.failNext),
  "POST /emulator/pay-order": (input) =>
    Effect.flatMap(strictly(OrderRequest)(input), ({ orderId }) => controls.payOrder(orderId)),
  "POST /emulator/pay-link": (input) =>
    Effect.flatMap(strictly(LinkRequest)(input), ({ linkId }) => controls.payLink(linkId)),
  "GET /emulator/ledger": (input) =>
    Effect.flatMap(strictly(AfterQuery)(input), ({ after = 0 }) =>
      Effect.flatMap(controls.ledgerAfter(after), encodeLedger)
    ),
  "GET /emulator/counts": () => Effect.flatMap(controls.counts, encodeCounts),
  "GET /emulator/sessions": () => Effect.flatMap(controls.sessions, encodeSessions),
  "POST /emulator/faults": (input) =>
    Effect.flatMap(strictly(FaultRequest)(input), ({ fault, operation, times }) =>
      controls.faults.next(operation, fault, { times })
    ),
  "GET /emulator/faults": () => controls.faults.pending,
  "DELETE /emulator/faults": () => controls.faults.clear
})

const told = (status: number, message: string) => HttpServerResponse.jsonUnsafe({ status, message }, { status })

const parse = Schema.decodeEffect(Schema.fromJsonString(Schema.Unknown))

const inputOf = (request: HttpServerRequest.HttpServerRequest, query: string) =>
  request.method === "POST"
    ? request.text.pipe(
        Effect.flatMap((text) => parse(text === "" ? "{}" : text)),
        Effect.mapError(() => told(400, "Request body is not JSON"))
      )
    : Effect.succeed(Object.fromEntries(new URLSearchParams(query)) as unknown)

/** Answers a request to a control. */
export const controlApi = (
  controls: Controls,
  save?: Save
): ((request: HttpServerRequest.HttpServerRequest) => Effect.Effect<HttpServerResponse.HttpServerResponse>) => {
  const handlers = new Map(Object.entries(handlersOf(controls, save)))
  return Effect.fnUntraced(
    function* (request) {
      const refused = refusal(request)
      if (refused !== undefined) return told(403, refused)
      const [path = "", query = ""] = request.url.split("?", 2)
      const handler = handlers.get(`${request.method} ${path}`)
      if (handler === undefined) return told(404, `Cannot ${request.method} ${path}`)
      const input = yield* inputOf(request, query)
      const result = yield* Effect.mapError(handler(input), (error) => told(400, error.message))
      return result === undefined ? HttpServerResponse.empty() : HttpServerResponse.jsonUnsafe(result)
    },
    Effect.catch((response) => Effect.succeed(response))
  )
}
