/** An endpoint as data: its name, its safety class, and the codecs of its input and its payload. */
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import type * as Result from "effect/Result"
import type { Answer, ApiError } from "../errors/ApiError.ts"
import type * as EndpointSpec from "./EndpointSpec.ts"
import type { RequestInvalid } from "../errors/SdkError.ts"
import type { Encoded, Route, Wire } from "./Wires.ts"

/** An operation that a `CustodyClient` can call: descriptions and codecs, without effects. */
export interface Operation<out A, out E> {
  readonly "~Error"?: E
  /** Its name, such as `vaults.details`. */
  readonly operation: string
  readonly route: Route
  readonly provenance: EndpointSpec.Provenance
  readonly safety: EndpointSpec.Safety
  /** The section of the specification that it rests on. */
  readonly section: string
  readonly lookUp: string | undefined
  /** The tags of the errors that it declares. */
  readonly declared: ReadonlySet<string>
  readonly encode: (input: unknown) => Result.Result<Encoded, RequestInvalid>
  /** The encoded input, and how to look up what it creates. The input is read once. */
  readonly prepare: (
    input: unknown
  ) => Result.Result<{ readonly encoded: Encoded; readonly existing: Existing<A> | undefined }, RequestInvalid>
  /** Its wire as its contract assumes it. A `ServiceContract` may have another. */
  readonly wire: Wire
  /** The payload of an envelope, or what is wrong with it: `place` says where each of its fields is. */
  readonly decode: (envelope: unknown, place: Wire["place"]) => Result.Result<A, string>
  /** Whether a payload may be of the record that an input asks for. Absent where an input names no record. */
  readonly isRequested?: ((input: Encoded, payload: unknown) => boolean) | undefined
  /** The error for an error answer: one that the operation declares, or an `UnknownApiError`. */
  readonly decodeError: (answer: Answer) => ApiError
  /** The fields of the record that it answers with, or of each record of a list. */
  readonly fields: () => FieldNames
  /** Of an envelope whose payload cannot be read: what does not fit, such as `data.id is missing`, and what identifies it. */
  readonly unread: (
    envelope: unknown,
    place: Wire["place"]
  ) => { readonly issue: string | undefined; readonly payload: Readonly<Record<string, string>> }
}

/** What a call creates under the names that its caller gives. */
export interface Existing<out A> {
  readonly operation: Operation<unknown, unknown>
  /** One for each thing that the input names, in its order. */
  readonly reads: ReadonlyArray<ExistingRead>
  /** The payload of the call, from the records that its reads have found. */
  readonly payload: (found: ReadonlyArray<unknown>) => A
  /** The payload of an answer in the order of the input; fails unless it shows each of its names once, and no others. */
  readonly confirmed: (payload: unknown) => Result.Result<A, string>
}

export interface ExistingRead {
  readonly input: unknown
  /** Checks that a record shows the name of the thing. `isExact`: the record shows the name as it was given. */
  readonly isOf: (record: unknown, isExact: boolean) => boolean
}

/** The key under which the function of an endpoint holds its operation. */
export const TypeId = "~effect-custody/core/Operation"

/** What holds an operation: the function of an endpoint. */
export interface Holder<out A, out E> {
  readonly [TypeId]: Operation<A, E>
}

/** The operation that the function of an endpoint calls. */
export const of = <A, E>(endpoint: Holder<A, E>): Operation<A, E> => endpoint[TypeId]

/** The names of the fields of a record, each with those of the record, or of the list of records, that it holds. */
export interface FieldNames extends ReadonlyMap<string, FieldNames> {}

/** Keys in one order, files by name, type and size. */
const canonical = (_: string, value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : value

/**
 * SHA-256 of an encoded input, hexadecimal. It is synchronous, unlike Web Crypto's: an error that is being made must not
 * wait, because a deadline can pass or an interruption can come meanwhile.
 */
export const fingerprint = (encoded: Encoded): string =>
  // oxlint-disable-next-line effecttsgo/prefer-schema-over-json -- it is never read again, and its keys are sorted here.
  bytesToHex(sha256(utf8ToBytes(JSON.stringify(encoded, canonical))))
