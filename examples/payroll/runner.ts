/** One of several runners: it runs a share of the workflows, and sends payouts, whoever submitted them. */
import { Payouts } from "@effect-custody/ledger"
import { NodeCustody } from "@effect-custody/node"
import { TokenStorePostgres } from "@effect-custody/postgres"
import { Custody } from "@effect-custody/sdk"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect, Layer } from "effect"
import * as Cluster from "./cluster.ts"
import * as Payroll from "./payroll.ts"

const custody = Custody.layerConfig().pipe(Layer.provide([TokenStorePostgres.layer(), NodeCustody.layerHttpClient()]))

const worker = Layer.effectDiscard(Effect.forkScoped(Payouts.run))

Layer.mergeAll(Payroll.layer, worker).pipe(
  Layer.provide([Cluster.engine(false), Cluster.ledger, custody]),
  Layer.provide(Cluster.database),
  Layer.launch,
  NodeRuntime.runMain
)
