/** What the processes share: PostgreSQL for the cluster, the ledger and the session. */
import { Payouts } from "@effect-custody/ledger"
import * as NodeClusterSocket from "@effect/platform-node/NodeClusterSocket"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Config, Layer } from "effect"
import { ClusterWorkflowEngine } from "effect/cluster"

export const database = PgClient.layerConfig({ url: Config.Redacted("DATABASE_URL") })

/** An intent is valid for 2 seconds, so that a story of half a minute shows what becomes of one. */
export const ledger = Payouts.layer({ inFlight: 1, sendWithin: "2 seconds", undecidedAfter: "10 seconds" })

/** A runner's address comes from the variables HOST and PORT. */
export const engine = (clientOnly: boolean) =>
  ClusterWorkflowEngine.layer.pipe(
    Layer.provideMerge(
      NodeClusterSocket.layer({
        clientOnly,
        // By default, the others take over half a minute after a runner has died.
        shardingConfig: {
          shardsPerGroup: 30,
          shardLockExpiration: "6 seconds",
          entityMessagePollInterval: "500 millis",
          refreshAssignmentsInterval: "500 millis",
          runnerHealthCheckInterval: "1 second"
        }
      })
    ),
    Layer.provide(NodeCrypto.layerDigest)
  )
