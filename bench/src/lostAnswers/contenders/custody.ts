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
import { mkdtempDisposableSync } from "node:fs"
import * as Http from "node:http"
import { tmpdir } from "node:os"
import * as Path from "node:path"
import { passOn } from "../../support/faultyServer.ts"
import type { Contender, Pay } from "../Contender.ts"

const order = { clientId: "alice", assetId: "usdc", to: "0xabc", amount: Amount.of("1") }

/** A payment is final soon, so that this benchmark sees what the ledger does. */
const durations = { pendingFor: "10 millis", broadcastingFor: "20 millis" } as const

type Client = Layer.Layer<CustodyClient>

const ours = (
  name: string,
  call: string,
  key: Pick<Contender, "keyOf" | "programKey">,
  connect: (newClient: () => Promise<Client>, directory: string) => Pay | Promise<Pay>
): Contender => ({
  ...key,
  package: `@effect-custody/${name}`,
  call,
  pays: /\/transactions\/send$/,
  start: async () => {
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
        connect(async () => {
          const apiKey = await Effect.runPromise(emulator.issueApiKey())
          const environment = Environment.emulator(`${origin}${pathname}`)
          return Layer.fresh(Custody.layer({ environment, apiKey })).pipe(
            Layer.provide([Layer.fresh(TokenStore.layerMemory), NodeCustody.layerHttpClient()]),
            Layer.orDie
          )
        }, directory.path),
      close: async () => {
        agent.destroy()
        await runtime.dispose()
        directory.remove()
      }
    }
  }
})

const quiet = Logger.layer([])

const send = Transactions.send({ ...order, note: "payout 0001" })

/** The worker ends with the call; the ledger stays on disk. */
const pay = (client: Client, directory: string, reference: string) => {
  const database = LedgerSqlite.layer({ filename: Path.join(directory, "ledger.db") })
  const ledger = Payouts.layer().pipe(Layer.provide(Layer.fresh(database)))
  return Effect.raceFirst(Payouts.pay(reference, order), Payouts.run).pipe(Effect.provide([ledger, client, quiet]))
}

const noKey: Pick<Contender, "keyOf" | "programKey"> = {
  keyOf: () => undefined,
  programKey: { none: "the service has none" }
}
const reference: Pick<Contender, "keyOf" | "programKey"> = {
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
        return Effect.runPromise(pay(client, directory, key))
      }
  )
]
