import * as LedgerSqlite from "@effect-custody/ledger/LedgerSqlite"
import * as Effect from "effect/Effect"
import { feedConformance } from "./suites/feedConformance.ts"

feedConformance("SQLite", Effect.succeed(LedgerSqlite.layer({ filename: ":memory:" })))
