/** Where the stored session of a command is: in a file, in PostgreSQL or in Redis. */
import { type StoreOptions, TokenStore } from "@effect-custody/authentication/TokenStore"
import { TokenStoreError } from "@effect-custody/core/SessionError"
import type { ConfigurationInvalid } from "@effect-custody/core/SdkError"
import * as NodeCustody from "@effect-custody/node/NodeCustody"
import * as TokenStoreSqlite from "@effect-custody/node/TokenStoreSqlite"
import * as TokenStoreRedis from "@effect-custody/redis/TokenStoreRedis"
import * as Cause from "effect/Cause"
import type * as CliError from "effect/cli/CliError"
import * as Flag from "effect/cli/Flag"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import type * as Redacted from "effect/Redacted"
import * as Database from "./database.ts"
import * as Output from "../terminal/output.ts"

export const flags = {
  sessionFile: Flag.String("session-file").pipe(
    Flag.withDescription("The session file; default: CUSTODY_SESSION_FILE"),
    Flag.withMetavar("FILE"),
    Flag.optional
  ),
  databaseUrl: Database.flag("The session in PostgreSQL or Redis", "CUSTODY_SESSION_URL"),
  identity: Flag.String("identity").pipe(
    Flag.withDescription("The name of the session in its file or database"),
    Flag.withDefault("default")
  )
}

export interface Options {
  readonly sessionFile: Option.Option<string>
  readonly databaseUrl: Option.Option<Redacted.Redacted>
  readonly identity: string
}

/** The permission bits of a session file, and whether it belongs to this user. */
export type FileFacts = { readonly mode: number; readonly isOurs: boolean | undefined } | "missing" | "database"

type StoreError = ConfigurationInvalid | TokenStoreError | CliError.UserError

export interface Place {
  readonly identity: string
  /** The file, or the host and the name of the database. */
  readonly name: string
  /** `false` if there is nothing to read. A store would create it. */
  readonly exists: Effect.Effect<boolean, StoreError>
  /** Says that there is nothing to read. */
  readonly missing: string
  readonly file: Effect.Effect<FileFacts>
  readonly store: (keys: StoreOptions) => Layer.Layer<TokenStore, StoreError>
}

const inFile = Effect.fnUntraced(function* (path: string, identity: string) {
  const fileSystem = yield* FileSystem.FileSystem
  return {
    identity,
    name: path,
    exists: Output.orFail(fileSystem.exists(path)),
    missing: `there is no ${path}`,
    file: Effect.match(fileSystem.stat(path), {
      onFailure: () => "missing" as const,
      onSuccess: ({ mode, uid }) => ({
        mode,
        isOurs: Option.getOrUndefined(Option.map(uid, (uid) => uid === process.getuid?.()))
      })
    }),
    store: (keys) => TokenStoreSqlite.layer({ ...keys, filename: path })
  } satisfies Place
})

/** A code such as ECONNREFUSED, 28P01 or WRONGPASS, never the message of a client or a server. */
const failureCode = (error: unknown): string | undefined => {
  for (let cause: unknown = error, depth = 0; depth < 8 && Predicate.isObject(cause); depth++) {
    const { code, message } = cause as { readonly code?: unknown; readonly message?: unknown }
    const found = /^([0-9A-Z_]{3,40})$/.exec(String(code)) ?? /^(?:connect )?([A-Z]{3,20}) /.exec(String(message))
    if (found !== null) return found[1]
    cause = Predicate.hasProperty(cause, "reason") ? cause.reason : (cause as { readonly cause?: unknown }).cause
  }
  return undefined
}

const unreachable = (name: string, error: unknown) => {
  const code = failureCode(error)
  const reason = `${name} cannot be opened${code === undefined ? "" : ` (${code})`}`
  return new TokenStoreError({ operation: "open", reason })
}

/** Turns errors of a database's client, which may repeat an address, into errors of the store. */
const opened =
  (name: string) =>
  <A, E, R>(client: Layer.Layer<A, E, R>): Layer.Layer<A, StoreError, R> =>
    Layer.catchCause(client, (cause) => {
      const error = Cause.squash(cause)
      return Layer.unwrap(Effect.fail(Output.isUserError(error) ? error : unreachable(name, error)))
    })

const loadPostgres = (database: Database.Database) =>
  Database.load(database.kind, "@effect/sql-pg", () => import("@effect-custody/postgres/TokenStorePostgres"))

const inPostgres = (database: Database.Database) => {
  const client = Database.postgres(database).pipe(opened(database.name))
  return {
    exists: Effect.flatMap(loadPostgres(database), ({ hasTable }) => hasTable).pipe(
      Effect.catchTag("TokenStoreError", ({ operation, reason }) =>
        Effect.fail(new TokenStoreError({ operation, reason: `${database.name} cannot be opened: ${reason}` }))
      ),
      Effect.provide(client)
    ),
    store: (keys: StoreOptions) =>
      Layer.unwrap(Effect.map(loadPostgres(database), ({ layer }) => layer(keys))).pipe(Layer.provide(client))
  }
}

const inRedis = (database: Database.Database) => ({
  exists: Effect.succeed(true),
  store: (keys: StoreOptions) =>
    TokenStoreRedis.layer(keys).pipe(Layer.provide(Database.redis(database).pipe(opened(database.name))))
})

/** The session that the variables name. */
export const variables = Config.all({
  file: Config.option(Config.NonEmptyString("CUSTODY_SESSION_FILE")),
  databaseUrl: Config.option(Config.Redacted("CUSTODY_SESSION_URL"))
})

/** The session that the options or the variables name. */
export const locate = Effect.fnUntraced(function* ({
  identity,
  sessionFile,
  ...options
}: Options): Effect.fn.Return<Place, CliError.UserError, FileSystem.FileSystem> {
  const { databaseUrl, file } = yield* Database.choose({ ...options, file: sessionFile }, variables)
  if (Option.isSome(file)) return yield* inFile(file.value, identity)
  if (Option.isNone(databaseUrl)) {
    return yield* Output.failure(
      "no session is named: use --session-file or --database-url, or set CUSTODY_SESSION_FILE or CUSTODY_SESSION_URL"
    )
  }
  const database = yield* Database.parse(databaseUrl.value, ["PostgreSQL", "Redis"])
  const { name } = database
  const stored = database.kind === "Redis" ? inRedis(database) : inPostgres(database)
  return { identity, name, missing: `${name} has no sessions`, file: Effect.succeed("database" as const), ...stored }
})

const noOptions = { sessionFile: Option.none(), databaseUrl: Option.none(), identity: "default" }

/** The session that the variables name, under the name that a client uses. */
export const fromVariables = locate(noOptions)

/** The configured key and the previous keys as options of a store. */
export const keys = Effect.map(NodeCustody.sessionKeysConfig, ({ previousSessionKeys, sessionKey }) => ({
  key: sessionKey,
  previousKeys: previousSessionKeys
}))

/** The keys as secrets that no error may contain. */
export const secrets = ({ key, previousKeys = [] }: StoreOptions) => (key === undefined ? [] : [key, ...previousKeys])
