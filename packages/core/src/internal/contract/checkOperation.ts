/** Checks a contract's entry for one operation against the operation itself. Pure. */
import * as ContractFile from "../../ContractFile.ts"
import { isBodiless } from "../missingPayload.ts"
import { checkForm, checkHeader, OriginForm } from "./checkParts.ts"
import { meant, oneOf, problem, type Problems, quoted, within } from "./problem.ts"
import * as WithDefaults from "./withDefaults.ts"
import { type Leaf, type OperationShape, type RecordShape, recordOf, type Shape } from "./shape.ts"

type Defaults = ContractFile.Defaults
type Differences = ContractFile.Differences

/** What the specification's base address ends with. */
const base = "/api/integration"

const isDots = (segment: string): boolean => [".", ".."].includes(segment.toLowerCase().replaceAll("%2e", "."))

/** Whether a text is a path below the base address. */
export const isPath = (path: string): boolean =>
  path === "/" ||
  (path.startsWith("/") &&
    path
      .slice(1)
      .split("/")
      .every((segment) => segment !== "" && !isDots(segment) && !/[\s?#\\]/.test(segment)))

/** Reports a prefix, or a path, that repeats what is put before it. */
export const checkBase = (path: string, prefix: string | undefined): Problems => {
  const repeated = [base, prefix].find((each) => each !== undefined && each !== "" && `${path}/`.startsWith(`${each}/`))
  return repeated === undefined
    ? []
    : [problem([], `${quoted(path)} repeats ${quoted(repeated)}, which is put before it`, "the path after it")]
}

/**
 * A read is retried and used in look-ups, so it must stay a read; a write that is sent by GET could be repeated by any
 * intermediary.
 */
export const checkMethod = (
  { safety, input, route }: OperationShape,
  entry: Pick<Differences, "method" | "readOnly">
): Problems => {
  const { readOnly } = entry
  const method = entry.method ?? route.method
  if (safety === "read") {
    if (method === "GET" || (method === "POST" && readOnly === true)) return []
    const expected = '"GET", or "POST" with "readOnly": true if the documentation says that it changes nothing'
    return [problem(["method"], `the operation is a read, and ${method} may change something`, expected)]
  }
  if (readOnly === true) {
    return [problem(["readOnly"], "the operation changes something", 'remove "readOnly": only a read can be read-only')]
  }
  if (method !== "GET") return []
  const hasBody = [...input.values()].some(({ part }) => part === "body")
  const message = hasBody
    ? "the operation has a body, which GET does not carry"
    : "the operation changes something, and any intermediary may repeat a GET"
  return [problem(["method"], message, `a method that changes things, such as ${quoted(route.method)}`)]
}

/** Every parameter of the path has a field, and every field that was in the path has a place. */
const checkPath = (shape: OperationShape, entry: Differences, defaults: Defaults): Problems => {
  const path = entry.path ?? shape.route.path
  if (!isPath(path)) {
    const expected = `such as ${quoted(shape.route.path)}, relative to the base address`
    return [problem(["path"], `${quoted(path)} is not a path`, expected)]
  }
  const given = WithDefaults.parametersOf(path)
  const targets = [...shape.input.keys()].map((name) => ({
    name,
    target: WithDefaults.targetOf(shape, name, entry, defaults)
  }))
  const filled = targets.filter(({ target }) => target.in === "path")
  const at = entry.path === undefined ? [] : ["path"]
  return [
    ...within(["path"], checkBase(path, defaults.prefix)),
    ...filled
      .filter(({ target }) => target.in === "path" && !given.includes(target.name))
      .map(({ name }) =>
        problem(
          at,
          `the path lacks its parameter ":${name}"`,
          `":${name}" in the path, or a place for ${quoted(name)} under "fields"`
        )
      ),
    ...given
      .filter((name) => !filled.some(({ target }) => target.in === "path" && target.name === name))
      .map((name) => problem(at, `the path has an unknown parameter ":${name}"`, meantParameter(shape, name))),
    ...given
      .filter((name, index) => given.indexOf(name) !== index)
      .map((name) => problem(at, `the path has its parameter ":${name}" twice`, "each parameter once"))
  ]
}

const meantParameter = ({ input }: OperationShape, name: string): string =>
  input.size === 0
    ? "a path without parameters"
    : `${meant(name, [...input.keys()])}, or { "in": "path", "name": ${quoted(name)} } for one of the fields`

const sameTarget = (a: WithDefaults.Target, b: WithDefaults.Target): boolean => {
  if (a.in === "body" && b.in === "body") {
    const shorter = Math.min(a.path.length, b.path.length)
    return a.path.slice(0, shorter).every((segment, at) => segment === b.path[at])
  }
  if (a.in === "body" || b.in === "body" || a.in !== b.in) return false
  return a.in === "header" ? a.name.toLowerCase() === b.name.toLowerCase() : a.name === b.name
}

const shown = (target: WithDefaults.Target): string =>
  target.in === "body" ? quoted(target.path.join(".")) : `${quoted(target.name)} in the ${target.in}`

/** The one value that a shape is, or the one that each item of it is. */
const leafOf = (shape: Shape): Leaf | undefined => {
  if (shape._tag === "List") return leafOf(shape.item)
  return shape._tag === "Leaf" && shape.kind !== "object" ? shape : undefined
}

const typesOf: Readonly<Record<Leaf["kind"], ReadonlyArray<string>>> = {
  amount: ["string", "number"],
  id: ["string", "number"],
  time: ["iso", "seconds", "milliseconds"],
  other: ["string", "number"],
  object: []
}

/** Whether values and types fit what a field holds. */
const checkValue = (
  name: string,
  shape: Shape,
  { as, open, values }: Pick<ContractFile.OriginFields, "as" | "open" | "values">,
  siblings: ReadonlyArray<string>
): Problems => {
  const leaf = leafOf(shape)
  if (leaf === undefined) {
    return as === undefined && values === undefined
      ? []
      : [problem([as === undefined ? "values" : "as"], `${quoted(name)} holds fields, not one value`, '"at" or "name"')]
  }
  const problems: Array<Problems[number]> = []
  if (typeof as === "object" && leaf.kind !== "amount") {
    problems.push(problem(["as"], `${quoted(name)} is not an amount`, "minor units only for amounts"))
  } else if (typeof as === "object" && typeof as.minor === "object" && !siblings.includes(as.minor.by)) {
    problems.push(
      problem(["as", "minor", "by"], `there is no field ${quoted(as.minor.by)} beside it`, meant(as.minor.by, siblings))
    )
  } else if (typeof as === "string" && !typesOf[leaf.kind].includes(as)) {
    const expected = oneOf(typesOf[leaf.kind])
    problems.push(problem(["as"], `${quoted(name)} is ${leaf.kind === "time" ? "" : "not "}a time`, expected))
  }
  if (values === undefined || leaf.known.length === 0) return problems
  const unknown = Object.keys(values).filter((ours) => !leaf.known.includes(ours))
  const missing = open === true ? [] : leaf.known.filter((ours) => !Object.hasOwn(values, ours))
  return [
    ...problems,
    ...unknown.map((ours) =>
      problem(["values", ours], `${quoted(name)} has no value ${quoted(ours)} in the SDK`, meant(ours, leaf.known))
    ),
    ...(missing.length === 0
      ? []
      : [
          problem(
            ["values"],
            `no service value for ${missing.map(quoted).join(", ")}`,
            'one for each, or "open": true to send other values unchanged'
          )
        ])
  ]
}

/** What is impossible about the place of an input field. */
const checkPlace = (shape: OperationShape, name: string, entry: Differences, defaults: Defaults): Problems => {
  const place = WithDefaults.placeOf(name, entry, defaults)
  const field = shape.input.get(name)!
  const target = WithDefaults.targetOf(shape, name, entry, defaults)
  const given = typeof place === "string" ? { name: place } : place
  const problems: Array<Problems[number]> = []
  if (given.at !== undefined && target.in !== "body") {
    problems.push(problem(["at"], `"at" works in the body only, not in the ${target.in}`, '"name", a literal name'))
  }
  if (typeof place === "string" && target.in !== "body" && place.includes(".")) {
    const expected = `{ "in": "body", "at": ${quoted(place)} }, or { "name": ${quoted(place)} } if the key has a dot`
    problems.push(problem([], `a dot has no meaning in the ${target.in}`, expected))
  }
  if (target.in === "header")
    problems.push(...within(given.name === undefined ? [] : ["name"], checkHeader(target.name)))
  if (target.in === "body" && shape.body === "Multipart" && target.path.length > 1) {
    problems.push(problem([], "multipart/form-data cannot contain nested objects", "a name without a dot"))
  }
  if (shape.body === "Multipart" && field.part === "body" && target.in !== "body") {
    problems.push(problem(["in"], "a field of multipart/form-data may be a file", '"body"'))
  }
  if (target.in === "body" && (entry.method ?? shape.route.method) === "GET") {
    problems.push(problem([], "GET carries no body", '"in": "path", "query" or "header"'))
  }
  if (target.in !== "body" && leafOf(field.shape) === undefined) {
    problems.push(problem(["in"], `${quoted(name)} holds fields, not one value`, '"body"'))
  }
  return [...problems, ...checkValue(name, field.shape, given, [...shape.input.keys()])]
}

/** A one-time secret must be in a place that nothing prints: logs contain addresses, and all but a few headers. */
const checkSecrets = (shape: OperationShape, entry: Differences, defaults: Defaults): Problems =>
  shape.safety !== "session"
    ? []
    : [...shape.input.keys()].flatMap((name) => {
        const target = WithDefaults.targetOf(shape, name, entry, defaults)
        if (target.in === "body" || (target.in === "header" && target.name.toLowerCase() === "x-api-key")) return []
        const message = `${quoted(name)} is a secret, and may be printed in ${shown(target)}`
        const at = Object.hasOwn(entry.fields ?? {}, name) ? ["fields", name] : entry.path === undefined ? [] : ["path"]
        return [problem(at, message, 'its place in the body, or in the header "x-api-key"')]
      })

/** Fields that would be sent in the same place as another field or a constant. */
const checkMeetings = (shape: OperationShape, entry: Differences, defaults: Defaults): Problems => {
  const sent = [...shape.input.keys()].map((name) => ({
    at: ["fields", name],
    name,
    target: WithDefaults.targetOf(shape, name, entry, defaults)
  }))
  const constants = Object.keys(entry.constants ?? {}).flatMap((key, index) => {
    const constant = WithDefaults.constantsOf({ constants: entry.constants! }, {})[index]
    return constant === undefined
      ? []
      : [{ at: ["constants", key], name: key, target: constant.target as WithDefaults.Target }]
  })
  const all = [...sent, ...constants]
  return all.flatMap((each, index) => {
    const other = all.slice(0, index).find(({ target }) => sameTarget(target, each.target))
    if (other === undefined) return []
    // The one in this entry is the one to change.
    const isOwn = each.at[0] === "constants" || Object.hasOwn(entry.fields ?? {}, each.name)
    return [
      problem(
        isOwn ? each.at : other.at,
        `${quoted(other.name)} and ${quoted(each.name)} would both be sent as ${shown(each.target)}`,
        "a different place for each"
      )
    ]
  })
}

const checkFields = (shape: OperationShape, entry: Differences, defaults: Defaults): Problems => {
  const { fields = {}, paging } = entry
  const known = [...shape.input.keys()]
  const isPaged = shape.isPaged && (paging ?? defaults.paging) !== undefined
  return Object.keys(fields).flatMap((name) => {
    if (!known.includes(name)) {
      const expected = known.length === 0 ? "no fields: the operation has no input" : meant(name, known)
      return [problem([name], `the operation has no field ${quoted(name)}`, expected)]
    }
    if (isPaged && (name === "page" || name === "limit")) {
      return [problem([name], `${quoted(name)} has no effect: "paging" replaces it`, 'the name in "paging"')]
    }
    return within([name], checkPlace(shape, name, entry, defaults))
  })
}

const originPath = (name: string, origin: ContractFile.Origin): string =>
  typeof origin === "string" ? origin : (origin.at ?? origin.name ?? name)

/** What is wrong with the origins of a record's fields. `holder` is the operation's answer, or a field that holds a record. */
export const checkOrigins = (
  holder: string,
  record: RecordShape | undefined,
  origins: NonNullable<Differences["response"]>
): Problems => {
  const known = [...(record?.fields.keys() ?? [])]
  const read = new Map<string, string>()
  return Object.entries(origins).flatMap(([name, origin]) => {
    const of = record?.fields.get(name)
    if (of === undefined) {
      const expected = known.length === 0 ? `no entry: ${holder} has no fields` : meant(name, known)
      return [problem([name], `${holder} has no field ${quoted(name)}`, expected)]
    }
    const path = originPath(name, origin)
    const other = read.get(path)
    read.set(path, name)
    const said = typeof origin === "string" ? {} : origin
    return within(
      [name],
      [
        ...(other === undefined
          ? []
          : [
              problem(
                [],
                `${quoted(other)} and ${quoted(name)} would both be read from ${quoted(path)}`,
                "a different service key for each field"
              )
            ]),
        ...checkValue(name, of, said, known),
        ...within(["fields"], checkOrigins(quoted(name), recordOf(of), said.fields ?? {}))
      ]
    )
  })
}

const checkResponse = (shape: OperationShape, { response = {} }: Differences): Problems =>
  checkOrigins("the operation's answer", recordOf(shape.payload), response)

/**
 * A status without a body is no success of an operation that promises something: the operation would be done, and its
 * id unknown.
 */
export const checkSuccess = (
  { needsPayload }: OperationShape,
  own: ReadonlyArray<number> | undefined,
  defaults: Defaults
): Problems => {
  if (!needsPayload) return []
  const expected = "a status that comes with a payload, such as 201"
  const why = "has no payload, but the answer must contain something, such as an id"
  const ofAll = own === undefined ? (defaults.success ?? []) : []
  return [
    ...(own ?? []).flatMap((status, at) =>
      isBodiless(status) ? [problem(["success", at], `${status} ${why}`, expected)] : []
    ),
    ...(ofAll.length > 0 && ofAll.every(isBodiless)
      ? [
          problem(
            [],
            `the only success status in the defaults is ${ofAll.join(", ")}, which ${why}`,
            `"success": [201]`
          )
        ]
      : [])
  ]
}

/** Parts of an entry that the operation cannot have. */
const checkUnused = (shape: OperationShape, entry: Differences): Problems => {
  const isList = shape.payload._tag === "List"
  const unused: ReadonlyArray<readonly [keyof Differences, boolean, string]> = [
    ["items", isList, "the operation returns no list"],
    ["meta", shape.isPaged, "the operation returns no paged list"],
    ["paging", shape.isPaged, "the operation returns no paged list"],
    ["body", shape.body === "Json", "the operation has no JSON body"],
    ["record", recordOf(shape.payload) !== undefined, "the answer holds no record"]
  ]
  return unused
    .filter(([part, isUsed]) => entry[part] !== undefined && !isUsed)
    .map(([part, , why]) => problem([part], `${quoted(part)} has no effect: ${why}`, `remove ${quoted(part)}`))
}

/** What is wrong with the form of places and origins, of one operation or of all. */
export const checkForms = ({ fields = {}, response = {} }: Pick<Differences, "fields" | "response">): Problems => [
  ...Object.entries(fields).flatMap(([name, place]) =>
    within(["fields", name], checkForm(ContractFile.PlaceFields, place))
  ),
  ...Object.entries(response).flatMap(([name, origin]) => within(["response", name], checkForm(OriginForm, origin)))
]

/** What is wrong with the entry of an operation whose form is right. */
export const check = (shape: OperationShape, entry: Differences, defaults: Defaults): Problems => [
  ...checkMethod(shape, entry),
  ...checkPath(shape, entry, defaults),
  ...within(["fields"], checkFields(shape, entry, defaults)),
  ...checkMeetings(shape, entry, defaults),
  ...checkSecrets(shape, entry, defaults),
  ...within(["response"], checkResponse(shape, entry)),
  ...checkSuccess(shape, entry.success, defaults),
  ...checkUnused(shape, entry)
]
