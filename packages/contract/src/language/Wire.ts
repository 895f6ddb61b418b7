/**
 * The wire of one operation turns an input into a request, and an answer into the envelope that the SDK's schemas read.
 * It is either the assumed wire or one that a contract defines, as data or in code with {@link make}.
 *
 * Specification: "Endpoints", "Success envelope", "Errors".
 *
 * @since 0.1.0
 */
import type * as Brand from "effect/Brand"
import type * as Schema from "effect/Schema"
import type * as Endpoint from "@effect-custody/core/Endpoint"
import type { Unlisted } from "@effect-custody/core/OpenEnum"
import type * as Lenient from "@effect-custody/core/Lenient"
import type * as Page from "@effect-custody/core/Page"
import type * as Operation from "@effect-custody/core/Operation"
import type { Differences, Place } from "./ContractFile.ts"

export { Decimal, LocalUtc, Milliseconds, Minor, minorUnits, Seconds, Words } from "./formats.ts"

/**
 * The mark of a wire that is defined in code.
 *
 * @since 0.1.0
 * @category type ids
 */
export const CodeTypeId = "~@effect-custody/contract/Wire/Code"

/** The parts of a request, in the service's JSON. */
type PartName = "params" | "query" | "headers" | "body"

/**
 * A wire in code, for one operation.
 *
 * @since 0.1.0
 * @category models
 */
export interface Code<out E = unknown> extends Omit<Differences, "constants"> {
  readonly [CodeTypeId]: typeof CodeTypeId
  readonly operation: E
  readonly request?: (Both & { readonly [N in PartName]?: Schema.Struct.Fields | undefined }) | undefined
  readonly answer?: (Both & { readonly record: Schema.Top }) | undefined
}

/** The two directions of a mapping. */
interface Both {
  readonly read: (theirs: never) => unknown
  readonly write: (ours: never) => unknown
}

/**
 * A value of the SDK as code writes it: ids without their brands, and each field of a record named, if only as
 * `undefined`. A record inside a record may also be one that the SDK's codec has read.
 */
type Written<T> = T extends string & Brand.Brand<string>
  ? string
  : T extends Lenient.Fields
    ? Complete<Omit<T, "extra">> & Partial<Lenient.Fields>
    : T extends ReadonlyArray<infer I>
      ? ReadonlyArray<Written<I>>
      : T

type Complete<T> = {
  readonly [K in keyof T]-?: {} extends Pick<T, K>
    ? Written<Exclude<T[K], undefined>> | T[K] | undefined
    : Written<T[K]> | T[K]
}

/** The service's value as code writes it: an optional field may be `undefined`. */
type Loose<T> =
  T extends ReadonlyArray<infer I>
    ? ReadonlyArray<Loose<I>>
    : T extends object
      ? [Extract<keyof T, `~${string}`>] extends [never]
        ? { readonly [K in keyof T]: {} extends Pick<T, K> ? Loose<Exclude<T[K], undefined>> | undefined : Loose<T[K]> }
        : T
      : T

type Part<N extends PartName, F extends Schema.Struct.Fields> = [keyof F] extends [never]
  ? unknown
  : { readonly [K in N]: Schema.Struct.Type<F> }

/** The request in the service's JSON, decoded. */
type Request<
  P extends Schema.Struct.Fields,
  Q extends Schema.Struct.Fields,
  H extends Schema.Struct.Fields,
  B extends Schema.Struct.Fields
> = Part<"params", P> & Part<"query", Q> & Part<"headers", H> & Part<"body", B>

type LooseRequest<R> = { readonly [N in keyof R]: Loose<R[N]> }

/** Without the plain string beside the values of an open enumeration. */
type Enumerated<T> = [Extract<T, Unlisted>] extends [never] ? T : T extends string ? (string extends T ? never : T) : T

/** The input of an operation without its page, which is the contract's `paging`. */
type Input<E> =
  Endpoint.Input<E> extends infer I
    ? [I] extends [void]
      ? {}
      : { readonly [K in keyof I as K extends "page" | "limit" ? never : K]: Enumerated<Exclude<I[K], undefined>> }
    : never

type RecordOf<P> = P extends Page.Page<infer I> ? I : P extends ReadonlyArray<infer I> ? I : P

/**
 * The names of the fields of an operation's answer.
 *
 * @since 0.1.0
 * @category utility types
 */
export type AnswerName<E> = Exclude<keyof RecordOf<Endpoint.Output<E>> & string, "extra">

/**
 * The differences of one operation from its assumed wire. The keys are the names of the operation's fields.
 *
 * @since 0.1.0
 * @category models
 */
export interface DifferencesOf<E> extends Omit<Differences, "fields" | "response"> {
  readonly fields?: { readonly [F in keyof Endpoint.Input<E>]?: Place }
  readonly response?: { readonly [F in AnswerName<E>]?: Place }
}

interface Options<
  E,
  P extends Schema.Struct.Fields,
  Q extends Schema.Struct.Fields,
  H extends Schema.Struct.Fields,
  B extends Schema.Struct.Fields,
  V extends Schema.Top
> extends Omit<DifferencesOf<E>, "constants" | "route"> {
  /** The method and path. A read may use `POST` if the service's documentation says that the request changes nothing. */
  readonly route?: `${"GET" | "POST" | "PUT" | "PATCH" | "DELETE"} /${string}`
  /**
   * The request: the fields of its parts as the service names them, and the two ways between them and the input. `write`
   * makes the request. `read` is the service's side, and the proof of `write`: the SDK reads each request back before it
   * sends it, and refuses a call whose input it does not find again. So a field that `write` leaves out is refused, not
   * dropped. `read` names every field of the input; `undefined` says that the service has no such field.
   *
   * Absent: the request is as `fields` and the contract's defaults say. Beside a `request`, `fields` holds `"omit"` only: a
   * look-up does not ask for that field.
   */
  readonly request?: {
    /** The parameters of the path. */
    readonly params?: P
    readonly query?: Q
    /** Headers, by their names in lower case. */
    readonly headers?: H
    /** The fields of a JSON or multipart body. */
    readonly body?: B
    readonly write: (ours: Input<E>) => LooseRequest<Request<P, Q, H, B>>
    readonly read: (theirs: Request<P, Q, H, B>) => Complete<Input<E>>
  }
  /**
   * The record of a success, at the contract's `payload` or `items`; of a list, one of its rows. `read` makes the SDK's
   * record, and `write` is the service's side. If the schema or `read` refuses a record, the answer is unreadable: a
   * read fails with `UnexpectedResponse`, a change with `OutcomeUnknown`.
   *
   * Absent: the record is as `response` and the contract's defaults say.
   */
  readonly answer?: {
    readonly record: V
    readonly read: (theirs: V["Type"]) => Written<RecordOf<Endpoint.Output<E>>>
    readonly write: (ours: RecordOf<Endpoint.Output<E>>) => Loose<V["Type"]>
  }
}

/**
 * Makes a wire in code, for an operation that a contract cannot express as data. The mappings take and give values of
 * the SDK (amounts, times), and of the service's own schemas. Paging, envelope, errors and statuses are data: they come
 * from the options, or from the contract's defaults.
 *
 * @example
 * ```ts
 * import { Wire, ServiceContract } from "@effect-custody/contract"
 * import { CustodyApi, Transactions } from "@effect-custody/sdk"
 * import { Schema } from "effect"
 *
 * const send = Wire.make(Transactions.send, {
 *   route: "POST /accounts/:account/payouts",
 *   request: {
 *     params: { account: Schema.String },
 *     body: { kind: Schema.Literal("EXTERNAL"), destination: Schema.String, asset: Schema.String, units: Wire.Minor(6) },
 *     write: ({ amount, assetId, clientId, to }) => ({
 *       params: { account: clientId },
 *       body: { kind: "EXTERNAL" as const, destination: to, asset: assetId, units: amount }
 *     }),
 *     read: ({ body, params }) => ({
 *       clientId: params.account,
 *       to: body.destination,
 *       assetId: body.asset,
 *       amount: body.units,
 *       networkId: undefined,
 *       note: undefined
 *     })
 *   }
 * })
 *
 * const confirmed = ServiceContract.layer({ operations: { "wallets.get": true, "transactions.send": send } }, CustodyApi)
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = <
  E extends Operation.Any,
  P extends Schema.Struct.Fields = {},
  Q extends Schema.Struct.Fields = {},
  H extends Schema.Struct.Fields = {},
  B extends Schema.Struct.Fields = {},
  V extends Schema.Top = never
>(
  operation: E,
  options: Options<E, P, Q, H, B, V>
): Code<E> => ({ ...options, operation, [CodeTypeId]: CodeTypeId }) as never
