/** What this backend is told by its environment: see `.env.example`. */
import { NodeCustody } from "@effect-custody/node"
import { EnvironmentConfig } from "@effect-custody/sdk"
import { Config, Effect, Option, Redacted, Schema } from "effect"
import * as Limits from "./limits.ts"

export class SettingsInvalid extends Schema.TaggedError<SettingsInvalid>()("SettingsInvalid", {
  message: Schema.String
}) {}

const required = {
  tokens: "PAYOUTS_TOKENS",
  databaseUrl: "DATABASE_URL",
  sessionKey: "CUSTODY_SESSION_KEY"
}

/** Of the service, of keys, and of what may be left out; the settings that have to be there are read first. */
const others = Config.all({
  environment: EnvironmentConfig.environment,
  /** One-time: for the first start. */
  apiKey: Config.Redacted("CUSTODY_API_KEY").pipe(Config.withDefault(undefined)),
  contractFile: Config.option(Config.NonEmptyString("CUSTODY_CONTRACT_FILE")),
  allowedHosts: Config.String("ALLOWED_HOSTS").pipe(
    Config.withDefault(""),
    Config.map((hosts) => hosts.split(",").map((host) => host.trim()))
  )
})

/** Only this machine can connect, unless `LISTEN_HOST` says otherwise. */
const listening = Config.all({
  host: Config.String("LISTEN_HOST").pipe(Config.withDefault("127.0.0.1")),
  port: Config.Int("PORT").pipe(Config.withDefault(3000))
}).pipe(
  Effect.filterOrFail(({ port }) => port >= 0 && port <= 65535),
  Effect.mapError(() => new SettingsInvalid({ message: "PORT is not a whole number from 0 to 65535." }))
)

/** `ann=token,bob=token`: each caller once, and each token for one caller. */
const parseCallers = Effect.fnUntraced(function* (tokens: Redacted.Redacted) {
  const pairs = Redacted.value(tokens)
    .split(",")
    .map((pair) => /^\s*([\w.-]+)=(\S+)\s*$/.exec(pair) ?? [])
  const names = new Set(pairs.map(([, name]) => name))
  const secrets = new Set(pairs.map(([, , token]) => token))
  const isLong = pairs.every(([, , token = ""]) => token.length >= Limits.minToken)
  if (!isLong || names.size < pairs.length || secrets.size < pairs.length) {
    const each = `each caller once, with a token of ${Limits.minToken} characters or more: openssl rand -hex 32`
    return yield* new SettingsInvalid({ message: `PAYOUTS_TOKENS is not ann=TOKEN,bob=TOKEN: ${each}` })
  }
  return new Map(pairs.map(([, name = "", token = ""]) => [name, Redacted.make(token)]))
})

/** Reads everything before anything is opened, and names all that is missing. */
export const settings = Effect.gen(function* () {
  const variable = (name: string) => Config.option(Config.Redacted(name))
  const found = yield* Config.all({
    tokens: variable(required.tokens),
    databaseUrl: variable(required.databaseUrl),
    sessionKey: variable(required.sessionKey)
  })
  const missing = Object.entries(required).flatMap(([key, name]) =>
    Option.isNone(found[key as keyof typeof found]) ? [name] : []
  )
  if (missing.length > 0) {
    return yield* new SettingsInvalid({ message: `Not set: ${missing.join(", ")}. See .env.example.` })
  }
  const callers = yield* parseCallers(Option.getOrThrow(found.tokens))
  const { previousSessionKeys } = yield* NodeCustody.sessionKeysConfig
  return {
    callers,
    databaseUrl: Option.getOrThrow(found.databaseUrl),
    sessionKey: Option.getOrThrow(found.sessionKey),
    previousSessionKeys,
    listening: yield* listening,
    ...(yield* others)
  }
})
