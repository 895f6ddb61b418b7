import * as PgClient from "@effect/sql-pg/PgClient"
import { afterAll, beforeAll, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { emptyDatabase, hasPostgres, postgresServer } from "../support/servers/postgres.ts"
import { archiveConformance } from "../../packages/extensions/ledger/test/suites/archiveConformance.ts"
import { feedConformance } from "../../packages/extensions/ledger/test/suites/feedConformance.ts"
import { tieOutConformance } from "../../packages/extensions/ledger/test/suites/tieOutConformance.ts"

describe.skipIf(!hasPostgres)("on one server", () => {
  const scope = Scope.makeUnsafe()
  let server = ""
  beforeAll(async () => {
    server = await Effect.runPromise(Scope.provide(postgresServer, scope))
  })
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

  const place = Effect.map(
    Effect.suspend(() => emptyDatabase(server)),
    (url) => PgClient.layer({ url: Redacted.make(url) })
  )
  feedConformance("PostgreSQL", place)
  tieOutConformance("PostgreSQL", place)
  archiveConformance("PostgreSQL", place)
})
