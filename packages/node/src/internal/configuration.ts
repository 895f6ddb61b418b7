/** Reads the options of `NodeCustody` from the configuration. */
import * as EnvironmentConfig from "@effect-custody/core/EnvironmentConfig"
import { ConfigurationInvalid } from "@effect-custody/core/SdkError"
import { Wires } from "@effect-custody/core/unstable/Wires"
import * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

/** The keys of the session's store. */
export interface Keys {
  readonly sessionKey: Redacted.Redacted | undefined
  readonly previousSessionKeys: ReadonlyArray<Redacted.Redacted>
}

const optional = <A>(config: Config.Config<A>): Config.Config<A | undefined> => Config.withDefault(config, undefined)

const variables = Config.all({
  service: EnvironmentConfig.variables,
  sessionFile: optional(Config.NonEmptyString("CUSTODY_SESSION_FILE")),
  apiKey: EnvironmentConfig.apiKey,
  contractFile: optional(Config.NonEmptyString("CUSTODY_CONTRACT_FILE"))
})

const proxyVariables = Config.all({
  proxy: optional(Config.orElse(Config.Redacted("HTTPS_PROXY"), () => Config.Redacted("https_proxy"))),
  noProxy: optional(Config.orElse(Config.String("NO_PROXY"), () => Config.String("no_proxy")))
})

/** Reads the proxy. An empty variable counts as not set. */
export const proxy = Config.map(proxyVariables, ({ noProxy, proxy }) => ({
  noProxy,
  proxy: proxy === undefined || Redacted.value(proxy) === "" ? undefined : proxy
}))

const keyVariables = Config.all({
  sessionKey: optional(Config.Redacted("CUSTODY_SESSION_KEY")),
  previous: optional(Config.Redacted("CUSTODY_PREVIOUS_SESSION_KEYS"))
})

/**
 * `true` if a variable's name begins with `CUSTODY_SESSION_KEY`, even if the variable is empty. Asks the provider,
 * because `Config` cannot tell an empty variable from one that is not set.
 */
const namesSessionKey = Effect.gen(function* () {
  const provider = yield* ConfigProvider.ConfigProvider
  const lists = (path: ReadonlyArray<string>, name: string) =>
    Effect.map(provider.load([...path]), (node) => node?._tag === "Record" && node.keys.has(name))
  return (yield* lists(["CUSTODY", "SESSION"], "KEY")) || (yield* lists([], "CUSTODY_SESSION_KEY"))
}).pipe(Effect.orElseSucceed(() => false))

const invalid = (option: string, reason: string) => new ConfigurationInvalid({ option, reason })

export const keys: Effect.Effect<Keys, ConfigurationInvalid | Config.ConfigError> = Effect.gen(function* () {
  const { previous, sessionKey } = yield* keyVariables
  if (sessionKey === undefined && (yield* namesSessionKey)) {
    const reason =
      "is empty: give 32 bytes in base64 (a variable such as CUSTODY_SESSION_KEY_FILE is not read), or leave it out to " +
      "store the session in clear text"
    return yield* invalid("CUSTODY_SESSION_KEY", reason)
  }
  const parts = previous === undefined ? [] : Redacted.value(previous).split(",")
  const previousSessionKeys = parts.map((part) => Redacted.make(part.trim()))
  if (previousSessionKeys.some((key) => Redacted.value(key) === "")) {
    const reason = "has an empty part: separate its keys by one comma each"
    return yield* invalid("CUSTODY_PREVIOUS_SESSION_KEYS", reason)
  }
  return { sessionKey, previousSessionKeys }
})

/** Reads all options. Fails if variables are missing, contradict each other, or are wrong. */
export const settings = Effect.gen(function* () {
  const { apiKey, contractFile, service, sessionFile } = yield* variables
  const environment = yield* Effect.fromResult(
    EnvironmentConfig.fromVariables(service, { CUSTODY_SESSION_FILE: sessionFile })
  )
  const context = yield* Effect.context<never>()
  if (contractFile !== undefined && Context.getOrUndefined(context, Wires) !== undefined) {
    const doubt = "it is not certain which is meant. Keep one or the other"
    return yield* invalid("CUSTODY_CONTRACT_FILE", `set, and the program gives a contract of its own: ${doubt}`)
  }
  return { ...(yield* keys), environment, sessionFile: sessionFile ?? "", apiKey, contractFile }
})

/** The variable behind each option that the layer checks, so that the layer's error can name the variable. */
const optionVariables: Readonly<Record<string, string>> = {
  apiKey: "CUSTODY_API_KEY",
  sessionFile: "CUSTODY_SESSION_FILE",
  sessionKey: "CUSTODY_SESSION_KEY"
}

/** Turns an error about an option into an error about its variable. */
export const ofVariable = ({ option, reason }: ConfigurationInvalid): ConfigurationInvalid => {
  const [list, index] = option.split(".")
  return list === "previousSessionKeys"
    ? invalid("CUSTODY_PREVIOUS_SESSION_KEYS", `its key ${Number(index) + 1} ${reason}`)
    : invalid(optionVariables[option] ?? option, reason)
}

const inCode = "is code, which only the command custody reads: import it, and provide it with ServiceContract.layer"

/** The contract in a file. Loads the contract package and the whole API only if a file is set. */
export const contractLayer = (file: string | undefined): Layer.Layer<never, ConfigurationInvalid> => {
  if (file === undefined) return Layer.empty
  if (/\.[cm]?[jt]s$/.test(file)) return Layer.effectDiscard(invalid("CUSTODY_CONTRACT_FILE", `${file} ${inCode}`))
  return Layer.unwrap(
    Effect.map(
      Effect.promise(() =>
        Promise.all([
          // oxlint-disable-next-line no-restricted-imports -- on demand.
          import("@effect-custody/contract/ServiceContract"),
          import("@effect-custody/sdk/CustodyApi"),
          import("@effect/platform-node/NodeFileSystem")
        ])
      ),
      ([{ layerFile }, { CustodyApi }, NodeFileSystem]) =>
        Layer.provide(layerFile(file, CustodyApi), NodeFileSystem.layer)
    )
  ).pipe(Layer.catch(({ message }) => Layer.effectDiscard(invalid("CUSTODY_CONTRACT_FILE", message))))
}
