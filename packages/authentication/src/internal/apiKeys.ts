/** API keys to start with, in the order in which they may be tried. */
import { sha256 } from "@effect-custody/core/Sha256"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type { ApiKeySource } from "../ApiKeySource.ts"
import type { Key } from "./decision/model.ts"

/** Gives one key after the other, and then none. */
export type Keys = Effect.Effect<Key | undefined>

/** How long a source may think. */
const sourceTimeout = "30 seconds"

/** A key by the name that is remembered of it: its SHA-256, which does not give it away. */
export const keyOf = (apiKey: Redacted.Redacted): Key => ({ apiKey, fingerprint: sha256(Redacted.value(apiKey)) })

/** No key at all, or one. */
export const once = (key: Key | undefined): Keys => {
  let left = key
  return Effect.sync(() => {
    const next = left
    left = undefined
    return next
  })
}

/** The keys of a service: those it was given, then one of its source. A key of the source that was not sent is kept. */
export const make = (
  identity: string,
  given: () => { readonly apiKeys: ReadonlyArray<Redacted.Redacted>; readonly source: ApiKeySource }
) => {
  let spare: Key | undefined
  const fromSource = Effect.suspend(() => given().source.next(identity)).pipe(
    Effect.timeoutOrElse({ duration: sourceTimeout, orElse: () => Effect.succeedNone }),
    Effect.catchCause((cause) =>
      Effect.as(Effect.logError(`${identity}: the source of API keys failed`, cause), Option.none<Redacted.Redacted>())
    )
  )
  return {
    /** The keys for one start. */
    each: (): Keys => {
      const left = [...given().apiKeys]
      let stage: "given" | "spare" | "none" = "given"
      return Effect.gen(function* () {
        const next = left.shift()
        if (next !== undefined) return keyOf(next)
        if (stage === "given") {
          stage = "spare"
          if (spare !== undefined) return spare
        }
        if (stage === "none") return undefined
        // Asked for one more, also after the spare: it is good for nothing.
        stage = "none"
        const apiKey = yield* fromSource
        spare = Option.isSome(apiKey) ? keyOf(apiKey.value) : undefined
        return spare
      })
    },
    /** A key was sent: it is nobody's spare any more. */
    spent: (key: Key | undefined): void => {
      if (spare !== undefined && spare.fingerprint === key?.fingerprint) spare = undefined
    }
  }
}
