/** The databases of ledgers and sessions. Loads what each needs on demand, and shows an address without its password. */
import type * as CliError from "effect/cli/CliError"
import * as Flag from "effect/cli/Flag"
import type * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import type * as Redis from "effect/persistence/Redis"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Output from "../terminal/output.ts"

export const flag = (what: string, variable: string) =>
  Flag.Redacted("database-url").pipe(
    Flag.withDescription(`${what} instead; set ${variable} to hide it from process lists`),
    Flag.withMetavar("URL"),
    Flag.optional
  )

/** A file or a database, as options or variables name it. */
export interface Named {
  readonly file: Option.Option<string>
  readonly databaseUrl: Option.Option<Redacted.Redacted>
}

/** Returns what the options name or, if they name nothing, what the variables name. Fails if both a file and a database are named. */
export const choose = Effect.fnUntraced(function* (options: Named, variables: Config.Config<Named>) {
  const isEmpty = Option.isNone(options.file) && Option.isNone(options.databaseUrl)
  const chosen = isEmpty ? yield* Output.orFail(variables) : options
  if (Option.isSome(chosen.file) && Option.isSome(chosen.databaseUrl)) {
    return yield* Output.failure(`both a file (${chosen.file.value}) and a database are named: leave one out`)
  }
  return chosen
})

const protocols = { "postgres:": "PostgreSQL", "postgresql:": "PostgreSQL", "redis:": "Redis", "rediss:": "Redis" }
type Kind = "PostgreSQL" | "Redis"

export interface Database {
  readonly kind: Kind
  readonly url: Redacted.Redacted
  /** The host and the database. */
  readonly name: string
}

/** `true` if an `@` follows the host. Then the password is not percent-encoded, and a part of it was read as the path. */
const isAmbiguous = ({ hash, pathname, search }: URL): boolean => `${pathname}${search}${hash}`.includes("@")

const isDecodable = ({ password, pathname, username }: URL): boolean => {
  try {
    decodeURIComponent(`${username}${password}${pathname}`)
    return true
  } catch {
    return false
  }
}

/** Parses the address of a database. An error never shows any part of the address. */
export const parse = Effect.fnUntraced(function* (url: Redacted.Redacted, kinds: ReadonlyArray<Kind>) {
  const parsed = URL.parse(Redacted.value(url).trim())
  const kind = protocols[parsed?.protocol as keyof typeof protocols] as Kind | undefined
  const allowed = Object.entries(protocols).flatMap(([protocol, kind]) =>
    kinds.includes(kind as Kind) ? [`${protocol}//`] : []
  )
  if (parsed !== null && (kind === undefined || !kinds.includes(kind))) {
    return yield* Output.failure(`the address of the database must begin with ${allowed.join(" or ")}`)
  }
  if (parsed === null || kind === undefined || isAmbiguous(parsed) || !isDecodable(parsed)) {
    return yield* Output.failure(
      `the address of the database is no URL, such as ${allowed[0]}user:password@host/name: ` +
        "percent-encode the password (encodeURIComponent)"
    )
  }
  return { kind, url: Redacted.make(parsed.href), name: `${parsed.host}${parsed.pathname}` } satisfies Database
})

const isMissing = (error: unknown): boolean =>
  Predicate.hasProperty(error, "code") && error.code === "ERR_MODULE_NOT_FOUND"

/** Loads a module. Fails with a sentence if its package is not installed. */
export const load = <A>(kind: Kind, name: string, module: () => Promise<A>) =>
  Effect.catchDefect(Effect.promise(module), (error) =>
    isMissing(error)
      ? Output.failure(`${kind} needs the package ${name}, which is not installed: npm install ${name}`, error)
      : Effect.die(error)
  )

/** Makes the layer of PostgreSQL. It prepares no statements, because PgBouncer in transaction mode keeps none. */
export const postgres = ({ url }: Database) =>
  Layer.unwrap(
    Effect.map(
      // oxlint-disable-next-line no-restricted-imports -- on demand.
      load("PostgreSQL", "@effect/sql-pg", () => import("@effect/sql-pg/PgClient")),
      (PgClient) => PgClient.layer({ url, prepare: false })
    )
  )

/**
 * Makes the layer of Redis, with the client that `TokenStoreRedis.layer` asks for. It drops the warnings of the client,
 * because the commands report failures themselves.
 */
export const redis = ({ url }: Database): Layer.Layer<Redis.Redis, Redis.RedisError | CliError.UserError> =>
  Layer.unwrap(
    Effect.map(
      // oxlint-disable-next-line no-restricted-imports -- on demand.
      load("Redis", "redis", () => import("@effect/platform-node/NodeRedis")),
      (NodeRedis) =>
        NodeRedis.layer({ url: Redacted.value(url), socket: { reconnectStrategy: false, socketTimeout: 10_000 } })
    )
  ).pipe(Layer.provide(Logger.layer([])))
