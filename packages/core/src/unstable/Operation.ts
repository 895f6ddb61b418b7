/** An endpoint as data: its name, its safety class, and the codecs of its input and its payload. */
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import type * as HttpMethod from "effect/http/HttpMethod"
import type * as Result from "effect/Result"
import type { Answer, ApiError } from "../ApiError.ts"
import type * as Contract from "../Contract.ts"
import type { Existing } from "../internal/existing.ts"
import type { RequestInvalid } from "../SdkError.ts"
import type { Wire } from "./Wires.ts"

/** An encoded input, by its parts, under the names of our contract. */
export interface Encoded {
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, unknown>>
  readonly body: EncodedBody
}

/** An encoded body, by the kind of its content. */
export type EncodedBody =
  | { readonly _tag: "None" }
  | { readonly _tag: "Json" | "Multipart"; readonly fields: Readonly<Record<string, unknown>> }

/** The method and path of an endpoint, as its contract has them. */
export interface Route {
  readonly method: HttpMethod.HttpMethod
  readonly path: string
}

/** An operation that a `CustodyClient` can call: descriptions and codecs, without effects. */
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
  /** The encoded input, and how to look up what it creates. The input is read once. */
  readonly prepare: (
    input: unknown
  ) => Result.Result<{ readonly encoded: Encoded; readonly existing: Existing<A> | undefined }, RequestInvalid>
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
  /** Of an envelope whose payload cannot be read: what does not fit, such as `data.id is missing`, and what identifies it. */
  readonly unread: (
    envelope: unknown,
    place: Wire["place"]
  ) => { readonly issue: string | undefined; readonly payload: Readonly<Record<string, string>> }
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
