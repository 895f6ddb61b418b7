/** Which clients of this process use which session, so that two that have different API keys for one are noticed. */
import type { TokenStore } from "@effect-custody/authentication/TokenStore"
import type * as Environment from "@effect-custody/core/Environment"
import { ConfigurationInvalid } from "@effect-custody/core/SdkError"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"

/** What decides which session a client uses, and how it starts. */
export interface Configured {
  readonly environment: Environment.Environment
  readonly identity?: string | undefined
  readonly apiKey?: Redacted.Redacted | undefined
}

/** A client, or all clients of one key of a map. */
export interface Claim {
  /** How it is configured at present; none if that is not known any more. */
  readonly configured: () => Option.Option<Configured>
}

/** The session that a client uses: its identity in its environment. */
export const sessionOf = ({ environment, identity = "default" }: Configured): string =>
  `${identity} ${environment.baseUrl}`

/** By the session, for each store. A map may have thousands of clients, so this is kept small. */
const claimsOf = new WeakMap<TokenStore["Service"], Map<string, ReadonlyArray<Claim>>>()

/** Whether two clients have one session and different API keys. */
const contradict = (one: Configured, other: Configured): boolean =>
  other.apiKey !== undefined && sessionOf(one) === sessionOf(other) && !Equal.equals(one.apiKey, other.apiKey)

const refusal = ({ identity = "default" }: Configured) =>
  new ConfigurationInvalid({
    option: "identity",
    reason: `another client has the session "${identity}" of the same store, and another API key: each client needs an identity of its own, or a store of its own`
  })

/**
 * Notes that a client uses a session, until {@link leave}. Fails with `ConfigurationInvalid` if another one uses it with
 * another API key: the store keeps one session, so one of the two would act for the organization of the other. A client
 * without an API key is not noted.
 */
export const enter = (
  store: TokenStore["Service"],
  claim: Claim,
  configured: Configured
): Effect.Effect<void, ConfigurationInvalid> =>
  Effect.suspend(() => {
    if (configured.apiKey === undefined) return Effect.void
    const session = sessionOf(configured)
    const sessions = claimsOf.get(store) ?? new Map<string, ReadonlyArray<Claim>>()
    const claims = sessions.get(session) ?? []
    const isRefused = claims.some(
      (other) => other !== claim && Option.exists(other.configured(), (known) => contradict(configured, known))
    )
    if (isRefused) return Effect.fail(refusal(configured))
    if (!claims.includes(claim)) claimsOf.set(store, sessions.set(session, [...claims, claim]))
    return Effect.void
  })

/** Forgets claims. */
export const leave = (store: TokenStore["Service"], left: ReadonlySet<Claim>): Effect.Effect<void> =>
  Effect.sync(() => {
    const sessions = claimsOf.get(store) ?? new Map<string, ReadonlyArray<Claim>>()
    for (const [session, claims] of sessions) {
      const others = claims.filter((claim) => !left.has(claim))
      if (others.length === 0) sessions.delete(session)
      else if (others.length < claims.length) sessions.set(session, others)
    }
  })
