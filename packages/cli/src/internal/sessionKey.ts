/** `CUSTODY_SESSION_KEY` and `CUSTODY_PREVIOUS_SESSION_KEYS`, as `NodeCustody.layerConfig` reads them: an empty key is refused. */
import * as NodeCustody from "@effect-custody/node/NodeCustody"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Output from "./output.ts"

const key = Config.option(Config.Redacted("CUSTODY_SESSION_KEY"))

/** Whether the variable is set, and to something. */
export const state = Effect.gen(function* () {
  if (Option.isSome(yield* key)) return "set" as const
  const error = yield* Effect.flip(NodeCustody.sessionKeysConfig).pipe(Effect.option)
  const isEmpty = Option.exists(error, (one) => "option" in one && one.option === "CUSTODY_SESSION_KEY")
  return isEmpty ? ("empty" as const) : ("unset" as const)
})

/** The configured key and the former ones, as a store takes them. Fails if the variable of the key is empty. */
export const configured = Effect.gen(function* () {
  const { previousSessionKeys, sessionKey } = yield* Output.orFail(NodeCustody.sessionKeysConfig)
  return { key: sessionKey, previousKeys: previousSessionKeys }
})
