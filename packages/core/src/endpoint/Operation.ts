/**
 * An endpoint that a client can call: its declaration, and the codec that is made from it at first use.
 *
 * @stability unstable
 */
import * as Result from "effect/Result"
import type { RequestInvalid } from "../errors/SdkError.ts"
import * as CanonicalJson from "../json/CanonicalJson.ts"
import type { Declaration } from "./Declaration.ts"
import type { Encoded, Wire } from "./Wires.ts"

/** The key of an endpoint's codec. */
export const TypeId = "~effect-custody/core/Operation"

/** An endpoint for `CustodyClient.call`. */
export interface Operation<out A, out E> extends Declaration {
  readonly "~Error"?: E
  readonly [TypeId]: Codec<A>
}

/** Any endpoint. */
export interface Any extends Operation<unknown, unknown> {}

/**
 * Finds the records that an attempt of a call may have created, by the names that the caller chose. Also checks that a
 * success shows exactly these names.
 */
export interface Existing<out A> {
  readonly operation: Any
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

/** A checked input, and the look-up of the records that it creates. */
export interface Prepared<out A> {
  readonly encoded: Encoded
  readonly existing: Existing<A> | undefined
}

/** The two directions of an endpoint, between the function's values and the SDK's JSON. Pure. */
export interface Codec<out A> {
  /** Checks and encodes an input. Reads the input once. */
  readonly prepare: (input: unknown) => Result.Result<Prepared<A>, RequestInvalid>
  /** Decodes the payload of an envelope, or says what is wrong with it. */
  readonly decode: (envelope: unknown, place: Wire["place"]) => Result.Result<A, string>
  /** The wire without a `ServiceContract`. */
  readonly wire: Wire
}

export const codec = <A, E>(operation: Operation<A, E>): Codec<A> => operation[TypeId]

export const encode = (operation: Any, input: unknown): Result.Result<Encoded, RequestInvalid> =>
  Result.map(codec(operation).prepare(input), ({ encoded }) => encoded)

/** Hashes an encoded input: see `CanonicalJson.hash`. */
export const fingerprint = (encoded: Encoded): string => CanonicalJson.hash(encoded)
