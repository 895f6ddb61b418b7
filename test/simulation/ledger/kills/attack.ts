/**
 * Kills and freezes processes while they pay, over an unreliable service, and compares their ledger with the service's. A
 * person decides "not paid" about each payout that the ledger could not find.
 */
import { Amount } from "@effect-custody/core"
import { CustodyEmulator, Fault } from "@effect-custody/emulator"
import { LedgerSqlite, Payouts } from "@effect-custody/ledger"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { type ChildProcess, spawn } from "node:child_process"
import * as Path from "node:path"
import { emptyDatabase, pgBouncer, postgresServer } from "../../../support/servers/postgres.ts"
import { temporaryDirectory } from "../../../support/servers/sqlitePlace.ts"
import { type Given, settings } from "./settings.ts"

export interface Options {
  readonly store: "sqlite" | "postgres" | "pgbouncer"
  readonly how: Given["how"]
  readonly payouts: number
  readonly workers: number
  readonly kills: number
  readonly freezes: number
}

export interface Outcome {
  readonly states: Readonly<Record<string, number | undefined>>
  /** Payouts that the service has paid more than once. */
  readonly twice: number
  /** Payouts that the ledger calls paid, and the service has not paid. */
  readonly notPaid: number
  /** Payouts that the service has paid, and the ledger does not call paid or accepted. */
  readonly lost: number
  readonly decided: number
  readonly kills: number
  readonly freezes: number
  readonly seconds: number
}

const storeOf = Effect.fnUntraced(function* (store: Options["store"]) {
  if (store === "sqlite") return Path.join(yield* temporaryDirectory, "ledger.db")
  const server = yield* postgresServer
  const url = yield* emptyDatabase(server)
  return store === "postgres" ? url : (yield* pgBouncer(server))(url)
})

const injectFaults = Effect.fnUntraced(function* ({ faults }: CustodyEmulator["Service"]) {
  const often = { times: Infinity }
  const at = (probability: number, seed: number, fault: Fault.Fault) => Fault.sometimes({ probability, seed }, fault)
  yield* faults.next("transactions.send", at(0.1, 1, Fault.answerLost()), often)
  yield* faults.next("transactions.send", at(0.01, 2, Fault.delayed({ request: settings.late })), often)
  yield* faults.next("*", at(0.03, 3, Fault.serverError({ status: 503 })), often)
  yield* faults.next("*", at(0.02, 4, Fault.rateLimited("1 second")), often)
  yield* faults.next("*", at(0.03, 5, Fault.reset()), often)
})

const inherited = { PATH: process.env["PATH"], NO_COLOR: "1" }

const program = Path.join(import.meta.dirname, "worker.ts")

/** The processes of an attack. All of them end with the scope. */
const makeWorkers = Effect.fnUntraced(function* (count: number, given: Effect.Effect<Given>) {
  const children = new Map<number, ChildProcess>()
  const frozen = new Set<number>()
  const start = Effect.fnUntraced(function* (slot: number) {
    const env = { ...inherited, GIVEN: JSON.stringify(yield* given) }
    children.set(slot, spawn(process.execPath, [program], { env, stdio: ["ignore", "ignore", "inherit"] }))
  })
  yield* Effect.addFinalizer(() =>
    Effect.promise(() =>
      Promise.all(
        [...children.values()].map(
          (child) =>
            new Promise((resolve) => {
              if (child.exitCode !== null || child.signalCode !== null) return resolve(undefined)
              child.once("exit", resolve)
              child.kill("SIGKILL")
            })
        )
      )
    )
  )
  for (let slot = 0; slot < count; slot++) yield* start(slot)
  const free = () => [...children.keys()].filter((slot) => !frozen.has(slot))
  return {
    free,
    isFrozen: () => frozen.size > 0,
    kill: Effect.fnUntraced(function* (slot: number) {
      children.get(slot)?.kill("SIGKILL")
      yield* start(slot)
    }),
    freeze: (slot: number) =>
      Effect.gen(function* () {
        frozen.add(slot)
        children.get(slot)?.kill("SIGSTOP")
        yield* Effect.sleep(settings.freeze)
        children.get(slot)?.kill("SIGCONT")
        frozen.delete(slot)
      })
  }
})

const open = ["ready", "sending", "unknown", "undecided", "accepted"] as const

export const attack = Effect.fnUntraced(function* (options: Options) {
  const began = performance.now()
  const store = yield* storeOf(options.store)
  const prepare = options.store !== "pgbouncer"
  const database = store.startsWith("postgres:")
    ? PgClient.layer({ url: Redacted.make(store), maxConnections: 2, prepare })
    : LedgerSqlite.layer({ filename: store })
  const ledger = yield* Layer.build(Layer.fresh(Payouts.layer(settings.options).pipe(Layer.provide(database))))
  const service = yield* Layer.build(
    Layer.fresh(
      CustodyEmulator.layerServer({
        durations: { pendingFor: "200 millis", broadcastingFor: "300 millis", latency: "20 millis" }
      })
    )
  )
  const emulator = Context.get(service, CustodyEmulator)
  for (let client = 0; client < 20; client++) {
    yield* emulator.fund({ clientId: `c-${client}`, assetId: "usdc", amount: "1000000" })
  }
  yield* injectFaults(emulator)
  const orders = Array.from({ length: options.payouts }, (_, index) => ({
    reference: `p-${index}`,
    clientId: `c-${index % 20}`,
    assetId: "usdc",
    to: `0x${index}`,
    amount: Amount.of("1")
  }))
  const inLedger = Effect.provideContext(ledger)
  yield* inLedger(Payouts.submit({ batch: "b", by: "ada", orders }))
  const workers = yield* makeWorkers(
    options.workers,
    Effect.map(emulator.issueApiKey(), (apiKey) => ({
      store,
      prepare,
      how: options.how,
      baseUrl: emulator.baseUrl,
      apiKey: Redacted.value(apiKey)
    }))
  )
  let [kills, freezes, decided] = [0, 0, 0]
  while (true) {
    yield* Effect.sleep("100 millis")
    const { states } = yield* inLedger(Payouts.progress())
    const isOver = open.every((state) => (states[state] ?? 0) === 0)
    // Without the ledger, the end is when nothing moves any more.
    if (isOver && !workers.isFrozen()) break
    // Kills and freezes are spread over the payouts, however fast the machine is.
    const sent = ((states.accepted ?? 0) + (states.paid ?? 0) + (states.unknown ?? 0)) / options.payouts
    const free = workers.free()
    const victim = free[kills % Math.max(1, free.length)]
    if (kills < options.kills && sent > kills / (options.kills + 1) && victim !== undefined) {
      yield* workers.kill(victim)
      kills++
    }
    if (freezes < options.freezes && sent > (freezes + 0.5) / (options.freezes + 1) && free.length > 1) {
      yield* Effect.forkScoped(workers.freeze(free.at(-1)!))
      freezes++
    }
    if ((states.undecided ?? 0) > 0 && options.how === "ledger") {
      const person = { by: "ada", reason: "the history does not show it" }
      decided += yield* inLedger(Effect.orElseSucceed(Payouts.decide({ batch: "b" }, "notPaid", person), () => 0))
    } else if (options.how !== "ledger" && (states.undecided ?? 0) > 0 && (states.ready ?? 0) === 0) break
  }
  // What is late arrives.
  yield* Effect.sleep(settings.late + 1_000)
  const paid = new Map<string, number>()
  for (const { marker = "", operation } of yield* emulator.ledger) {
    if (operation === "transactions.send") paid.set(marker, (paid.get(marker) ?? 0) + 1)
  }
  const rows: Array<Payouts.ReferencedOrder & { readonly state: string }> = []
  for (let after = ""; ;) {
    const page = yield* inLedger(Payouts.list({ after }))
    rows.push(...page.map((row) => ({ ...row, networkId: undefined })))
    if (page.length === 0) break
    after = page.at(-1)!.reference
  }
  const calledPaid = (state: string) => state === "paid" || state === "accepted"
  return {
    states: (yield* inLedger(Payouts.progress())).states,
    twice: [...paid.values()].filter((times) => times > 1).length,
    notPaid: rows.filter(({ reference, state }) => calledPaid(state) && !paid.has(reference)).length,
    lost: rows.filter(({ reference, state }) => !calledPaid(state) && state !== "undecided" && paid.has(reference))
      .length,
    decided,
    kills,
    freezes,
    seconds: Math.round((performance.now() - began) / 1000)
  } satisfies Outcome
}, Effect.scoped)
