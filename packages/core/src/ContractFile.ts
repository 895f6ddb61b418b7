/**
 * The form of a contract: `custody.contract.json`, or the same object in TypeScript.
 *
 * A contract maps our JSON to the service's and back. Our JSON is what our schemas encode to: our names, amounts as
 * decimal strings, times in ISO 8601, ids as strings. A dotted path such as `destination.address` leads through objects.
 *
 * Specification: "Other endpoints": methods, paths, parameters, bodies and responses not shown.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

const Method = Schema.Literals(["GET", "POST", "PUT", "PATCH", "DELETE"])

const Scalar = Schema.Union([Schema.String, Schema.Finite, Schema.Boolean])

const Status = Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 200, maximum: 599 })))

const Digits = Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 64 })))

/** An amount as an integer of its smallest unit. */
const Minor = Schema.Struct({
  minor: Schema.Union([
    Digits,
    /** The field of the same record that names the asset or currency, and the digits of each. */
    Schema.Struct({ by: Schema.String, digits: Schema.Record(Schema.String, Digits) })
  ])
})

const AmountType = Schema.Union([Schema.Literals(["string", "number"]), Minor])
const TimeType = Schema.Literals(["iso", "seconds", "milliseconds"])
const IdType = Schema.Literals(["string", "number"])

/**
 * The codec of {@link WireType}.
 *
 * @since 0.1.0
 * @category schemas
 */
export const WireType = Schema.Union([Schema.Literals(["string", "number", "iso", "seconds", "milliseconds"]), Minor])
/**
 * How a value is written on the wire: an id or an amount as a number, an amount in its smallest unit (`{ minor: 6 }`: of
 * six digits), a time in ISO 8601 or since the Unix epoch.
 *
 * @since 0.1.0
 * @category models
 */
export type WireType = typeof WireType.Type

/** For each of our values, the service's value or values: the first is written, and all are read. */
const Values = Schema.Record(Schema.String, Schema.Union([Scalar, Schema.Array(Scalar)]))

/** Where a value is, and how it is written. */
const value = {
  /** A dotted path into the body of the request, or into the record of the answer. */
  at: Schema.optionalKey(Schema.String),
  /** A literal name: of a path parameter, a query key, a header, or a key of the body or the record. */
  name: Schema.optionalKey(Schema.String),
  as: Schema.optionalKey(WireType),
  values: Schema.optionalKey(Values),
  /** Whether values that are not listed are sent and read unchanged. */
  open: Schema.optionalKey(Schema.Literal(true))
}

const Value = Schema.Struct(value)
interface Value extends Schema.Schema.Type<typeof Value> {}

/**
 * The codec of {@link PlaceFields}.
 *
 * @since 0.1.0
 * @category schemas
 */
export const PlaceFields = Schema.Struct({
  in: Schema.optionalKey(Schema.Literals(["path", "query", "body", "header"])),
  ...value
})
/**
 * The codec of {@link Place}.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Place = Schema.Union([Schema.String, PlaceFields])
/**
 * Where a field of the input goes, and how its value is written.
 *
 * @since 0.1.0
 * @category models
 */
export interface PlaceFields extends Schema.Schema.Type<typeof PlaceFields> {}
/**
 * Where a field of the input goes. A string is a name, or a dotted path into the body.
 *
 * @since 0.1.0
 * @category models
 */
export type Place = string | PlaceFields

/**
 * The codec of {@link OriginFields}.
 *
 * @since 0.1.0
 * @category schemas
 */
export const OriginFields = Schema.Struct({
  ...value,
  /** If the field is a record or a list of records: where each field of that record comes from. */
  fields: Schema.optionalKey(
    Schema.Record(
      Schema.String,
      Schema.suspend((): Schema.Codec<Origin> => Origin)
    )
  )
})
/**
 * The codec of {@link Origin}.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Origin: Schema.Codec<Origin> = Schema.Union([Schema.String, OriginFields])
/**
 * Where a field of the answer comes from, and how its value is read.
 *
 * @since 0.1.0
 * @category models
 */
export interface OriginFields extends Value {
  readonly fields?: { readonly [name: string]: Origin }
}
/**
 * Where a field of the answer comes from. A string is a dotted path into the record.
 *
 * @since 0.1.0
 * @category models
 */
export type Origin = string | OriginFields

/**
 * The codec of {@link ErrorTag}.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ErrorTag = Schema.Literals([
  "InvalidApiKey",
  "ValidationFailed",
  "InvalidAccessToken",
  "InvalidRefreshToken",
  "TokenExpired",
  "BadRequest",
  "NotFound"
])
/**
 * What a code may mean: the errors of the specification.
 *
 * @since 0.1.0
 * @category models
 */
export type ErrorTag = typeof ErrorTag.Type

/**
 * The codec of {@link Errors}.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Errors = Schema.Struct({
  /** Dotted paths into the body of an error. Default: `code`, `message` and `errors`. */
  code: Schema.optionalKey(Schema.String),
  message: Schema.optionalKey(Schema.String),
  fields: Schema.optionalKey(Schema.String),
  /** What the service's codes mean. */
  tags: Schema.optionalKey(Schema.Record(Schema.String, ErrorTag)),
  /** Statuses after which the service may have acted. */
  doubtful: Schema.optionalKey(Schema.Array(Status)),
  /**
   * A dotted path into each answer with the status of a success, and the values there that say that it is one: every other
   * value, or none, says an error.
   */
  when: Schema.optionalKey(Schema.Struct({ at: Schema.String, success: Schema.Array(Scalar) }))
})
/**
 * How an error is told from a success, and how its body differs from `{ code, message, errors }`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Errors extends Schema.Schema.Type<typeof Errors> {}

/**
 * The codec of {@link Paging}.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Paging = Schema.Union([
  /** The list is whole: `page` and `limit` are not sent. */
  Schema.Struct({ style: Schema.Literal("none") }),
  Schema.Struct({
    style: Schema.Literal("page"),
    page: Schema.optionalKey(Schema.String),
    size: Schema.optionalKey(Schema.String),
    /** The number of the first page. Default: 1. */
    first: Schema.optionalKey(Schema.Literals([0, 1]))
  }),
  Schema.Struct({
    style: Schema.Literal("offset"),
    offset: Schema.optionalKey(Schema.String),
    size: Schema.optionalKey(Schema.String)
  }),
  Schema.Struct({
    style: Schema.Literal("cursor"),
    cursor: Schema.optionalKey(Schema.String),
    size: Schema.optionalKey(Schema.String),
    /** A dotted path into the answer: the cursor of the next page. */
    next: Schema.String
  }),
  Schema.Struct({
    style: Schema.Literal("link"),
    page: Schema.optionalKey(Schema.String),
    size: Schema.optionalKey(Schema.String),
    /** A dotted path into the answer: the address of the next page. */
    next: Schema.String
  })
])
/**
 * How lists are paged, or `none` where a list is whole. The names are those of the query. Default: `page` from 1, and
 * `limit`.
 *
 * @since 0.1.0
 * @category models
 */
export type Paging = typeof Paging.Type

/**
 * The codec of {@link Meta}.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Meta = Schema.Struct({
  totalItems: Schema.optionalKey(Schema.String),
  itemsPerPage: Schema.optionalKey(Schema.String),
  totalPages: Schema.optionalKey(Schema.String),
  currentPage: Schema.optionalKey(Schema.String),
  hasPreviousPage: Schema.optionalKey(Schema.String),
  hasNextPage: Schema.optionalKey(Schema.String)
})
/**
 * Where the counts of a list are, as dotted paths into the answer. Default: in `meta`, under these names.
 *
 * @since 0.1.0
 * @category models
 */
export interface Meta extends Schema.Schema.Type<typeof Meta> {}

/**
 * The codec of {@link Source}.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Source = Schema.Struct({
  document: Schema.optionalKey(Schema.String),
  url: Schema.optionalKey(Schema.String),
  page: Schema.optionalKey(Schema.Union([Schema.String, Schema.Int])),
  date: Schema.optionalKey(Schema.String)
})
/**
 * Where it is documented.
 *
 * @since 0.1.0
 * @category models
 */
export interface Source extends Schema.Schema.Type<typeof Source> {}

/**
 * The codec of {@link Confirmed}.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Confirmed = Schema.Struct({ by: Schema.NonEmptyString, date: Schema.NonEmptyString })
/**
 * Who has compared an entry with the service's documentation, and when.
 *
 * @since 0.1.0
 * @category models
 */
export interface Confirmed extends Schema.Schema.Type<typeof Confirmed> {}

const Constants = Schema.Record(Schema.String, Scalar)

/** The parts of a contract for one operation or for all. */
const common = {
  /** A dotted path in the body of the request to the object with the fields. Default: the body itself. */
  body: Schema.optionalKey(Schema.String),
  /** Values that are always sent, such as `"header.x-version"`, `"query.dry_run"` or `"body.type"`. */
  constants: Schema.optionalKey(Constants),
  /** The statuses of a success. Default: any 2xx, and a 204 only where it is named. */
  success: Schema.optionalKey(Schema.Array(Status)),
  /** A dotted path to the payload of the answer. `null`: the answer is the payload, or there is none. Default: `data`. */
  payload: Schema.optionalKey(Schema.NullOr(Schema.String)),
  /** The same for lists. Default: that of `payload`. */
  items: Schema.optionalKey(Schema.NullOr(Schema.String)),
  /** A dotted path in each record to the object with its fields. Fields that are not in it are looked for beside it. */
  record: Schema.optionalKey(Schema.String),
  paging: Schema.optionalKey(Paging),
  meta: Schema.optionalKey(Meta),
  errors: Schema.optionalKey(Errors),
  /** Where each field of the input goes: ours → the service's. */
  fields: Schema.optionalKey(Schema.Record(Schema.String, Place)),
  /** Where each field of the answer comes from: ours ← the service's. */
  response: Schema.optionalKey(Schema.Record(Schema.String, Origin))
}

/**
 * The codec of {@link Defaults}.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Defaults = Schema.Struct({
  /** A path between the base address and each path. */
  prefix: Schema.optionalKey(Schema.String),
  /** How the service writes our keys, unless said otherwise. */
  casing: Schema.optionalKey(Schema.Literals(["camelCase", "snake_case", "kebab-case", "PascalCase"])),
  /** The content type of JSON bodies. Default: `application/json`. */
  contentType: Schema.optionalKey(Schema.String),
  amounts: Schema.optionalKey(AmountType),
  times: Schema.optionalKey(TimeType),
  ids: Schema.optionalKey(IdType),
  ...common
})
/**
 * The parts that apply to every operation, unless the operation has its own.
 *
 * @since 0.1.0
 * @category models
 */
export interface Defaults extends Schema.Schema.Type<typeof Defaults> {}

/**
 * The codec of {@link Differences}.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Differences = Schema.Struct({
  method: Schema.optionalKey(Method),
  /** A read that the service takes as POST, such as a search. Say so only if the documentation says that it changes nothing. */
  readOnly: Schema.optionalKey(Schema.Literal(true)),
  /** The path, such as `/wallets/detail/:walletId`. A parameter has the name of our field, or that of its place. */
  path: Schema.optionalKey(Schema.String),
  ...common,
  source: Schema.optionalKey(Source),
  confirmed: Schema.optionalKey(Confirmed),
  note: Schema.optionalKey(Schema.String)
})
/**
 * How the wire of an operation differs from what is assumed. Each part may be left out.
 *
 * @since 0.1.0
 * @category models
 */
export interface Differences extends Schema.Schema.Type<typeof Differences> {}

const Entry = Schema.Union([Schema.Literal(true), Differences])

/**
 * The codec of {@link File}.
 *
 * @since 0.1.0
 * @category schemas
 */
export const File = Schema.Struct({
  $schema: Schema.optionalKey(Schema.String),
  source: Schema.optionalKey(Source),
  note: Schema.optionalKey(Schema.String),
  defaults: Schema.optionalKey(Defaults),
  /** The confirmed operations. `true`: as assumed, with the defaults. */
  operations: Schema.optionalKey(Schema.Record(Schema.String, Entry)),
  /** Proposals of a tool that nobody has confirmed. They are checked, but have no effect; nor do the defaults apply to them. */
  proposed: Schema.optionalKey(Schema.Record(Schema.String, Entry))
})
/**
 * A contract: what differs in the whole API, and which operations are confirmed.
 *
 * @since 0.1.0
 * @category models
 */
export interface File extends Schema.Schema.Type<typeof File> {}
