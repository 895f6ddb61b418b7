/** The API keys of this process's clients. Detects two clients of one session with different keys. */
import type { TokenStore } from "@effect-custody/authentication/TokenStore"
import type * as Environment from "@effect-custody/core/Environment"
import { ConfigurationInvalid } from "@effect-custody/core/SdkError"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import type * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"

/** The options of a client that select its session, and the options that start the session. */
export interface Configured {
  readonly environment: Environment.Environment
  readonly identity?: string | undefined
  readonly apiKey?: Redacted.Redacted | undefined
}

/** The name of the session of a client: its identity in its environment. */
export const sessionName = ({ environment, identity = "default" }: Configured): string =>
  `${identity} ${environment.baseUrl}`

type Claims = Map<object, Redacted.Redacted>

/** The API key of each client, by session, for each store. */
const claimsByStore = new WeakMap<TokenStore["Service"], Map<string, Claims>>()

/**
 * Claims a session for a client until the scope is closed. Fails with `ConfigurationInvalid` if another client has
 * claimed it with another API key: one of the two would act for the organization of the other.
 */
export const claim = (
  store: TokenStore["Service"],
  client: object,
  configured: Configured
): Effect.Effect<void, ConfigurationInvalid, Scope.Scope> =>
  Effect.suspend(() => {
    const { apiKey, identity = "default" } = configured
    if (apiKey === undefined) return Effect.void
    const session = sessionName(configured)
    const sessions = claimsByStore.get(store) ?? new Map<string, Claims>()
    const claims: Claims = sessions.get(session) ?? new Map()
    if ([...claims].some(([other, key]) => other !== client && !Equal.equals(key, apiKey))) {
      const reason = `another client has the session "${identity}" of the same store, and another API key: each client needs an identity of its own, or a store of its own`
      return Effect.fail(new ConfigurationInvalid({ option: "identity", reason }))
    }
    const isNew = !claims.has(client)
    claimsByStore.set(store, sessions.set(session, claims.set(client, apiKey)))
    const leave = Effect.sync(() => {
      claims.delete(client)
      if (claims.size === 0) sessions.delete(session)
    })
    return isNew ? Effect.addFinalizer(() => leave) : Effect.void
  })
