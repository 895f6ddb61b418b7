import * as LedgerSqlite from "@effect-custody/ledger/LedgerSqlite"
import * as Effect from "effect/Effect"
import * as Path from "node:path"
import { temporaryDirectory } from "../../../../test/support/servers/sqlitePlace.ts"
import { ledgerGuards } from "./suites/ledgerGuards.ts"
import { ledgerMishaps } from "./suites/ledgerMishaps.ts"

const place = Effect.map(temporaryDirectory, (directory) =>
  LedgerSqlite.layer({ filename: Path.join(directory, "ledger.db") })
)

ledgerGuards("SQLite", place)
ledgerMishaps("SQLite", place)
