/** The wires in force: what turns an input into a request, and an answer into the envelope that our schemas read. */
import * as Context from "effect/Context"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpMethod from "effect/http/HttpMethod"
import type * as Result from "effect/Result"
import type { Tag } from "../errors/ApiError.ts"

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

/** Why a field of an input cannot be sent on a wire. */
export interface Issue {
  readonly path: ReadonlyArray<string>
  readonly message: string
}

/** The encoded input of a call and, in a list that is paged by cursor, the cursor of its page. */
export interface WireInput {
  readonly encoded: Encoded
  readonly cursor?: string | undefined
}

/** An error body in the specification's form, and the meaning of its code if the contract has one. */
export interface ErrorReading {
  readonly body: unknown
  readonly tag: Tag | undefined
  /** Whether only a code that the contract lists makes `NotFound` certain: it lists some, or calls 404 doubtful. */
  readonly listsNotFound?: boolean | undefined
}

/** The wire of an operation: pure functions. */
export interface Wire {
  /** The method and path, relative to the base address. */
  readonly route: Route
  /** The request of a call, relative to the base address, or why it cannot be sent. */
  readonly request: (input: WireInput) => Result.Result<HttpClientRequest.HttpClientRequest, ReadonlyArray<Issue>>
  /** The answer as our envelope. `body` is its JSON, or `undefined` if it has none. */
  readonly envelope: (body: unknown, status: number, input: WireInput | undefined) => unknown
  /** Whether a status is that of a success. */
  readonly isSuccess: (status: number) => boolean
  /** Whether the contract lists this status as doubtful: after it, the service may have acted. */
  readonly isDoubtful: (status: number) => boolean
  /** The error body of an error answer. */
  readonly error: (body: unknown) => ErrorReading
  /** The keys to a field of our envelope, such as `["data", "id"]`, in an answer. Indices of lists may be left out. */
  readonly place: (names: ReadonlyArray<string>) => ReadonlyArray<string>
}

/** The wires in force, by the name of the operation. */
export interface Wires {
  /** Whether an operation is confirmed: may be called on a real service. */
  readonly confirms: (operation: string) => boolean
  /** The wire of an operation, or `undefined` for the assumed wire. */
  readonly wire: (operation: string) => Wire | undefined
  /** The service's side of an operation, or why there is none; `undefined` for the assumed wire. */
  readonly inverse: (operation: string) => Inverse | string | undefined
}

const nothing = () => undefined

/** The wires in force. Default: nothing is confirmed, and every wire is the assumed one. */
export const Wires = Context.Reference<Wires>("@effect-custody/core/Wire/Wires", {
  defaultValue: () => ({ confirms: () => false, wire: nothing, inverse: nothing })
})

/** A request as a service reads it. */
export interface ServerRequest {
  readonly params: Readonly<Record<string, string | undefined>>
  readonly query: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The fields of a JSON or multipart body. */
  readonly body: Readonly<Record<string, unknown>>
}

/** The parts of an input, under our names. */
export type Parts = Readonly<Record<"params" | "query" | "body", Readonly<Record<string, unknown>>>>

/** The service's side of a wire, for the emulator. */
export interface Inverse {
  readonly route: Route
  /** Whether its requests have a body. */
  readonly hasBody: boolean
  /** Whether a request at the route belongs to this operation: its constants decide if several share a route. */
  readonly accepts: (request: ServerRequest) => boolean
  /** The input of a request by its parts. A key that the contract does not have keeps its name. */
  readonly input: (request: ServerRequest) => Parts
  /** The answer of a success; without `body` if it has none. */
  readonly answer: (envelope: unknown, status: number, request: ServerRequest) => ServerAnswer
  /** The body of an error. */
  readonly error: (body: Readonly<Record<string, unknown>>) => unknown
}

/** An answer as the service sends it. */
export interface ServerAnswer {
  readonly status: number
  readonly body?: unknown
}
