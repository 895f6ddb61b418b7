/** A ledger on a database, an emulator, and clients of it: what the tests of a ledger share. */
import { Amount, type ContractFacts, CustodyClient } from "@effect-custody/core"
import { CustodyEmulator, type FaultProfile } from "@effect-custody/emulator"
import { Feed, Payouts, TieOut } from "@effect-custody/ledger"
import { Custody, TokenStore } from "@effect-custody/sdk"
import * as Arr from "effect/Array"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schedule from "effect/Schedule"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

/** An empty database. Every build of the layer is a process of its own. */
export type LedgerPlace = Layer.Layer<SqlClient.SqlClient, SqlError>

export const options = {
  pollInterval: "10 millis",
  clockSkew: "1 minute",
  sendWithin: "10 seconds",
  shownWithin: "100 millis"
} as const

/** What the history does not show soon, a person decides. */
export const hasty = { sendWithin: "500 millis", undecidedAfter: "500 millis" } as const

export const order = { clientId: "alice", assetId: "usdc", to: "0xabc", amount: Amount.of("12.50") }

export const person = { by: "ada", reason: "looked it up" }

export const orders = (count: number) =>
  Arr.range(1, count).map((index) => ({
    ...order,
    reference: `payout-${index}`,
    to: `0x${index}`,
    amount: Amount.of("1")
  }))

/** Opens the ledger as another process would. */
export const open = (place: LedgerPlace, given: Payouts.Options = {}) =>
  Layer.build(Layer.fresh(Payouts.layer({ ...options, ...given }).pipe(Layer.provideMerge(place))))

export type Ledger = Context.Context<Payouts.Payouts | Feed.Feed | TieOut.TieOut | SqlClient.SqlClient>

export const withLedger =
  (ledger: Ledger) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.provideContext(effect, ledger)

export const startWorker = (ledger: Ledger) => Effect.forkScoped(withLedger(ledger)(Payouts.run))

/** The number of payments by note that the service has made. */
export const payments = Effect.gen(function* () {
  const { ledger } = yield* CustodyEmulator
  const sends = (yield* ledger).filter(({ operation }) => operation === "transactions.send")
  return sends.length
})

export const until = <E, R>(condition: Effect.Effect<boolean, E, R>): Effect.Effect<void, E, R> =>
  Effect.flatMap(condition, (holds) =>
    holds ? Effect.void : Effect.andThen(Effect.sleep("10 millis"), until(condition))
  )

export const stateOf = (reference: string) =>
  Effect.map(Payouts.get(reference), (found) => Option.getOrThrow(found).state)

export const stepsOf = (reference: string) =>
  Effect.map(Payouts.events(reference), (events) => events.map(({ step }) => step))

/** A client of the emulator, over its transport as `change` makes it. */
export const clientOver = (change: (http: HttpClient.HttpClient) => HttpClient.HttpClient) =>
  Effect.gen(function* () {
    const { environment, issueApiKey } = yield* CustodyEmulator
    const http = change(yield* HttpClient.HttpClient)
    const layer = Custody.layer({ environment, apiKey: yield* issueApiKey() }).pipe(
      Layer.provide(TokenStore.layerMemory),
      Layer.provide(Layer.succeed(HttpClient.HttpClient, http))
    )
    return Context.pick(CustodyClient)(yield* Layer.build(Layer.fresh(layer)))
  })

/** A client that says of its contract what is given. */
export const withContract = (
  client: Context.Context<CustodyClient>,
  facts: ContractFacts
): Context.Context<CustodyClient> => {
  const known = Context.get(client, CustodyClient)
  return Context.add(client, CustodyClient, { ...known, contractOf: () => Effect.succeed(facts) })
}

/** An emulator whose transactions are final soon, and a client of it. */
export const service = (faults?: FaultProfile) =>
  Layer.effectContext(Effect.orDie(clientOver((http) => http))).pipe(
    Layer.provideMerge(
      Layer.fresh(
        CustodyEmulator.layerHttpClientWith({
          faults,
          durations: { pendingFor: "10 millis", broadcastingFor: "20 millis" }
        })
      )
    )
  )

/** Waits until the service has a payment with this note, and returns its transaction. */
export const transactionOf = Effect.fnUntraced(function* (note: string) {
  const { ledger } = yield* CustodyEmulator
  const find = Effect.map(ledger, (writes) => writes.find(({ marker }) => marker === note)?.id)
  const id = yield* Effect.repeat(find, { until: Predicate.isNotUndefined, schedule: Schedule.spaced("5 millis") })
  return id!
})

export type World =
  | CustodyEmulator
  | CustodyClient
  | HttpClient.HttpClient
  | Payouts.Payouts
  | Feed.Feed
  | TieOut.TieOut
  | SqlClient.SqlClient
