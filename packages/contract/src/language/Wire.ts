/**
 * The wire of one operation turns an input into a request, and an answer into the envelope that the SDK's schemas read.
 * It is either the assumed wire or one that a contract defines, as data or with {@link code}.
 *
 * Specification: "Endpoints", "Success envelope", "Errors".
 *
 * @since 0.1.0
 */
import type { Effect } from "effect/Effect"
import type { ServerAnswer, ServerRequest } from "@effect-custody/core/unstable/Wires"

export { type ServerAnswer, type ServerRequest, type Wire, Wires } from "@effect-custody/core/unstable/Wires"

/**
 * The mark of a wire that is defined in code.
 *
 * @since 0.1.0
 * @category type ids
 */
export const CodeTypeId = "~@effect-custody/contract/Wire/Code"

/**
 * A wire in code.
 *
 * @since 0.1.0
 * @category models
 */
export interface Code extends CodeOptions<any> {
  readonly [CodeTypeId]: typeof CodeTypeId
}

/** Our JSON is what the SDK's schemas encode to: amounts are decimal strings, times ISO 8601. */
interface CodeOptions<in Ours> {
  /** A read may use `POST` if the service's documentation says that the request changes nothing. */
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  /** The path, in which `:name` is a parameter. */
  readonly path: string
  /** The statuses of a success. Default: any 2xx. */
  readonly success?: ReadonlyArray<number>
  /** The filters of a list that work, as `custody contract probe` shows. Only `Transactions.find` reads them. */
  readonly proven?: ReadonlyArray<string>
  /**
   * Makes the request from an input. If this function throws, or returns no request, the call fails with
   * `RequestInvalid`.
   */
  readonly request: (ours: Ours) => {
    /** The parameters of the path. */
    readonly params?: Readonly<Record<string, string>> | undefined
    readonly query?: Readonly<Record<string, unknown>> | undefined
    readonly headers?: Readonly<Record<string, string>> | undefined
    /** JSON, or the fields of a multipart body. */
    readonly body?: unknown
  }
  /**
   * Reads the payload of a success, and returns the payload in our JSON. A header can hold the id of a new record.
   * Return `null` if there is no payload: a write whose type promises no payload then succeeds. The answer is unreadable
   * if this function throws, or returns `undefined` or a promise.
   *
   * This function has to recognise errors that come with a success status. The SDK itself refuses only two kinds of
   * answers: the specification's error body, and a list with the status 202, 206 or 207 if `success` does not contain
   * that status.
   */
  readonly answer: (answer: ServerAnswer) => unknown
  /** The service's side, which only the emulator needs. */
  readonly inverse?: {
    /** Reads our input from a request: one object, under our names. */
    readonly input: (request: ServerRequest) => Readonly<Record<string, unknown>>
    /** Makes the answer for a payload in our JSON. */
    readonly answer: (payload: any, status: number) => ServerAnswer
  }
}

/** Refuses a promise and an `Effect` in place of a payload, because nothing would run them. */
type Synchronous<Payload> = unknown extends Payload
  ? unknown
  : [Extract<Payload, PromiseLike<unknown> | Effect<unknown, unknown, unknown>>] extends [never]
    ? unknown
    : { readonly answer: "the payload itself" }

/**
 * Makes a wire in code, for an operation that a contract cannot express as data. Errors and the prefix come from the
 * contract's defaults.
 *
 * @example
 * ```ts
 * import { Wire, ServiceContract } from "@effect-custody/contract"
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
 * const confirmed = ServiceContract.layer({ operations: { "wallets.get": true, "tokens.mint": mint } }, CustodyApi)
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const code = <Ours, Payload = unknown>(
  options: CodeOptions<Ours> & { readonly answer: (answer: ServerAnswer) => Payload } & Synchronous<Payload>
): Code => ({ ...options, [CodeTypeId]: CodeTypeId })
