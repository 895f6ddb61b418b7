/** Checks a contract's entry for one operation against the operation itself. */
import type * as ContractFile from "../language/ContractFile.ts"
import { pathParameters } from "@effect-custody/core/Declaration"
import { type Leaf, getRecord, type Shape } from "@effect-custody/core/Shape"
import { type Entry, isCode, type OperationShape, routeOf } from "../language/contract.ts"
import { filters } from "../plan/Filters.ts"
import { type Field, innerLeaf, type Sent, type Target } from "../plan/fields.ts"
import { make, type Plan } from "../plan/plan.ts"
import { at, type Report, quoted, reportUnknown } from "./problem.ts"
import * as Values from "../language/values.ts"

type Defaults = ContractFile.Defaults
type Differences = ContractFile.Differences

const isDots = (segment: string): boolean => [".", ".."].includes(segment.toLowerCase().replaceAll("%2e", "."))

export const isPath = (path: string): boolean =>
  path.startsWith("/") &&
  path
    .slice(1)
    .split("/")
    .every((segment) => segment !== "" && !isDots(segment) && !/[\s?#\\]/.test(segment))

const checkPath = (report: Report, path: string): void => {
  const parameters = pathParameters(path)
  if (!isPath(path)) report(["route"], `${quoted(path)} is not a path below the base address`)
  if (path.startsWith("/api/integration/")) report(["route"], `${quoted(path)} repeats the end of the base address`)
  if (new Set(parameters).size < parameters.length) report(["route"], "the path has a parameter twice")
}

const checkMethod = (report: Report, { declaration: { safety } }: OperationShape, method: string): void => {
  if (safety === "read" && method !== "GET") report(["route"], `a read goes by GET: ${method} may change something`)
  if (safety !== "read" && method === "GET") {
    report(["route"], "any intermediary may repeat a GET, and this changes something")
  }
}

const describeTarget = (target: Target): string =>
  target.in === "body" ? quoted(target.path.join(".")) : `${quoted(target.name)} in the ${target.in}`

/** `true` if two values have the same place, or one place contains the other. */
const overlap = (a: Target, b: Target): boolean => {
  if (a.in === "body" && b.in === "body") {
    const length = Math.min(a.path.length, b.path.length)
    return a.path.slice(0, length).join(".") === b.path.slice(0, length).join(".")
  }
  return a.in !== "body" && b.in !== "body" && a.in === b.in && a.name.toLowerCase() === b.name.toLowerCase()
}

/** Checks where a request puts what it sends. Finds two that share a place. */
const checkSent = (report: Report, { differences, paging, request, route, shape }: Plan): void => {
  const whole = differences.route === undefined ? [] : ["route"]
  const placeOf = (name: string) => (differences.fields?.[name] === undefined ? [] : ["fields", name])
  const sent = [
    ...(paging?.names ?? []).map((name): Sent => ({ name: "paging", target: { in: "query", name } })),
    ...request.sent.filter(({ name }) => paging === undefined || (name !== "page" && name !== "limit"))
  ]
  const parameters = pathParameters(route.path)
  const filled = sent.flatMap(({ target }) => (target.in === "path" ? [target.name] : []))
  for (const name of filled.filter((each) => !parameters.includes(each))) {
    report(whole, `the path lacks its parameter ":${name}", and the field has no other place`)
  }
  for (const name of parameters.filter((each) => !filled.includes(each))) {
    report(whole, `no field fills the parameter ":${name}" of the path`)
  }
  for (const [index, { name, target }] of sent.entries()) {
    if (target.in === "body" && route.method === "GET") report(placeOf(name), `${quoted(name)}: GET carries no body`)
    // Logs contain addresses, so a secret must not be there.
    if (target.in !== "body" && shape.declaration.safety === "session") {
      report(placeOf(name), `${quoted(name)} is a secret: its place is the body`)
    }
    const other = sent.slice(0, index).find((each) => overlap(each.target, target))
    if (other === undefined) continue
    report(placeOf(name), `${quoted(other.name)} and ${quoted(name)} would both be sent as ${describeTarget(target)}`)
  }
}

const kinds: Readonly<Record<string, ReadonlyArray<Leaf["kind"]>>> = {
  number: ["amount", "id", "other"],
  iso: ["time"],
  seconds: ["time"],
  milliseconds: ["time"],
  minor: ["amount"]
}

export const checkValueMap = (report: Report, values: ContractFile.Values): void => {
  const seen = new Set<string>()
  for (const [ours, theirs] of Object.entries(values)) {
    if (Values.toList(theirs).length === 0) report([ours], "the list of the service's values is empty")
    for (const each of Values.toList(theirs).map(String)) {
      if (seen.size === seen.add(each).size) report([ours], `"${each}" stands for two values: each may be there once`)
    }
  }
}

/** Checks the parts of a place that do not depend on the field's type. */
const checkValue = (report: Report, { as, values }: ContractFile.PlaceFields, defaults: Defaults): void => {
  if (as !== undefined && values !== undefined) report(["as"], '"as" and "values" cannot be combined')
  if (values !== undefined && !Object.hasOwn(defaults.values ?? {}, values)) {
    report(["values"], `the defaults have no values of the name ${quoted(values)}`)
  }
}

/** Checks that a place fits the type of its field. */
const checkFit = (report: Report, shape: Shape, entry: ContractFile.PlaceFields, defaults: Defaults): void => {
  checkValue(report, entry, defaults)
  const { as, values } = entry
  const leaf = innerLeaf(shape)
  if (leaf === undefined) {
    if (as !== undefined || values !== undefined) report([], "it holds fields, not one value")
    return
  }
  const type = typeof as === "object" ? "minor" : as
  if (type !== undefined && kinds[type]?.includes(leaf.kind) !== true) {
    report(["as"], `this field cannot be written as ${quoted(type)}`)
  }
  if (leaf.known.length === 0 || values === undefined) return
  const ours = Object.keys(defaults.values?.[values] ?? {})
  reportUnknown((_, message) => report(["values"], message), ours, leaf.known, "value")
}

export const checkDefaultEntries = (report: Report, defaults: Defaults): void => {
  for (const part of ["fields", "response"] as const) {
    for (const [name, entry] of Object.entries<ContractFile.Place>(defaults[part] ?? {})) {
      if (typeof entry !== "string") checkValue(at(report, part, name), entry, defaults)
    }
  }
}

const reserved = ["x-access-token", "authorization", "cookie", "host", "content-type", "content-length", "accept"]

/** `true` for the name of a header, in lower case, that a contract may set. */
const isHeader = (name: string): boolean => /^[\w!#$%&'*+.^`|~-]+$/.test(name) && !reserved.includes(name)

const checkPlace = (report: Report, { isOptional, place, shape: field, target }: Field): void => {
  if (target === undefined) {
    if (!isOptional) report([], "it is required, so it has a place: code can say what the service knows instead")
  } else if (target.in === "body") {
    if (target.path.includes("")) report([], `${quoted(place.at)} has an empty key`)
  } else if ([undefined, "object"].includes(innerLeaf(field)?.kind)) {
    report([], "it holds fields, not one value: its place is the body")
  }
}

const checkResponse = (
  report: Report,
  shape: OperationShape,
  { response = {} }: Differences,
  defaults: Defaults
): void => {
  const record = getRecord(shape.payload)?.fields
  reportUnknown(at(report, "response"), Object.keys(response), [...(record?.keys() ?? [])], "field")
  for (const [name, origin] of Object.entries(response)) {
    const of = record?.get(name)
    if (of !== undefined && typeof origin === "object") checkFit(at(report, "response", name), of, origin, defaults)
  }
}

/** Checks the headers of a request in code. */
const checkHeaders = (report: Report, { declaration: { safety } }: OperationShape, headers: object = {}): void => {
  for (const name of Object.keys(headers)) {
    // Logs contain most headers, so a secret must not be there.
    if (!isHeader(name) || (safety === "session" && name !== "x-api-key")) {
      report(["request"], `${quoted(name)} is no header that a contract may set`)
    }
  }
}

/** Checks the entry of an operation. The entry's form has already been checked. */
export const checkEntry = (report: Report, shape: OperationShape, given: Entry, defaults: Defaults): void => {
  const plan = make(shape, given, defaults)
  const entry = plan.differences
  const request = isCode(given) ? given.request : undefined
  // A wire in code may send a read by POST, because the wire's author asserts that the read changes nothing.
  if (!isCode(given) || shape.declaration.safety !== "read" || plan.route.method !== "POST") {
    checkMethod(report, shape, plan.route.method)
  }
  checkPath(report, routeOf(shape.declaration, entry).path)
  for (const [index, name] of (entry.proven ?? []).entries()) {
    reportUnknown((_, message) => report(["proven", index], message), [name], filters(shape), "filter")
  }
  if (isCode(given)) {
    if (given.operation !== shape.declaration) report([], "the code is of another operation")
    const isPlaced = Object.values(entry.fields ?? {}).some((place) => place !== "omit")
    if (request !== undefined && isPlaced) report(["fields"], "the code places the fields: here they are omitted only")
    if (given.answer !== undefined && entry.response !== undefined) report(["response"], "the code reads the record")
  }
  checkResponse(report, shape, entry, defaults)
  checkSent(report, plan)
  if (request !== undefined) return checkHeaders(report, shape, request.headers)
  reportUnknown(at(report, "fields"), Object.keys(entry.fields ?? {}), [...shape.input.keys()], "field")
  for (const field of plan.fields) {
    if (entry.fields?.[field.name] === undefined) {
      checkPlace((_, message) => report([], `${field.name}: ${message}`), field)
      continue
    }
    const own = at(report, "fields", field.name)
    checkPlace(own, field)
    checkFit(own, field.shape, field.place, defaults)
  }
}
