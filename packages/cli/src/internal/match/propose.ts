/** Turns a document into entries of a contract file that nobody has confirmed yet. Pure. */
import type { Defaults, Differences, Place } from "@effect-custody/core/ContractFile"
import { type ApiDocument, type ApiOperation, type Field, parametersOf } from "../document/model.ts"
import { find } from "./fields.ts"
import { type Candidate, type Match, match, type Ours } from "./operations.ts"
import { assumed, defaultsOf, type General, generalOf, prefixOf } from "./general.ts"
import { recordsOf } from "./payload.ts"
import { keyOf, singular, split } from "./words.ts"

/** What was found for one of our operations. */
export interface Entry {
  readonly operation: string
  /**
   * - `proposed`: one of the document's operations stands out, and an entry was written for it;
   * - `undecided`: several are similar, or an entry cannot express the one that stands out;
   * - `absent`: none is similar.
   */
  readonly verdict: "proposed" | "undecided" | "absent"
  /** Such as `POST /payouts`. */
  readonly theirs?: string
  /** Where it is in their document. */
  readonly place?: string
  /** From 0 to 1. */
  readonly score?: number
  /** Why it was chosen, or why nothing was. */
  readonly reason: string
  /** What a person must look at before it is confirmed. */
  readonly look: ReadonlyArray<string>
  /** The difference to what is assumed; only where the verdict is `proposed`. */
  readonly difference?: true | Differences
}

/** What a document says about the API. */
export interface Proposal {
  readonly defaults: Defaults
  /** What a person must look at that concerns the whole API. */
  readonly look: ReadonlyArray<string>
  readonly entries: ReadonlyArray<Entry>
  /** Their operations that match none of ours. */
  readonly unused: ReadonlyArray<string>
}

/** The fields with which a list is paged and searched: their absence does not count as a difference. */
const optionalEverywhere = new Set(["page", "limit", "sort_key", "order", "search"])

/** An entry under construction. */
interface Draft {
  readonly fields: Record<string, Place>
  readonly response: Record<string, string>
  readonly constants: Record<string, string>
  readonly look: Array<string>
  /** Why no entry can be written. */
  readonly obstacles: Array<string>
}

const isTop = ({ path }: Field): boolean => !path.includes(".") && !path.includes("[]")

/** Why a value may need `as`, if it does. */
const typeLook = (mine: Field, theirs: Field, { amounts, times }: General): ReadonlyArray<string> => {
  const isNumber = theirs.type === "number" || theirs.type === "integer"
  if ((mine.format === "decimal" && amounts !== undefined) || (mine.format === "date-time" && times !== undefined)) {
    return isNumber ? [] : [`${theirs.path} is not a number, unlike the others`]
  }
  if (mine.format === "decimal" && theirs.type === "integer")
    return [`${theirs.path} is an integer: minor units? Then set "as": { "minor": digits }`]
  if (mine.format === "decimal" && isNumber)
    return [`${theirs.path} is a number: set "as": "number" if it must be sent as one`]
  if (mine.format === "date-time" && isNumber)
    return [`${theirs.path} is a number: set "as": "seconds" or "milliseconds"`]
  return []
}

const isSent = (field: Field, query: ReadonlyArray<Field>): boolean => query.includes(field)

/** In a query there are no paths, only names. */
const placed = ({ path }: Field, isQuery: boolean): Place =>
  isQuery ? { in: "query", name: path } : { in: "body", at: path }

/** The path with our names for its parameters. Notes in the draft what fills the parameters that are not ours. */
const pathOf = (mine: Ours, theirs: ApiOperation, draft: Draft): string => {
  const own = parametersOf(mine.path)
  const given = parametersOf(theirs.path)
  const others = [...mine.query, ...mine.body].filter(isTop)
  const renamed = new Map<string, string>()
  for (const name of given) {
    const [exact] = own.filter((mineName) => keyOf(mineName) === keyOf(name))
    const single = own.length === 1 && given.length === 1 ? own[0] : undefined
    const moved = others.find(({ path }) => find(path, [{ path: name, type: "string" }]) !== undefined)
    if (exact !== undefined || single !== undefined) renamed.set(name, (exact ?? single)!)
    else if (moved !== undefined) {
      renamed.set(name, moved.path)
      draft.fields[moved.path] = { in: "path" }
      draft.look.push(`${moved.path} is sent as the path parameter ${name}`)
    } else draft.obstacles.push(`the path parameter ${name} matches none of the SDK's fields`)
  }
  for (const name of own.filter((mineName) => ![...renamed.values()].includes(mineName))) {
    const found = find(name, [...theirs.query, ...theirs.body], own.length === 1 ? ["id"] : [])
    if (found === undefined) draft.obstacles.push(`the service's request has no field for ${name}`)
    else {
      draft.fields[name] = placed(found.field, isSent(found.field, theirs.query))
      draft.look.push(`${name} is sent as ${found.field.path}, not in the path`)
    }
  }
  return theirs.path
    .split("/")
    .map((segment) => (segment.startsWith(":") ? `:${renamed.get(segment.slice(1)) ?? segment.slice(1)}` : segment))
    .join("/")
}

/** Finds the places of the request's fields, except those in the path. */
const placeFields = (mine: Ours, theirs: ApiOperation, general: General, draft: Draft): void => {
  const { casing, paging: style } = general
  const base = mine.contentType?.includes("multipart") === true ? undefined : general.body
  /** The original of each field whose path was made relative to that place. */
  const original = new Map<Field, Field>()
  const relative = (field: Field): Field => {
    if (base === undefined || !theirs.body.includes(field) || !field.path.startsWith(`${base}.`)) return field
    const short = { ...field, path: field.path.slice(base.length + 1) }
    original.set(short, field)
    return short
  }
  const paged = new Set(Object.values(style ?? {}))
  const theirFields = [...theirs.query, ...theirs.body]
  const used = new Set(
    Object.values(draft.fields).map((place) => (typeof place === "string" ? place : (place.at ?? "")))
  )
  for (const [fields, isQuery] of [
    [mine.query, true],
    [mine.body, false]
  ] as const) {
    for (const field of fields.filter(isTop)) {
      const { path: name } = field
      if (
        Object.hasOwn(draft.fields, name) ||
        (optionalEverywhere.has(name) && recordsOf(mine)?.isList === true && (name === "page" || name === "limit"))
      )
        continue
      const found = find(name, theirFields.filter(({ path }) => !paged.has(path) && !used.has(path)).map(relative))
      if (found === undefined) {
        if (field.isRequired === true)
          draft.obstacles.push(`the service's request has no field for ${name}, which is always sent`)
        else if (!optionalEverywhere.has(name))
          draft.look.push(`the service has no ${name}: leave it out, or map it to the service's name for it`)
        continue
      }
      const { field: short, isSure } = found
      const place = original.get(short) ?? short
      used.add(place.path)
      const goesToQuery = isSent(place, theirs.query)
      const usual = goesToQuery || base === undefined ? assumed(name, casing) : `${base}.${assumed(name, casing)}`
      const isNumericId = /(?:^i|I)d$/.test(name) && place.type === "integer" && field.type !== "integer"
      if (goesToQuery !== isQuery) draft.fields[name] = placed(place, goesToQuery)
      else if (isNumericId) draft.fields[name] = { ...(place.path === usual ? {} : { at: place.path }), as: "number" }
      else if (place.path !== usual) draft.fields[name] = place.path
      if (!isSure) draft.look.push(`${name} → ${place.path}: another name for the same thing?`)
      draft.look.push(...typeLook(field, place, general))
    }
  }
  for (const { isRequired, path, type, values } of theirFields.filter(
    (field) => isTop(field) || field.isRequired === true
  )) {
    const isFilled = used.has(path) || paged.has(path) || [...used].some((place) => place.startsWith(`${path}.`))
    if (isRequired !== true || isFilled || type === "object" || type === "array") continue
    const where = theirs.query.some((field) => field.path === path) ? "query" : "body"
    if (values?.length === 1) draft.constants[`${where}.${path}`] = values[0]!
    else draft.look.push(`the service requires ${path}, and the SDK has no field for it`)
  }
}

/**
 * Names of an id that contain the name of the resource: a payout of `/payouts` has a `payout_id`, and one of our
 * transactions a `transaction`.
 */
const idNames = (mine: Ours, { path }: ApiOperation): ReadonlyArray<string> => {
  const kind = singular(split(mine.name.slice(0, mine.name.indexOf("."))).at(-1) ?? "")
  return [
    kind,
    `${kind} id`,
    ...path
      .split("/")
      .filter((segment) => segment !== "" && !segment.startsWith(":"))
      .flatMap((segment) => [`${singular(segment)} id`, `${singular(split(segment).at(-1) ?? "")} id`])
  ]
}

/** Says where the fields of the answer come from. */
const placeAnswer = (mine: Ours, theirs: ApiOperation, general: General, draft: Draft): void => {
  const { casing } = general
  const [own, other] = [recordsOf(mine), recordsOf(theirs)]
  if (own === undefined) return
  if (other === undefined) {
    if (own.fields.some(({ isRequired }) => isRequired === true)) draft.look.push("the document shows no response")
    return
  }
  const used = new Set<string>()
  for (const field of own.fields.filter(isTop)) {
    const { path: name } = field
    const found = find(
      name,
      other.fields.filter(({ path }) => !used.has(path)),
      name === "id" ? idNames(mine, theirs) : []
    )
    if (found === undefined) {
      if (field.isRequired === true)
        draft.look.push(`the service's response has no ${name}, which the SDK's result always has`)
      continue
    }
    const { field: origin, isSure } = found
    used.add(origin.path)
    if (origin.path !== assumed(name, casing)) draft.response[name] = origin.path
    if (!isSure) draft.look.push(`${name} ← ${origin.path}: another name for the same thing?`)
    if (name === "status" && origin.values !== undefined && !general.areStatusesAlike)
      draft.look.push(`status has the values ${origin.values.join(", ")}: map each to one of the SDK's in "values"`)
    draft.look.push(...typeLook(field, origin, general))
  }
}

/** The payload of an operation, if it differs from that of the others. */
const payloadOf = (
  theirs: ApiOperation,
  general: General
): Pick<Differences, "items" | "payload" | "record" | "success"> => {
  const { items, payload } = general
  if (theirs.success.includes(204))
    return { success: theirs.success, ...(theirs.answer.length === 0 && payload !== null ? { payload: null } : {}) }
  const records = recordsOf(theirs)
  if (records === undefined) return {}
  const record = records.record === undefined || records.record === general.record ? {} : { record: records.record }
  if (records.isList) return records.payload === items ? record : { items: records.payload, ...record }
  return records.payload === payload ? record : { payload: records.payload, ...record }
}

const filled = <A extends object>(name: string, value: A): object =>
  Object.keys(value).length === 0 ? {} : { [name]: value }

const percent = (part: number): string => `${Math.round(part * 100)}%`

const reasonOf = ({ score }: Candidate): string =>
  `${score.shared.length === 0 ? "no shared word" : score.shared.join(", ")}; words ${percent(score.words)}, fields ${percent(score.fields)}, shape ${percent(score.shape)}`

const routeOf = ({ method, path }: ApiOperation, { prefix }: General): string => `${method} ${prefix}${path}`

const entryOf = (found: Match, general: General): Entry => {
  const { chosen, ours: mine, others } = found
  const near = others.map(({ score, theirs }) => `${routeOf(theirs, general)} (${score.total.toFixed(2)})`)
  if (chosen === undefined) {
    return near.length === 0
      ? { operation: mine.name, verdict: "absent", reason: "no similar operation", look: [] }
      : {
          operation: mine.name,
          verdict: "undecided",
          reason: "no clear match",
          look: [`candidates: ${near.join(", ")}`]
        }
  }
  const { score, theirs } = chosen
  const about = {
    operation: mine.name,
    theirs: routeOf(theirs, general),
    place: theirs.place,
    score: Math.round(score.total * 100) / 100
  }
  const draft: Draft = { fields: {}, response: {}, constants: {}, look: [], obstacles: [] }
  const path = pathOf(mine, theirs, draft)
  placeFields(mine, theirs, general, draft)
  placeAnswer(mine, theirs, general, draft)
  if (mine.safety === "read" && theirs.method !== "GET") {
    draft.obstacles.push(`the service uses ${theirs.method} for this read: set "readOnly": true if it changes nothing`)
  }
  const promised = recordsOf(mine)?.fields.find(({ isRequired }) => isRequired === true)
  if (promised !== undefined && theirs.success.includes(204)) {
    draft.obstacles.push(`the service answers 204 without a payload, and the SDK's result always has ${promised.path}`)
  }
  if (draft.obstacles.length > 0) {
    return { ...about, verdict: "undecided", reason: reasonOf(chosen), look: [...draft.obstacles, ...draft.look] }
  }
  const difference: Differences = {
    ...(theirs.method === mine.method ? {} : { method: theirs.method as NonNullable<Differences["method"]> }),
    ...(path === mine.path ? {} : { path }),
    ...filled("fields", draft.fields),
    ...filled("constants", draft.constants),
    ...payloadOf(theirs, general),
    ...filled("response", draft.response)
  }
  const look = [...draft.look, ...(score.total < 0.75 && near.length > 0 ? [`another candidate: ${near[0]}`] : [])]
  return {
    ...about,
    verdict: "proposed",
    reason: reasonOf(chosen),
    look,
    difference: Object.keys(difference).length === 0 ? true : difference
  }
}

/** What a document says about our operations. */
export const propose = (document: ApiDocument): Proposal => {
  const prefix = prefixOf(document.operations)
  // A prefix says nothing about what an operation does.
  const operations = document.operations.map((operation) => ({
    ...operation,
    path: operation.path.slice(prefix.length) || "/"
  }))
  const matches = match(operations)
  const chosen = matches.flatMap(({ chosen: pair }) => pair ?? [])
  const general = generalOf(prefix, operations, chosen, document)
  const used = new Set(chosen.map(({ theirs }) => theirs))
  return {
    defaults: defaultsOf(general),
    look: general.look,
    entries: matches.map((found) => entryOf(found, general)),
    unused: operations.filter((operation) => !used.has(operation)).map((operation) => routeOf(operation, general))
  }
}
