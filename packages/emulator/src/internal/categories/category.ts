/** A category of the API: its contract, and the handler of each endpoint. */
import type * as Contract from "@effect-custody/core/Contract"
import type * as Lenient from "@effect-custody/core/Lenient"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import type { TokenUse } from "../../Received.ts"
import type { Answer } from "../http/answer.ts"
import type { Vault, World } from "../state/world.ts"

type TypeOf<S> = [S] extends [never] ? undefined : S extends { readonly Type: infer T } ? T : undefined

/** The type of `data` in the envelope of an endpoint. */
type DataOf<S> = S extends { readonly Type: { readonly data: infer A } } ? A : never

/** An authenticated and validated request. */
export interface Call<C extends Contract.Any> {
  readonly world: World
  /** The vault of the session. Undefined for the authentication endpoints. */
  readonly vault: C["safety"] extends "session" ? undefined : Vault
  /** Milliseconds since the Unix epoch. */
  readonly now: number
  readonly params: TypeOf<C["~Params"]>
  readonly query: TypeOf<C["~Query"]>
  readonly payload: TypeOf<C["~Payload"]>
  /** Records which secret was in the body. */
  readonly used: (use: TokenUse) => void
}

/**
 * The handlers of a group's endpoints. They are synchronous, so that each request changes the state atomically.
 */
export type Handlers<G extends HttpApiGroup.Constraint> = {
  readonly [N in keyof G["endpoints"]]: G["endpoints"][N] extends infer C extends Contract.Any
    ? (call: Call<C>) => Answer<Lenient.Written<DataOf<C["~Success"]>>>
    : never
}

/** A category with its types erased, for the router. */
export interface Category {
  readonly group: HttpApiGroup.Constraint
  readonly handlers: Readonly<Record<string, (call: Call<Contract.Any>) => Answer<unknown>>>
  /** The codes of 422s, by endpoint. Without one, an endpoint uses the common code. */
  readonly validationCodes: Readonly<Record<string, string | undefined>>
}

/** Defines a category by its contract and its handlers. */
export const define = <G extends HttpApiGroup.Constraint>(
  group: G,
  handlers: Handlers<G>,
  options?: { readonly validationCodes?: { readonly [N in keyof G["endpoints"]]?: string } }
): Category => ({
  group,
  handlers: handlers as unknown as Category["handlers"],
  validationCodes: { ...options?.validationCodes }
})
