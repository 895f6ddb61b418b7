/** Checks a contract's entry for one operation against the operation itself. Pure. */
import type * as ContractFile from "../language/ContractFile.ts"
import {
  type Leaf,
  type OperationShape,
  getRecord,
  type RecordShape,
  type Shape as AnyShape
} from "@effect-custody/core/unstable/Shape"
import { type Field, innerLeaf, make, pathParameters, type Plan, type Target } from "../plan/plan.ts"
import { problemIf, type Problems, quoted, unknownNames, within } from "./problem.ts"
import * as Values from "../plan/values.ts"

type Defaults = ContractFile.Defaults
type Differences = ContractFile.Differences

export type Shape = OperationShape

const isDots = (segment: string): boolean => [".", ".."].includes(segment.toLowerCase().replaceAll("%2e", "."))

export const isPath = (path: string): boolean =>
  path.startsWith("/") &&
  path
    .slice(1)
    .split("/")
    .every((segment) => segment !== "" && !isDots(segment) && !/[\s?#\\]/.test(segment))

const baseEnd = "/api/integration/"

export const checkPath = (path: string): Problems => {
  const parameters = pathParameters(path)
  return [
    ...problemIf(!isPath(path), ["path"], `${quoted(path)} is not a path below the base address`),
    ...problemIf(path.startsWith(baseEnd), ["path"], `${quoted(path)} repeats the end of the base address`),
    ...problemIf(new Set(parameters).size < parameters.length, ["path"], "the path has a parameter twice")
  ]
}

export const checkMethod = ({ safety }: OperationShape, method: string): Problems => [
  ...problemIf(safety === "read" && method !== "GET", ["method"], `a read goes by GET: ${method} may change something`),
  ...problemIf(
    safety !== "read" && method === "GET",
    ["method"],
    "any intermediary may repeat a GET, and this changes something"
  )
]

/** Each parameter of the path needs a field, and each field in the path needs a parameter. */
const checkParameters = ({ differences, fields, shape }: Plan): Problems => {
  const path = differences.path ?? shape.route.path
  const parameters = pathParameters(path)
  const filled = [...fields.values()].flatMap(({ target }) => (target?.in === "path" ? [target.name] : []))
  const at = differences.path === undefined ? [] : ["path"]
  return [
    ...filled.flatMap((name) =>
      problemIf(
        !parameters.includes(name),
        at,
        `the path lacks its parameter ":${name}", and the field has no other place`
      )
    ),
    ...parameters.flatMap((name) =>
      problemIf(!filled.includes(name), at, `no field fills the parameter ":${name}" of the path`)
    )
  ]
}

const describeTarget = (target: Target): string =>
  target.in === "body" ? quoted(target.path.join(".")) : `${quoted(target.name)} in the ${target.in}`

/** `true` if two values have the same place, or one place contains the other. */
const overlap = (a: Target, b: Target): boolean => {
  if (a.in === "body" || b.in === "body") {
    if (a.in !== "body" || b.in !== "body") return false
    const length = Math.min(a.path.length, b.path.length)
    return a.path.slice(0, length).join(".") === b.path.slice(0, length).join(".")
  }
  return a.in === b.in && a.name.toLowerCase() === b.name.toLowerCase()
}

/** Finds fields that share a place with another field, a constant or a paging key. */
const checkOverlaps = ({ constants, differences, fields, paging }: Plan): Problems => {
  const sent = [
    ...constants.map(({ path }) => ({ name: path.join("."), target: { in: "body", path } as Target })),
    ...(paging?.names ?? []).map((name) => ({ name: "paging", target: { in: "query", name } as Target })),
    ...[...fields.values()].flatMap(({ name, target }) =>
      target === undefined || (paging !== undefined && (name === "page" || name === "limit")) ? [] : [{ name, target }]
    )
  ]
  return sent.flatMap(({ name, target }, index) => {
    const other = sent.slice(0, index).find((each) => overlap(each.target, target))
    return problemIf(
      other !== undefined,
      differences.fields?.[name] === undefined ? [] : ["fields", name],
      `${quoted(other?.name)} and ${quoted(name)} would both be sent as ${describeTarget(target)}`
    )
  })
}

const kinds: Readonly<Record<string, ReadonlyArray<Leaf["kind"]>>> = {
  string: ["amount", "id", "other"],
  number: ["amount", "id", "other"],
  iso: ["time"],
  seconds: ["time"],
  milliseconds: ["time"],
  minor: ["amount"]
}

export const checkValueMap = (values: Values.Values): Problems => {
  const seen = new Set<string>()
  return Object.entries(values).flatMap(([ours, theirs]) => [
    ...problemIf(Values.toList(theirs).length === 0, [ours], "the list of the service's values is empty"),
    ...Values.toList(theirs).flatMap((each) =>
      problemIf(
        seen.size === seen.add(String(each)).size,
        [ours],
        `${quoted(each)} stands for two values: each may be there once`
      )
    )
  ])
}

type ValueEntry = Pick<ContractFile.OriginFields, "as" | "at" | "values">

/** Checks the parts of a place or an origin that do not depend on the type of its field. */
const checkValueEntry = ({ as, values }: ValueEntry, defaults: Defaults): Problems => [
  ...problemIf(as !== undefined && values !== undefined, ["as"], '"as" and "values" cannot be combined'),
  ...problemIf(
    typeof values === "string" && !Object.hasOwn(defaults.values ?? {}, values),
    ["values"],
    `the defaults have no values of the name ${quoted(values)}`
  ),
  ...within(["values"], typeof values === "object" ? checkValueMap(values) : [])
]

/** Checks that `as` and `values` fit the type of a field. `siblings` are the fields of the same record. */
const checkFit = (
  shape: AnyShape,
  entry: ValueEntry,
  siblings: ReadonlyArray<string>,
  defaults: Defaults
): Problems => {
  const { as, values } = entry
  const leaf = innerLeaf(shape)
  if (leaf === undefined) {
    return problemIf(as !== undefined || values !== undefined, [], "it holds fields, not one value")
  }
  const type = typeof as === "object" ? "minor" : as
  const by = typeof as === "object" && typeof as.minor === "object" ? as.minor.by : undefined
  const ours = Object.keys(Values.findMap(entry, defaults) ?? {})
  return [
    ...problemIf(
      type !== undefined && kinds[type]?.includes(leaf.kind) !== true,
      ["as"],
      `this field cannot be written as ${quoted(type)}`
    ),
    ...problemIf(by !== undefined && !siblings.includes(by), ["as"], `there is no field ${quoted(by)} beside it`),
    ...within(["values"], leaf.known.length === 0 ? [] : unknownNames(ours, leaf.known, "value"))
  ]
}

export const checkDefaultEntries = (defaults: Defaults): Problems =>
  Object.entries({ fields: defaults.fields ?? {}, response: defaults.response ?? {} }).flatMap(([part, each]) =>
    Object.entries<ContractFile.Place | ContractFile.Origin>(each).flatMap(([name, entry]) =>
      within([part, name], typeof entry === "string" ? [] : checkValueEntry(entry, defaults))
    )
  )

const reserved = ["x-access-token", "authorization", "cookie", "host", "content-type", "content-length", "accept"]

const checkPlace = ({ route }: Plan, { place, shape, target }: Field): Problems => {
  if (target === undefined) return []
  if (target.in === "body") {
    return [
      ...problemIf(route.method === "GET", [], "GET carries no body"),
      ...problemIf(target.path.includes(""), [], `${quoted(place.at)} has an empty key`)
    ]
  }
  const isHeader = /^[\w!#$%&'*+.^`|~-]+$/.test(target.name) && !reserved.includes(target.name.toLowerCase())
  return [
    ...problemIf(
      target.in === "header" && !isHeader,
      [],
      `${quoted(target.name)} is no header that a contract may set`
    ),
    ...problemIf(
      [undefined, "object"].includes(innerLeaf(shape)?.kind),
      [],
      "it holds fields, not one value: its place is the body"
    )
  ]
}

/** Requires that a secret is sent in a place that is never logged. Logs contain addresses and most headers. */
const checkSecret = ({ shape }: Plan, { name, target }: Field): Problems =>
  problemIf(
    shape.safety === "session" &&
      target !== undefined &&
      target.in !== "body" &&
      !(target.in === "header" && target.name.toLowerCase() === "x-api-key"),
    [],
    `${quoted(name)} is a secret: its place is the body or the header "x-api-key"`
  )

const checkFields = (plan: Plan): Problems => {
  const { defaults, differences, fields, shape } = plan
  const names = [...shape.input.keys()]
  return [
    ...within(["fields"], unknownNames(Object.keys(differences.fields ?? {}), names, "field")),
    ...[...fields.values()].flatMap((field) => {
      const { name, place } = field
      const problems = [...checkPlace(plan, field), ...checkSecret(plan, field)]
      if (differences.fields?.[name] !== undefined) {
        const own = [...problems, ...checkValueEntry(place, defaults), ...checkFit(field.shape, place, names, defaults)]
        return within(["fields", name], own)
      }
      return problems.map(({ message }) => ({ path: [], message: `${name}: ${message}` }))
    })
  ]
}

export const checkOrigins = (
  record: RecordShape | undefined,
  origins: NonNullable<Differences["response"]>,
  defaults: Defaults
): Problems => {
  const known = [...(record?.fields.keys() ?? [])]
  return [
    ...unknownNames(Object.keys(origins), known, "field"),
    ...Object.entries(origins).flatMap(([name, origin]) => {
      const of = record?.fields.get(name)
      if (of === undefined || typeof origin === "string") return []
      const inner = origin.fields === undefined ? [] : checkOrigins(getRecord(of), origin.fields, defaults)
      const own = [...checkValueEntry(origin, defaults), ...checkFit(of, origin, known, defaults)]
      return within([name], [...own, ...within(["fields"], inner)])
    })
  ]
}

/** Checks the entry of an operation. The entry's form has already been checked. */
export const checkEntry = (shape: OperationShape, entry: Differences, defaults: Defaults): Problems => {
  const plan = make(shape, entry, defaults)
  return [
    ...checkMethod(shape, plan.route.method),
    ...checkPath(entry.path ?? shape.route.path),
    ...checkParameters(plan),
    ...checkFields(plan),
    ...checkOverlaps(plan),
    ...within(["response"], checkOrigins(getRecord(shape.payload), entry.response ?? {}, defaults))
  ]
}
