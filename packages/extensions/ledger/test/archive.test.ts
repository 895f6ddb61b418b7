import * as LedgerSqlite from "@effect-custody/ledger/LedgerSqlite"
import * as Effect from "effect/Effect"
import * as Path from "node:path"
import { temporaryDirectory } from "../../../../test/support/servers/sqlitePlace.ts"
import { archiveConformance } from "./suites/archiveConformance.ts"

archiveConformance(
  "SQLite",
  Effect.map(temporaryDirectory, (directory) => LedgerSqlite.layer({ filename: Path.join(directory, "ledger.db") }))
)
