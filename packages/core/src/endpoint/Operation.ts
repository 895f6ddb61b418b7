/** An endpoint as data: its name, its safety class, and the codecs of its input and its payload. */
import type * as Result from "effect/Result"
import type { Answer, ApiError } from "../errors/ApiError.ts"
import type * as EndpointSpec from "./EndpointSpec.ts"
import type { RequestInvalid } from "../errors/SdkError.ts"
import * as CanonicalJson from "../json/CanonicalJson.ts"
import type { Encoded, Route, Wire } from "./Wires.ts"

/** An operation for `CustodyClient.call`: descriptions and codecs, without effects. */
export interface Operation<out A, out E> {
  readonly "~Error"?: E
  /** The name, such as `vaults.details`. */
  readonly operation: string
  readonly route: Route
  readonly provenance: EndpointSpec.Provenance
  readonly safety: EndpointSpec.Safety
  /** The section of the specification that describes the endpoint. */
  readonly section: string
  readonly lookUp: string | undefined
  /** The tags of the declared errors. */
  readonly declared: ReadonlySet<string>
  readonly encode: (input: unknown) => Result.Result<Encoded, RequestInvalid>
  /** Encodes an input, and prepares the look-up of the records that the input creates. Reads the input once. */
  readonly prepare: (
    input: unknown
  ) => Result.Result<{ readonly encoded: Encoded; readonly existing: Existing<A> | undefined }, RequestInvalid>
  /** The assumed wire format. A `ServiceContract` may replace it. */
  readonly wire: Wire
  /**
   * Decodes the payload of an envelope, or says what is wrong with it. `place` finds each field in the service's
   * answer.
   */
  readonly decode: (envelope: unknown, place: Wire["place"]) => Result.Result<A, string>
  /**
   * `false` if a payload certainly shows a different record than requested. Absent if the operation's input has no
   * record id.
   */
  readonly isRequested?: ((input: Encoded, payload: unknown) => boolean) | undefined
  /** Makes the error of an error answer: a declared error or an `UnknownApiError`. */
  readonly decodeError: (answer: Answer) => ApiError
  /** The fields of the record in an answer, or of each record of a list. */
  readonly fields: () => FieldNames
  /**
   * Says what is wrong with an unreadable payload, such as `data.id is missing`, and returns the fields that identify
   * its record.
   */
  readonly unread: (
    envelope: unknown,
    place: Wire["place"]
  ) => { readonly issue: string | undefined; readonly payload: Readonly<Record<string, string>> }
}

/**
 * Finds the records that an attempt of a call may have created, by the names that the caller chose. Also checks that a
 * success shows exactly these names.
 */
export interface Existing<out A> {
  readonly operation: Operation<unknown, unknown>
  /** One read for each record that the input names, in the order of the input. */
  readonly reads: ReadonlyArray<ExistingRead>
  /** Makes the payload of the call from the records that `reads` found. */
  readonly payload: (found: ReadonlyArray<unknown>) => A
  /**
   * Returns the payload of an answer with its records in the order of the input. Fails unless the payload shows each
   * name of the input once, and no other name.
   */
  readonly confirmed: (payload: unknown) => Result.Result<A, string>
}

export interface ExistingRead {
  readonly input: unknown
  /** `true` if a record shows the requested name. With `isExact`, the spelling must be the same as in the input. */
  readonly matches: (record: unknown, isExact: boolean) => boolean
}

/** The key under which the function of an endpoint holds its operation. */
export const TypeId = "~effect-custody/core/Operation"

/** The function of an endpoint, which holds an operation. */
export interface Holder<out A, out E> {
  readonly [TypeId]: Operation<A, E>
}

/** Gets the operation that the function of an endpoint calls. */
export const of = <A, E>(endpoint: Holder<A, E>): Operation<A, E> => endpoint[TypeId]

/** The names of a record's fields. Each name leads to the names of the fields inside that field. */
export interface FieldNames extends ReadonlyMap<string, FieldNames> {}

/** Hashes an encoded input: see `CanonicalJson.hash`. */
export const fingerprint = (encoded: Encoded): string => CanonicalJson.hash(encoded)
