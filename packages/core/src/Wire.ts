/**
 * The wire of one operation: it turns an input into a request, and an answer into the envelope that our schemas read.
 * A wire comes from the assumed default, from a contract as data, or from {@link code}.
 *
 * Specification: "Endpoints", "Success envelope", "Errors".
 *
 * @since 0.1.0
 */
import type { Effect } from "effect/Effect"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as Result from "effect/Result"
import type { Tag } from "./ApiError.ts"
import type { Differences } from "./ContractFile.ts"
import { CodeTypeId } from "./internal/contract/entries.ts"
import type { Encoded, Route } from "./Operation.ts"

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
 * The wire of an operation, compiled: pure functions.
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
  /** The path and the query, unchanged. */
  readonly target: string
}

/**
 * The parts of an input, under our names.
 *
 * @since 0.1.0
 * @category models
 */
export interface Parts {
  readonly params: Readonly<Record<string, unknown>>
  readonly query: Readonly<Record<string, unknown>>
  readonly body: Readonly<Record<string, unknown>>
}

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
  /** The content type of its answers. */
  readonly contentType: string
  /** Whether a request at the route belongs to this operation: its constants decide if several share a route. */
  readonly accepts: (request: ServerRequest) => boolean
  /** The input of a request. A key that the contract does not have keeps its name. */
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
 * A request of {@link Code}, without method and path.
 *
 * @since 0.1.0
 * @category models
 */
export interface CodeRequest {
  /** The parameters of the path. */
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
  /** JSON, or the fields of a multipart body. */
  readonly body?: unknown
}

/**
 * The service's side of {@link Code}. Only the emulator needs it.
 *
 * @since 0.1.0
 * @category models
 */
export interface CodeInverse {
  /** Our input of a request: one object, under our names. */
  readonly input: (request: ServerRequest) => Readonly<Record<string, unknown>>
  /** The answer for a payload in our JSON. */
  readonly answer: (payload: any, status: number) => ServerAnswer
}

/**
 * A wire in code.
 *
 * @since 0.1.0
 * @category models
 */
export interface Code extends CodeOptions<any> {
  readonly [CodeTypeId]: typeof CodeTypeId
}

/**
 * The options of {@link code}. Our JSON is what our schemas encode to: amounts are decimal strings, times ISO 8601.
 *
 * @since 0.1.0
 * @category models
 */
export interface CodeOptions<in Ours> {
  readonly method: Exclude<Differences["method"], undefined>
  /** With `:name` for a parameter. */
  readonly path: string
  /** A read that is sent by POST, and changes nothing. */
  readonly readOnly?: true
  /** The statuses of a success. Default: any 2xx. */
  readonly success?: ReadonlyArray<number>
  /**
   * The request of an input. If it throws or returns a promise, or if its result cannot be sent (a BigInt in JSON, a path
   * parameter or a header that is not a text), the call fails with `RequestInvalid` and nothing is sent.
   */
  readonly request: (ours: Ours) => CodeRequest
  /**
   * The payload of a success, in our JSON. `null`: there is none, and a change that promises no payload has succeeded.
   * `undefined`, an exception, or what is no JSON, such as a promise or an `Effect`: the answer cannot be read. It is not
   * asked about the specification's error body (a status from 400 to 599 with a code of `E` and five digits), nor about
   * a list with a 202, 206 or 207 that `success` does not list: these are no successes. Every other error that is sent
   * with the status of a success is for it to recognise.
   */
  readonly answer: (answer: ServerAnswer) => unknown
  readonly inverse?: CodeInverse
}

/** Refuses a promise and an `Effect` in place of a payload: nothing would run them. */
type Synchronous<Payload> = unknown extends Payload
  ? unknown
  : [Extract<Payload, PromiseLike<unknown> | Effect<unknown, unknown, unknown>>] extends [never]
    ? unknown
    : { readonly answer: "the payload itself" }

/**
 * Makes a wire in code, for what a contract cannot express as data. Errors, the prefix and the content type come from the
 * contract's defaults.
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
