/** A process that sends payouts: with the ledger, or with a loop that pays twice. */
import { TokenStore } from "@effect-custody/authentication"
import { Adapter } from "@effect-custody/contract"
import { Amount, type CustodyClient, Environment } from "@effect-custody/core"
import { LedgerSqlite, Payouts } from "@effect-custody/ledger"
import { NodeCustody } from "@effect-custody/node"
import { Custody, Transactions } from "@effect-custody/sdk"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Semaphore from "effect/Semaphore"
import * as SqlClient from "effect/sql/SqlClient"
import payments from "../../contracts/payments.adapters.ts"
import transfers from "../../contracts/transfers.adapters.ts"
import { type Given, optionsFor } from "./settings.ts"

const given: Given = JSON.parse(process.env["GIVEN"] ?? "{}")

const database = given.store.startsWith("postgres:")
  ? PgClient.layer({ url: Redacted.make(given.store), maxConnections: 4 })
  : LedgerSqlite.layer({ filename: given.store })

/** The adapters of the services by their names. */
const contracts = new Map([
  ["a payment service", payments],
  ["a bank", transfers]
])
const contract = contracts.get(given.dialect ?? "")

/** The assumed wire, with filters of the history that work. */
const proving = (proven: Given["proven"]) => Adapter.layer([Adapter.assumed(Transactions.list, { proven })])

const custody = Custody.layer({
  environment: Environment.emulator(given.baseUrl),
  apiKey: Redacted.make(given.apiKey),
  limits: { attemptTimeout: Duration.millis(given.attemptTimeout) }
}).pipe(
  Layer.provide([
    TokenStore.layerMemory,
    NodeCustody.layerHttpClient(),
    ...(contract !== undefined ? [contract] : given.proven.length > 0 ? [proving(given.proven)] : [])
  ])
)

const atOnce = Semaphore.makeUnsafe(8)

const pay = (reference: string) => {
  const index = Number(reference.slice(2))
  const order = { clientId: `c-${index % 20}`, assetId: "usdc", to: `0x${index}`, amount: Amount.of("1") }
  return atOnce.withPermit(Transactions.send({ ...order, note: reference }))
}

const ready = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ readonly reference: string }>`SELECT reference FROM payouts WHERE state = 'ready' ORDER BY reference`
)

const note = (reference: string, state: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`UPDATE payouts SET state = ${state} WHERE reference = ${reference}`)

/** A loop that repeats what failed. */
const retry = Effect.gen(function* () {
  yield* Effect.forEach(
    yield* ready,
    ({ reference }) =>
      pay(reference).pipe(
        Effect.retry({ times: 5, schedule: Schedule.spaced("200 millis") }),
        Effect.match({ onFailure: () => "refused", onSuccess: () => "paid" }),
        Effect.flatMap((state) => note(reference, state))
      ),
    { concurrency: 8, discard: true }
  )
  return yield* Effect.never
})

type Program = Effect.Effect<unknown, unknown, CustodyClient | SqlClient.SqlClient>

const programs: Record<Given["how"], Program> = {
  ledger: Payouts.run.pipe(Effect.provide(Payouts.layer(optionsFor(given.validity)))),
  retry
}

NodeRuntime.runMain(Effect.provide(programs[given.how], Layer.mergeAll(database, custody)))
