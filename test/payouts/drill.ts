/**
 * `pnpm drill --store sqlite|postgres --payouts N`: `custody payouts drill` on SQLite and on a PostgreSQL of its own, whose
 * files and standby it has: so it also recovers to a point in time, and fails over to a standby that is a second late.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { parseArgs } from "node:util"
import * as Database from "../../packages/extensions/cli/src/service/database.ts"
import { drill, postgres, sqlite } from "../../packages/extensions/cli/src/payouts/drill.ts"
import { asynchronousPair } from "../support/servers/postgresPair.ts"

const { values } = parseArgs({ options: { store: { type: "string" }, payouts: { type: "string", default: "60" } } })

const onPostgres = Effect.gen(function* () {
  const { failover, recover, url } = yield* asynchronousPair(1_000)
  const server = yield* Database.parse(Redacted.make(url), ["PostgreSQL"])
  return postgres(server, { recover, failover: Effect.succeed(failover) })
})

const stores = { sqlite: Effect.succeed(sqlite), postgres: onPostgres }

const main = Effect.forEach(
  Object.entries(stores).filter(([name]) => values.store === undefined || values.store === name),
  ([, store]) => Effect.scoped(Effect.flatMap(store, (one) => drill(one, Number(values.payouts)))),
  { discard: true }
)

NodeRuntime.runMain(main)
