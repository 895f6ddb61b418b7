/**
 * An endpoint as data: its name, its safety class, and the codecs of its input and its payload.
 *
 * @since 0.1.0
 */
import type * as HttpMethod from "effect/http/HttpMethod"
import type * as Result from "effect/Result"
import type { Answer, ApiError } from "./ApiError.ts"
import type * as Contract from "./Contract.ts"
import type { RequestInvalid } from "./SdkError.ts"
import type { Wire } from "./Wire.ts"

/**
 * An encoded input, by its parts, under the names of our contract.
 *
 * @since 0.1.0
 * @category models
 */
export interface Encoded {
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, unknown>>
  readonly body: EncodedBody
}

/**
 * An encoded body, by the kind of its content.
 *
 * @since 0.1.0
 * @category models
 */
export type EncodedBody =
  | { readonly _tag: "None" }
  | { readonly _tag: "Json"; readonly fields: Readonly<Record<string, unknown>> }
  | { readonly _tag: "Multipart"; readonly fields: Readonly<Record<string, unknown>> }

/**
 * The method and path of an endpoint, as its contract has them.
 *
 * @since 0.1.0
 * @category models
 */
export interface Route {
  readonly method: HttpMethod.HttpMethod
  readonly path: string
}

/**
 * An operation that a `CustodyClient` can call: descriptions and codecs, without effects.
 *
 * @since 0.1.0
 * @category models
 */
export interface Operation<out A, out E> {
  readonly "~Error"?: E
  /** Its name, such as `vaults.details`. */
  readonly operation: string
  readonly route: Route
  readonly provenance: Contract.Provenance
  readonly safety: Contract.Safety
  /** The section of the specification that it rests on. */
  readonly section: string
  readonly lookUp: string | undefined
  /** The tags of the errors that it declares. */
  readonly declared: ReadonlySet<string>
  readonly encode: (input: unknown) => Result.Result<Encoded, RequestInvalid>
  /** The same, and how to look up what the input creates. Both are of the same values: the input is read once. */
  readonly prepare: (input: unknown) => Result.Result<Prepared<A>, RequestInvalid>
  /** Its wire as its contract assumes it. A `WireContract` may have another. */
  readonly wire: Wire
  /** The payload of an envelope, or what is wrong with it: `place` says where each of its fields is. */
  readonly decode: (envelope: unknown, place: Wire["place"]) => Result.Result<A, string>
  /** Whether a payload may be of the record that an input asks for. Absent where an input names no record. */
  readonly isAsked?: ((input: Encoded, payload: unknown) => boolean) | undefined
  /** The error for an error answer: one that the operation declares, or an `UnknownApiError`. */
  readonly decodeError: (answer: Answer) => ApiError
  /** The fields of the record that it answers with, or of each record of a list. */
  readonly fields: () => FieldNames
  /** What is known of an envelope whose payload cannot be read. */
  readonly unread: (envelope: unknown, place: Wire["place"]) => Unread
}

/**
 * The key under which the function of an endpoint holds its operation.
 *
 * @since 0.1.0
 * @category type ids
 */
export const TypeId = "~effect-custody/core/Operation"

/**
 * What holds an operation: the function of an endpoint.
 *
 * @since 0.1.0
 * @category models
 */
export interface Holder<out A, out E> {
  readonly [TypeId]: Operation<A, E>
}

/**
 * The operation that the function of an endpoint calls.
 *
 * @since 0.1.0
 * @category getters
 */
export const of = <A, E>(endpoint: Holder<A, E>): Operation<A, E> => endpoint[TypeId]

/**
 * An input that was read.
 *
 * @since 0.1.0
 * @category models
 */
export interface Prepared<out A> {
  readonly encoded: Encoded
  /** How to look up what it has created; `undefined` if it cannot be looked up by name. */
  readonly existing: Existing<A> | undefined
}

/**
 * The names of the fields of a record, each with those of the record, or of the list of records, that it holds.
 *
 * @since 0.1.0
 * @category models
 */
export interface FieldNames extends ReadonlyMap<string, FieldNames> {}

/**
 * What is known of an answer whose payload cannot be read.
 *
 * @since 0.1.0
 * @category models
 */
export interface Unread {
  /** What does not fit, such as `data.id is missing`; `undefined` where it can be read. */
  readonly issue: string | undefined
  /** The ids of the payload, and its status, hash and reference, if it has them. */
  readonly payload: Readonly<Record<string, string>>
}

/**
 * What a call creates under the names that its caller gives: how to find it, and whether an answer is about it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Existing<out A> {
  /** Reads one of the things that are created. */
  readonly operation: Operation<unknown, unknown>
  /** One for each thing that the input names, in its order. */
  readonly reads: ReadonlyArray<ExistingRead>
  /** The payload of the call, from the records that its reads have found. */
  readonly payload: (found: ReadonlyArray<unknown>) => A
  /** The payload of an answer, with its records in the order of the input; fails unless it shows the names of the input, each once, and no others. */
  readonly confirmed: (payload: unknown) => Result.Result<A, string>
}

/**
 * A read of one thing that a call creates.
 *
 * @since 0.1.0
 * @category models
 */
export interface ExistingRead {
  readonly input: unknown
  /** Whether a record shows the name of that thing; `isExact`: as it was given. */
  readonly isOf: (record: unknown, isExact: boolean) => boolean
}
