/**
 * The form of a contract: `custody.contract.json`, or the same object in TypeScript.
 *
 * A contract maps our JSON to the service's JSON and back. Our JSON is what the SDK's schemas encode to: the SDK's
 * names, amounts as decimal strings, times in ISO 8601, ids as strings. A dotted path such as `destination.address`
 * lists keys of nested objects.
 *
 * Specification: "Other endpoints": methods, paths, parameters, bodies and responses not shown.
 *
 * @since 0.1.0
 */
import * as ApiError from "@effect-custody/core/ApiError"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import { Dotted, Paging } from "./paging.ts"

const Scalar = Schema.Union([Schema.String, Schema.Finite, Schema.Boolean])

const Success = Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 200, maximum: 299 })))

/**
 * Statuses that refuse a request because of its session or the request rate. A service that answers with one of them
 * has certainly not acted.
 */
const certain = [401, 429, 498]
const Doubtful = Schema.Int.pipe(
  Schema.check(
    Schema.isBetween({ minimum: 400, maximum: 499 }),
    Schema.makeFilter((status) => !certain.includes(status), {
      expected: `a status other than ${certain.join(", ")}: after these the service has not acted`
    })
  )
)

const Digits = Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 64 })))

/** An amount as a number, or as a whole number of its smallest unit. `minor` is the number of decimal places. */
const AmountType = Schema.Union([Schema.Literal("number"), Schema.Struct({ minor: Digits })])
const TimeType = Schema.Literals(["iso", "seconds", "milliseconds"])

const Values = Schema.Record(Schema.String, Schema.Union([Scalar, Schema.Array(Scalar)]))

/**
 * Maps each of our values to the service's value, or to several.
 *
 * @since 0.1.0
 * @category models
 */
export interface Values extends Schema.Schema.Type<typeof Values> {}

const PlaceFields = Schema.Struct({
  /** A dotted path into the body or the record, or the name of a path parameter or a query key. */
  at: Schema.optionalKey(Schema.String),
  /**
   * The format: an id or amount as a number, an amount in its smallest unit (`{ minor: 6 }` for six decimal
   * places), or a time in whole seconds or milliseconds.
   */
  as: Schema.optionalKey(Schema.Union([AmountType, TimeType])),
  /** The name of a map in `defaults.values`. */
  values: Schema.optionalKey(Schema.String)
})

/**
 * The place of a field at the service, and how its value is written there.
 *
 * @since 0.1.0
 * @category models
 */
export interface PlaceFields extends Schema.Schema.Type<typeof PlaceFields> {}

const Place = Schema.Union([Schema.String, PlaceFields])
/**
 * The place of a field of the input or of the answer, and the format of its value. A plain string is short for
 * `{ at: string }`. `"omit"` for a field of the input: the service has no such field, and a call that gives it is
 * refused.
 *
 * @since 0.1.0
 * @category models
 */
export type Place = string | PlaceFields

/** The SDK's errors that a code of the service can mean. */
const tags = [...Struct.keys(ApiError.codes), "NotFound" as const]

/** How to recognise an error answer, and how its body differs from `{ code, message, errors }`. */
const Errors = Schema.Struct({
  /** Dotted paths into the body of an error. Default: `code`, `message` and `errors`. */
  code: Schema.optionalKey(Dotted),
  message: Schema.optionalKey(Dotted),
  fields: Schema.optionalKey(Dotted),
  /** The SDK's error for each of the service's codes. */
  tags: Schema.optionalKey(
    Schema.Record(
      Schema.String,
      Schema.Literals(tags).annotate({
        expected: `${tags.map((tag) => `"${tag}"`).join(" | ")}: a code without a tag is UnknownApiError`
      })
    )
  ),
  /** Statuses after which the service may have acted. Every 5xx status is doubtful in any case. */
  doubtful: Schema.optionalKey(Schema.Array(Doubtful)),
  /**
   * A dotted path into each answer with a success status, and the values there that indicate a success. Any other
   * value, or a missing value, indicates an error.
   */
  when: Schema.optionalKey(
    Schema.Struct({ at: Dotted, success: Schema.Array(Scalar).pipe(Schema.check(Schema.isMinLength(1))) })
  )
})
interface Errors extends Schema.Schema.Type<typeof Errors> {}

/** The parts of a contract that can apply to one operation or to all. */
const common = {
  /** The statuses of a success. Default: any 2xx, but a 204 counts only if it is listed here. */
  success: Schema.optionalKey(Schema.Array(Success).pipe(Schema.check(Schema.isMinLength(1)))),
  /**
   * A dotted path to the payload of the answer. `null` if the answer itself is the payload, or has no payload. Default:
   * `data`.
   */
  payload: Schema.optionalKey(Schema.NullOr(Dotted)),
  /** The path to the payload of a list. Default: `payload`. */
  items: Schema.optionalKey(Schema.NullOr(Dotted)),
  paging: Schema.optionalKey(Paging),
  /** A dotted path to the total number of a list's rows. Default: `totalItems`, beside the rows or in `meta`. */
  total: Schema.optionalKey(Dotted),
  errors: Schema.optionalKey(Errors),
  /** The place of each field of the input, by our name of the field. */
  fields: Schema.optionalKey(Schema.Record(Schema.String, Place)),
  /** The place of each field of the answer, by our name of the field. */
  response: Schema.optionalKey(Schema.Record(Schema.String, Place))
}

const Defaults = Schema.Struct({
  /** A path that is inserted between the base address and each operation's path. */
  prefix: Schema.optionalKey(Schema.String),
  /** The casing of the service's keys, for fields to which the contract assigns no key. */
  casing: Schema.optionalKey(Schema.Literal("snake_case")),
  amounts: Schema.optionalKey(AmountType),
  times: Schema.optionalKey(TimeType),
  /** Maps of values by their names, to which `values` of a place refers. */
  values: Schema.optionalKey(Schema.Record(Schema.String, Values)),
  /** The media type of JSON, such as `application/vnd.api+json`, except in requests for tokens. */
  mediaType: Schema.optionalKey(Schema.String.pipe(Schema.check(Schema.isPattern(/^application\/[\w.+-]*json$/)))),
  ...common
})
/**
 * The parts of a contract that apply to every operation, unless the operation overrides them.
 *
 * @since 0.1.0
 * @category models
 */
export interface Defaults extends Schema.Schema.Type<typeof Defaults> {}

const Differences = Schema.Struct({
  /**
   * The path, such as `/wallets/detail/:walletId`, or the method and the path: `PUT /wallets`. A parameter has the name of
   * our field, or the name in the field's `at`.
   */
  route: Schema.optionalKey(Schema.String),
  /** Values that are always sent in the body. Each key is a dotted path. */
  constants: Schema.optionalKey(Schema.Record(Dotted, Scalar)),
  ...common,
  /** The filters that `custody contract probe` has seen to work. Only `Transactions.find` reads them. */
  proven: Schema.optionalKey(Schema.Array(Schema.String)),
  /** Who compared the entry with the service's documentation, when, and what else a person has to know. */
  note: Schema.optionalKey(Schema.String)
})
/**
 * The differences of an operation from its assumed wire. Each part is optional.
 *
 * @since 0.1.0
 * @category models
 */
export interface Differences extends Schema.Schema.Type<typeof Differences> {}

const Entry = Schema.Union([Schema.Literal(true), Differences])

/**
 * A contract: the differences that apply to the whole API, and the confirmed operations.
 *
 * @since 0.1.0
 * @category schemas
 */
export const File = Schema.Struct({
  $schema: Schema.optionalKey(Schema.String),
  note: Schema.optionalKey(Schema.String),
  defaults: Schema.optionalKey(Defaults),
  /** The confirmed operations. `true` confirms the assumed wire, with the defaults applied. */
  operations: Schema.optionalKey(Schema.Record(Schema.String, Entry))
})
export interface File extends Schema.Schema.Type<typeof File> {}
