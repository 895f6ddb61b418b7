/** The contract of the controls over HTTP, which `/emulator/openapi.json` documents. */
import * as Duration from "effect/Duration"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import { EmulatorEvent } from "../model/EmulatorEvent.ts"
import { Fault } from "../model/Fault.ts"
import { Durations, Quirks } from "../model/Settings.ts"
import { Counts, Received, SessionSummary } from "../model/Received.ts"
import { Write } from "../model/Write.ts"
import { defaults } from "../model/defaults.ts"

export const controlPrefix = "/emulator/"

const Refused = Schema.Struct({ status: Schema.Int, message: Schema.String })

/** Documents the error answers that every control can give. */
class Guard extends HttpApiMiddleware.Service<Guard>()("@effect-custody/emulator/Guard", {
  error: [Refused.pipe(HttpApiSchema.status(400)), Refused.pipe(HttpApiSchema.status(403))]
}) {}

const DurationInput = Schema.Union([Schema.Finite, Schema.String]).annotate({
  description: `Milliseconds, or text such as "2 seconds"`
})

const vaultId = Schema.optionalKey(Schema.Int.annotate({ description: "Default: 1" }))

const TransactionId = Schema.Struct({ transactionId: Schema.String })

const PendingFault = Schema.Struct({
  id: Schema.Int,
  operation: Schema.String,
  fault: Fault,
  times: Schema.NullOr(Schema.Finite).annotate({ description: "How often it has yet to happen; null: without end" }),
  description: Schema.String
})

/** Makes every field optional, and lets durations be numbers or text. */
const partially = (fields: Readonly<Record<string, Schema.Top>>, current: object) =>
  Schema.Struct(
    Record.map(fields, (field, name) =>
      Schema.optionalKey(Duration.isDuration(Reflect.get(current, name)) ? DurationInput : field)
    )
  )

const after = {
  after: Schema.optionalKey(
    Schema.FiniteFromString.annotate({ description: "Only entries with a higher sequence number" })
  )
}

/** The controls: state, faults and observation. */
export class ControlGroup extends HttpApiGroup.make("controls")
  .add(
    HttpApiEndpoint.post("issueApiKey", "/emulator/api-keys", {
      payload: Schema.Struct({ vaultId }),
      success: Schema.Struct({ apiKey: Schema.String })
    }).annotate(OpenApi.Description, "Issues a one-time API key."),
    HttpApiEndpoint.post("setTokenLifetime", "/emulator/token-lifetime", {
      payload: Schema.Struct({ tokenLifetime: DurationInput })
    }).annotate(OpenApi.Description, "Changes the lifetime of access tokens issued from now on."),
    HttpApiEndpoint.post("expireTokens", "/emulator/expire", {}).annotate(
      OpenApi.Description,
      "Expires every issued access token now."
    ),
    HttpApiEndpoint.post("revokeSessions", "/emulator/revoke", {}).annotate(
      OpenApi.Description,
      "Revokes every session: its tokens are neither accepted nor refreshed."
    ),
    HttpApiEndpoint.get("sessions", "/emulator/sessions", { success: Schema.Array(SessionSummary) }).annotate(
      OpenApi.Description,
      "The sessions, by the service's own records."
    ),
    HttpApiEndpoint.post("fund", "/emulator/fund", {
      payload: Schema.Struct({ clientId: Schema.String, assetId: Schema.String, amount: Schema.String, vaultId }),
      success: TransactionId
    }).annotate(
      OpenApi.Description,
      "Credits a client with an amount, as an incoming transaction. A new client is created first."
    ),
    HttpApiEndpoint.post("payOrder", "/emulator/pay-order", {
      payload: Schema.Struct({ orderId: Schema.String }),
      success: TransactionId
    }).annotate(OpenApi.Description, "Pays a payment order in its selected asset."),
    HttpApiEndpoint.post("payLink", "/emulator/pay-link", {
      payload: Schema.Struct({ linkId: Schema.String }),
      success: TransactionId
    }).annotate(OpenApi.Description, "Pays through a fiat payment link."),
    HttpApiEndpoint.post("failNext", "/emulator/fail-next", {
      payload: Schema.Struct({
        end: Schema.optionalKey(Schema.Literals(["REJECTED", "ERROR"]).annotate({ description: "Default: REJECTED" })),
        times: Schema.optionalKey(
          Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 10_000 }))).annotate({
            description: "Default: 1. With 0, the transactions that are still to fail do not"
          })
        ),
        vaultId
      })
    }).annotate(OpenApi.Description, "Lets the next sends and transfers end as REJECTED or ERROR."),
    HttpApiEndpoint.post("approve", "/emulator/approve", { payload: TransactionId }).annotate(
      OpenApi.Description,
      "Approves a transaction that waits for it under the quirk `awaitsApproval`."
    ),
    HttpApiEndpoint.post("reject", "/emulator/reject", { payload: TransactionId }).annotate(
      OpenApi.Description,
      "Rejects such a transaction: it ends as REJECTED."
    ),
    HttpApiEndpoint.get("ledger", "/emulator/ledger", { query: after, success: Schema.Array(Write) }).annotate(
      OpenApi.Description,
      "Every write that the service carried out, oldest first, whether or not its answer arrived."
    ),
    HttpApiEndpoint.get("received", "/emulator/received", {
      query: after,
      success: Schema.Array(Received)
    }).annotate(OpenApi.Description, "The newest requests, oldest first."),
    HttpApiEndpoint.get("events", "/emulator/events", {
      query: after,
      success: HttpApiSchema.StreamSse({ data: EmulatorEvent })
    }).annotate(
      OpenApi.Description,
      "Streams what happens as Server-Sent Events: requests, writes, and the statuses of transactions. Begins after the " +
        "event of the header `Last-Event-ID`, or of `after`; without either, with the first event."
    ),
    HttpApiEndpoint.get("counts", "/emulator/counts", { success: Counts }).annotate(
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
      })
    }).annotate(OpenApi.Description, "Injects a fault into the next requests of an operation."),
    HttpApiEndpoint.get("pendingFaults", "/emulator/faults", {
      success: Schema.Array(PendingFault)
    }).annotate(OpenApi.Description, "The pending faults, in the order of their injection."),
    HttpApiEndpoint.delete("removeFaults", "/emulator/faults", {
      query: { id: Schema.optionalKey(Schema.FiniteFromString.annotate({ description: "Default: all of them" })) }
    }).annotate(OpenApi.Description, "Removes a pending fault, or all of them."),
    HttpApiEndpoint.post("setDurations", "/emulator/durations", {
      payload: partially(Durations.fields, defaults.durations)
    }).annotate(OpenApi.Description, "Changes the given durations, from the next request on."),
    HttpApiEndpoint.post("setQuirks", "/emulator/quirks", {
      payload: partially(Quirks.fields, defaults.quirks)
    }).annotate(OpenApi.Description, "Changes the service's behaviour where the specification is silent."),
    HttpApiEndpoint.post("saveSnapshot", "/emulator/snapshot", {
      success: Schema.Struct({ file: Schema.String })
    }).annotate(OpenApi.Description, "Saves the state to the file of `--snapshot`.")
  )
  .middleware(Guard) {}

/** The controls as an API. */
export class ControlApi extends HttpApi.make("custody-emulator")
  .add(ControlGroup)
  .annotateMerge(
    OpenApi.annotations({
      title: "custody-emulator controls",
      description: "Controls of the custody emulator, for programs of the same machine only."
    })
  ) {}
