/** Reads the options of `NodeCustody` from the configuration. */
import type { Environment } from "@effect-custody/core/Environment"
import { ConfigurationInvalid } from "@effect-custody/core/SdkError"
import { Wires } from "@effect-custody/core/siblings/Wires"
import * as EnvironmentConfig from "@effect-custody/sdk/EnvironmentConfig"
import * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Module from "node:module"
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"

/** The keys of the session's store. */
export interface Keys {
  readonly sessionKey: Redacted.Redacted | undefined
  readonly previousSessionKeys: ReadonlyArray<Redacted.Redacted>
}

const optional = <A>(config: Config.Config<A>): Config.Config<A | undefined> => Config.withDefault(config, undefined)

/** Options of the program. Each replaces what its variables say. */
interface Given {
  readonly sessionKey?: Redacted.Redacted | undefined
  readonly previousSessionKeys?: ReadonlyArray<Redacted.Redacted> | undefined
  readonly environment?: Environment | undefined
  readonly sessionFile?: string | undefined
  readonly apiKey?: Redacted.Redacted | undefined
}

const or = <A>(given: A | undefined, config: Config.Config<A>): Config.Config<A> =>
  given === undefined ? config : Config.succeed(given)

const sessionFileVariable = optional(Config.NonEmptyString("CUSTODY_SESSION_FILE"))
const contractFileVariable = optional(Config.NonEmptyString("CUSTODY_CONTRACT_FILE"))

const proxyVariables = Config.all({
  proxy: optional(Config.orElse(Config.Redacted("HTTPS_PROXY"), () => Config.Redacted("https_proxy"))),
  noProxy: optional(Config.orElse(Config.String("NO_PROXY"), () => Config.String("no_proxy")))
})

/** Reads the proxy. An empty variable counts as not set. */
export const proxy = Config.map(proxyVariables, ({ noProxy, proxy }) => ({
  noProxy,
  proxy: proxy === undefined || Redacted.value(proxy) === "" ? undefined : proxy
}))

const sessionKeyVariable = optional(Config.Redacted("CUSTODY_SESSION_KEY"))
const previousKeysVariable = optional(Config.Redacted("CUSTODY_PREVIOUS_SESSION_KEYS"))

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

const previousKeys = Effect.gen(function* () {
  const previous = yield* previousKeysVariable
  const parts = previous === undefined ? [] : Redacted.value(previous).split(",")
  const keys = parts.map((part) => Redacted.make(part.trim()))
  if (keys.some((key) => Redacted.value(key) === "")) {
    const reason = "has an empty part: separate its keys by one comma each"
    return yield* invalid("CUSTODY_PREVIOUS_SESSION_KEYS", reason)
  }
  return keys
})

export const keys = Effect.fnUntraced(function* (
  given: Given
): Effect.fn.Return<Keys, ConfigurationInvalid | Config.ConfigError> {
  const sessionKey = yield* or(given.sessionKey, sessionKeyVariable)
  if (sessionKey === undefined && (yield* namesSessionKey)) {
    const reason =
      "is empty: give 32 bytes in base64 (a variable such as CUSTODY_SESSION_KEY_FILE is not read), or leave it out to " +
      "store the session in clear text"
    return yield* invalid("CUSTODY_SESSION_KEY", reason)
  }
  return { sessionKey, previousSessionKeys: given.previousSessionKeys ?? (yield* previousKeys) }
})

/** Reads all options that are not given. Fails if variables are missing, contradict each other, or are wrong. */
export const settings = Effect.fnUntraced(function* (given: Given) {
  const sessionFile = yield* or(given.sessionFile, sessionFileVariable)
  const service = Effect.flatMap(EnvironmentConfig.variables, (variables) =>
    Effect.fromResult(EnvironmentConfig.fromVariables(variables, { CUSTODY_SESSION_FILE: sessionFile }))
  )
  const environment = given.environment ?? (yield* service)
  const contractFile = yield* contractFileVariable
  const context = yield* Effect.context<never>()
  if (contractFile !== undefined && Context.getOrUndefined(context, Wires) !== undefined) {
    const doubt = "it is not certain which is meant. Keep one or the other"
    return yield* invalid("CUSTODY_CONTRACT_FILE", `set, and the program gives a contract of its own: ${doubt}`)
  }
  // A key works once, and belongs to the service that the variables name: it must not reach another one.
  const apiKey = given.environment === undefined ? yield* or(given.apiKey, EnvironmentConfig.apiKey) : given.apiKey
  return { ...(yield* keys(given)), environment, sessionFile: sessionFile ?? "", apiKey, contractFile }
})

/** The variable behind each option that the layer checks, so that the layer's error can name the variable. */
const optionVariables: Readonly<Record<string, string>> = {
  apiKey: "CUSTODY_API_KEY",
  sessionFile: "CUSTODY_SESSION_FILE",
  sessionKey: "CUSTODY_SESSION_KEY",
  previousSessionKeys: "CUSTODY_PREVIOUS_SESSION_KEYS"
}

/** Turns an error about an option that is not given into an error about its variable. */
export const ofVariable =
  (given: Given) =>
  (error: ConfigurationInvalid): ConfigurationInvalid => {
    const [option = "", index] = error.option.split(".")
    const variable = optionVariables[option]
    if (variable === undefined || option in given) return error
    return invalid(variable, index === undefined ? error.reason : `its key ${Number(index) + 1} ${error.reason}`)
  }

/**
 * Imports a module outside of this program's packages. What it imports of Effect and of the SDK are this program's own
 * copies: an adapter belongs to the endpoints of exactly one copy.
 */
const load = (url: string): Promise<{ readonly default?: unknown }> => {
  const [, main] = process.argv
  // Bun and older versions of Node have no such hooks: there, the file finds its own copies.
  const hooks = (Module as Partial<typeof Module>).registerHooks?.({
    resolve: (specifier, context, next) => {
      const isOurs = /^(?:@effect-custody\/|effect(?:\/|$))/.test(specifier)
      if (!isOurs || context.parentURL?.includes("/node_modules/") === true) return next(specifier, context)
      for (const parentURL of [import.meta.url, ...(main === undefined ? [] : [pathToFileURL(main).href])]) {
        try {
          return next(specifier, { ...context, parentURL })
        } catch {
          // The next one may have it.
        }
      }
      return next(specifier, context)
    }
  })
  return import(url).finally(() => hooks?.deregister())
}

const isContract = (value: unknown): value is Layer.Layer<never, ConfigurationInvalid> => Layer.isLayer(value)

/** The contract in a file: the default export of a module. Node reads TypeScript whose types can be erased. */
export const contractLayer = (file: string): Layer.Layer<never, ConfigurationInvalid> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { default: contract } = yield* Effect.tryPromise({
        try: () => load(pathToFileURL(resolve(file)).href),
        catch: (error) => invalid("CUSTODY_CONTRACT_FILE", `${file}: ${String(error)}`)
      })
      if (!isContract(contract)) {
        const reason = `${file} must export a layer of adapters: export default Adapter.layer([…])`
        return yield* invalid("CUSTODY_CONTRACT_FILE", reason)
      }
      return Layer.catch(contract, ({ message }) =>
        Layer.effectDiscard(invalid("CUSTODY_CONTRACT_FILE", `${file}: ${message}`))
      )
    })
  )
