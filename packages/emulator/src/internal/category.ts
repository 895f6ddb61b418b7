/**
 * A category of the API: its contract, and what the service does for each of its endpoints.
 */
import type * as Contract from "@effect-custody/core/Contract"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import type { TokenUse } from "../Received.ts"
import type { Answer } from "./answer.ts"
import type { Vault, World } from "./world.ts"

type TypeOf<S> = [S] extends [never] ? undefined : S extends { readonly Type: infer T } ? T : undefined

/** What the envelope of an endpoint holds under `data`. */
type DataOf<S> = S extends { readonly Type: { readonly data: infer A } } ? A : never

/** A request that the contract and the token have let through. */
export interface Call<C extends Contract.Any> {
  readonly world: World
  /** The vault of the session. The authentication endpoints have none yet. */
  readonly vault: C["safety"] extends "session" ? undefined : Vault
  /** Milliseconds since the Unix epoch. */
  readonly now: number
  readonly params: TypeOf<C["~Params"]>
  readonly query: TypeOf<C["~Query"]>
  readonly payload: TypeOf<C["~Payload"]>
  /** Says which secret came in the body. */
  readonly used: (use: TokenUse) => void
}

/**
 * What the service does for each endpoint of a group: at once, and without waiting, so that no two requests ever
 * overlap in the state.
 */
export type Handlers<G extends HttpApiGroup.Constraint> = {
  readonly [N in keyof G["endpoints"]]: G["endpoints"][N] extends infer C extends Contract.Any
    ? (call: Call<C>) => Answer<DataOf<C["~Success"]>>
    : never
}

/** A category, ready to be routed. */
export interface Category {
  readonly group: HttpApiGroup.Constraint
  readonly handlers: Readonly<Record<string, (call: Call<Contract.Any>) => Answer<unknown>>>
  /** The codes of 422s, by endpoint, where it has its own. */
  readonly validationCodes: Readonly<Record<string, string | undefined>>
}

/** A category from its contract and its handlers. */
export const define = <G extends HttpApiGroup.Constraint>(
  group: G,
  handlers: Handlers<G>,
  options?: { readonly validationCodes?: { readonly [N in keyof G["endpoints"]]?: string } }
): Category => ({
  group,
  handlers: handlers as unknown as Category["handlers"],
  validationCodes: { ...options?.validationCodes }
})
