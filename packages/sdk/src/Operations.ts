/**
 * The operations of the API by name, such as `transactions.send`: the function of each, and the types of its input,
 * payload and errors.
 *
 * @since 0.1.0
 */
import type * as ApiError from "@effect-custody/core/ApiError"
import type * as Endpoint from "@effect-custody/core/Endpoint"
import type * as Operation from "@effect-custody/core/siblings/Operation"
import { CustodyApi } from "./CustodyApi.ts"
import * as Summaries from "./internal/summaries.ts"

type Categories = (typeof CustodyApi)["categories"]

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
  CustodyApi.operations.map((endpoint) => [endpoint.operation, endpoint as AnyEndpoint])
)

/**
 * A sentence about each operation, by the operation's name.
 *
 * @since 0.1.0
 * @category constants
 */
export const summaries: Readonly<Record<string, string>> = Summaries.operations

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
