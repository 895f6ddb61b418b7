/** Where the ledger of a command is. */
import * as LedgerSqlite from "@effect-custody/ledger/LedgerSqlite"
import * as Payouts from "@effect-custody/ledger/Payouts"
import type * as CliError from "effect/cli/CliError"
import * as Flag from "effect/cli/Flag"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import { kebabCase } from "effect/String"
import type * as SqlClient from "effect/sql/SqlClient"
import * as Database from "../service/database.ts"
import * as Output from "../terminal/output.ts"

export const flags = {
  ledger: Flag.String("ledger").pipe(
    Flag.withDescription("The SQLite file of the ledger; default: ledger.db"),
    Flag.withMetavar("FILE.db"),
    Flag.optional
  ),
  databaseUrl: Database.flag("The ledger in PostgreSQL", "CUSTODY_LEDGER_URL")
}

export const reason = Flag.String("reason").pipe(Flag.withDescription("Why, for the record"), Flag.withMetavar("TEXT"))

export interface Options {
  readonly ledger: Option.Option<string>
  readonly databaseUrl: Option.Option<Redacted.Redacted>
}

/** A file, or a database. */
export type Place = string | Database.Database

const variables = Config.map(Config.option(Config.Redacted("CUSTODY_LEDGER_URL")), (databaseUrl) => ({
  file: Option.none<string>(),
  databaseUrl
}))

/** The ledger that the options or the variables name. */
export const locate = Effect.fnUntraced(function* (options: Options): Effect.fn.Return<Place, CliError.UserError> {
  const { databaseUrl, file } = yield* Database.choose({ ...options, file: options.ledger }, variables)
  return Option.isSome(databaseUrl)
    ? yield* Database.parse(databaseUrl.value, ["PostgreSQL"])
    : Option.getOrElse(file, () => "ledger.db")
})

export const describe = (place: Place): string => (typeof place === "string" ? place : place.name)

/** `true` if the ledger is a file that does not exist yet. */
export const isNew = (place: Place) =>
  typeof place === "string"
    ? Effect.map(
        Output.orFail(FileSystem.FileSystem.use((fileSystem) => fileSystem.exists(place))),
        (exists) => !exists
      )
    : Effect.succeed(false)

const sql = (place: Place): Layer.Layer<SqlClient.SqlClient, { readonly message: string }> =>
  typeof place === "string" ? LedgerSqlite.layer({ filename: place }) : Database.postgres(place)

export const layer = (place: Place, settings: Payouts.Options = {}) =>
  Payouts.layer(settings).pipe(
    Layer.catchTag("ConfigurationInvalid", ({ option, reason }) =>
      Layer.effectContext(Output.failure(`--${kebabCase(option)}: ${reason}`))
    ),
    Layer.provide(sql(place))
  )

/** Runs a command on an existing ledger. */
export const onLedger =
  (options: Options) =>
  <A, E extends { readonly message: string }, R>(command: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const place = yield* locate(options)
      if (yield* isNew(place)) return yield* Output.failure(`there is no ledger ${describe(place)}`)
      return yield* Output.orFail(Effect.provide(command, layer(place)))
    })
