/**
 * The wire of one operation: it turns an input into a request, and an answer into the envelope that our schemas read.
 * A wire is the assumed one, or comes from a contract as data or from {@link code}.
 *
 * Specification: "Endpoints", "Success envelope", "Errors".
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type { Effect } from "effect/Effect"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as Result from "effect/Result"
import type { Tag } from "./ApiError.ts"
import type { Encoded, Route } from "./unstable/Operation.ts"

/**
 * Why a field of an input cannot be sent on a wire.
 *
 * @since 0.1.0
 * @category models
 */
export interface Issue {
  readonly path: ReadonlyArray<string>
  readonly message: string
}

/**
 * The encoded input of a call and, in a list that is paged by cursor, the cursor of its page.
 *
 * @since 0.1.0
 * @category models
 */
export interface Asked {
  readonly encoded: Encoded
  readonly cursor?: string | undefined
}

/**
 * An error body in the specification's form, and the meaning of its code if the contract has one.
 *
 * @since 0.1.0
 * @category models
 */
export interface ErrorReading {
  readonly body: unknown
  readonly tag: Tag | undefined
  /** Whether only a code that the contract lists makes `NotFound` certain: it lists some, or calls 404 doubtful. */
  readonly listsNotFound?: boolean | undefined
}

/**
 * The wire of an operation: pure functions.
 *
 * @since 0.1.0
 * @category models
 */
export interface Wire {
  /** The method and path, relative to the base address. */
  readonly route: Route
  /** The request of a call, relative to the base address, or why it cannot be sent. */
  readonly request: (asked: Asked) => Result.Result<HttpClientRequest.HttpClientRequest, ReadonlyArray<Issue>>
  /** The answer as our envelope. `body` is its JSON, or `undefined` if it has none. */
  readonly envelope: (body: unknown, status: number, asked: Asked | undefined) => unknown
  /** Whether a status is that of a success. */
  readonly isSuccess: (status: number) => boolean
  /** Whether the contract lists this status as doubtful: after it, the service may have acted. */
  readonly isDoubtful: (status: number) => boolean
  /** The error body of an error answer. */
  readonly error: (body: unknown) => ErrorReading
  /** The keys to a field of our envelope, such as `["data", "id"]`, in an answer. Indices of lists may be left out. */
  readonly place: (names: ReadonlyArray<string>) => ReadonlyArray<string>
}

/**
 * The wires in force, by the name of the operation.
 *
 * @since 0.1.0
 * @category models
 */
export interface Wires {
  /** Whether an operation is confirmed: may be called on a real service. */
  readonly confirms: (operation: string) => boolean
  /** The wire of an operation, or `undefined` for the assumed wire. */
  readonly wire: (operation: string) => Wire | undefined
  /** The service's side of an operation, or why there is none; `undefined` for the assumed wire. */
  readonly inverse: (operation: string) => Inverse | string | undefined
}

const nothing = () => undefined

/**
 * The wires in force. Default: nothing is confirmed, and every wire is the assumed one.
 *
 * @since 0.1.0
 * @category services
 */
export const Wires = Context.Reference<Wires>("@effect-custody/core/Wire/Wires", {
  defaultValue: () => ({ confirms: () => false, wire: nothing, inverse: nothing })
})

/**
 * A request as a service reads it.
 *
 * @since 0.1.0
 * @category models
 */
export interface ServerRequest {
  readonly params: Readonly<Record<string, string | undefined>>
  readonly query: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The fields of a JSON or multipart body. */
  readonly body: Readonly<Record<string, unknown>>
}

/**
 * The parts of an input, under our names.
 *
 * @since 0.1.0
 * @category models
 */
export type Parts = Readonly<Record<"params" | "query" | "body", Readonly<Record<string, unknown>>>>

/**
 * The service's side of a wire, for the emulator.
 *
 * @since 0.1.0
 * @category models
 */
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

/**
 * An answer as the service sends it.
 *
 * @since 0.1.0
 * @category models
 */
export interface ServerAnswer {
  readonly status: number
  readonly body?: unknown
}

/**
 * The mark of a wire that is defined in code.
 *
 * @since 0.1.0
 * @category type ids
 */
export const CodeTypeId = "~@effect-custody/core/Wire/Code"

/**
 * A wire in code.
 *
 * @since 0.1.0
 * @category models
 */
export interface Code extends CodeOptions<any> {
  readonly [CodeTypeId]: typeof CodeTypeId
}

/** Our JSON is what our schemas encode to: amounts are decimal strings, times ISO 8601. */
interface CodeOptions<in Ours> {
  /** A read may go by `POST` if the service's documentation says that it changes nothing. */
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  /** With `:name` for a parameter. */
  readonly path: string
  /** The statuses of a success. Default: any 2xx. */
  readonly success?: ReadonlyArray<number>
  /** The request of an input. If it throws, or returns what is no request, the call fails with `RequestInvalid`. */
  readonly request: (ours: Ours) => {
    /** The parameters of the path. */
    readonly params?: Readonly<Record<string, string>>
    readonly query?: Readonly<Record<string, unknown>>
    readonly headers?: Readonly<Record<string, string>>
    /** JSON, or the fields of a multipart body. */
    readonly body?: unknown
  }
  /**
   * The payload of a success, in our JSON. `null`: there is none, and a change that promises no payload has succeeded.
   * `undefined`, an exception or a promise: the answer cannot be read. It is not shown the specification's error body,
   * nor a list with a 202, 206 or 207 that `success` does not list. Any other error with the status of a success is for
   * it to recognise.
   */
  readonly answer: (answer: ServerAnswer) => unknown
  /** The service's side, which only the emulator needs. */
  readonly inverse?: {
    /** Our input of a request: one object, under our names. */
    readonly input: (request: ServerRequest) => Readonly<Record<string, unknown>>
    /** The answer for a payload in our JSON. */
    readonly answer: (payload: any, status: number) => ServerAnswer
  }
}

/** Refuses a promise and an `Effect` in place of a payload: nothing would run them. */
type Synchronous<Payload> = unknown extends Payload
  ? unknown
  : [Extract<Payload, PromiseLike<unknown> | Effect<unknown, unknown, unknown>>] extends [never]
    ? unknown
    : { readonly answer: "the payload itself" }

/**
 * Makes a wire in code, for what a contract cannot express as data. Errors and the prefix come from the contract's
 * defaults.
 *
 * @example
 * ```ts
 * import { Wire, WireContract } from "@effect-custody/core"
 * import { CustodyApi } from "@effect-custody/sdk"
 *
 * const mint = Wire.code({
 *   method: "POST",
 *   path: "/tokens/:tokenId/supply",
 *   request: (ours: { readonly tokenId: string; readonly amount: string }) => ({
 *     params: { tokenId: ours.tokenId },
 *     body: { delta: `+${ours.amount}` }
 *   }),
 *   answer: ({ body }) => ({ transactionId: (body as { readonly job: string }).job })
 * })
 *
 * const confirmed = WireContract.layer({ operations: { "wallets.get": true, "tokens.mint": mint } }, CustodyApi)
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const code = <Ours, Payload = unknown>(
  options: CodeOptions<Ours> & { readonly answer: (answer: ServerAnswer) => Payload } & Synchronous<Payload>
): Code => ({ ...options, [CodeTypeId]: CodeTypeId })
