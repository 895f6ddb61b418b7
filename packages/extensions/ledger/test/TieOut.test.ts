import * as LedgerSqlite from "@effect-custody/ledger/LedgerSqlite"
import * as Effect from "effect/Effect"
import { tieOutConformance } from "./suites/tieOutConformance.ts"

tieOutConformance("SQLite", Effect.succeed(LedgerSqlite.layer({ filename: ":memory:" })))
