/** `custody session`: shows, starts and encrypts stored sessions. No command prints a token or a key. */
import { type Stored, type StoreOptions, TokenStore } from "@effect-custody/authentication/TokenStore"
import { TokenStoreError } from "@effect-custody/core/SessionError"
import { trimSecret } from "@effect-custody/core/Text"
import { TokenService } from "@effect-custody/core/TokenService"
import * as NodeCustody from "@effect-custody/node/NodeCustody"
import * as Custody from "@effect-custody/sdk/Custody"
import * as EnvironmentConfig from "@effect-custody/sdk/EnvironmentConfig"
import * as CliCommand from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Prompt from "effect/cli/Prompt"
import * as Clock from "effect/Clock"
import * as Config from "effect/Config"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as ContractFiles from "../service/contractFiles.ts"
import * as Service from "../service/environment.ts"
import * as Place from "../service/sessionPlace.ts"
import * as Output from "../terminal/output.ts"
import * as Doctor from "./doctor.ts"
import * as SessionReport from "./report.ts"

/** Reads the record with keys. The place must exist, because the store would create a missing one. */
const loadWith = ({ identity, store }: Place.Place, keys: StoreOptions) =>
  Effect.flatMap(TokenStore, (tokens) => tokens.load(identity)).pipe(Effect.provide(store(keys)))

const load = (place: Place.Place) => Effect.flatMap(Output.orFail(Place.keys), (keys) => loadWith(place, keys))

/** Reads a record that is encrypted with one of the keys, or in clear text. */
const readable = (place: Place.Place, keys: StoreOptions) =>
  Effect.catch(loadWith(place, keys), (error) => Effect.mapError(loadWith(place, {}), () => error))

/** Reads an existing record. Fails if the place or the session is missing. */
const present = Effect.fnUntraced(function* <E extends { readonly message: string }, R>(
  place: Place.Place,
  read: Effect.Effect<Option.Option<Stored>, E, R>
) {
  const { identity, name } = place
  if (!(yield* Output.orFail(place.exists))) return yield* Output.failure(place.missing)
  const stored = yield* Output.orFail(read)
  return Option.isSome(stored) ? stored.value : yield* Output.failure(`${name} has no session "${identity}"`)
})

const reportOn = Effect.fnUntraced(function* (place: Place.Place) {
  const stored = yield* present(place, load(place))
  const apiKey = yield* Output.orFail(EnvironmentConfig.apiKey)
  return SessionReport.make(place.identity, stored, yield* Clock.currentTimeMillis, apiKey)
})

const show = (report: SessionReport.SessionReport, json: boolean) =>
  json ? Output.value(report) : Output.lines(Output.table(SessionReport.rows(report)))

const status = CliCommand.make(
  "status",
  { ...Place.flags, json: Output.json },
  Effect.fnUntraced(function* ({ json, ...options }) {
    yield* show(yield* reportOn(yield* Place.locate(options)), json)
  })
).pipe(CliCommand.withDescription("Shows a stored session: its state, its age, its lease. Never a secret"))

const isStoreError = Schema.is(TokenStoreError)

/** Classifies a failed read: `unopened` if the place itself cannot be used, for any session and keys. */
const classifyReadError = (error: { readonly message: string }) =>
  isStoreError(error) && error.operation === "open" ? { unopened: error.message } : { unreadable: error.message }

/** Collects everything that is known without a request to the service. */
const collectFacts = Effect.fnUntraced(function* (place: Place.Place) {
  const key = yield* Effect.match(Place.keys, {
    onFailure: ({ message }): Doctor.Facts["key"] => ({ wrong: message }),
    onSuccess: ({ key }) => (key === undefined ? "unset" : "set")
  })
  const apiKey = yield* EnvironmentConfig.apiKey
  const common = { place: place.name, key, configured: yield* Service.found }
  // Reads the permissions first, because a store changes the mode of a file when it opens the file.
  const file = yield* place.file
  const now = yield* Clock.currentTimeMillis
  const session = yield* place.exists.pipe(
    Effect.flatMap((exists) => (exists ? load(place) : Effect.succeedNone)),
    Effect.match({
      onFailure: classifyReadError,
      onSuccess: (stored) =>
        Option.getOrUndefined(Option.map(stored, (found) => SessionReport.make(place.identity, found, now, apiKey)))
    })
  )
  return { ...common, file, session }
})

const doctor = CliCommand.make(
  "doctor",
  { ...Place.flags, json: Output.json },
  Effect.fnUntraced(function* ({ json, ...options }) {
    const findings = Doctor.examine(yield* Output.orFail(collectFacts(yield* Place.locate(options))))
    const paint = yield* Output.paint
    const marks = { good: "✓", doubtful: "!", bad: "✗" } as const
    yield* json
      ? Output.value(findings)
      : Output.lines(
          findings.flatMap(({ about, advice, found, verdict }) => [
            `${paint(verdict, marks[verdict])} ${about.padEnd(12)}${found}`,
            ...(advice === "" ? [] : [paint("aside", `${"".padEnd(14)}→ ${advice}`)])
          ])
        )
    const wrong = findings.filter(({ verdict }) => verdict === "bad").length
    if (wrong > 0) return yield* Output.failure(`${wrong} ${wrong === 1 ? "thing needs" : "things need"} a person`)
  })
).pipe(
  CliCommand.withDescription(
    "Says what is wrong with a stored session, and what to do. Exits with 1 if it needs a person"
  )
)

const apiKey = Flag.Redacted("api-key").pipe(
  Flag.withDescription("An unused API key; set CUSTODY_API_KEY to hide it from process lists, or be asked for it"),
  Flag.withMetavar("KEY"),
  Flag.withFallbackConfig(Config.Redacted("CUSTODY_API_KEY")),
  Flag.withFallbackPrompt(Prompt.Hidden({ message: "API key" })),
  Flag.map(trimSecret)
)

const unreadExpiry =
  "look: the expiry of the token could not be read: expiresAt is no time in milliseconds within the next year. No refresh " +
  "comes before the expiry, and each expiry costs a 498. If the service writes seconds, say so in the contract"

const start = CliCommand.make(
  "start",
  {
    ...Place.flags,
    apiKey,
    contract: ContractFiles.flag,
    replace: Flag.Boolean("replace").pipe(
      Flag.withDescription("Replace a session that has not ended, for example one that the service refuses"),
      Flag.withDefault(false)
    ),
    json: Output.json
  },
  Effect.fnUntraced(function* ({ apiKey, contract, json, replace, ...options }) {
    const place = yield* Place.locate(options)
    const { identity, name } = place
    const keys = yield* Output.orFail(Place.keys)
    const before = (yield* Output.orFail(place.exists)) ? yield* Output.orFail(load(place)) : Option.none()
    if (Option.isSome(before) && !replace) {
      const { state } = SessionReport.make(identity, before.value, yield* Clock.currentTimeMillis)
      if (state === "serving" || state === "expired" || state === "rotating") {
        return yield* Output.failure(
          `"${identity}" in ${name} has not ended (${state}); the API key was not sent. Use --replace to replace it`
        )
      }
    }
    const environment = yield* Service.configured
    const started = Effect.flatMap(TokenService, (service) => service.start(apiKey)).pipe(
      Effect.provide(
        Custody.layer({
          environment,
          identity,
          secrets: Place.secrets(keys)
        }).pipe(Layer.provide([NodeCustody.layerHttpClientConfig(), place.store(keys), ContractFiles.layer(contract)]))
      ),
      Output.orFail
    )
    // If a signal stops the command, the service may have used up the API key, and nobody has read its answer.
    yield* Effect.onInterrupt(started, () =>
      Console.error("interrupted; the API key may be spent: custody session doctor shows what is stored")
    )
    const report = yield* reportOn(place)
    yield* show(report, json)
    if (report.expiresAt === null) yield* Console.error(unreadExpiry)
  })
).pipe(CliCommand.withDescription("Exchanges a one-time API key for a session, and stores it. The key is then spent"))

const encrypt = CliCommand.make(
  "encrypt",
  { ...Place.flags, yes: Output.yes },
  Effect.fnUntraced(function* ({ yes, ...options }) {
    const place = yield* Place.locate(options)
    const { identity } = place
    const keys = yield* Output.orFail(Place.keys)
    const { key } = keys
    if (key === undefined) {
      return yield* Output.failure("CUSTODY_SESSION_KEY is not set. `openssl rand -base64 32` makes a key")
    }
    const sealed = yield* Effect.option(present(place, loadWith(place, { key })))
    if (Option.isSome(sealed)) return yield* Output.failure(`"${identity}" is encrypted with this key already`)
    const { record, version } = yield* present(place, readable(place, keys))
    const before = SessionReport.make(identity, { record }, yield* Clock.currentTimeMillis)
    if (before.lease?.isAlive === true) {
      return yield* Output.failure(
        `${before.lease.owner} is rotating it: stop every process that uses it, and try again`
      )
    }
    yield* show(before, false)
    yield* Output.ask(
      "Have all processes that use it been stopped? Without the key they cannot read it any more. Encrypt it?",
      yes
    )
    yield* Effect.flatMap(TokenStore, (store) => store.compareAndSwap(identity, version, record)).pipe(
      Effect.provide(place.store({ key })),
      Effect.catchTag("VersionConflict", () =>
        Output.failure("another process has changed it in the meantime: stop every process that uses it, and try again")
      ),
      Output.orFail
    )
    yield* Console.log(`"${identity}" is encrypted with CUSTODY_SESSION_KEY`)
  })
).pipe(
  CliCommand.withDescription(
    "Encrypts a session with CUSTODY_SESSION_KEY: one in clear text, or under one of CUSTODY_PREVIOUS_SESSION_KEYS. " +
      "Stop the processes that use it first"
  )
)

export const command = CliCommand.make("session").pipe(
  CliCommand.withDescription("Shows, starts and encrypts stored sessions. No command prints a token or a key"),
  CliCommand.withSubcommands([status, start, encrypt, doctor])
)
