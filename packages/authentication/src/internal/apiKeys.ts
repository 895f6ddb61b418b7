/** The API keys that a session can start with, in the order in which they are tried. */
import * as Defect from "@effect-custody/core/Defect"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import type { ApiKeySource } from "../ApiKeySource.ts"
import { isSpent, type SessionRecord } from "../Session.ts"
import { type Key, sameSecret } from "./decision/model.ts"
import { fingerprintOf } from "./fingerprint.ts"
import { apiKeyRule, isApiKey } from "./options.ts"
import { withKnownKeys } from "./sessionMemory.ts"
import type { Parts } from "./sessionState.ts"

export type Candidate = Effect.Effect<Key | undefined>

export interface ApiKeys extends ReturnType<typeof make> {}

export const fingerprinted = (apiKey: Redacted.Redacted): Key => ({ apiKey, fingerprint: fingerprintOf(apiKey) })

export const make = ({ identity, state }: Parts, apiKey: Redacted.Redacted | undefined, source: ApiKeySource) => {
  const given: Candidate = Effect.sync(() => (apiKey === undefined ? undefined : fingerprinted(apiKey)))

  /** Asks the source, and caches the key until it is sent. */
  const fetched: Candidate = Effect.suspend(() => source.next(identity.name)).pipe(
    Effect.timeoutOrElse({ duration: "30 seconds", orElse: () => Effect.succeedNone }),
    Effect.filterOrFail(Option.match({ onNone: () => true, onSome: isApiKey }), () => new Error(apiKeyRule)),
    Effect.catchCause((cause) =>
      Effect.as(
        Defect.report(`${identity.name}: the source of API keys failed`, cause),
        Option.none<Redacted.Redacted>()
      )
    ),
    Effect.map((next) => (Option.isSome(next) ? fingerprinted(next.value) : undefined)),
    Effect.tap((cachedKey) => state.update({ cachedKey }))
  )

  return {
    /** Each is tried only if those before it cannot be used. */
    candidates: [given, Effect.map(state.get, ({ cachedKey }) => cachedKey), fetched] as ReadonlyArray<Candidate>,

    /** Notes whether the configured key was never sent, according to a record. */
    noteUnused: (record: SessionRecord): Effect.Effect<void> =>
      state.update((known) => ({
        hasUnusedKey: apiKey !== undefined && !isSpent(withKnownKeys(record, known), apiKey)
      })),

    /** The key was sent: it must not be used again. */
    spent: (key: Key): Effect.Effect<void> =>
      state.update(({ cachedKey, hasUnusedKey }) => ({
        cachedKey: cachedKey?.fingerprint === key.fingerprint ? undefined : cachedKey,
        hasUnusedKey: hasUnusedKey && !sameSecret(key.apiKey, apiKey)
      }))
  }
}
