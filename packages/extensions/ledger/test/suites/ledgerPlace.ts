import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

/** Makes an empty database for a ledger. */
export type LedgerPlace = Effect.Effect<Layer.Layer<SqlClient.SqlClient, SqlError>, never, Scope.Scope>
