/** Proposes entries of a contract file from a document. A person has to confirm them. Pure. */
import type * as ContractFile from "../language/ContractFile.ts"
import { pathParameters } from "@effect-custody/core/unstable/Declaration"
import { type ApiDocument, type ApiOperation, type Field, isParameter, mapSegments, formatRoute } from "./model.ts"
import { match, type Match, nameKey, type OwnOperation } from "./OperationMatch.ts"

type Differences = Pick<ContractFile.Differences, keyof ContractFile.Differences>

/** The result for one of our own operations. */
export interface Entry {
  readonly operation: string
  /**
   * - `proposed`: the first candidate is clearly best, and `difference` is the proposed entry;
   * - `undecided`: no candidate is clearly best, or an entry cannot express the best one;
   * - `absent`: no operation of the document is similar.
   */
  readonly verdict: "proposed" | "undecided" | "absent"
  /** The document's operations that may match our own, the best first. Scores are from 0 to 1. */
  readonly candidates: ReadonlyArray<{ readonly theirs: string; readonly score: number; readonly reason: string }>
  /** What a person must check first, such as our fields that the document does not have under the same name. */
  readonly look: ReadonlyArray<string>
  readonly difference?: Differences
}

/** The result for a whole document. */
export interface Proposal {
  readonly look: ReadonlyArray<string>
  /** The path between the SDK's base address and the document's paths; absent if there is none, or several. */
  readonly prefix?: string
  readonly entries: ReadonlyArray<Entry>
  /** The document's operations that are not a clear match of any of our own operations. */
  readonly unused: ReadonlyArray<string>
}

const isTopLevel = ({ path }: Field): boolean => path !== "" && !/[.[]/.test(path)

const listed = (fields: ReadonlyArray<Field>, atMost = 20): string => {
  const names = fields
    .slice(0, atMost)
    .map(
      ({ explode, format, path, type }) =>
        `${path} (${format ?? type}${explode === undefined ? "" : `, explode ${explode}`})`
    )
  const more = fields.length > atMost ? ` and ${fields.length - atMost} more` : ""
  return names.length === 0 ? "none" : `${names.join(", ")}${more}`
}

/** `true` if two fields have the same name, and either both or neither is a list. */
const isSame = (a: Field, b: Field): boolean =>
  a.path === b.path && (a.type === b.type || (a.type !== "array" && b.type !== "array") || b.type === "unknown")

const without = (fields: ReadonlyArray<Field>, others: ReadonlyArray<Field>): ReadonlyArray<Field> =>
  fields.filter((field) => !others.some((other) => isSame(field, other)))

/**
 * Describes our fields that the document does not have under the same name, and the document's fields that we do not
 * have. Empty if the document has all our fields.
 */
const fieldsToPlace = (
  where: string,
  mine: ReadonlyArray<Field>,
  theirs: ReadonlyArray<Field>
): ReadonlyArray<string> => {
  const open = without(mine, theirs)
  const left = without(theirs, mine).filter(({ type }) => type !== "object" && (type !== "array" || where === "query"))
  return open.length === 0 ? [] : [`to be placed in the ${where}: ${listed(open)}. The document has ${listed(left)}`]
}

/** The list parameters that both queries have under the same name, in the document's style (repeated key or commas). */
const commonLists = (mine: OwnOperation, theirs: ApiOperation): ReadonlyArray<Field> =>
  theirs.query.filter((field) => field.type === "array" && mine.query.some((own) => isSame(own, field)))

const placeLists = (lists: ReadonlyArray<Field>): Pick<Differences, "fields"> => {
  const fields = lists.flatMap(({ explode, path }) => (explode === undefined ? [] : [[path, { explode }] as const]))
  return fields.length === 0 ? {} : { fields: Object.fromEntries(fields) }
}

/** The fields below a place, without the place. */
const below = (place: RegExp, fields: ReadonlyArray<Field>): ReadonlyArray<Field> =>
  fields.filter(({ path }) => place.test(path)).map((field) => ({ ...field, path: field.path.replace(place, "") }))

/** The fields below `data`, where the specification's envelope has the payload; else those of the rows; else all fields. */
const readPayload = ({ answer }: ApiOperation): ReadonlyArray<Field> =>
  [/^data(\[\])?\./, /^\w*\[\]\./].map((place) => below(place, answer)).find(({ length }) => length > 0) ?? answer

/** Says that answers have no `data`, and which keys of theirs hold rows. */
const payloadToPlace = (operations: ReadonlyArray<ApiOperation>): ReadonlyArray<string> => {
  const others = operations.filter(({ answer }) => answer.length > 0 && !answer.some(({ path }) => path === "data"))
  if (others[0] === undefined) return []
  const rows = new Set(
    others.flatMap(({ answer }) => answer.flatMap(({ path }) => /^(\w+)\[\]\./.exec(path)?.[1] ?? []))
  )
  const lists = rows.size === 0 ? "" : `; perhaps ${[...rows].slice(0, 5).join(" or ")}`
  return [
    `the answer to ${formatRoute(others[0])} has no "data": write the place of the payload under defaults ` +
      `("payload", "items" of lists${lists})`
  ]
}

/**
 * Renames the parameters of the document's path to our own names. `obstacles` describes the parameters without a match.
 */
const renameParameters = (mine: OwnOperation, theirs: ApiOperation) => {
  const [own, given] = [pathParameters(mine.path), pathParameters(theirs.path)]
  const ownName = (name: string): string | undefined =>
    own.find((one) => nameKey(one) === nameKey(name)) ?? (own.length === 1 && given.length === 1 ? own[0] : undefined)
  const placed = given.map(ownName)
  return {
    path: mapSegments(theirs.path, (segment) =>
      isParameter(segment) ? `:${ownName(segment.slice(1)) ?? segment.slice(1)}` : segment
    ),
    obstacles: [
      ...given
        .filter((_, at) => placed[at] === undefined)
        .map((name) => `the path parameter ${name} matches none of the SDK's path`),
      ...own.filter((name) => !placed.includes(name)).map((name) => `the service's path has no ${name}`)
    ]
  }
}

/** Lists the differences of a matched pair that a person must check. */
const openPoints = (mine: OwnOperation, theirs: ApiOperation): ReadonlyArray<string> => {
  const required = without([...theirs.query, ...theirs.body], [...mine.query, ...mine.body]).filter(
    (field) => field.isRequired === true && isTopLevel(field)
  )
  const [own, other] = [readPayload(mine).filter(isTopLevel), readPayload(theirs)]
  return [
    ...fieldsToPlace("query", mine.query.filter(isTopLevel), theirs.query),
    ...commonLists(mine, theirs)
      .filter(({ explode }) => explode === undefined)
      .map(({ path }) => `does the service read ${path}=a&${path}=b ("explode": true) or ${path}=a,b (false)?`),
    ...fieldsToPlace("body", mine.body.filter(isTopLevel), theirs.body),
    ...(required.length === 0 ? [] : [`the service requires ${listed(required)}`]),
    ...(own.length > 0 && other.length === 0
      ? ["the document shows no response"]
      : fieldsToPlace("response", own, other))
  ]
}

const makeEntry = ({ candidates, isClear, own: mine }: Match): Entry => {
  const found = {
    operation: mine.name,
    candidates: candidates.map(({ reason, score, theirs }) => ({ theirs: formatRoute(theirs), score, reason }))
  }
  const theirs = candidates[0]?.theirs
  if (theirs === undefined) return { ...found, verdict: "absent", look: [] }
  if (!isClear) return { ...found, verdict: "undecided", look: [] }
  const { obstacles, path } = renameParameters(mine, theirs)
  const look = [...obstacles, ...openPoints(mine, theirs)]
  if (obstacles.length > 0) return { ...found, verdict: "undecided", look }
  const difference: Differences = {
    ...(theirs.method === mine.method ? {} : { method: theirs.method as NonNullable<Differences["method"]> }),
    ...(path === mine.path ? {} : { path }),
    ...placeLists(commonLists(mine, theirs)),
    source: { page: theirs.place }
  }
  return { ...found, verdict: "proposed", look, difference }
}

/** Reads the prefix of the document's paths. The SDK's base address already ends with `/api/integration`. */
const readPrefix = (
  paths: ReadonlyArray<string>
): { readonly prefix?: string; readonly look: ReadonlyArray<string> } => {
  const [path = ""] = paths
  const prefix = path.replace(/^\/api\/integration(?=\/|$)/, "")
  if (paths.length > 1 || !/^(\/[\w.~-]+)*$/.test(path)) {
    return {
      look: [`the document's servers are at ${paths.join(", ")}: write the right path as "prefix" under defaults`]
    }
  }
  if (prefix === "") return { look: [] }
  return { prefix, look: [`the document's server is at ${path}: all paths get the prefix ${prefix}`] }
}

/**
 * Compares a document with our own operations. Does not map fields: `look` lists our fields that the document does not
 * have under the same name.
 */
export const propose = (
  { authentication, operations, serverPaths }: ApiDocument,
  own: ReadonlyArray<OwnOperation>
): Proposal => {
  const matches = match(operations, own)
  const matched = new Set(
    matches.flatMap(({ candidates, isClear }) => (isClear ? candidates.slice(0, 1).map((best) => best.theirs) : []))
  )
  const isSpecified = authentication.some((form) => form.toLowerCase() === "header x-access-token")
  const { look, ...prefix } = readPrefix(serverPaths)
  return {
    ...prefix,
    look: [
      ...(authentication.length === 0 || isSpecified
        ? []
        : [`the service authenticates by ${authentication.join(", ")}, not by the header X-ACCESS-TOKEN`]),
      ...(matches.every(({ candidates }) => candidates.length === 0)
        ? ["the document has nothing similar to the SDK's operations: is it the right one?"]
        : payloadToPlace(matched.size > 0 ? [...matched] : operations)),
      ...look
    ],
    entries: matches.map(makeEntry),
    unused: operations.filter((operation) => !matched.has(operation)).map(formatRoute)
  }
}

/** Makes a contract file from a proposal. All entries are under `proposed`, which has no effect. */
export const toFile = (
  { entries, look: general, prefix }: Proposal,
  source: NonNullable<ContractFile.File["source"]>
): ContractFile.File => ({
  $schema: "./node_modules/@effect-custody/sdk/custody.contract.schema.json",
  source,
  ...(general.length === 0 ? {} : { note: general.join("; ") }),
  ...(prefix === undefined ? {} : { defaults: { prefix } }),
  operations: {},
  proposed: Object.fromEntries(
    entries.flatMap(({ difference, look, operation }) =>
      difference === undefined
        ? []
        : [[operation, { ...difference, ...(look.length === 0 ? {} : { note: look.join("; ") }) }]]
    )
  )
})
