/** `custody payouts serve`: a page of the ledger, for people of the same machine. */
import { failure, refusal } from "@effect-custody/emulator/siblings/Guard"
import * as Payouts from "@effect-custody/ledger/Payouts"
import * as TieOut from "@effect-custody/ledger/TieOut"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as CliCommand from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { randomBytes, timingSafeEqual } from "node:crypto"
import { createServer } from "node:http"
import * as Client from "../service/client.ts"
import * as ContractFiles from "../service/contractFiles.ts"
import * as Output from "../terminal/output.ts"
import * as Person from "../terminal/person.ts"
import * as PageState from "./pageState.ts"
import * as Place from "./place.ts"
import * as Review from "./review.ts"
import * as ServePage from "./servePage.ts"

const Text = Schema.Trimmed.pipe(Schema.check(Schema.isNonEmpty()))

const Decision = Schema.Struct({
  reference: Schema.String,
  attempt: Schema.Int,
  outcome: Schema.Union([Schema.Struct({ notPaid: Schema.Literal(true) }), Schema.Struct({ paid: Text })]),
  by: Text,
  reason: Text
})

const decide = Effect.fnUntraced(function* (contract: Option.Option<string>) {
  const { attempt, by, outcome, reason, reference } = yield* HttpServerRequest.schemaBodyJson(Decision)
  // The page may show an older attempt than the one that is undecided now.
  const seen = { ...outcome, attempts: { [reference]: attempt } }
  yield* Effect.provide(Payouts.decide(reference, seen, { by, reason }), Client.under(ContractFiles.layer(contract)))
  return HttpServerResponse.empty()
})

const Confirmation = Schema.Struct({
  assetId: Schema.String,
  contract: Schema.String,
  reference: Schema.String,
  by: Text
})

const confirm = Effect.gen(function* () {
  const { by, ...first } = yield* HttpServerRequest.schemaBodyJson(Confirmation)
  yield* Payouts.confirm(first, { by })
  return HttpServerResponse.empty()
})

const Acknowledgement = Schema.Struct({ reference: Schema.String, detail: Schema.String, by: Text, reason: Text })

const acknowledge = Effect.gen(function* () {
  const { detail, reference, ...signed } = yield* HttpServerRequest.schemaBodyJson(Acknowledgement)
  const { alarms } = yield* Payouts.progress()
  // The page may show an older clash than the one that the ledger stops for now.
  if (!alarms.some((one) => one.reference === reference && one.detail === detail)) {
    return failure(409, `${reference} has changed`)
  }
  yield* Payouts.acknowledge(reference, signed)
  return HttpServerResponse.empty()
})

const readReview = Effect.fnUntraced(function* (batch: string) {
  const review = yield* Payouts.review(batch)
  const { digest, payouts } = review
  const submitters = [...new Set(payouts.map(({ submittedBy }) => submittedBy))]
  return { batch, digest, payouts: payouts.length, submitters, ...Review.show(review) }
})

/** What the page receives of a review. */
export type ShownReview = Effect.Success<ReturnType<typeof readReview>>

const Approval = Schema.Struct({ batch: Schema.String, digest: Schema.String, by: Text })

const approve = Effect.gen(function* () {
  const { batch, ...signed } = yield* HttpServerRequest.schemaBodyJson(Approval)
  yield* Payouts.approve(batch, signed)
  return HttpServerResponse.empty()
})

/** Compares a day with the service. */
const tieOut = Effect.fnUntraced(function* (day: string, contract: Option.Option<string>) {
  const from = /^\d{4}-\d\d-\d\d$/.test(day) ? Option.map(DateTime.make(day), DateTime.toUtc) : Option.none()
  if (Option.isNone(from)) return failure(400, "day: must be a date, such as 2026-11-26")
  const period = { from: from.value, to: DateTime.add(from.value, { days: 1 }) }
  const { payouts, rows, transactions } = yield* Effect.provide(
    TieOut.run(period),
    Client.under(ContractFiles.layer(contract))
  )
  return HttpServerResponse.jsonUnsafe({ payouts, transactions, rows })
})

const isEqual = (given: string, token: string): boolean =>
  given.length === token.length && timingSafeEqual(Buffer.from(given), Buffer.from(token))

const noStore = HttpServerResponse.setHeader("cache-control", "no-store")

const makeHandler = (options: {
  readonly token: string
  readonly place: string
  readonly by: string
  readonly contract: Option.Option<string>
}) => {
  const page = ServePage.make(options)
  return Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const refused = refusal(request)
    if (refused !== undefined) return yield* refused
    const [path = "", query = ""] = request.url.split("?", 2)
    const [, token = "", route = "", ...rest] = path.split("/")
    if (!isEqual(token, options.token) || rest.length > 0) return failure(404, "Not found")
    switch (`${request.method} ${route}`) {
      case "GET state":
        return HttpServerResponse.jsonUnsafe(yield* PageState.read)
      case "GET tie-out":
        return yield* tieOut(new URLSearchParams(query).get("day") ?? "", options.contract)
      case "GET review": {
        const batch = new URLSearchParams(query).get("batch") ?? ""
        return HttpServerResponse.jsonUnsafe(yield* readReview(batch))
      }
      case "POST approve":
        return yield* approve
      case "POST confirm":
        return yield* confirm
      case "POST acknowledge":
        return yield* acknowledge
      case "POST decide":
        return yield* decide(options.contract)
    }
    return (request.method === "GET" ? page(route) : undefined) ?? failure(404, "Not found")
  }).pipe(
    Effect.catch((error) => Effect.succeed(failure(400, error.message))),
    Effect.map(noStore)
  )
}

const listen = Effect.fnUntraced(function* (port: number, options: Omit<Parameters<typeof makeHandler>[0], "token">) {
  const token = randomBytes(24).toString("hex")
  const node = createServer()
  yield* Effect.addFinalizer(() => Effect.sync(() => node.closeAllConnections()))
  const server = yield* NodeHttpServer.make(() => node, { host: "127.0.0.1", port })
  yield* server.serve(makeHandler({ ...options, token }))
  const address = node.address()
  const bound = typeof address === "object" && address !== null ? address.port : port
  yield* Output.lines([
    `${options.place}: http://127.0.0.1:${bound}/${token}/`,
    "Whoever has this address can decide about payouts. It sends nothing: custody payouts run does"
  ])
  return yield* Effect.never
}, Effect.scoped)

export const serve = CliCommand.make(
  "serve",
  {
    port: Flag.Int("port").pipe(
      Flag.withDescription("Port to listen on; default: 0, which chooses a free port"),
      Flag.withDefault(0)
    ),
    by: Person.by,
    ...Place.flags,
    contract: ContractFiles.flag
  },
  Effect.fnUntraced(function* ({ by, contract, port, ...options }) {
    const place = Place.describe(yield* Place.locate(options))
    return yield* Place.onLedger(options)(listen(port, { by, contract, place }))
  })
).pipe(
  CliCommand.withDescription(
    "Serves a page of the ledger to this machine: what stops it, what a person has to decide, confirm or approve, batches, and the tie-out of a day"
  )
)
