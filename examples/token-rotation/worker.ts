/**
 * One of several processes that share a session: it makes calls when it is told to, and says how they went. Nothing in
 * it knows of the others; the store is all that they have in common.
 *
 * Configuration: the service, `DATABASE_URL`, and `CUSTODY_API_KEY`, which is sent once, by whoever is first, and may then
 * be taken away.
 */
import { NodeCustody } from "@effect-custody/node"
import { TokenStorePostgres } from "@effect-custody/postgres"
import { Custody, EnvironmentConfig, TokenService, Vaults } from "@effect-custody/sdk"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeStdio from "@effect/platform-node/NodeStdio"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Config, Console, Effect, Layer, Option, Result, Stdio, Stream } from "effect"
import { encodeReport } from "./report.ts"

const callsPerWave = 50

const Store = TokenStorePostgres.layer().pipe(
  // The session needs few connections: leave the others to the program's own work, or share its pool.
  Layer.provide(PgClient.layerConfig({ url: Config.Redacted("DATABASE_URL"), maxConnections: Config.succeed(2) }))
)

const Client = Layer.unwrap(
  Effect.gen(function* () {
    const environment = yield* EnvironmentConfig.environment
    const apiKey = yield* Config.Redacted("CUSTODY_API_KEY").pipe(Config.withDefault(undefined))
    // The identity is the session's name in the store: the same in every process that shares it.
    return Custody.layer({ environment, apiKey, identity: "payouts" })
  })
).pipe(Layer.provide([Store, NodeCustody.layerHttpClientConfig()]))

const wave = Effect.gen(function* () {
  const calls = Array.from({ length: callsPerWave }, () => Effect.result(Vaults.details()))
  const results = yield* Effect.all(calls, { concurrency: "unbounded" })
  const failed = results.filter(Result.isFailure)
  yield* Effect.forEach(failed, ({ failure }) => Console.error(`${process.pid}: ${failure.message}`))
  const { status } = yield* TokenService
  return {
    pid: process.pid,
    calls: callsPerWave,
    succeeded: callsPerWave - failed.length,
    generation: Option.getOrElse((yield* status).generation, () => -1)
  }
})

/** A wave of calls for each line that comes in, until there are no more. */
const worker = Effect.gen(function* () {
  const { stdin } = yield* Stdio.Stdio
  yield* stdin.pipe(
    Stream.decodeText(),
    Stream.splitLines,
    Stream.runForEach(() => wave.pipe(Effect.flatMap(encodeReport), Effect.flatMap(Console.log)))
  )
})

worker.pipe(Effect.provide([Client, NodeStdio.layer]), NodeRuntime.runMain)
