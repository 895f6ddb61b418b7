/**
 * The operations of the API by name, each with what it takes, what it gives and how it can fail: derived from the sdk's
 * functions, so that a test is held to the same types as a program.
 */
import type { Amount } from "@effect-custody/core/Amount"
import type * as ApiError from "@effect-custody/core/ApiError"
import type * as Contract from "@effect-custody/core/Contract"
import type * as Endpoint from "@effect-custody/core/Endpoint"
import type * as Sdk from "@effect-custody/sdk"
import type * as Brand from "effect/Brand"
import type * as DateTime from "effect/DateTime"
import type * as Duration from "effect/Duration"
import type * as Redacted from "effect/Redacted"

/** The sdk's namespaces under the names that operations have. */
interface Namespaces {
  readonly authentication: typeof Sdk.Authentication
  readonly clients: typeof Sdk.Clients
  readonly wallets: typeof Sdk.Wallets
  readonly vaults: typeof Sdk.Vaults
  readonly transactions: typeof Sdk.Transactions
  readonly assets: typeof Sdk.Assets
  readonly tokens: typeof Sdk.Tokens
  readonly nfts: typeof Sdk.Nfts
  readonly paymentOrders: typeof Sdk.PaymentOrders
  readonly fiatGateway: typeof Sdk.FiatGateway
}

/** Any endpoint function. */
export interface AnyEndpoint {
  (...input: ReadonlyArray<never>): unknown
  readonly operation: string
  readonly contract: Contract.Any
}

type NamesIn<Category extends string, Functions> = {
  [F in keyof Functions & string]: Functions[F] extends AnyEndpoint ? `${Category}.${F}` : never
}[keyof Functions & string]

/** The name of an operation, such as `transactions.send`. */
export type Name = { [C in keyof Namespaces]: NamesIn<C, Namespaces[C]> }[keyof Namespaces]

/** The endpoint function of a name. */
export type Function<N extends Name> = N extends `${infer C extends keyof Namespaces}.${infer F}`
  ? F extends keyof Namespaces[C]
    ? Namespaces[C][F]
    : never
  : never

/** What an endpoint takes. */
export type InputOf<F> = F extends Endpoint.Endpoint<infer I, infer _A, infer _E> ? I : never

/** What an endpoint gives. */
export type PayloadOf<F> = F extends Endpoint.Endpoint<infer _I, infer A, infer _E> ? A : never

/** How an endpoint can fail. */
export type FailureOf<F> = F extends Endpoint.Endpoint<infer _I, infer _A, infer E> ? E : never

/** What an operation takes. */
export type Input<N extends Name> = InputOf<Function<N>>

/** What an operation gives: its payload, or a page of a list. */
export type Payload<N extends Name> = PayloadOf<Function<N>>

/** How an operation can fail. */
export type Failure<N extends Name> = FailureOf<Function<N>>

/** How the service can say no to an operation. */
export type Refusal<N extends Name> = Extract<Failure<N>, ApiError.ApiError>

/** What is one value, however many properties it has. */
type Whole = Amount | DateTime.DateTime | Duration.Duration | Redacted.Redacted<any> | Uint8Array

/** A payload as a test writes it: where the service names things, a plain string will do. */
export type Written<A> =
  A extends Brand.Brand<any>
    ? A extends string
      ? string
      : A
    : A extends Whole
      ? A
      : A extends ReadonlyArray<infer I>
        ? ReadonlyArray<Written<I>>
        : A extends object
          ? { readonly [K in keyof A]: Written<A[K]> }
          : A
