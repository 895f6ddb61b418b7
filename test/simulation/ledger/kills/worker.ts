/** A process that sends payouts: with the ledger, or without it in one of the ways that pay twice. */
import { TokenStore } from "@effect-custody/authentication"
import { ServiceContract } from "@effect-custody/contract"
import { Amount, type CustodyClient, Environment } from "@effect-custody/core"
import { LedgerSqlite, Payouts } from "@effect-custody/ledger"
import { NodeCustody } from "@effect-custody/node"
import { Custody, CustodyApi, Transactions } from "@effect-custody/sdk"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as ClusterWorkflowEngine from "effect/cluster/ClusterWorkflowEngine"
import * as SingleRunner from "effect/cluster/SingleRunner"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PersistedQueue from "effect/persistence/PersistedQueue"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import * as SqlClient from "effect/sql/SqlClient"
import * as Activity from "effect/workflow/Activity"
import * as Workflow from "effect/workflow/Workflow"
import { layerOf, services } from "../../../support/servers/dialects/contracts.ts"
import { type Given, optionsFor } from "./settings.ts"

const given: Given = JSON.parse(process.env["GIVEN"] ?? "{}")

const database = given.store.startsWith("postgres:")
  ? PgClient.layer({ url: Redacted.make(given.store), maxConnections: 4, prepare: given.prepare })
  : LedgerSqlite.layer({ filename: given.store })

const service = services.find(({ dialect }) => dialect.name === given.dialect)

/** The assumed wire, with filters of the history that work. */
const proving = (proven: ReadonlyArray<string>) =>
  ServiceContract.layer({ operations: { "transactions.list": { proven } } }, CustodyApi)

const custody = Custody.layer({
  environment: Environment.local(given.baseUrl),
  apiKey: Redacted.make(given.apiKey),
  limits: { attemptTimeout: Duration.millis(given.attemptTimeout) }
}).pipe(
  Layer.provide([
    TokenStore.layerMemory,
    NodeCustody.layerHttpClient(),
    ...(service !== undefined ? [layerOf(service)] : given.proven.length > 0 ? [proving(given.proven)] : [])
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

const Payout = Workflow.make("Payout", {
  payload: { reference: Schema.String },
  success: Schema.String,
  idempotencyKey: ({ reference }) => reference
})

/** The most careful activity: it repeats nothing, and leaves an unknown outcome to a person. */
const payout = Payout.toLayer(
  Effect.fnUntraced(function* ({ reference }) {
    const send = pay(reference).pipe(
      Effect.match({
        onFailure: ({ _tag }) => (_tag === "OutcomeUnknown" ? "undecided" : "refused"),
        onSuccess: () => "paid"
      })
    )
    const state = yield* Activity.make({ name: "send", success: Schema.String, execute: send })
    yield* Activity.make({ name: "note", execute: Effect.orDie(Effect.asVoid(note(reference, state))) })
    return state
  })
)

const engine = ClusterWorkflowEngine.layer.pipe(
  Layer.provideMerge(SingleRunner.layer({ shardingConfig: { simulateRemoteSerialization: false } })),
  Layer.provide(NodeCrypto.layerDigest)
)

const activity = Effect.gen(function* () {
  yield* Effect.forEach(yield* ready, ({ reference }) => Payout.execute({ reference }, { discard: true }), {
    concurrency: 32,
    discard: true
  })
  return yield* Effect.never
}).pipe(Effect.provide(payout.pipe(Layer.provideMerge(engine))))

const queue = Effect.gen(function* () {
  const payouts = yield* PersistedQueue.make({
    name: "payouts",
    maxAttempts: 5,
    schema: Schema.Struct({ reference: Schema.String })
  })
  for (const { reference } of yield* ready) yield* payouts.offer({ reference }, { id: reference })
  const take = payouts.take(({ reference }) => Effect.andThen(pay(reference), note(reference, "paid")))
  return yield* Effect.all(
    Array.from({ length: 8 }, () => Effect.forever(Effect.ignore(take))),
    {
      concurrency: "unbounded"
    }
  )
}).pipe(
  Effect.provide(
    PersistedQueue.layer.pipe(
      Layer.provide(
        PersistedQueue.layerStoreSql({
          lockExpiration: "2 seconds",
          lockRefreshInterval: "500 millis",
          pollInterval: "200 millis"
        })
      )
    )
  )
)

type Program = Effect.Effect<unknown, unknown, CustodyClient | SqlClient.SqlClient>

const programs: Record<Given["how"], Program> = {
  ledger: Payouts.run.pipe(Effect.provide(Payouts.layer(optionsFor(given.validity)))),
  retry,
  activity,
  queue
}

NodeRuntime.runMain(Effect.provide(programs[given.how], Layer.mergeAll(database, custody)))
