/** Turns a document into entries of a contract file that nobody has confirmed yet. Pure. */
import type { Differences, Place } from "@effect-custody/core/ContractFile"
import { type ApiDocument, type ApiOperation, type Field, parametersOf } from "../document/model.ts"
import { type Match, match, type Ours } from "./operations.ts"
import { keyOf } from "./words.ts"

/** One of the document's operations that may be ours. */
export interface Rival {
  /** Such as `POST /payouts`. */
  readonly theirs: string
  /** From 0 to 1. */
  readonly score: number
  /** In what it differs. */
  readonly reason: string
}

/** What was found for one of our operations. */
export interface Entry {
  readonly operation: string
  /**
   * - `proposed`: one of the document's operations is clearly best, and an entry was written for it;
   * - `undecided`: several are similar, none is similar enough, or an entry cannot express the one that is;
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
  readonly rivals: ReadonlyArray<Rival>
  /** What a person must look at before it is confirmed: above all, the fields to be placed. */
  readonly look: ReadonlyArray<string>
  /** The difference to what is assumed; only where the verdict is `proposed`. */
  readonly difference?: true | Differences
}

/** What a document says about the API. */
export interface Proposal {
  /** What a person must look at that concerns the whole API. */
  readonly look: ReadonlyArray<string>
  readonly entries: ReadonlyArray<Entry>
  /** Their operations that match none of ours. */
  readonly unused: ReadonlyArray<string>
}

const isTop = ({ path }: Field): boolean => path !== "" && !path.includes(".") && !path.includes("[]")
const routeOf = ({ method, path }: ApiOperation): string => `${method} ${path}`
const shownAtMost = 20

const listed = (fields: ReadonlyArray<Field>): string => {
  const names = fields.map(({ format, path, type }) => `${path} (${format ?? type})`)
  const more = names.length > shownAtMost ? ` and ${names.length - shownAtMost} more` : ""
  return names.length === 0 ? "none" : `${names.slice(0, shownAtMost).join(", ")}${more}`
}

/** The fields of ours that have no equal name there, beside the names that are left. */
const toPlace = (where: string, mine: ReadonlyArray<Field>, theirs: ReadonlyArray<Field>): ReadonlyArray<string> => {
  const [own, other] = [new Set(mine.map(({ path }) => path)), new Set(theirs.map(({ path }) => path))]
  const open = mine.filter(({ path }) => !other.has(path))
  const left = theirs.filter(({ path, type }) => !own.has(path) && type !== "object" && type !== "array")
  return open.length === 0 ? [] : [`to be placed in the ${where}: ${listed(open)}. The document has ${listed(left)}`]
}

/** The fields of a payload: those below `data`, where the specification's envelope has it. */
const payloadOf = ({ answer }: ApiOperation): ReadonlyArray<Field> => {
  const inner = answer.flatMap((field) => {
    const prefix = ["data[].", "data."].find((start) => field.path.startsWith(start))
    return prefix === undefined ? [] : [{ ...field, path: field.path.slice(prefix.length) }]
  })
  return inner.length > 0 ? inner : answer
}

interface Placed {
  readonly path: string
  readonly fields: Readonly<Record<string, Place>>
  readonly obstacles: ReadonlyArray<string>
}

/** The path with our names for its parameters, and the fields of ours that an equal name moves. */
const placed = (mine: Ours, theirs: ApiOperation): Placed => {
  const [own, given] = [parametersOf(mine.path), parametersOf(theirs.path)]
  const others = [...mine.query, ...mine.body].filter(isTop).map(({ path }) => path)
  const fields: Record<string, Place> = {}
  const obstacles: Array<string> = []
  const renamed = new Map<string, string>()
  for (const name of given) {
    const exact =
      own.find((one) => keyOf(one) === keyOf(name)) ?? (own.length === 1 && given.length === 1 ? own[0] : undefined)
    const moved = exact ?? others.find((one) => keyOf(one) === keyOf(name))
    if (moved === undefined) obstacles.push(`the path parameter ${name} matches none of the SDK's fields`)
    else renamed.set(name, moved)
    if (exact === undefined && moved !== undefined) fields[moved] = { in: "path" }
  }
  const used = new Set(renamed.values())
  for (const name of own.filter((one) => !used.has(one))) {
    if (theirs.query.some(({ path }) => path === name)) fields[name] = { in: "query", at: name }
    else if (theirs.body.some(({ path }) => path === name)) fields[name] = { in: "body", at: name }
    else obstacles.push(`the service's request has no field ${name}`)
  }
  const path = theirs.path
    .split("/")
    .map((segment) => (segment.startsWith(":") ? `:${renamed.get(segment.slice(1)) ?? segment.slice(1)}` : segment))
    .join("/")
  return { path, fields, obstacles }
}

/** What a person must look at in a pair. */
const lookOf = (mine: Ours, theirs: ApiOperation, fields: Placed["fields"]): ReadonlyArray<string> => {
  const open = (own: ReadonlyArray<Field>) => own.filter(({ path }) => !Object.hasOwn(fields, path)).filter(isTop)
  const taken = new Set([...mine.query, ...mine.body].map(({ path }) => path))
  const required = [...theirs.query, ...theirs.body].filter(
    (field) => field.isRequired === true && isTop(field) && !taken.has(field.path) && !Object.hasOwn(fields, field.path)
  )
  const [own, other] = [payloadOf(mine).filter(isTop), payloadOf(theirs)]
  return [
    ...toPlace("query", open(mine.query), theirs.query),
    ...toPlace("body", open(mine.body), theirs.body),
    ...(required.length === 0 ? [] : [`the service requires ${listed(required)}`]),
    ...(own.length > 0 && other.length === 0 ? ["the document shows no response"] : toPlace("response", own, other))
  ]
}

const entryOf = ({ chosen, others, ours: mine }: Match): Entry => {
  const rivals = others.map(({ reason, score, theirs }) => ({ theirs: routeOf(theirs), score, reason }))
  if (chosen === undefined) {
    return rivals.length === 0
      ? { operation: mine.name, verdict: "absent", reason: "nothing similar", rivals, look: [] }
      : { operation: mine.name, verdict: "undecided", reason: "none is clearly best", rivals, look: [] }
  }
  const { reason, score, theirs } = chosen
  const about = { operation: mine.name, theirs: routeOf(theirs), place: theirs.place, score, reason, rivals }
  const { fields, obstacles, path } = placed(mine, theirs)
  const look = lookOf(mine, theirs, fields)
  if (obstacles.length > 0) return { ...about, verdict: "undecided", look: [...obstacles, ...look] }
  const difference: Differences = {
    ...(theirs.method === mine.method ? {} : { method: theirs.method as NonNullable<Differences["method"]> }),
    ...(path === mine.path ? {} : { path }),
    ...(Object.keys(fields).length === 0 ? {} : { fields })
  }
  return { ...about, verdict: "proposed", look, difference: Object.keys(difference).length === 0 ? true : difference }
}

/** What a document says about our operations. */
export const propose = ({ authentication = [], operations }: ApiDocument): Proposal => {
  const matches = match(operations)
  const used = new Set(matches.flatMap(({ chosen }) => chosen?.theirs ?? []))
  const isOurs = authentication.some((said) => said.toLowerCase() === "header x-access-token")
  return {
    look: [
      ...(authentication.length === 0 || isOurs
        ? []
        : [`the service authenticates by ${authentication.join(", ")}, not by the header X-ACCESS-TOKEN`]),
      ...(matches.every(({ chosen, others }) => chosen === undefined && others.length === 0)
        ? ["the document has nothing similar to the SDK's operations: is it the right one?"]
        : [])
    ],
    entries: matches.map(entryOf),
    unused: operations.filter((operation) => !used.has(operation)).map(routeOf)
  }
}
