import * as LedgerSqlite from "@effect-custody/ledger/LedgerSqlite"
import * as Effect from "effect/Effect"
import { tieOutConformance } from "../../../test/support/worlds/tieOutConformance.ts"

tieOutConformance("SQLite", Effect.succeed(LedgerSqlite.layer({ filename: ":memory:" })))
