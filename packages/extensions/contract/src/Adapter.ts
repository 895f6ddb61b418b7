/**
 * Adapters: what a real service looks like, in plain functions. An adapter says of one endpoint how an input becomes a
 * request, and how the service's answer becomes a record of the SDK. A layer of adapters confirms their endpoints.
 *
 * Specification: "Other endpoints": methods, paths, parameters, bodies and responses not shown.
 *
 * @since 0.1.0
 */
import type * as Endpoint from "@effect-custody/core/Endpoint"
import type { Unlisted } from "@effect-custody/core/Lenient"
import type * as Page from "@effect-custody/core/Page"
import { ConfigurationInvalid, type OutcomeUnknown } from "@effect-custody/core/SdkError"
import type { SessionError } from "@effect-custody/core/SessionError"
import type { Declaration } from "@effect-custody/core/siblings/Declaration"
import type * as Operation from "@effect-custody/core/siblings/Operation"
import { isSegment, Wires } from "@effect-custody/core/siblings/Wires"
import type * as Upload from "@effect-custody/core/Upload"
import type { Brand } from "effect/Brand"
import * as Effect from "effect/Effect"
import { memoize } from "effect/Function"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import type * as Schema from "effect/Schema"
import * as Examples from "./examples.ts"
import type { Adapter, Answer, Asked, Example, Sent, Service } from "./model.ts"
import * as Wire_ from "./wire.ts"

export type { Adapter, Answer, Asked, Example, Sent, Service } from "./model.ts"

// What an adapter is.

/** Without the plain string beside the values of an open enumeration. */
type Enumerated<T> = [Extract<T, Unlisted>] extends [never] ? T : T extends string ? (string extends T ? never : T) : T

/** The input of an endpoint, without its page. */
type Input<E, W extends string> =
  Endpoint.Input<E> extends infer I
    ? [I] extends [void]
      ? {}
      : { readonly [K in keyof I as K extends "page" | "limit" | W ? never : K]: Enumerated<Exclude<I[K], undefined>> }
    : never

type InputName<E> = Endpoint.Input<E> extends infer I ? ([I] extends [void] ? never : keyof I & string) : never

/** `true` for a record, and `false` for an amount, a time, a file or another value of a class. */
type IsRecord<T> = T extends object ? ([Extract<keyof T, `~${string}`>] extends [never] ? true : false) : false

/** A value as an adapter writes it: ids are plain strings, and of a record every field is named. */
type Plain<T> = T extends string & Brand<string>
  ? string
  : T extends ReadonlyArray<infer I>
    ? ReadonlyArray<Plain<I>>
    : IsRecord<T> extends true
      ? Complete<Omit<T, "extra">>
      : T

/** Every field is named, if only as `undefined`, so that none is forgotten. */
type Complete<T> = {
  readonly [K in keyof T]-?: {} extends Pick<T, K> ? Plain<Exclude<T[K], undefined>> | undefined : Plain<T[K]>
}

/** A value as an example writes it: a field that is left out is not there. */
type Shown<T> = T extends string & Brand<string>
  ? string
  : T extends ReadonlyArray<infer I>
    ? ReadonlyArray<Shown<I>>
    : IsRecord<T> extends true
      ? { readonly [K in keyof T as K extends "extra" ? never : K]: Shown<T[K]> }
      : T

type Rows<E> = Endpoint.Output<E> extends infer O ? (O extends Page.Page<infer I> ? ReadonlyArray<I> : O) : never

type IsChange<E> = [OutcomeUnknown | SessionError] extends [Endpoint.Failure<E>] ? true : false

interface Functions<E extends Operation.Any, D extends Schema.Top, W extends string> {
  /** The fields of the input that the service does not have: a call that gives one is refused. */
  readonly without?: ReadonlyArray<W>
  /**
   * Makes the request, with a path below the base address. It names the fields of the input: a spread is refused, and so
   * is a call that gives a field at which the function does not look.
   */
  readonly request: (input: Input<E, W>, asked: Asked) => HttpClientRequest.HttpClientRequest
  /** The payload of a success, as the service's document says it: see {@link Service}. */
  readonly answer: D
  /** The record, or of a list the rows. Every field is named, if only as `undefined`. */
  readonly read: (payload: D["Type"], answer: Answer) => Plain<Rows<E>>
  /**
   * Of a list: the cursor of the next page, in any form that `request` understands; at the end `undefined`, null, `false`
   * or an empty text. Without it, the list is read as one page of unknown length: a stream of it fails with
   * `PagesIncomplete`.
   */
  readonly next?: (
    answer: Answer & { readonly payload: D["Type"] },
    rows: number,
    asked: Asked
  ) => string | number | false | null | undefined
  /** The filters of a list that work. `Transactions.find` and the ledger trust no others. */
  readonly proven?: ReadonlyArray<InputName<E>>
}

interface Back<E extends Operation.Any, W extends string> {
  /**
   * The service's side of `request`, written by hand from its document: the input that a request means. Every request is
   * read back before it is sent, and refused if its input is not found again.
   */
  readonly back: (sent: Sent) => Complete<Input<E, W>>
}

/**
 * Makes the adapter of an endpoint. A change needs `back`.
 *
 * @example
 * ```ts
 * import { Adapter, Format } from "@effect-custody/contract"
 * import { Tokens } from "@effect-custody/sdk"
 * import { Schema } from "effect"
 * import { HttpClientRequest } from "effect/http"
 *
 * const units = Format.minorUnits(6)
 *
 * export const burn = Adapter.make(Tokens.burn, {
 *   without: ["fromWalletId", "note", "document"],
 *   request: ({ amount, tokenId }) =>
 *     HttpClientRequest.post(Adapter.path`/coins/${tokenId}/burnt`).pipe(
 *       HttpClientRequest.bodyJsonUnsafe({ units: units.write(amount) })
 *     ),
 *   back: ({ body, path }) => ({ tokenId: path[1]!, amount: units.read(body.units) }),
 *   answer: Schema.Struct({ burnt: Schema.Finite }),
 *   read: ({ burnt }) => ({
 *     amount: units.read(burnt), tokenId: undefined, transactionId: undefined, status: undefined, supply: undefined,
 *     createdAt: undefined
 *   })
 * })
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = <E extends Operation.Any, D extends Schema.Top, const W extends InputName<E> = never>(
  operation: E,
  functions: Functions<E, D, W> & (IsChange<E> extends true ? Back<E, W> : { readonly back?: never })
): Adapter<E> => Wire_.make(operation, functions as never)

/**
 * Confirms an endpoint that is as assumed, under what {@link Service} says of all endpoints. First compare it with the
 * service's document: `custody contract list` prints the assumed wire.
 *
 * @since 0.1.0
 * @category constructors
 */
export const assumed = <E extends Operation.Any>(
  operation: E,
  options: {
    readonly without?: ReadonlyArray<InputName<E>>
    readonly proven?: ReadonlyArray<InputName<E>>
  } = {}
): Adapter<E> => Wire_.assumed(operation, options)

/**
 * An example of the service's document, which an adapter must reproduce.
 *
 * @since 0.1.0
 * @category models
 */
export interface ExampleOf<E extends Operation.Any> extends Example {
  readonly input: Endpoint.Input<E>
  readonly record: Shown<Rows<E>>
}

/**
 * Adds examples to an adapter: a table of the service's document. {@link layer} compares each, and fails for a difference.
 * What the adapter makes of its examples belongs to its fingerprint, so that a change in something that it calls is seen.
 *
 * @since 0.1.0
 * @category combinators
 */
export const test = <E extends Operation.Any>(
  adapter: Adapter<E>,
  ...examples: ReadonlyArray<ExampleOf<E>>
): Adapter<E> => ({ ...adapter, examples: [...adapter.examples, ...(examples as ReadonlyArray<Example>)] })

// Helpers of an adapter.

/**
 * A path whose values are encoded. Throws for a value that is no segment of a path: an empty one, `.` and `..`.
 *
 * @since 0.1.0
 * @category helpers
 */
export const path = (texts: TemplateStringsArray, ...values: ReadonlyArray<string>): string =>
  texts.reduce((before, text, at) => {
    const value = values[at - 1]!
    if (!isSegment(value)) throw new Error(`${JSON.stringify(value)} cannot be a segment of a path`)
    return before + encodeURIComponent(value) + text
  })

/**
 * Gives a request a `multipart/form-data` body of texts and files. `back` finds the fields in `body`.
 *
 * @since 0.1.0
 * @category helpers
 */
export const multipart =
  (fields: Readonly<Record<string, string | Upload.File | undefined>>) =>
  (request: HttpClientRequest.HttpClientRequest): HttpClientRequest.HttpClientRequest =>
    HttpClientRequest.setBody(request, Wire_.multipartBody(fields))

// The layer.

/**
 * The wires in force, with the adapters that define them.
 *
 * @since 0.1.0
 * @category models
 */
export interface Contract extends Wires {
  readonly adapters: ReadonlyArray<Adapter>
  readonly service: Service
}

/**
 * The contract in force; `undefined` if every wire is the assumed one.
 *
 * @since 0.1.0
 * @category getters
 */
export const contract: Effect.Effect<Contract | undefined> = Effect.map(Wires, (wires) =>
  "adapters" in wires ? (wires as Contract) : undefined
)

/**
 * Confirms the endpoints of these adapters, and no others. With several services, give each client its own layer with
 * `Layer.provide`.
 *
 * Fails with `ConfigurationInvalid`, which names each mistake: an example that an adapter does not reproduce, two adapters
 * of one endpoint, and an adapter without an example in a category whose money the layer moves.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  adapters: ReadonlyArray<Adapter>,
  service: Service = {}
): Layer.Layer<never, ConfigurationInvalid> =>
  Layer.effect(
    Wires,
    Effect.suspend(() => {
      const reason = Examples.mistakes(adapters, service).slice(0, 100).join("\n")
      if (reason !== "") return Effect.fail(new ConfigurationInvalid({ option: "Adapter.layer", reason }))
      return Effect.succeed(inForce(adapters, service))
    })
  )

const inForce = (adapters: ReadonlyArray<Adapter>, service: Service): Contract => {
  const differs = Object.keys(service).length > 0
  const own = new Map<Declaration, Adapter>(adapters.map((adapter) => [adapter.operation, adapter]))
  /** An endpoint without an adapter, such as those of the session, is under the same service. */
  const find = (operation: Declaration) => own.get(operation) ?? Wire_.assumed(operation as Operation.Any, {})
  const wire = memoize((operation: Declaration) => find(operation).wire(service))
  const print = memoize((operation: Declaration) => Examples.fingerprint(find(operation), service))
  return {
    adapters,
    service,
    confirms: (operation) => own.has(operation),
    wire: (operation) => (differs || own.has(operation) ? wire(operation) : undefined),
    fingerprint: (operation) => (differs || own.get(operation)?.isAssumed === false ? print(operation) : undefined)
  }
}

/**
 * Confirms every endpoint as it is assumed. First compare all of them with the service's document.
 *
 * @since 0.1.0
 * @category layers
 */
export const acceptAssumed: Layer.Layer<never> = Layer.succeed(Wires, {
  confirms: () => true,
  wire: () => undefined,
  fingerprint: () => undefined
})
