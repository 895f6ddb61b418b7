/** The contract of the controls over HTTP: what `/emulator/openapi.json` documents and the control API serves. */
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { Fault } from "../../Fault.ts"
import { Durations, Quirks } from "../../Options.ts"
import { Counts, Received, SessionSummary } from "../../Received.ts"
import { Write } from "../../Write.ts"

export const controlPrefix = "/emulator/"

/** Why a control refused a request. */
const Refused = Schema.Struct({ status: Schema.Int, message: Schema.String })

const badRequest = Refused.pipe(HttpApiSchema.status(400))
const forbidden = Refused.pipe(HttpApiSchema.status(403))
const error = [badRequest, forbidden] as const

/** Milliseconds, or text such as "2 seconds". */
const DurationInput = Schema.Union([Schema.Finite, Schema.String]).annotate({
  description: `Milliseconds, or text such as "2 seconds"`
})

const vaultId = Schema.optionalKey(Schema.Int.annotate({ description: "Default: 1" }))

const TransactionCreated = Schema.Struct({ transactionId: Schema.String })

const empty = HttpApiSchema.NoContent

/** Every field may be absent, and durations may be numbers or text. */
const partially = (fields: Readonly<Record<string, Schema.Top>>) =>
  Schema.Struct(
    Object.fromEntries(
      Object.entries(fields).map(([name, field]) => [
        name,
        Schema.optionalKey(durationNames.has(name) ? DurationInput : field)
      ])
    )
  )

const durationNames: ReadonlySet<string> = new Set([
  ...Object.keys(Durations.fields),
  "refreshReuseGrace",
  "accessTokenActivation"
])

const after = {
  after: Schema.optionalKey(
    Schema.FiniteFromString.annotate({ description: "Only entries with a higher sequence number" })
  )
}

/** The controls: state, faults and observation. */
export class ControlGroup extends HttpApiGroup.make("controls").add(
  HttpApiEndpoint.post("issueApiKey", "/emulator/api-keys", {
    payload: Schema.Struct({ vaultId }),
    success: Schema.Struct({ apiKey: Schema.String }),
    error
  }).annotate(OpenApi.Description, "Issues a one-time API key."),
  HttpApiEndpoint.post("setTokenLifetime", "/emulator/token-lifetime", {
    payload: Schema.Struct({ tokenLifetime: DurationInput }),
    success: empty,
    error
  }).annotate(OpenApi.Description, "Changes the lifetime of access tokens issued from now on."),
  HttpApiEndpoint.post("expireTokens", "/emulator/expire", { success: empty, error }).annotate(
    OpenApi.Description,
    "Expires every issued access token now."
  ),
  HttpApiEndpoint.post("revokeSessions", "/emulator/revoke", { success: empty, error }).annotate(
    OpenApi.Description,
    "Revokes every session: its tokens are neither accepted nor refreshed."
  ),
  HttpApiEndpoint.get("sessions", "/emulator/sessions", { success: Schema.Array(SessionSummary), error }).annotate(
    OpenApi.Description,
    "The sessions, by the service's own records."
  ),
  HttpApiEndpoint.post("fund", "/emulator/fund", {
    payload: Schema.Struct({ clientId: Schema.String, assetId: Schema.String, amount: Schema.String, vaultId }),
    success: TransactionCreated,
    error
  }).annotate(
    OpenApi.Description,
    "Credits a client with an amount, as an incoming transaction. A new client is created first."
  ),
  HttpApiEndpoint.post("payOrder", "/emulator/pay-order", {
    payload: Schema.Struct({ orderId: Schema.String }),
    success: TransactionCreated,
    error
  }).annotate(OpenApi.Description, "Pays a payment order in its selected asset."),
  HttpApiEndpoint.post("payLink", "/emulator/pay-link", {
    payload: Schema.Struct({ linkId: Schema.String }),
    success: TransactionCreated,
    error
  }).annotate(OpenApi.Description, "Pays through a fiat payment link."),
  HttpApiEndpoint.post("failNext", "/emulator/fail-next", {
    payload: Schema.Struct({
      end: Schema.optionalKey(Schema.Literals(["REJECTED", "ERROR"]).annotate({ description: "Default: REJECTED" })),
      times: Schema.optionalKey(
        Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 1, maximum: 10_000 }))).annotate({
          description: "Default: 1"
        })
      ),
      vaultId
    }),
    success: empty,
    error
  }).annotate(OpenApi.Description, "Lets the next sends and transfers end as REJECTED or ERROR."),
  HttpApiEndpoint.get("ledger", "/emulator/ledger", { query: after, success: Schema.Array(Write), error }).annotate(
    OpenApi.Description,
    "Every write that the service carried out, oldest first, whether or not its answer arrived."
  ),
  HttpApiEndpoint.get("received", "/emulator/received", {
    query: after,
    success: Schema.Array(Received),
    error
  }).annotate(OpenApi.Description, "The newest requests, oldest first."),
  HttpApiEndpoint.get("counts", "/emulator/counts", { success: Counts, error }).annotate(
    OpenApi.Description,
    "Exact counts since the start."
  ),
  HttpApiEndpoint.post("addFault", "/emulator/faults", {
    payload: Schema.Struct({
      operation: Schema.String.annotate({ description: "Such as `transactions.send`, or `*` for any operation" }),
      fault: Fault,
      times: Schema.optionalKey(
        Schema.Int.pipe(Schema.check(Schema.isGreaterThan(0))).annotate({ description: "Default: 1" })
      )
    }),
    success: empty,
    error
  }).annotate(OpenApi.Description, "Injects a fault into the next requests of an operation."),
  HttpApiEndpoint.get("pendingFaults", "/emulator/faults", {
    success: Schema.Record(Schema.String, Schema.NullOr(Schema.Finite)),
    error
  }).annotate(OpenApi.Description, "How many faults are pending, by operation; null: endless ones."),
  HttpApiEndpoint.delete("clearFaults", "/emulator/faults", { success: empty, error }).annotate(
    OpenApi.Description,
    "Removes every pending fault."
  ),
  HttpApiEndpoint.post("setDurations", "/emulator/durations", {
    payload: partially(Durations.fields),
    success: empty,
    error
  }).annotate(OpenApi.Description, "Changes the given durations, from the next request on."),
  HttpApiEndpoint.post("setQuirks", "/emulator/quirks", {
    payload: partially(Quirks.fields),
    success: empty,
    error
  }).annotate(OpenApi.Description, "Changes the service's behaviour where the specification is silent."),
  HttpApiEndpoint.post("saveSnapshot", "/emulator/snapshot", {
    success: Schema.Struct({ file: Schema.String }),
    error
  }).annotate(OpenApi.Description, "Saves the state to the file of `--snapshot`.")
) {}

/** The controls as an API. */
export class ControlApi extends HttpApi.make("custody-emulator")
  .add(ControlGroup)
  .annotateMerge(
    OpenApi.annotations({
      title: "custody-emulator controls",
      description:
        "Controls of the custody emulator, for programs of the same machine only. " +
        "GET /emulator/events streams every request as Server-Sent Events."
    })
  ) {}
