/**
 * The types of the API's operations by name: input, payload and errors. Derived from the sdk's functions, so that tests and
 * programs use the same types.
 *
 * @since 0.1.0
 */
import type { Amount } from "@effect-custody/core/Amount"
import type * as ApiError from "@effect-custody/core/ApiError"
import type * as Endpoint from "@effect-custody/core/Endpoint"
import type * as Lenient from "@effect-custody/core/Lenient"
import type { Unlisted } from "@effect-custody/core/OpenEnum"
import type * as Operation from "@effect-custody/core/unstable/Operation"
import * as Sdk from "@effect-custody/sdk"
import type * as Brand from "effect/Brand"
import type * as DateTime from "effect/DateTime"
import type * as Duration from "effect/Duration"
import type * as Redacted from "effect/Redacted"

type Categories = (typeof Sdk.CustodyApi)["categories"]

/**
 * Any endpoint function.
 *
 * @since 0.1.0
 * @category models
 */
export interface AnyEndpoint extends Operation.Any {
  (...input: ReadonlyArray<never>): unknown
}

/**
 * Every function of the API by the name of its operation, in the order of the specification.
 *
 * @since 0.1.0
 * @category constants
 */
export const functions: ReadonlyMap<string, AnyEndpoint> = new Map(
  Sdk.CustodyApi.operations.map((endpoint) => [endpoint.operation, endpoint as AnyEndpoint])
)

/**
 * The name of an operation, such as `transactions.send`.
 *
 * @since 0.1.0
 * @category models
 */
export type Name = { [C in keyof Categories]: `${C}.${keyof Categories[C] & string}` }[keyof Categories]

/**
 * The endpoint function of a name.
 *
 * @since 0.1.0
 * @category type-level
 */
export type Function<N extends Name> = N extends `${infer C extends keyof Categories}.${infer F}`
  ? F extends keyof Categories[C]
    ? Categories[C][F]
    : never
  : never

/**
 * The input of an operation.
 *
 * @since 0.1.0
 * @category type-level
 */
export type Input<N extends Name> = Endpoint.Input<Function<N>>

/**
 * The payload of an operation, or a page of a list.
 *
 * @since 0.1.0
 * @category type-level
 */
export type Payload<N extends Name> = Endpoint.Output<Function<N>>

/**
 * The errors of an operation.
 *
 * @since 0.1.0
 * @category type-level
 */
export type Failure<N extends Name> = Endpoint.Failure<Function<N>>

/**
 * The error answers of an operation.
 *
 * @since 0.1.0
 * @category type-level
 */
export type Refusal<N extends Name> = Extract<Failure<N>, ApiError.ApiError>

/** Object types that stay as they are. */
type Whole = Amount | DateTime.DateTime | Duration.Duration | Redacted.Redacted<any> | Uint8Array

/**
 * A payload as a test writes it, with plain strings for branded ids, and `extra` only where there is one.
 *
 * @since 0.1.0
 * @category type-level
 */
export type Written<A> =
  A extends Brand.Brand<any>
    ? A extends string
      ? string
      : A
    : A extends Unlisted
      ? string & {}
      : A extends Whole
        ? A
        : A extends ReadonlyArray<infer I>
          ? ReadonlyArray<Written<I>>
          : A extends Lenient.Fields
            ? { readonly [K in keyof A as K extends "extra" ? never : K]: Written<A[K]> } & Partial<Lenient.Fields>
            : A extends object
              ? { readonly [K in keyof A]: Written<A[K]> }
              : A
