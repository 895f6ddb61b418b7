/**
 * The wires in force. A wire turns an input into a request, and an answer into the envelope that our schemas read.
 *
 * @stability unstable
 */
import * as Context from "effect/Context"
import { identity } from "effect/Function"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as Result from "effect/Result"
import type { Tag } from "../errors/ApiError.ts"
import * as CanonicalJson from "../json/CanonicalJson.ts"
import type { Declaration, Route } from "./Declaration.ts"

/** The parts of an encoded input, under the SDK's field names. */
export interface Encoded {
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, unknown>>
  readonly body: EncodedBody
}

/** An encoded body by its content type. */
export type EncodedBody =
  | { readonly _tag: "None" }
  | { readonly _tag: "Json" | "Multipart"; readonly fields: Readonly<Record<string, unknown>> }

/** The reason why a wire cannot send a field of an input. */
export interface Issue {
  readonly path: ReadonlyArray<string>
  readonly message: string
}

/** The encoded input of a call and, for a list that pages by cursor, the cursor of the page. */
export interface WireInput {
  readonly encoded: Encoded
  readonly cursor?: string | undefined
  /** The base address of the service, for an answer with the address of the next page. */
  readonly baseUrl?: string | undefined
}

/** An error body in the specification's form, and the meaning that the contract gives to its code. */
export interface ErrorReading {
  readonly body: unknown
  readonly tag: Tag | undefined
  /**
   * `true` if a contract says what codes mean, or that a 404 is doubtful. Then `NotFound` is certain only if the answer
   * has a code with this meaning.
   */
  readonly listsNotFound?: boolean | undefined
  /**
   * `true` if the contract recognises the body as an error of the service, `false` if it does not. Absent: the
   * specification's error body decides. A body with a `tag` is always recognised.
   */
  readonly isOwn?: boolean | undefined
}

/** The headers of an answer, by their names in lower case. */
export type AnswerHeaders = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/** An answer, as the transport gives it to a wire. */
export interface Received {
  readonly status: number
  /** The JSON of the body; `undefined` if there is none. */
  readonly body: unknown
  readonly headers?: AnswerHeaders | undefined
}

/** A success: the SDK's envelope and, if the service pages by cursor, where the list goes on. */
export interface Success {
  readonly envelope: unknown
  /** The cursor of the next page. */
  readonly nextCursor?: string
  /** Without a `nextCursor`: `true` if another page follows all the same, `false` if this page is the last. */
  readonly hasNext?: boolean
}

/** A success, or the reason why it is no success after all. */
export type Reading = Result.Result<Success, string>

/** The wire of an operation: pure functions from the SDK's JSON to a request, and from an answer to the SDK's JSON. */
export interface Wire {
  /** The method and path, relative to the base address. */
  readonly route: Route
  /** Makes the request of a call, relative to the base address, or says why it cannot be sent. */
  readonly request: (input: WireInput) => Result.Result<HttpClientRequest.HttpClientRequest, ReadonlyArray<Issue>>
  /** Reads an answer. `undefined`: its status is not a success. */
  readonly answer: (received: Received, input: WireInput | undefined) => Reading | undefined
  /** Reads the body of an error answer. */
  readonly error: (body: unknown) => ErrorReading
  /** `true` if the contract lists the status as doubtful: the service may have acted. */
  readonly isDoubtful: (status: number) => boolean
  /**
   * Takes the path of a field in our envelope, such as `["data", "id"]`, and returns the path of keys that leads to
   * this field in the service's answer. List indices may be left out.
   */
  readonly place: (names: ReadonlyArray<string>) => ReadonlyArray<string>
  /** The filters of a list that work, according to the contract. Absent: none. */
  readonly proven?: ReadonlyArray<string> | undefined
  /** The fields of the input that the contract does not send. A call that gives an optional one of them is refused. */
  readonly omits?: ReadonlyArray<string> | undefined
}

/** The wires in force. A contract belongs to the declarations of its API: another endpoint with the same name has none. */
export interface Wires {
  /** `true` if an operation is confirmed, so that it may be called on a real service. */
  readonly confirms: (operation: Declaration) => boolean
  /** Gets the wire of an operation, or `undefined` for the assumed wire. */
  readonly wire: (operation: Declaration) => Wire | undefined
  /**
   * Gets a hash of the part of the contract that defines an operation's wire, or `undefined` for the assumed wire. Equal
   * hashes mean equal wires, unless code calls something whose change no example shows.
   */
  readonly fingerprint: (operation: Declaration) => string | undefined
}

/** The wires in force. Default: no operation is confirmed, and every wire is assumed. */
export const Wires = Context.Reference<Wires>("@effect-custody/core/Wire/Wires", {
  defaultValue: () => ({ confirms: () => false, wire: () => undefined, fingerprint: () => undefined })
})

/** Selects the contract of an operation, and says whether the contract confirms the operation. */
export const select = (
  operation: Declaration,
  ofClient: Wires,
  ofCall: Wires
): readonly [Wires, isConfirmed: boolean] => {
  // The client's contract comes first, because the contract provided to a call may belong to another client.
  if (ofClient.confirms(operation)) return [ofClient, true]
  if (ofCall.confirms(operation)) return [ofCall, true]
  return [ofClient.wire(operation) === undefined ? ofCall : ofClient, false]
}

/** What a contract says of one operation. */
export interface OperationFacts {
  /**
   * `false` if no contract confirms the operation. A call then fails with `UnconfirmedEndpoint`, except a read of a
   * sandbox.
   */
  readonly isConfirmed: boolean
  /** The filters of a list that work. */
  readonly proven: ReadonlyArray<string>
  /** The fields of the input that are not sent. A call that gives an optional one of them is refused. */
  readonly omits: ReadonlyArray<string>
  /** The path to a field in the service's answer, from its path in the SDK's envelope: `["data", "id"]`. */
  readonly place: Wire["place"]
}

/** What the wires in force say of an operation. */
export const factsOf = (wires: Wires, operation: Declaration): OperationFacts => {
  const { omits = [], place = identity, proven = [] } = wires.wire(operation) ?? {}
  return { isConfirmed: wires.confirms(operation) || operation.provenance === "specified", proven, omits, place }
}

/** The {@link fingerprint} if the wire of every operation is assumed. */
export const assumed = "assumed"

/** Combines the hashes of several operations, in any order. `select` gets the contract of an operation. */
export const fingerprint = (
  operations: ReadonlyArray<Declaration>,
  select: (operation: Declaration) => Wires
): string => {
  const each = [...new Set(operations)]
    .map((one) => [one.operation, select(one).fingerprint(one)] as const)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
  return each.every(([, hash]) => hash === undefined) ? assumed : CanonicalJson.hash(each).slice(0, 16)
}
