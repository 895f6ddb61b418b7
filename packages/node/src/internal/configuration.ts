/** What `NodeCustody` takes from the configuration: all of it is read first, then decided on at once. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import type { Environment } from "@effect-custody/core/Environment"
import * as EnvironmentConfig from "@effect-custody/core/EnvironmentConfig"
import { ConfigurationInvalid } from "@effect-custody/core/SdkError"
import * as WireContract from "@effect-custody/core/WireContract"
import * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"

/** The keys of the session's store. */
export interface Keys {
  readonly sessionKey: Redacted.Redacted | undefined
  readonly previousSessionKeys: ReadonlyArray<Redacted.Redacted>
}

/** What is configured. */
export interface Settings extends Keys {
  readonly environment: Environment
  readonly sessionFile: string
  readonly apiKey: Redacted.Redacted | undefined
  readonly contractFile: string | undefined
}

/** What the decision on the keys depends on. */
interface GivenKeys {
  readonly sessionKey: Redacted.Redacted | undefined
  /** Whether `CUSTODY_SESSION_KEY` is set, even if it is empty. */
  readonly namesSessionKey: boolean
  /** Variables whose names begin with `CUSTODY_SESSION_KEY_`, such as that of a file: the SDK reads none of them. */
  readonly unread: ReadonlyArray<string>
  /** Separated by commas. */
  readonly previous: Redacted.Redacted | undefined
}

/** Everything that the decision depends on. An empty variable counts as none. */
interface Given extends Omit<Settings, "environment" | "sessionFile" | keyof Keys> {
  readonly service: EnvironmentConfig.Variables
  readonly sessionFile: string | undefined
  readonly keys: GivenKeys
  /** Whether the program provides a contract. */
  readonly hasContract: boolean
}

const optional = <A>(config: Config.Config<A>): Config.Config<A | undefined> => Config.withDefault(config, undefined)

const variables = Config.all({
  service: EnvironmentConfig.variables,
  sessionFile: optional(Config.NonEmptyString("CUSTODY_SESSION_FILE")),
  apiKey: EnvironmentConfig.apiKey,
  contractFile: optional(Config.NonEmptyString("CUSTODY_CONTRACT_FILE"))
})

const keyVariables = Config.all({
  sessionKey: optional(Config.Redacted("CUSTODY_SESSION_KEY")),
  previous: optional(Config.Redacted("CUSTODY_PREVIOUS_SESSION_KEYS"))
})

/** The names at a path and below it: of the environment, a name is a path whose parts are joined by "_". */
const namesAt = (
  provider: ConfigProvider.ConfigProvider,
  path: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<string>, ConfigProvider.SourceError> =>
  Effect.flatMap(provider.load([...path]), (node) => {
    const name = path.join("_")
    switch (node?._tag) {
      case "Record":
        return Effect.forEach(node.keys, (key) => namesAt(provider, [...path, key])).pipe(
          Effect.map((below) => [...(node.value === undefined ? [] : [name]), ...below.flat()])
        )
      case "Array":
        return Effect.succeed([`${name}_${node.length - 1}`])
      default:
        return Effect.succeed([name])
    }
  })

const unread = Effect.gen(function* () {
  const names = yield* namesAt(yield* ConfigProvider.ConfigProvider, ["CUSTODY", "SESSION", "KEY"])
  return names.filter((name) => name !== "CUSTODY_SESSION_KEY")
}).pipe(Effect.orElseSucceed(() => []))

/** Whether `CUSTODY_SESSION_KEY` is set, even if it is empty: a provider reads an empty variable as none. */
const namesSessionKey = Effect.gen(function* () {
  const provider = yield* ConfigProvider.ConfigProvider
  const lists = (path: ReadonlyArray<string>, name: string) =>
    Effect.map(provider.load([...path]), (node) => node?._tag === "Record" && node.keys.has(name))
  return (yield* lists(["CUSTODY", "SESSION"], "KEY")) || (yield* lists([], "CUSTODY_SESSION_KEY"))
}).pipe(Effect.orElseSucceed(() => false))

const hasContract = Effect.map(
  Effect.context<never>(),
  (context) => Context.getOrUndefined(context, WireContract.WireContract) !== undefined
)

const invalid = (option: string, reason: string) => Result.fail(new ConfigurationInvalid({ option, reason }))

const decideKeys = (given: GivenKeys): Result.Result<Keys, ConfigurationInvalid> => {
  const { namesSessionKey, previous = Redacted.make(""), sessionKey, unread } = given
  if (sessionKey === undefined && unread.length > 0) {
    const reason = `has no value, and the SDK does not read ${unread.join(", ")}: give the key itself, 32 bytes in base64`
    return invalid("CUSTODY_SESSION_KEY", reason)
  }
  if (namesSessionKey && sessionKey === undefined) {
    const reason = "is empty: give 32 bytes in base64, or leave it out to store the session in clear text"
    return invalid("CUSTODY_SESSION_KEY", reason)
  }
  if (Redacted.value(previous) === "") return Result.succeed({ sessionKey, previousSessionKeys: [] })
  const parts = Redacted.value(previous)
    .split(",")
    .map((part) => part.trim())
  return parts.some((part) => part === "")
    ? invalid("CUSTODY_PREVIOUS_SESSION_KEYS", "has an empty part: separate its keys by one comma each")
    : Result.succeed({ sessionKey, previousSessionKeys: parts.map((part) => Redacted.make(part)) })
}

const decide = (given: Given): Result.Result<Settings, ConfigurationInvalid> => {
  const { apiKey, contractFile, sessionFile = "" } = given
  const environment = EnvironmentConfig.fromVariables(given.service, { CUSTODY_SESSION_FILE: given.sessionFile })
  if (Result.isFailure(environment)) return Result.fail(environment.failure)
  if (given.hasContract && contractFile !== undefined) {
    const doubt = "it is not certain which is meant. Keep one or the other"
    return invalid("CUSTODY_CONTRACT_FILE", `set, and the program gives a contract of its own: ${doubt}`)
  }
  return Result.map(decideKeys(given.keys), (keys) => ({
    ...keys,
    environment: environment.success,
    sessionFile,
    apiKey,
    contractFile
  }))
}

const givenKeys = Effect.gen(function* () {
  return { ...(yield* keyVariables), namesSessionKey: yield* namesSessionKey, unread: yield* unread }
})

/** The configured keys alone. */
export const keys = Effect.flatMap(givenKeys, (given) => Effect.fromResult(decideKeys(given)))

/** What is configured, or which variables are missing, contradict each other, or are wrong. */
export const settings = Effect.gen(function* () {
  const given = { ...(yield* variables), keys: yield* givenKeys, hasContract: yield* hasContract }
  return yield* Effect.fromResult(decide(given))
})

/** The variable of each option that only the checks of the layer see. */
const variableOf: Readonly<Record<string, string>> = {
  apiKey: "CUSTODY_API_KEY",
  sessionFile: "CUSTODY_SESSION_FILE",
  sessionKey: "CUSTODY_SESSION_KEY"
}

/** The error of an option as that of its variable. */
export const ofVariable = ({ option, reason }: ConfigurationInvalid): ConfigurationInvalid => {
  const [list, index] = option.split(".")
  return list === "previousSessionKeys"
    ? new ConfigurationInvalid({
        option: "CUSTODY_PREVIOUS_SESSION_KEYS",
        reason: `its key ${Number(index) + 1} ${reason}`
      })
    : new ConfigurationInvalid({ option: variableOf[option] ?? option, reason })
}

/** The contract of a file. Only this needs the whole API, so it is loaded on demand. */
export const contractOf = (file: string | undefined): Layer.Layer<never, ConfigurationInvalid> =>
  file === undefined
    ? Layer.empty
    : Layer.unwrap(
        Effect.map(
          Effect.promise(() => import("@effect-custody/sdk/CustodyApi")),
          ({ CustodyApi }) => WireContract.layerFile(file, CustodyApi)
        )
      ).pipe(
        Layer.provide(NodeFileSystem.layer),
        Layer.catch(({ message }) =>
          Layer.effectDiscard(
            Effect.fail(new ConfigurationInvalid({ option: "CUSTODY_CONTRACT_FILE", reason: message }))
          )
        )
      )
