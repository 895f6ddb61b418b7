/** Turns a document into entries of a contract file that nobody has confirmed yet. Pure. */
import type * as ContractFile from "@effect-custody/contract/ContractFile"
import {
  type ApiDocument,
  type ApiOperation,
  type Field,
  isParameter,
  mapSegments,
  routeOf
} from "../document/model.ts"
import { keyOf, type Match, match, type Ours } from "./operations.ts"

type Differences = Pick<ContractFile.Differences, keyof ContractFile.Differences>

/** What was found for one of our operations. */
export interface Entry {
  readonly operation: string
  /**
   * - `proposed`: the first candidate is clearly best, and `difference` is its entry;
   * - `undecided`: none is clearly best, or an entry cannot express the one that is;
   * - `absent`: nothing is similar.
   */
  readonly verdict: "proposed" | "undecided" | "absent"
  /** The document's operations that may be ours, the best first, each with a score from 0 to 1 and what differs. */
  readonly candidates: ReadonlyArray<{ readonly theirs: string; readonly score: number; readonly reason: string }>
  /** What a person must look at before it is confirmed: above all, the fields to be placed. */
  readonly look: ReadonlyArray<string>
  readonly difference?: Differences
}

/** What a document says about the API. */
export interface Proposal {
  readonly look: ReadonlyArray<string>
  readonly entries: ReadonlyArray<Entry>
  /** Their operations that match none of ours. */
  readonly unused: ReadonlyArray<string>
}

const isTop = ({ path }: Field): boolean => path !== "" && !/[.[]/.test(path)

const listed = (fields: ReadonlyArray<Field>, atMost = 20): string => {
  const names = fields.slice(0, atMost).map(({ format, path, type }) => `${path} (${format ?? type})`)
  const more = fields.length > atMost ? ` and ${fields.length - atMost} more` : ""
  return names.length === 0 ? "none" : `${names.join(", ")}${more}`
}

const without = (fields: ReadonlyArray<Field>, others: ReadonlyArray<Field>): ReadonlyArray<Field> => {
  const known = new Set(others.map(({ path }) => path))
  return fields.filter(({ path }) => !known.has(path))
}

/** The fields of ours that have no equal name there, beside the names that are left. */
const toPlace = (where: string, mine: ReadonlyArray<Field>, theirs: ReadonlyArray<Field>): ReadonlyArray<string> => {
  const open = without(mine, theirs)
  const left = without(theirs, mine).filter(({ type }) => type !== "object" && type !== "array")
  return open.length === 0 ? [] : [`to be placed in the ${where}: ${listed(open)}. The document has ${listed(left)}`]
}

/** The fields of a payload: those below `data`, where the specification's envelope has it. */
const payloadOf = ({ answer }: ApiOperation): ReadonlyArray<Field> => {
  const inner = answer
    .filter(({ path }) => /^data(\[\])?\./.test(path))
    .map((field) => ({ ...field, path: field.path.replace(/^data(\[\])?\./, "") }))
  return inner.length > 0 ? inner : answer
}

const parametersOf = (path: string): ReadonlyArray<string> =>
  path
    .split("/")
    .filter(isParameter)
    .map((segment) => segment.slice(1))

/** Their path with our names for its parameters, and those of either side that the other has not. */
const renamed = (mine: Ours, theirs: ApiOperation) => {
  const [own, given] = [parametersOf(mine.path), parametersOf(theirs.path)]
  const ourName = (name: string): string | undefined =>
    own.find((one) => keyOf(one) === keyOf(name)) ?? (own.length === 1 && given.length === 1 ? own[0] : undefined)
  const placed = given.map(ourName)
  return {
    path: mapSegments(theirs.path, (segment) =>
      isParameter(segment) ? `:${ourName(segment.slice(1)) ?? segment.slice(1)}` : segment
    ),
    obstacles: [
      ...given
        .filter((_, at) => placed[at] === undefined)
        .map((name) => `the path parameter ${name} matches none of the SDK's path`),
      ...own.filter((name) => !placed.includes(name)).map((name) => `the service's path has no ${name}`)
    ]
  }
}

/** What a person must look at in a pair. */
const lookOf = (mine: Ours, theirs: ApiOperation): ReadonlyArray<string> => {
  const required = without([...theirs.query, ...theirs.body], [...mine.query, ...mine.body]).filter(
    (field) => field.isRequired === true && isTop(field)
  )
  const [own, other] = [payloadOf(mine).filter(isTop), payloadOf(theirs)]
  return [
    ...toPlace("query", mine.query.filter(isTop), theirs.query),
    ...toPlace("body", mine.body.filter(isTop), theirs.body),
    ...(required.length === 0 ? [] : [`the service requires ${listed(required)}`]),
    ...(own.length > 0 && other.length === 0 ? ["the document shows no response"] : toPlace("response", own, other))
  ]
}

const entryOf = ({ candidates, isClear, ours: mine }: Match): Entry => {
  const found = {
    operation: mine.name,
    candidates: candidates.map(({ reason, score, theirs }) => ({ theirs: routeOf(theirs), score, reason }))
  }
  const theirs = candidates[0]?.theirs
  if (theirs === undefined) return { ...found, verdict: "absent", look: [] }
  if (!isClear) return { ...found, verdict: "undecided", look: [] }
  const { obstacles, path } = renamed(mine, theirs)
  const look = [...obstacles, ...lookOf(mine, theirs)]
  if (obstacles.length > 0) return { ...found, verdict: "undecided", look }
  const difference: Differences = {
    ...(theirs.method === mine.method ? {} : { method: theirs.method as NonNullable<Differences["method"]> }),
    ...(path === mine.path ? {} : { path }),
    source: { page: theirs.place }
  }
  return { ...found, verdict: "proposed", look, difference }
}

/** What a document says about our operations. No field is placed: `look` lists those without an equal name. */
export const propose = ({ authentication, operations }: ApiDocument): Proposal => {
  const matches = match(operations)
  const theirs = new Set(
    matches.flatMap(({ candidates, isClear }) => (isClear ? candidates.slice(0, 1).map((best) => best.theirs) : []))
  )
  const isOurs = authentication.some((said) => said.toLowerCase() === "header x-access-token")
  return {
    look: [
      ...(authentication.length === 0 || isOurs
        ? []
        : [`the service authenticates by ${authentication.join(", ")}, not by the header X-ACCESS-TOKEN`]),
      ...(matches.every(({ candidates }) => candidates.length === 0)
        ? ["the document has nothing similar to the SDK's operations: is it the right one?"]
        : [])
    ],
    entries: matches.map(entryOf),
    unused: operations.filter((operation) => !theirs.has(operation)).map(routeOf)
  }
}

/** The proposal as a contract file. Everything is under `proposed`, which has no effect. */
export const toFile = (
  { entries, look: general }: Proposal,
  source: NonNullable<ContractFile.File["source"]>
): ContractFile.File => ({
  $schema: "./node_modules/@effect-custody/sdk/custody.contract.schema.json",
  source,
  ...(general.length === 0 ? {} : { note: general.join("; ") }),
  operations: {},
  proposed: Object.fromEntries(
    entries.flatMap(({ difference, look, operation }) =>
      difference === undefined
        ? []
        : [[operation, { ...difference, ...(look.length === 0 ? {} : { note: look.join("; ") }) }]]
    )
  )
})
