/** A category of the API: its contract, and the handler of each endpoint. */
import type * as Endpoint from "@effect-custody/core/Endpoint"
import type * as Lenient from "@effect-custody/core/Lenient"
import type * as Page from "@effect-custody/core/Page"
import type { Declaration } from "@effect-custody/core/siblings/Declaration"
import type * as Operation from "@effect-custody/core/siblings/Operation"
import type * as BigDecimal from "effect/BigDecimal"
import type * as DateTime from "effect/DateTime"
import type * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { TokenUse } from "../model/Received.ts"
import type { Answer, Refused } from "../http/answer.ts"
import type { InventedCode } from "../http/inventedCodes.ts"
import type { Vault, World } from "../state/world.ts"

/** The type of `data` in the envelope of an endpoint. */
type DataOf<A> = A extends Page.Page<infer I> ? ReadonlyArray<I> : A

/**
 * A record as a handler returns it: strings without brands, times as `DateTime`, absent fields as `undefined`, and without
 * `extra`, if the handler has none.
 */
type View<T> = T extends string
  ? string | DateTime.Utc
  : T extends BigDecimal.BigDecimal
    ? BigDecimal.BigDecimal
    : T extends Redacted.Redacted
      ? T
      : T extends ReadonlyArray<infer I>
        ? ReadonlyArray<View<I>>
        : T extends Lenient.Fields
          ? View<Omit<T, "extra">> & Partial<Lenient.Fields>
          : T extends object
            ? { readonly [K in keyof T]: View<T[K]> | ({} extends Pick<T, K> ? undefined : never) }
            : T

/** An authenticated and validated request. */
export interface Call<I> {
  readonly world: World
  /** The vault of the session. `undefined` at run time for the authentication endpoints, which do not read it. */
  readonly vault: Vault
  /** Milliseconds since the Unix epoch. */
  readonly now: number
  readonly input: I
  /** Records which session and generation the secret in the body belongs to. */
  readonly used: (use: TokenUse) => void
}

/** The steps of a handler: checks that may refuse the request, and then the answer. */
type Steps<A> = Generator<Result.Result<unknown, Refused>, A, any>

type Handler<I, A> = (call: Call<I>) => A | Steps<A>

/**
 * The handlers of a category's endpoints. They are synchronous, so that each request changes the state atomically.
 */
export type Handlers<M> = {
  readonly [N in keyof M]: Handler<Endpoint.Input<M[N]>, Answer<View<DataOf<Endpoint.Output<M[N]>>>>>
}

/** A category with its types erased, for the router. */
export interface Category {
  readonly endpoints: ReadonlyArray<Declaration>
  /** By the name of the operation. */
  readonly handlers: ReadonlyMap<string, (call: Call<any>) => Answer<unknown>>
  /** The error code of a 422, by operation. Operations that are not listed use the common code. */
  readonly validationCodes: ReadonlyMap<string, string | undefined>
}

const checked =
  (handler: Handler<any, Answer<unknown>>) =>
  (call: Call<any>): Answer<unknown> => {
    const answer = handler(call)
    return "_tag" in answer ? answer : Result.merge(Result.gen(() => answer))
  }

export const define = <M extends Readonly<Record<string, Operation.Any>>>(
  endpoints: M,
  handlers: Handlers<M>,
  validationCodes: { readonly [N in keyof M]?: InventedCode } = {}
): Category => {
  const entries = Object.entries(endpoints)
  return {
    endpoints: Object.values(endpoints),
    handlers: new Map(entries.map(([name, { operation }]) => [operation, checked(handlers[name]!)])),
    validationCodes: new Map(entries.map(([name, { operation }]) => [operation, validationCodes[name]]))
  }
}
