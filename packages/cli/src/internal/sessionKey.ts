/** `CUSTODY_SESSION_KEY` and `CUSTODY_PREVIOUS_SESSION_KEYS`, as `NodeCustody.layerConfig` reads and checks them. */
import * as NodeCustody from "@effect-custody/node/NodeCustody"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Output from "./output.ts"

const key = Config.option(Config.Redacted("CUSTODY_SESSION_KEY"))

/** `set`, `unset`, or what is wrong with the key. */
export const state = Effect.gen(function* () {
  const error = yield* Effect.option(Effect.flip(NodeCustody.sessionKeysConfig))
  if (Option.isSome(error) && "option" in error.value && error.value.option === "CUSTODY_SESSION_KEY") {
    return { wrong: error.value.message }
  }
  return Option.isSome(yield* key) ? ("set" as const) : ("unset" as const)
})

/** The configured key and the previous ones, in the form that a store takes. Fails if one of them is not a key. */
export const configured = Effect.gen(function* () {
  const { previousSessionKeys, sessionKey } = yield* Output.orFail(NodeCustody.sessionKeysConfig)
  return { key: sessionKey, previousKeys: previousSessionKeys }
})
