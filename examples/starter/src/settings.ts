/** What this backend is told by its environment: see `.env.example`. */
import { EnvironmentConfig } from "@effect-custody/core"
import { NodeCustody } from "@effect-custody/node"
import { Config, Effect, Option, Redacted, Schema } from "effect"

export class SettingsInvalid extends Schema.TaggedError<SettingsInvalid>()("SettingsInvalid", {
  message: Schema.String
}) {}

const required = {
  token: "PAYOUTS_TOKEN",
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

/** Reads everything before anything is opened, and names all that is missing. */
export const settings = Effect.gen(function* () {
  const variable = (name: string) => Config.option(Config.Redacted(name))
  const found = yield* Config.all({
    token: variable(required.token),
    databaseUrl: variable(required.databaseUrl),
    sessionKey: variable(required.sessionKey)
  })
  const missing = Object.entries(required).flatMap(([key, name]) =>
    Option.isNone(found[key as keyof typeof found]) ? [name] : []
  )
  if (missing.length > 0) {
    return yield* new SettingsInvalid({ message: `Not set: ${missing.join(", ")}. See .env.example.` })
  }
  const token = Option.getOrThrow(found.token)
  if (Redacted.value(token).length < 32) {
    return yield* new SettingsInvalid({ message: "PAYOUTS_TOKEN is shorter than 32 characters: openssl rand -hex 32" })
  }
  const { previousSessionKeys } = yield* NodeCustody.sessionKeysConfig
  return {
    token,
    databaseUrl: Option.getOrThrow(found.databaseUrl),
    sessionKey: Option.getOrThrow(found.sessionKey),
    previousSessionKeys,
    listening: yield* listening,
    ...(yield* others)
  }
})
