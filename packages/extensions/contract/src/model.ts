/** What an adapter is, and what its functions see. */
import type { Tag } from "@effect-custody/core/ApiError"
import type { Declaration } from "@effect-custody/core/siblings/Declaration"
import type * as Operation from "@effect-custody/core/siblings/Operation"
import type { Wire } from "@effect-custody/core/siblings/Wires"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"

/**
 * What a list is asked for. `page` and `offset` come from `cursor` if it is a whole number, and from the call otherwise.
 *
 * @since 0.1.0
 * @category models
 */
export interface Asked {
  /** The number of the page, counted from 1. */
  readonly page: number
  /** The number of rows before the page. */
  readonly offset: number
  /** The number of rows. Default: 10. */
  readonly limit: number
  /** What `next` gave for this page; `undefined` for the first. */
  readonly cursor: string | undefined
}

/**
 * An answer of the service.
 *
 * @since 0.1.0
 * @category models
 */
export interface Answer {
  readonly status: number
  /** The JSON of the body. A number that a double cannot hold is its text. */
  readonly body: any
  readonly header: (name: string) => string | undefined
}

/**
 * A request as the service reads it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Sent {
  readonly method: string
  /** The segments of the adapter's path, decoded: `/accounts/a%2Fb` gives `["accounts", "a/b"]`. */
  readonly path: ReadonlyArray<string>
  readonly query: URLSearchParams
  readonly header: (name: string) => string | undefined
  /** The JSON of the body, or the fields of `Adapter.multipart`. A number that a double cannot hold is its text. */
  readonly body: any
}

/**
 * The adapter of one endpoint. `make` and `assumed` make it, and `test` adds examples.
 *
 * @since 0.1.0
 * @category models
 */
export interface Adapter<out E = unknown> {
  readonly operation: E & Operation.Any
  /** `true` if the endpoint is as assumed, under what {@link Service} says. */
  readonly isAssumed: boolean
  readonly examples: ReadonlyArray<Example>
  /** The functions and schemas, of which the fingerprint is made. */
  readonly source: ReadonlyArray<unknown>
  readonly wire: (service: Service) => Wire
}

/**
 * An example, whatever its endpoint.
 *
 * @since 0.1.0
 * @category models
 */
export interface Example {
  readonly input: unknown
  /** What the input becomes. Of the headers, those that are given are compared. */
  readonly request: {
    /** The method and the address below the base address: `GET /payouts?limit=10`. */
    readonly line: string
    readonly headers?: Readonly<Record<string, string>>
    /** JSON as a value, or as its text. */
    readonly body?: unknown
  }
  /** The body of the answer, as a value, or as its text. */
  readonly example: unknown
  /** Default: the status of a success. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** What the answer becomes: the record, or of a list its rows. */
  readonly record: unknown
  /** Of a list: the cursor of the next page. */
  readonly next?: string
}

/**
 * What is said once for all endpoints of a service. Each part is a plain function, and may be left out.
 *
 * @example
 * ```ts
 * import { Adapter, Format } from "@effect-custody/contract"
 * import { HttpClientRequest } from "effect/http"
 *
 * const service: Adapter.Service = {
 *   request: HttpClientRequest.prependUrl("/v2"),
 *   names: Format.snakeCase,
 *   payload: (body) => body.result,
 *   refusal: (body) => (body.ok === true ? undefined : "ok is not true"),
 *   error: (body) => ({
 *     code: body.problem?.kind,
 *     message: body.problem?.text,
 *     means: body.problem?.kind === "no_such_record" ? "NotFound" : undefined
 *   })
 * }
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface Service {
  /** Completes every request, also for tokens: a path before each path, a header. Its path stays below the base address. */
  readonly request?: (
    request: HttpClientRequest.HttpClientRequest,
    operation: Declaration
  ) => HttpClientRequest.HttpClientRequest
  /** The service's name for a name of the SDK, where an endpoint is assumed: `Format.snakeCase`. */
  readonly names?: (name: string) => string
  /** The payload in the body of a success. Default: `data`. */
  readonly payload?: (body: any, operation: Declaration) => unknown
  /** Says why a 2xx is an error, or returns `undefined`. */
  readonly refusal?: (body: any, status: number) => string | undefined
  /**
   * The parts of an error's body, of which each error of the service has a `code`: a body without one may come from a
   * gateway. `means` is the meaning of the code, and only `NotFound` makes an absence certain. If errors have no code, let
   * the message take its place.
   */
  readonly error?: (body: any) => {
    readonly code?: string | number | undefined
    readonly message?: string | undefined
    /** The messages of the input's fields. */
    readonly errors?: unknown
    readonly means?: Tag | undefined
  }
  /** `true` for a 4xx after which a change may have happened. */
  readonly doubtful?: (status: number) => boolean
}
