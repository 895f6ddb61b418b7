/** The controls over HTTP, under `/emulator/`, only for programs on the same machine. */
import { ConfigurationInvalid } from "@effect-custody/core/SdkError"
import { failure, refusal } from "../localPage/Guard.ts"
import type * as Operations from "@effect-custody/sdk/Operations"
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { Fault } from "../model/Fault.ts"
import { Counts, Received } from "../model/Received.ts"
import { Write } from "../model/Write.ts"
import type { Controls } from "../service/controls.ts"
import type { Save } from "./snapshotFile.ts"

export const controlPrefix = "/emulator/"

const noFile = new ConfigurationInvalid({
  option: "snapshot",
  reason: "the emulator was started without a file for it"
})

type Respond = (
  input: unknown
) => Effect.Effect<HttpServerResponse.HttpServerResponse, ConfigurationInvalid | Schema.SchemaError>

/** Decodes the input, which is the fields of the body or of the query, runs a control, and encodes its result. */
const control = <Fields extends Schema.Struct.Fields, A>(
  fields: Fields,
  run: (input: Schema.Struct<Fields>["Type"]) => Effect.Effect<A, ConfigurationInvalid>,
  success?: Schema.Codec<A, Schema.Json>
): Respond => {
  const decode = Schema.decodeUnknownEffect(Schema.Struct(fields) as unknown as Schema.Codec<never>, {
    onExcessProperty: "error"
  })
  const encode = success && Schema.encodeEffect(success)
  return (raw) =>
    Effect.flatMap(Effect.flatMap(decode(raw), run), (result) =>
      encode === undefined
        ? Effect.succeed(HttpServerResponse.empty())
        : Effect.map(encode(result), (body) => HttpServerResponse.jsonUnsafe(body))
    )
}

const vaultId = Schema.optionalKey(Schema.Int)
const after = { after: Schema.optionalKey(Schema.FiniteFromString) }
const newer =
  <A extends { readonly sequence: number }>(all: Effect.Effect<ReadonlyArray<A>>) =>
  ({ after = 0 }: { readonly after?: number }) =>
    Effect.map(all, (rows) => rows.filter(({ sequence }) => sequence > after))
const TransactionId = Schema.Struct({ transactionId: Schema.String })
const times = (minimum: number) =>
  Schema.optionalKey(Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum, maximum: 10_000 }))))

/** Every control by its method and path. `docs/emulator.md` describes them. */
const makeRoutes = (controls: Controls, save: Save = Effect.fail(noFile)): Readonly<Record<string, Respond>> => ({
  "POST /emulator/api-keys": control(
    { vaultId },
    (options) => Effect.map(controls.issueApiKey(options), (apiKey) => ({ apiKey: Redacted.value(apiKey) })),
    Schema.Struct({ apiKey: Schema.String })
  ),
  "POST /emulator/expire": control({}, () => controls.expireTokens),
  "POST /emulator/revoke": control({}, () => controls.revokeSessions),
  "POST /emulator/fund": control(
    { clientId: Schema.String, assetId: Schema.String, amount: Schema.String, vaultId },
    controls.fund,
    TransactionId
  ),
  "POST /emulator/add-transaction": control(
    {
      type: Schema.Literals(["SWAP", "ALLOWANCE"]),
      clientId: Schema.String,
      assetId: Schema.String,
      amount: Schema.String,
      vaultId
    },
    controls.addTransaction,
    TransactionId
  ),
  "POST /emulator/pay-order": control(
    { orderId: Schema.String },
    ({ orderId }) => controls.payOrder(orderId),
    TransactionId
  ),
  "POST /emulator/pay-link": control(
    { linkId: Schema.String },
    ({ linkId }) => controls.payLink(linkId),
    TransactionId
  ),
  "POST /emulator/fail-next": control(
    { end: Schema.optionalKey(Schema.Literals(["REJECTED", "ERROR"])), times: times(0), vaultId },
    controls.failNext
  ),
  "GET /emulator/ledger": control(after, newer(controls.ledger), Schema.toCodecJson(Schema.Array(Write))),
  "GET /emulator/received": control(after, newer(controls.received), Schema.toCodecJson(Schema.Array(Received))),
  "GET /emulator/counts": control({}, () => controls.counts, Schema.toCodecJson(Counts)),
  "POST /emulator/faults": control(
    { operation: Schema.String, fault: Fault, times: times(1) },
    ({ fault, operation, times }) => controls.faults.next(operation as Operations.Name, fault, { times })
  ),
  "DELETE /emulator/faults": control({}, () => controls.faults.clear),
  "POST /emulator/snapshot": control({}, () => save, Schema.Struct({ file: Schema.String }))
})

const parse = Schema.decodeEffect(Schema.fromJsonString(Schema.Unknown))

const readInput = (request: HttpServerRequest.HttpServerRequest, query: string) =>
  request.method === "POST"
    ? request.text.pipe(
        Effect.flatMap((text) => parse(text === "" ? "{}" : text)),
        Effect.mapError(() => failure(400, "Request body is not JSON"))
      )
    : Effect.succeed(Object.fromEntries(new URLSearchParams(query)) as unknown)

export const controlApi = (
  controls: Controls,
  save?: Save
): ((request: HttpServerRequest.HttpServerRequest) => Effect.Effect<HttpServerResponse.HttpServerResponse>) => {
  const routes = makeRoutes(controls, save)
  return Effect.fnUntraced(
    function* (request) {
      const refused = refusal(request)
      if (refused !== undefined) return yield* refused
      const [path = "", query = ""] = request.url.split("?", 2)
      const route = `${request.method} ${path}`
      if (!Object.hasOwn(routes, route)) return failure(404, `Cannot ${route}`)
      const input = yield* readInput(request, query)
      return yield* Effect.mapError(routes[route]!(input), (error) => failure(400, error.message))
    },
    Effect.catch((response) => Effect.succeed(response))
  )
}
