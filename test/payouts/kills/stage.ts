/** A ledger, an emulator, and the processes that pay; and the judge, who compares the ledger with the emulator's. */
import { Amount } from "@effect-custody/core"
import { CustodyEmulator } from "@effect-custody/emulator"
import { LedgerSqlite, type Payout, type PayoutState, Payouts, TieOut } from "@effect-custody/ledger"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import { type ChildProcess, spawn } from "node:child_process"
import * as Path from "node:path"
import { emptyDatabase, postgresServer } from "../../support/servers/postgres.ts"
import { asynchronousPair, postgresPair } from "../../support/servers/postgresPair.ts"
import { temporaryDirectory } from "../../support/servers/sqlitePlace.ts"
import { frontServer } from "../../support/servers/dialects/front.ts"
import { payments } from "../../contracts/service.ts"
import { transfers } from "../../contracts/transfers.ts"
import { type Given, optionsFor } from "./settings.ts"

/**
 * `pair`: PostgreSQL with a synchronous standby, so that it can crash and fail over. With an `async-pair`, a failover loses
 * what was committed last.
 */
export const stores = ["sqlite", "postgres", "pair", "async-pair"] as const

export interface StageOptions {
  readonly store: (typeof stores)[number]
  /** How late the standby of an asynchronous pair is, in milliseconds. */
  readonly lag?: number | undefined
  /** How many payouts are submitted before the workers start. Default: all. */
  readonly first?: number | undefined
  /** With 2, every second worker has another contract with the same service. Default: the emulator's wire. */
  readonly contracts?: 1 | 2 | undefined
  /** The filters of the history that the contract calls proven. Default: none. */
  readonly proven?: Given["proven"] | undefined
  readonly how: Given["how"]
  readonly payouts: number
  readonly workers: number
  readonly attemptTimeout: number
  /** How long an intent is valid, in milliseconds. */
  readonly validity: number
  /** Makes the service unreliable. */
  readonly disturb: (emulator: CustodyEmulator["Service"]) => Effect.Effect<void>
}

interface Place {
  /** The file of SQLite, or the address of PostgreSQL. */
  readonly store: string
  /** Crashes the database. A synchronous pair starts again, and the next time its standby takes over. */
  readonly crash: Effect.Effect<void>
}

const placeOf = Effect.fnUntraced(function* ({ lag = 0, store }: StageOptions) {
  const place = (name: string): Place => ({ store: name, crash: Effect.void })
  if (store === "sqlite") return place(Path.join(yield* temporaryDirectory, "ledger.db"))
  if (store === "pair") {
    const { failover, restart, url } = yield* postgresPair
    let crashes = 0
    const crash = Effect.suspend(() => (crashes++ % 2 === 0 ? restart : failover))
    // The pair is ours alone. To drop a database would wait for a standby that has ended before.
    return { store: url, crash } satisfies Place
  }
  if (store === "async-pair") {
    const { failover, url } = yield* asynchronousPair(lag)
    return { store: url, crash: failover } satisfies Place
  }
  return place(yield* emptyDatabase(yield* postgresServer))
})

const inherited = { PATH: process.env["PATH"], NO_COLOR: "1" }

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null

const program = Path.join(import.meta.dirname, "worker.ts")

/** The processes of an attack. All of them end with the scope. */
const makeWorkers = Effect.fnUntraced(function* (
  count: number,
  freeze: number,
  given: (slot: number) => Effect.Effect<Given>
) {
  const children = new Map<number, ChildProcess>()
  const frozen = new Set<number>()
  const start = Effect.fnUntraced(function* (slot: number) {
    const env = { ...inherited, GIVEN: JSON.stringify(yield* given(slot)) }
    children.set(slot, spawn(process.execPath, [program], { env, stdio: ["ignore", "ignore", "inherit"] }))
  })
  yield* Effect.addFinalizer(() =>
    Effect.promise(() =>
      Promise.all(
        [...children.values()].map(
          (child) =>
            new Promise((resolve) => {
              if (hasEnded(child)) return resolve(undefined)
              child.once("exit", resolve)
              child.kill("SIGKILL")
            })
        )
      )
    )
  )
  for (let slot = 0; slot < count; slot++) yield* start(slot)
  const pids = () => [...children.values()].flatMap(({ pid }) => pid ?? [])
  const free = () => [...children.keys()].filter((slot) => !frozen.has(slot))
  return {
    free,
    pids,
    isFrozen: () => frozen.size > 0,
    /** Starts the workers that have ended, with new API keys: a session whose exchange got no answer needs one. */
    startEnded: Effect.gen(function* () {
      const ended = [...children].filter(([, child]) => hasEnded(child))
      for (const [slot] of ended) yield* start(slot)
      return ended.length
    }),
    /** Asks a worker to end, with SIGTERM. `startEnded` starts the worker again. */
    terminate: (slot: number): void => void children.get(slot)?.kill("SIGTERM"),
    kill: Effect.fnUntraced(function* (slot: number) {
      children.get(slot)?.kill("SIGKILL")
      yield* start(slot)
    }),
    freeze: (slot: number) =>
      Effect.gen(function* () {
        frozen.add(slot)
        children.get(slot)?.kill("SIGSTOP")
        yield* Effect.sleep(freeze)
        children.get(slot)?.kill("SIGCONT")
        frozen.delete(slot)
      })
  }
})

export const makeStage = Effect.fnUntraced(function* (options: StageOptions) {
  const { crash, store } = yield* placeOf(options)
  const database = store.startsWith("postgres:")
    ? PgClient.layer({ url: Redacted.make(store), maxConnections: 2 })
    : LedgerSqlite.layer({ filename: store })
  const ledger = yield* Layer.build(
    Layer.fresh(Payouts.layer(optionsFor(options.validity)).pipe(Layer.provide(database)))
  )
  const service = yield* Layer.build(
    Layer.fresh(
      CustodyEmulator.layerServer({
        durations: { pendingFor: "200 millis", broadcastingFor: "300 millis", latency: "20 millis" }
      })
    )
  )
  const emulator = Context.get(service, CustodyEmulator)
  // The services with adapters know two clients.
  const clients = options.contracts === 2 ? ["alice", "bob"] : Array.from({ length: 20 }, (_, index) => `c-${index}`)
  for (const clientId of clients) yield* emulator.fund({ clientId, assetId: "usdc", amount: "1000000" })
  yield* options.disturb(emulator)
  const orders = Array.from({ length: options.payouts }, (_, index) => ({
    reference: `p-${index}`,
    clientId: clients[index % clients.length]!,
    assetId: "usdc",
    to: `0x${index}`,
    amount: Amount.of("1")
  }))
  /** Asks the ledger, again while the database is down. */
  const inLedger = <A, E>(work: Effect.Effect<A, E, Payouts.Payouts | TieOut.TieOut>) =>
    Effect.provideContext(Effect.retry(work, { schedule: Schedule.spaced("200 millis"), times: 300 }), ledger)
  /** Submits the payouts up to a number. Those that the ledger has are not submitted again. */
  const submit = (count: number, from = 0) =>
    inLedger(Payouts.submit({ batch: "b", by: "ada", orders: orders.slice(from, count) }))
  yield* submit(options.first ?? options.payouts)
  const dialects = options.contracts === 2 ? [payments.service, transfers.service] : [undefined]
  const addresses = yield* Effect.forEach(dialects, (dialect) =>
    dialect === undefined ? Effect.succeed(emulator.baseUrl) : frontServer(dialect, emulator.baseUrl)
  )
  const workers = yield* makeWorkers(
    options.workers,
    // Longer than an intent is valid.
    (options.validity * 4) / 3,
    (slot) =>
      Effect.map(emulator.issueApiKey(), (apiKey) => ({
        store,
        dialect: dialects[slot % dialects.length]?.name,
        proven: options.proven ?? [],
        how: options.how,
        attemptTimeout: options.attemptTimeout,
        validity: options.validity,
        baseUrl: addresses[slot % dialects.length]!,
        apiKey: Redacted.value(apiKey)
      }))
  )
  return { emulator, inLedger, submit, workers, crash, store }
})

export type Stage = Effect.Success<ReturnType<typeof makeStage>>

export interface Judgement {
  readonly states: Readonly<Record<string, number | undefined>>
  /** Payouts that the service has paid more than once. */
  readonly twice: number
  /** Payouts that the ledger calls paid, and the service has not paid. */
  readonly notPaid: number
  /** Payouts that the service has paid, and the ledger does not have, or calls neither paid, accepted nor undecided. */
  readonly lost: number
}

const calledPaid = (state: string) => state === "paid" || state === "accepted"

/** The transactions by which the service has paid each payout. */
export const findPaid = Effect.fnUntraced(function* ({ emulator }: Pick<Stage, "emulator">) {
  const paid = new Map<string, Array<string>>()
  for (const { id = "", marker = "", operation } of yield* emulator.ledger) {
    if (operation === "transactions.send") paid.set(marker, [...(paid.get(marker) ?? []), id])
  }
  return paid
})

/** Every payout of the ledger that is in a state, or in any. */
export const listAll = Effect.fnUntraced(function* ({ inLedger }: Pick<Stage, "inLedger">, state?: PayoutState) {
  const rows: Array<Payout> = []
  for (let after = ""; ;) {
    const page = yield* inLedger(Payouts.list({ after, ...(state === undefined ? {} : { state }) }))
    rows.push(...page)
    if (page.length === 0) return rows
    after = page.at(-1)!.reference
  }
})

/** Compares the ledger with the service's. */
export const judge = Effect.fnUntraced(function* (stage: Stage) {
  const { inLedger } = stage
  const paid = yield* findPaid(stage)
  const rows = yield* listAll(stage)
  const states = new Map(rows.map(({ reference, state }) => [reference, state]))
  const isSettled = (reference: string) => {
    const state = states.get(reference)
    return state !== undefined && (calledPaid(state) || state === "undecided")
  }
  return {
    states: (yield* inLedger(Payouts.progress())).states,
    twice: [...paid.values()].filter(({ length }) => length > 1).length,
    notPaid: rows.filter(({ reference, state }) => calledPaid(state) && !paid.has(reference)).length,
    lost: [...paid.keys()].filter((reference) => !isSettled(reference)).length
  } satisfies Judgement
})
