/** `CUSTODY_SESSION_KEY` and `CUSTODY_PREVIOUS_SESSION_KEYS`, as `NodeCustody.layerConfig` reads them: an empty key is refused. */
import * as NodeCustody from "@effect-custody/node/NodeCustody"
import * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Output from "./output.ts"

const key = Config.option(Config.Redacted("CUSTODY_SESSION_KEY"))

/** Whether the variable is set, even if it is empty: a provider reads an empty variable as none. */
const isNamed = Effect.gen(function* () {
  const provider = yield* ConfigProvider.ConfigProvider
  const lists = (path: ReadonlyArray<string>, name: string) =>
    Effect.map(provider.load([...path]), (node) => node?._tag === "Record" && node.keys.has(name))
  // Of the environment, a name is a path whose parts are joined by "_".
  return (yield* lists(["CUSTODY", "SESSION"], "KEY")) || (yield* lists([], "CUSTODY_SESSION_KEY"))
}).pipe(Effect.orElseSucceed(() => false))

const empty =
  "CUSTODY_SESSION_KEY is empty: give 32 bytes in base64, or leave it out to store the session in clear text"

/** Whether the variable is set, and to something. */
export const state = Effect.gen(function* () {
  if (Option.isSome(yield* key)) return "set" as const
  return (yield* isNamed) ? ("empty" as const) : ("unset" as const)
})

/** The configured key and the former ones, as a store takes them. Fails if the variable of the key is empty. */
export const configured = Effect.gen(function* () {
  if ((yield* Output.orFail(state)) === "empty") return yield* Output.failure(empty)
  const { previousSessionKeys, sessionKey } = yield* Output.orFail(NodeCustody.sessionKeysConfig)
  return { key: sessionKey, previousKeys: previousSessionKeys }
})
