/** Where the ledger of a command is, and who gives the command. */
import * as LedgerSqlite from "@effect-custody/ledger/LedgerSqlite"
import * as Payouts from "@effect-custody/ledger/Payouts"
import * as Flag from "effect/cli/Flag"
import * as Config from "effect/Config"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type * as SqlClient from "effect/sql/SqlClient"
import * as Os from "node:os"
import * as Output from "../terminal/output.ts"

export const flags = {
  ledger: Flag.String("ledger").pipe(
    Flag.withDescription("The SQLite file of the ledger; default: ledger.db"),
    Flag.withMetavar("FILE.db"),
    Flag.withDefault("ledger.db")
  ),
  databaseUrl: Flag.Redacted("database-url").pipe(
    Flag.withDescription("The ledger in PostgreSQL instead; set CUSTODY_LEDGER_URL to hide it from process lists"),
    Flag.withMetavar("URL"),
    Flag.withFallbackConfig(Config.Redacted("CUSTODY_LEDGER_URL")),
    Flag.optional
  )
}

export const by = Flag.String("by").pipe(
  Flag.withDescription("Who does this; default: the user of the operating system"),
  Flag.withMetavar("NAME"),
  Flag.withDefault(Os.userInfo().username)
)

export const reason = Flag.String("reason").pipe(Flag.withDescription("Why, for the record"), Flag.withMetavar("TEXT"))

export interface Place {
  readonly ledger: string
  readonly databaseUrl: Option.Option<Redacted.Redacted>
}

/** The host and the database of an address, without its password. */
const describeUrl = (url: string): string => {
  const parsed = URL.parse(url)
  return parsed === null ? "PostgreSQL" : `${parsed.host}${parsed.pathname}`
}

export const describe = ({ databaseUrl, ledger }: Place): string =>
  Option.match(databaseUrl, { onNone: () => ledger, onSome: (url) => describeUrl(Redacted.value(url)) })

/** `true` if the ledger is a file that does not exist yet. */
export const isNew = ({ databaseUrl, ledger }: Place) =>
  Option.isSome(databaseUrl)
    ? Effect.succeed(false)
    : Effect.map(
        Output.orFail(FileSystem.FileSystem.use((fileSystem) => fileSystem.exists(ledger))),
        (exists) => !exists
      )

const sql = ({ databaseUrl, ledger }: Place): Layer.Layer<SqlClient.SqlClient, { readonly message: string }> =>
  Option.match(databaseUrl, {
    onNone: () => LedgerSqlite.layer({ filename: ledger }),
    onSome: (url) =>
      // PgBouncer in transaction mode keeps no prepared statements. Loaded only when it is used.
      Layer.unwrap(
        Effect.map(
          // oxlint-disable-next-line no-restricted-imports -- on demand.
          Effect.promise(() => import("@effect/sql-pg/PgClient")),
          (PgClient) => PgClient.layer({ url, prepare: false })
        )
      )
  })

export interface Options {
  readonly inFlight?: number
  readonly undecidedAfter?: Duration.Input
  readonly validity?: Duration.Input
}

export const layer = (place: Place, options: Options = {}) => Payouts.layer(options).pipe(Layer.provide(sql(place)))

/** Runs a command on an existing ledger. */
export const onLedger =
  (place: Place) =>
  <A, E extends { readonly message: string }, R>(command: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      if (yield* isNew(place)) return yield* Output.failure(`there is no ledger ${place.ledger}`)
      return yield* Output.orFail(Effect.provide(command, layer(place)))
    })
