/** This SDK, with the emulator behind the faults: its ledger counts the payments. */
import { TokenStore } from "@effect-custody/authentication"
import { Amount, type CustodyClient, Environment } from "@effect-custody/core"
import { CustodyEmulator } from "@effect-custody/emulator"
import { LedgerSqlite, Payouts } from "@effect-custody/ledger"
import { NodeCustody } from "@effect-custody/node"
import { Custody, Transactions } from "@effect-custody/sdk"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as ManagedRuntime from "effect/ManagedRuntime"
import type * as Redacted from "effect/Redacted"
import { mkdtempDisposableSync } from "node:fs"
import * as Http from "node:http"
import { tmpdir } from "node:os"
import * as Path from "node:path"
import { passOn } from "../../support/faultyServer.ts"
import type { Contender, Pay, World } from "../Contender.ts"

export const order = { clientId: "alice", assetId: "usdc", to: "0xabc", amount: Amount.of("1") }

/** A payment is final soon, so that this benchmark sees what the ledger does. */
const durations = { pendingFor: "10 millis", broadcastingFor: "20 millis" } as const

/** Where a caller finds the emulator, behind the faults, and keeps what it has to keep. */
export interface Place {
  readonly baseUrl: string
  readonly newApiKey: () => Promise<Redacted.Redacted>
  readonly directory: string
}

export const pays = /\/transactions\/send$/

export const emulated = async (connect: (place: Place) => Pay | Promise<Pay>): Promise<World> => {
  const runtime = ManagedRuntime.make(CustodyEmulator.layerServer({ durations }))
  const emulator = await runtime.runPromise(CustodyEmulator)
  const { origin: home, pathname } = new URL(emulator.baseUrl)
  const agent = new Http.Agent({ keepAlive: true })
  await Effect.runPromise(emulator.fund({ clientId: order.clientId, assetId: order.assetId, amount: "1000" }))
  const directory = mkdtempDisposableSync(Path.join(tmpdir(), "custody-bench-"))
  return {
    service: { answer: passOn(home, agent) },
    payments: async () => {
      const writes = await Effect.runPromise(emulator.ledger)
      return writes.filter(({ operation }) => operation === "transactions.send").length
    },
    connect: (origin) =>
      connect({
        baseUrl: `${origin}${pathname}`,
        newApiKey: () => Effect.runPromise(emulator.issueApiKey()),
        directory: directory.path
      }),
    close: async () => {
      agent.destroy()
      await runtime.dispose()
      directory.remove()
    }
  }
}

type Client = Layer.Layer<CustodyClient>

export const clientAt = async ({ baseUrl, newApiKey }: Place): Promise<Client> => {
  const apiKey = await newApiKey()
  return Layer.fresh(Custody.layer({ environment: Environment.emulator(baseUrl), apiKey })).pipe(
    Layer.provide([Layer.fresh(TokenStore.layerMemory), NodeCustody.layerHttpClient()]),
    Layer.orDie
  )
}

const ours = (
  name: string,
  call: string,
  key: Pick<Contender, "keyOf" | "programKey">,
  connect: (newClient: () => Promise<Client>, directory: string) => Pay | Promise<Pay>
): Contender => ({
  ...key,
  package: `@effect-custody/${name}`,
  call,
  pays,
  start: () => emulated((place) => connect(() => clientAt(place), place.directory))
})

const quiet = Logger.layer([])

const send = Transactions.send({ ...order, note: "payout 0001" })

/** The worker ends with the call; the ledger stays on disk. */
export const atWork = <A, E>(client: Client, directory: string, call: Effect.Effect<A, E, Payouts.Payouts>) => {
  const database = LedgerSqlite.layer({ filename: Path.join(directory, "ledger.db") })
  const ledger = Payouts.layer().pipe(Layer.provide(Layer.fresh(database)))
  return Effect.raceFirst(call, Payouts.run).pipe(Effect.provide([ledger, client, quiet]))
}

const noKey: Pick<Contender, "keyOf" | "programKey"> = {
  keyOf: () => undefined,
  programKey: { none: "the service has none" }
}
export const reference: Pick<Contender, "keyOf" | "programKey"> = {
  keyOf: ({ body }) => ({ name: "its reference, as the note (no key of the service)", value: JSON.parse(body).note }),
  programKey: "required"
}

export const contenders = [
  ours("node", "Transactions.send", noKey, async (newClient) => {
    const runtime = ManagedRuntime.make(Layer.merge(await newClient(), quiet))
    return () => runtime.runPromise(send)
  }),
  ours("node", "Transactions.send, a new client for each call", noKey, (newClient) => async () => {
    const client = await newClient()
    return Effect.runPromise(Effect.provide(send, [client, quiet]))
  }),
  ours(
    "ledger",
    "Payouts.pay, a ledger on disk, a new client",
    reference,
    (newClient, directory) =>
      async (key = "") => {
        const client = await newClient()
        return Effect.runPromise(atWork(client, directory, Payouts.pay(key, order)))
      }
  )
]
