/** The API keys that can start a session, in the order in which they are tried. */
import * as Defect from "@effect-custody/core/Defect"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { ApiKey, isSecret, type Key, sameSecret, withFingerprint } from "../endpoint/records.ts"
import { isSpent, type SessionRecord } from "../store/Session.ts"
import type { ApiKeySource } from "./ApiKeySource.ts"
import { type Parts, withMarks } from "./sessionState.ts"

const encodeApiKey = Schema.encodeOption(ApiKey)

export const apiKeyRule = "must be 1 to 255 characters, without white space at its beginning and end"

/** `true` if an API key can be sent. A key from a file may end with a newline, and the service would refuse it. */
export const isApiKey = (apiKey: Redacted.Redacted): boolean =>
  isSecret(apiKey) && Option.exists(encodeApiKey(apiKey), (key) => key.trim() === key)

export type Candidate = Effect.Effect<Key | undefined>

export interface ApiKeys extends ReturnType<typeof make> {}

export const make = ({ identity, state }: Parts, apiKey: Redacted.Redacted | undefined, source: ApiKeySource) => {
  const configured: Candidate = Effect.sync(() => (apiKey === undefined ? undefined : withFingerprint(apiKey)))

  /** Fetches a key from the source, and caches the key until it is sent. */
  const fetched: Candidate = Effect.suspend(() => source.next(identity.name)).pipe(
    Effect.timeoutOrElse({ duration: "30 seconds", orElse: () => Effect.succeedNone }),
    Effect.filterOrFail(Option.match({ onNone: () => true, onSome: isApiKey }), () => new Error(apiKeyRule)),
    Effect.catchCause((cause) =>
      Effect.as(
        Defect.report(`${identity.name}: the source of API keys failed`, cause),
        Option.none<Redacted.Redacted>()
      )
    ),
    Effect.map((next) => (Option.isSome(next) ? withFingerprint(next.value) : undefined)),
    Effect.tap((cachedKey) => state.update({ cachedKey }))
  )

  return {
    /** Each candidate is tried only if the earlier candidates cannot be used. */
    candidates: [configured, Effect.map(state.get, ({ cachedKey }) => cachedKey), fetched] as ReadonlyArray<Candidate>,

    /** Updates `hasUnusedKey` from a loaded record. */
    noteUnused: (record: SessionRecord): Effect.Effect<void> =>
      state.update((known) => ({
        hasUnusedKey: apiKey !== undefined && !isSpent(withMarks(record, known), apiKey)
      })),

    /** Forgets a key that was sent, because it must not be used again. */
    spent: (key: Key): Effect.Effect<void> =>
      state.update(({ cachedKey, hasUnusedKey }) => ({
        cachedKey: cachedKey?.fingerprint === key.fingerprint ? undefined : cachedKey,
        hasUnusedKey: hasUnusedKey && !sameSecret(key.apiKey, apiKey)
      }))
  }
}
