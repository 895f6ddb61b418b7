/** Eight payouts by a real ledger under a contract, to a service under another one. The emulator says what was paid. */
import { Amount, CustodyClient, type Environment } from "@effect-custody/core"
import type { CustodyEmulator } from "@effect-custody/emulator"
import { Payouts } from "@effect-custody/ledger"
import * as LedgerSqlite from "@effect-custody/ledger/LedgerSqlite"
import { Custody, TokenStore } from "@effect-custody/sdk"
import * as Arr from "effect/Array"
import * as BigDecimal from "effect/BigDecimal"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import type { Dialect } from "../support/servers/dialects/dialect.ts"
import { objections } from "./person.ts"
import { type Contract, layerOf } from "./mutated.ts"
import type { Subject } from "./subject.ts"

export const count = 8

/** With accidents, there are more payouts. */
export const accidentsCount = 20

const allOrders: ReadonlyArray<Payouts.ReferencedOrder> = Arr.range(1, accidentsCount).map((n) => ({
  reference: `payout-${n}`,
  note: `payout-${n}`,
  clientId: "alice",
  assetId: "usdc",
  to: `0x${String(n).padStart(40, "0")}`,
  amount: Amount.fromStringUnsafe(`${n}.50`)
}))
export const orders = allOrders.slice(0, count)

/** The service, and what a client of it needs. */
export interface Service {
  readonly emulator: CustodyEmulator["Service"]
  readonly environment: Environment.Environment
  readonly http: HttpClient.HttpClient
}

/** How the stage is set: in process and in virtual time, or over sockets. */
export interface Setting<E> {
  readonly open: (dialect: Dialect) => Effect.Effect<Service, E, Scope.Scope>
  /** Lets the time pass in which a worker does all that it does without a person. */
  readonly rest: Effect.Effect<void>
}

/** The payments that the service has made. A second one of the same payout is wrong. */
export interface Paid {
  readonly right: number
  readonly wrong: number
}

/** The payout that a payment is, if it is as ordered. */
const payoutOf = (input: Readonly<Record<string, unknown>>): string | undefined =>
  allOrders.find(
    ({ amount, assetId, clientId, note, to }) =>
      input["clientId"] === clientId &&
      input["assetId"] === assetId &&
      input["to"] === to &&
      input["note"] === note &&
      BigDecimal.equals(Amount.fromStringUnsafe(String(input["amount"])), amount)
  )?.reference

const paidBy = ({ emulator }: Service) =>
  Effect.map(emulator.ledger, (writes): Paid => {
    const sends = writes.filter(({ operation }) => operation === "transactions.send")
    const { size } = new Set(sends.flatMap(({ input }) => payoutOf(input) ?? []))
    return { right: size, wrong: sends.length - size }
  })

export interface Result {
  readonly name: string
  /** What the service had paid before a person confirmed anything. */
  readonly before: Paid
  /** What the person finds wrong with what they are shown; `undefined` if they are shown nothing. */
  readonly objections: ReadonlyArray<string> | undefined
  /** What the service has paid in the end. */
  readonly after: Paid
  /** The number of payouts in each state of the ledger, in the end. */
  readonly states: Readonly<Record<string, number>>
  /** Why the worker has ended. */
  readonly stopped: string | undefined
  readonly accidents: number
}

const clientOf = ({ emulator, environment, http }: Service, contract: Contract) =>
  Effect.gen(function* () {
    const client = Custody.layer({ environment, apiKey: yield* emulator.issueApiKey() }).pipe(
      Layer.provide([
        Layer.fresh(TokenStore.layerMemory),
        layerOf(contract),
        Layer.succeed(HttpClient.HttpClient, http)
      ])
    )
    return Context.pick(CustodyClient)(yield* Layer.build(Layer.fresh(client)))
  })

const ledgerWith = (options: Payouts.Options) =>
  Payouts.layer({ pollInterval: "1 second", ...options }).pipe(
    Layer.provide(LedgerSqlite.layer({ filename: ":memory:" }))
  )

/** Shows the person what waits for them, and confirms what they find right. Returns what they find wrong. */
const askPerson = Effect.fnUntraced(function* (subject: Subject) {
  const shown = (yield* Payouts.confirmations).filter(({ shownAt }) => shownAt !== null)
  const found: Array<string> = []
  for (const first of shown) {
    const order = allOrders.find(({ reference }) => reference === first.reference)!
    const payout = yield* Payouts.get(first.reference)
    const wrong = objections(subject, order, Option.getOrUndefined(payout)?.state, first)
    found.push(...wrong)
    if (wrong.length === 0) yield* Payouts.confirm(first, { by: "ada" })
  }
  return shown.length === 0 ? undefined : found
})

/** What is played: the right adapters, or mistaken ones. */
export interface Played {
  readonly name: string
  readonly contract: Contract
  /** Default: the subject's. */
  readonly service?: Dialect | undefined
  /** Loses the answers of two payments that the service makes, and stops the worker in two others. */
  readonly hasAccidents?: boolean
}

/** The payments, in the order in which they are made, whose answer is lost, and in which the worker is stopped. */
const [lost, stopped] = [new Set([4, 11]), new Set([7, 15])]

/** An `HttpClient` in which accidents happen after the service has made a payment. `stop` has to stop the worker. */
const withAccidents = (http: HttpClient.HttpClient, stop: Effect.Effect<unknown>, happened: Set<number>) => {
  let payments = 0
  return HttpClient.transform(http, (exchange, request) => {
    if (request.method !== "POST" || request.url.includes("/auth/")) return exchange
    const payment = ++payments
    if (lost.has(payment) || stopped.has(payment)) happened.add(payment)
    if (lost.has(payment)) {
      const reason = new HttpClientError.TransportError({ request, description: "reset" })
      return Effect.andThen(exchange, Effect.fail(new HttpClientError.HttpClientError({ reason })))
    }
    return stopped.has(payment) ? exchange.pipe(Effect.andThen(stop), Effect.andThen(Effect.never)) : exchange
  })
}

export const play = <E>(
  subject: Subject,
  { contract, hasAccidents = false, name, service: dialect = subject.service }: Played,
  { open, rest }: Setting<E>,
  options: Payouts.Options = {}
) =>
  Effect.gen(function* () {
    const service = yield* open(dialect)
    for (const clientId of ["alice", "bob"]) {
      for (const assetId of ["usdc", "usdt"]) yield* service.emulator.fund({ clientId, assetId, amount: "1000000000" })
    }
    const happened = new Set<number>()
    const stops = yield* Queue.unbounded<void>()
    const http = hasAccidents ? withAccidents(service.http, Queue.offer(stops, undefined), happened) : service.http
    const client = yield* clientOf({ ...service, http }, contract)
    const context = Context.merge(yield* Layer.build(Layer.fresh(ledgerWith(options))), client)
    return yield* Effect.gen(function* () {
      yield* Payouts.submit({ batch: "november", by: "ada", orders: hasAccidents ? allOrders : orders })
      const untilStopped = Effect.raceFirst(Payouts.run, Queue.take(stops))
      const worker = yield* Effect.forkScoped(
        hasAccidents
          ? Effect.andThen(Effect.repeat(untilStopped, { times: stopped.size - 1 }), Payouts.run)
          : Payouts.run
      )
      yield* rest
      const before = yield* paidBy(service)
      const objections = yield* askPerson(subject)
      yield* rest
      for (
        let time = 0;
        hasAccidents && time < 9 && (yield* Payouts.progress()).states["paid"] !== accidentsCount;
        time++
      )
        yield* rest
      const ended = worker.pollUnsafe()
      const { states } = yield* Payouts.progress()
      const why =
        ended === undefined || Exit.isSuccess(ended) ? undefined : String(Cause.squash(ended.cause)).split("\n")[0]
      yield* Fiber.interrupt(worker)
      const result: Result = {
        name,
        before,
        objections,
        after: yield* paidBy(service),
        states,
        stopped: why,
        accidents: happened.size
      }
      return result
    }).pipe(Effect.provideContext(context))
  }).pipe(Effect.scoped, Effect.provide(Logger.layer([])))
