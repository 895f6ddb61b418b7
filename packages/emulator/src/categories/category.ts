/** A category of the API: its contract, and the handler of each endpoint. */
import type * as EndpointSpec from "@effect-custody/core/EndpointSpec"
import type * as Lenient from "@effect-custody/core/Lenient"
import type * as BigDecimal from "effect/BigDecimal"
import type * as DateTime from "effect/DateTime"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Record from "effect/Record"
import type * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { TokenUse } from "../model/Received.ts"
import type { Answer, Refused } from "../http/answer.ts"
import type { InventedCode } from "../http/inventedCodes.ts"
import type { Vault, World } from "../state/world.ts"

type TypeOf<S> = [S] extends [never] ? undefined : S extends { readonly Type: infer T } ? T : undefined

/** The type of `data` in the envelope of an endpoint. */
type DataOf<S> = S extends { readonly Type: { readonly data: infer A } } ? A : never

/** A record as a handler returns it: strings without brands, times as `DateTime`, absent fields as `undefined`. */
type View<T> = T extends string
  ? string | DateTime.Utc
  : T extends BigDecimal.BigDecimal
    ? BigDecimal.BigDecimal
    : T extends Redacted.Redacted
      ? T
      : T extends ReadonlyArray<infer I>
        ? ReadonlyArray<View<I>>
        : T extends object
          ? { readonly [K in keyof T]: View<T[K]> | ({} extends Pick<T, K> ? undefined : never) }
          : T

/** An authenticated and validated request. */
export interface Call<C extends EndpointSpec.Any> {
  readonly world: World
  /** The vault of the session. `undefined` for the authentication endpoints. */
  readonly vault: C["safety"] extends "session" ? undefined : Vault
  /** Milliseconds since the Unix epoch. */
  readonly now: number
  readonly params: TypeOf<C["~Params"]>
  readonly query: TypeOf<C["~Query"]>
  readonly payload: TypeOf<C["~Payload"]>
  /** Records which session and generation the secret in the body belongs to. */
  readonly used: (use: TokenUse) => void
}

/** The steps of a handler: checks that may refuse the request, and then the answer. */
type Steps<A> = Generator<Result.Result<unknown, Refused>, A, any>

/**
 * The handlers of a group's endpoints. They are synchronous, so that each request changes the state atomically.
 */
export type Handlers<G extends HttpApiGroup.Constraint> = {
  readonly [N in keyof G["endpoints"]]: G["endpoints"][N] extends infer C extends EndpointSpec.Any
    ? Handler<C, Answer<View<Lenient.Written<DataOf<C["~Success"]>>>>>
    : never
}

type Handler<C extends EndpointSpec.Any, A> = (call: Call<C>) => A | Steps<A>

/** A category with its types erased, for the router. */
export interface Category {
  readonly group: HttpApiGroup.Constraint
  readonly handlers: Readonly<Record<string, (call: Call<EndpointSpec.Any>) => Answer<unknown>>>
  /** The error code of a 422, by endpoint. Endpoints that are not listed use the common code. */
  readonly validationCodes: Readonly<Record<string, string | undefined>>
}

const checked =
  (handler: Handler<EndpointSpec.Any, Answer<unknown>>): Category["handlers"][string] =>
  (call) => {
    const answer = handler(call)
    return "_tag" in answer ? answer : Result.merge(Result.gen(() => answer))
  }

export const define = <G extends HttpApiGroup.Constraint>(
  group: G,
  handlers: Handlers<G>,
  validationCodes: { readonly [N in keyof G["endpoints"]]?: InventedCode } = {}
): Category => ({
  group,
  handlers: Record.map(handlers as unknown as Record<string, Handler<EndpointSpec.Any, Answer<unknown>>>, checked),
  validationCodes: { ...validationCodes }
})
