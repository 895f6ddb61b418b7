/** What the backend prints when it does not start. */
import { LedgerError } from "@effect-custody/ledger/LedgerError"
import { assert, it } from "@effect/vitest"
import { ConfigProvider, Effect } from "effect"
import { settings } from "../src/settings.ts"
import { explain } from "../src/telemetry.ts"

const environment = ConfigProvider.fromUnknown({
  PAYOUTS_TOKENS: `ann=${"a".repeat(32)}`,
  DATABASE_URL: "postgres://payouts@127.0.0.1/payouts",
  CUSTODY_SESSION_KEY: Buffer.alloc(32).toString("base64")
})

it.effect("says once which variables of the service are missing", () =>
  Effect.gen(function* () {
    const error = yield* Effect.flip(Effect.provideService(settings, ConfigProvider.ConfigProvider, environment))
    const text = explain(error)
    assert.match(text, /^CUSTODY_SUBDOMAIN, CUSTODY_HOST, CUSTODY_ENVIRONMENT: not set\./)
    assert.strictEqual(text.split("not set").length, 2)
  })
)

it("says in which variable a database is that cannot be opened", () => {
  const error = new LedgerError({ operation: "open", reason: "the database failed: ConnectionError (ECONNREFUSED)" })
  assert.match(explain(error), /ECONNREFUSED.*DATABASE_URL/)
})
