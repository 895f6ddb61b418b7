/** What holds for all operations of a document: the defaults of a contract, and what a person must look at. Pure. */
import type { Defaults } from "@effect-custody/core/ContractFile"
import type { ApiDocument, ApiOperation, Field } from "../document/model.ts"
import { find } from "./fields.ts"
import type { Candidate } from "./operations.ts"
import { recordsOf } from "./payload.ts"
import { keyOf, split } from "./words.ts"

type Casing = NonNullable<Defaults["casing"]>
type PagingStyle = NonNullable<Defaults["paging"]>

/** What holds for all operations. */
export interface General {
  readonly prefix: string
  readonly casing: Casing
  readonly payload: string | null
  readonly items: string | null
  readonly record: string | undefined
  /** The path in bodies to the object with the fields. */
  readonly body: string | undefined
  readonly contentType: string | undefined
  readonly paging: PagingStyle | undefined
  readonly meta: Defaults["meta"]
  readonly errors: Defaults["errors"]
  readonly amounts: Types["amounts"]
  readonly times: Types["times"]
  /** Whether every record has the same statuses, so that one look is enough. */
  readonly areStatusesAlike: boolean
  readonly look: ReadonlyArray<string>
}

/** The most frequent of several values. */
const mostFrequent = <A>(values: ReadonlyArray<A>): A | undefined => {
  const counts = new Map<A, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0]
}

/** The same for values that are compared by their content. */
const mostFrequentOf = <A>(values: ReadonlyArray<A>): A | undefined => {
  const text = mostFrequent(values.map((value) => JSON.stringify(value)))
  return values.find((value) => JSON.stringify(value) === text)
}

const casingOf = (name: string): Casing | undefined => {
  if (split(name).length < 2) return undefined
  if (name.includes("_")) return "snake_case"
  if (name.includes("-")) return "kebab-case"
  const [first = ""] = name
  return first === first.toUpperCase() ? "PascalCase" : "camelCase"
}

const capital = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1)

/** One of our names as the service writes its own. */
const inCasing = (name: string, casing: Casing): string => {
  const words = split(name)
  switch (casing) {
    case "snake_case":
      return words.join("_")
    case "kebab-case":
      return words.join("-")
    case "PascalCase":
      return words.map(capital).join("")
    case "camelCase":
      return words.map((word, index) => (index === 0 ? word : capital(word))).join("")
  }
}

/** Where one of our names is looked for, unless an entry says otherwise. */
export const assumed = (name: string, casing: Casing): string =>
  casing === "camelCase" ? name : inCasing(name, casing)

const lastOf = (path: string): string => path.slice(path.lastIndexOf(".") + 1)

/** The names of what is sent and of the records that come back, without those of the envelope. */
const lastNames = (operation: ApiOperation): ReadonlyArray<string> =>
  [...operation.query, ...operation.body, ...(recordsOf(operation)?.fields ?? [])].map(({ path }) => lastOf(path))

const version = /^v\d{1,4}$/
const bases = new Set(["api", "rest", "public", "integration"])

/** A prefix that all paths share and that carries no meaning, such as `/api/v2`; empty if there is none. */
export const prefixOf = (operations: ReadonlyArray<ApiOperation>): string => {
  const [first = [], ...others] = operations.map(({ path }) => path.split("/").slice(1))
  const until = first.findIndex(
    (segment, index) =>
      !(version.test(segment) || bases.has(segment)) || others.some((segments) => segments[index] !== segment)
  )
  return first
    .slice(0, Math.max(until, 0))
    .map((segment) => `/${segment}`)
    .join("")
}

const paging = {
  page: ["page", "page number", "page index", "p"],
  size: ["limit", "page size", "per page", "size", "take", "n"],
  offset: ["offset", "skip", "start index"],
  cursor: ["cursor", "after", "starting after", "page token", "next token"],
  next: ["next", "next cursor", "next page token", "next token", "cursor"],
  total: ["total", "total items", "total count", "total results"]
} as const

const named = (fields: ReadonlyArray<Field>, names: ReadonlyArray<string>): string | undefined =>
  fields.find(({ path }) => names.includes(keyOf(lastOf(path))))?.path

const isDirect = ({ path }: Field): boolean => !path.includes("[]")

/** Where an answer has the address of the next page. */
const linkOf = ({ answer }: ApiOperation): string | undefined =>
  answer.find(({ path }) => isDirect({ path } as Field) && /^(?:.*\.)?_?links\.next(?:\.href)?$/.test(path))?.path

/** How one of their lists is paged, as far as its query shows it. */
const pagingOf = (operation: ApiOperation): PagingStyle | undefined => {
  const { answer, query } = operation
  const size = named(query, paging.size)
  const sized = size === undefined ? {} : { size }
  const page = named(query, paging.page)
  const link = linkOf(operation)
  if (link !== undefined) return { style: "link", ...(page === undefined ? {} : { page }), ...sized, next: link }
  if (page !== undefined) return { style: "page", page, ...sized }
  const offset = named(query, paging.offset)
  if (offset !== undefined) return { style: "offset", offset, ...sized }
  const cursor = named(query, paging.cursor)
  const next = named(answer.filter(isDirect), paging.next)
  return cursor === undefined || next === undefined ? undefined : { style: "cursor", cursor, ...sized, next }
}

const assumedPaging = JSON.stringify({ style: "page", page: "page", size: "limit" })

/** The object that holds the fields of a body, where it is not the body itself. */
const bodyOf = ({ body }: ApiOperation): string | undefined => {
  const isObject = (path: string) => body.some((field) => field.path === path && field.type === "object")
  if (isObject("data.attributes")) return "data.attributes"
  const top = body.filter(({ path }) => !path.includes(".") && !path.includes("[]"))
  return top.length === 1 && isObject(top[0]!.path) && ["data", "payload", "request"].includes(top[0]!.path)
    ? top[0]!.path
    : undefined
}

const errorNames = {
  code: ["code", "error code", "err", "err code"],
  message: ["message", "msg", "detail", "error message", "description", "title"],
  fields: ["errors", "details", "fields", "invalid", "violations", "field errors"]
} as const

/** Where the parts of an error are. Of a list of errors, the first one is read. */
const errorsOf = (refusal: ReadonlyArray<Field>): Defaults["errors"] => {
  const leaves = (isObject: boolean) =>
    refusal.filter(({ type }) => (type === "object" || type === "array") === isObject)
  const at = (names: ReadonlyArray<string>, isObject: boolean): string | undefined =>
    names
      .map((name) => leaves(isObject).find(({ path }) => keyOf(lastOf(path)) === name)?.path)
      .find((path) => path !== undefined)
      ?.replaceAll("[]", ".0")
  const code = at(errorNames.code, false)
  const message = at(errorNames.message, false)
  const fields = at(errorNames.fields.toReversed(), true)
  return {
    ...(code === undefined || code === "code" ? {} : { code }),
    ...(message === undefined || message === "message" ? {} : { message }),
    ...(fields === undefined || fields === "errors" ? {} : { fields })
  }
}

interface Types {
  readonly amounts: Defaults["amounts"]
  readonly times: Defaults["times"]
  readonly look: ReadonlyArray<string>
}

const isNumber = ({ type }: Field): boolean => type === "number" || type === "integer"

/** How amounts and times are written, where all of them agree. */
const typesOf = (chosen: ReadonlyArray<Candidate>): Types => {
  const pairs = chosen.flatMap(({ ours, theirs }) => {
    const [own, other] = [recordsOf(ours)?.fields ?? [], recordsOf(theirs)?.fields ?? []]
    return [
      [
        [...ours.query, ...ours.body],
        [...theirs.query, ...theirs.body]
      ],
      [own, other]
    ].flatMap(([mine = [], all = []]) =>
      mine.flatMap((field) => {
        const found = field.format === undefined ? undefined : find(field.path, all)
        return found === undefined ? [] : [{ format: field.format, theirs: found.field }]
      })
    )
  })
  const of = (format: string) => pairs.filter((pair) => pair.format === format).map(({ theirs }) => theirs)
  const [amounts, times] = [of("decimal"), of("date-time")]
  const unit = (fields: ReadonlyArray<Field>) => {
    const said = new Set(fields.map((field) => JSON.stringify(field.unit)))
    return fields.length > 0 && fields.every(isNumber) && said.size === 1 ? fields[0]!.unit : undefined
  }
  const [ofAmounts, ofTimes] = [unit(amounts), unit(times)]
  return {
    amounts: typeof ofAmounts === "object" ? ofAmounts : undefined,
    times: typeof ofTimes === "string" ? ofTimes : undefined,
    look: [
      ...(typeof ofAmounts === "object"
        ? [`amounts are integers in units of 10^-${ofAmounts.minor}: is that the case for every asset and currency?`]
        : amounts.length > 0 && amounts.every(({ type }) => type === "integer")
          ? [`amounts are integers: set defaults.amounts to { "minor": digits }`]
          : []),
      ...(ofTimes === undefined && times.length > 0 && times.every(isNumber)
        ? [`times are numbers: set defaults.times to "seconds" or "milliseconds"`]
        : [])
    ]
  }
}

/** What holds for all operations: taken from the prefix, and from the operations that were matched. */
export const generalOf = (
  prefix: string,
  operations: ReadonlyArray<ApiOperation>,
  chosen: ReadonlyArray<Candidate>,
  document: ApiDocument
): General => {
  const records = chosen.flatMap(({ theirs }) => recordsOf(theirs) ?? [])
  const payloads = (isList: boolean) =>
    records.filter((record) => record.isList === isList).map(({ payload }) => payload)
  const payload = mostFrequent(payloads(false))
  const items = mostFrequent(payloads(true))
  const bodies = chosen
    .filter(({ ours, theirs }) => ours.body.length > 0 && theirs.contentType?.includes("json") === true)
    .map(({ theirs }) => theirs)
  const pages = chosen.filter(({ ours }) => recordsOf(ours)?.isList === true && ours.method === "GET")
  const style = mostFrequentOf(pages.flatMap(({ theirs }) => pagingOf(theirs) ?? []))
  const casing = mostFrequent(operations.flatMap(lastNames).flatMap((name) => casingOf(name) ?? [])) ?? "camelCase"
  const total = mostFrequent(pages.flatMap(({ theirs }) => named(theirs.answer.filter(isDirect), paging.total) ?? []))
  const refusal = mostFrequentOf(operations.flatMap(({ refusal: shown }) => (shown === undefined ? [] : [shown])))
  const { amounts, look, times } = typesOf(chosen)
  const statuses = chosen.flatMap(({ ours, theirs }) => {
    const isOurs = recordsOf(ours)?.fields.some(({ path }) => path === "status") === true
    const found = isOurs ? find("status", recordsOf(theirs)?.fields ?? []) : undefined
    return found === undefined ? [] : [found.field.values ?? []]
  })
  const [first = []] = statuses
  const areStatusesAlike = statuses.every((values) => values.join() === first.join())
  return {
    prefix,
    casing,
    payload: payload === undefined ? "data" : payload,
    items: items === undefined ? (payload ?? "data") : items,
    record: mostFrequent(records.map(({ record }) => record)),
    body: mostFrequent(bodies.map(bodyOf)),
    contentType: mostFrequent(bodies.map(({ contentType }) => contentType)),
    paging: style,
    meta: total === undefined || total === `meta.${assumed("totalItems", casing)}` ? undefined : { totalItems: total },
    errors: refusal === undefined ? undefined : errorsOf(refusal),
    amounts,
    times,
    areStatusesAlike,
    look: [
      ...(areStatusesAlike && statuses.length > 0
        ? [
            `map each status to one of the SDK's in defaults.response.status and fields.status${first.length === 0 ? ": the document does not list them" : `: ${first.join(", ")}`}`
          ]
        : []),
      ...look,
      ...(style?.style === "page" ? ['is the number of the first page 1? If it is 0, set "first": 0 in paging'] : []),
      ...(document.kind.startsWith("OpenAPI")
        ? []
        : ["the document contains only examples: fields that they omit are unknown"]),
      refusal === undefined
        ? "compare errors with { code, message, errors }, and put any differences in defaults.errors"
        : "map the error codes in defaults.errors.tags, if they are not those of the specification"
    ]
  }
}

const said = <K extends string, A>(name: K, value: A | undefined): { readonly [N in K]?: A } =>
  value === undefined ? {} : ({ [name]: value } as { readonly [N in K]?: A })

/** The same as the defaults of a contract. */
export const defaultsOf = (general: General): Defaults => {
  const { casing, contentType, errors = {}, items, paging: style, payload, prefix } = general
  return {
    ...(prefix === "" ? {} : { prefix }),
    ...(casing === "camelCase" ? {} : { casing }),
    ...(contentType === undefined || contentType === "application/json" ? {} : { contentType }),
    ...said("body", general.body),
    ...said("record", general.record),
    ...(payload === "data" ? {} : { payload }),
    ...(items === payload ? {} : { items }),
    ...(style === undefined || JSON.stringify(style) === assumedPaging ? {} : { paging: style }),
    ...said("meta", general.meta),
    ...said("amounts", general.amounts),
    ...said("times", general.times),
    ...(Object.keys(errors).length === 0 ? {} : { errors })
  }
}
