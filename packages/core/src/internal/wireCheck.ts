/** Checks an operator's confirmations against the contracts of the operations. Pure. */
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaIssue from "effect/SchemaIssue"
import type { Safety } from "../Contract.ts"
import type { Differences } from "../WireContract.ts"
import type { Path } from "./jsonText.ts"

type DeclaredEndpoint = HttpApiEndpoint.Top & { readonly safety: Safety }

/** What a contract assumes of an operation's wire. */
interface Wire {
  readonly safety: Safety
  readonly method: string
  readonly path: string
  readonly query: ReadonlyArray<string>
  readonly body: ReadonlyArray<string>
  /** The keys of the payload, or of each item of a list; none where any may come. */
  readonly response: ReadonlyArray<string>
}

/** What is wrong, where, and what would be right. */
export interface Problem {
  readonly path: Path
  readonly message: string
  readonly expected: string
}

/** Any `HttpApi`. */
export interface Api {
  readonly groups: Readonly<Record<string, HttpApiGroup.Constraint>>
}

type Renames = Readonly<Record<string, string>>

const keysOf = (ast: SchemaAST.AST): ReadonlyArray<string> => {
  if (SchemaAST.isObjects(ast)) return ast.propertySignatures.map(({ name }) => String(name))
  if (SchemaAST.isArrays(ast)) return ast.rest.flatMap(keysOf)
  if (SchemaAST.isUnion(ast)) return ast.types.flatMap(keysOf)
  return []
}

const encodedKeys = (schema: Schema.Top | undefined): ReadonlyArray<string> =>
  schema === undefined ? [] : keysOf(SchemaAST.toEncoded(schema.ast))

const payloadKeys = (envelope: Schema.Top | undefined): ReadonlyArray<string> => {
  const ast = envelope === undefined ? undefined : SchemaAST.toEncoded(envelope.ast)
  if (ast === undefined || !SchemaAST.isObjects(ast)) return []
  return ast.propertySignatures.filter(({ name }) => name === "data").flatMap(({ type }) => keysOf(type))
}

const wireOf = ({ method, path, payload, query, safety, success }: DeclaredEndpoint): Wire => ({
  safety,
  method,
  path,
  query: encodedKeys(query),
  body: encodedKeys([...payload.values()][0]?.schemas[0]),
  response: payloadKeys([...success][0])
})

/** The wires of an API's operations, by name. */
const wiresOf = (api: Api): ReadonlyMap<string, Wire> =>
  new Map(
    Object.values(api.groups).flatMap((group) =>
      Object.values<DeclaredEndpoint>(group.endpoints as never).map(
        (endpoint) => [`${group.identifier}.${endpoint.identifier}`, wireOf(endpoint)] as const
      )
    )
  )

const quoted = (name: string): string => JSON.stringify(name)
const listed = (names: Iterable<string>): string => [...names].map(quoted).join(", ")

const simplified = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "")

/** Whether one of two simplified names begins the other. */
const alike = (a: string, b: string): boolean =>
  Math.min(a.length, b.length) >= 3 && (a.startsWith(b) || b.startsWith(a))

const oneOf = (names: ReadonlyArray<string>): string =>
  names.length === 1 ? quoted(names[0]!) : `one of ${listed(names)}`

/** What was probably meant by an unknown name: the known names that are alike, or else all of them. */
const meant = (name: string, known: ReadonlyArray<string>): string => {
  const candidates = known.filter((candidate) => alike(simplified(name), simplified(candidate)))
  return oneOf(candidates.length > 0 ? candidates : known)
}

const partsOf = (operation: string): readonly [category: string, called: string] => {
  const [category = "", ...called] = operation.split(".")
  return [simplified(category), simplified(called.join("."))]
}

/** What was probably meant by an unknown operation: those of the category that is named, by their own name if it fits. */
const meantOperation = (known: Iterable<string>): ((name: string) => string) => {
  const operations = [...known].map((name) => ({ name, parts: partsOf(name) }))
  return (name) => {
    const [category, called] = partsOf(name)
    const inCategory = operations.filter(({ parts }) => alike(category, parts[0]))
    const candidates = inCategory.filter(({ parts }) => alike(called, parts[1]))
    const names = (candidates.length > 0 ? candidates : inCategory).map((operation) => operation.name)
    return names.length === 0 ? 'an operation\'s name, such as "wallets.get"' : oneOf(names)
  }
}

const parametersOf = (path: string): ReadonlyArray<string> =>
  [...path.matchAll(/:([A-Za-z]\w*)/g)].map(([, name]) => name!)

const checkPath = (wire: Wire, path: string): ReadonlyArray<Omit<Problem, "path">> => {
  const expected = `the same parameters as ${quoted(wire.path)}`
  const wanted = parametersOf(wire.path)
  const given = parametersOf(path)
  if (!/^\/(?:[^/\s?#\\]+(?:\/[^/\s?#\\]+)*)?$/.test(path) || /\/(?:\.|%2e){1,2}(?:\/|$)/i.test(path)) {
    return [
      {
        message: `${quoted(path)} is not a path`,
        expected: `such as ${quoted(wire.path)}, relative to the base address`
      }
    ]
  }
  return [
    ...wanted
      .filter((name) => !given.includes(name))
      .map((name) => ({ message: `the path is without its parameter ":${name}"`, expected })),
    ...given
      .filter((name) => !wanted.includes(name))
      .map((name) => ({ message: `the path has an unknown parameter ":${name}"`, expected })),
    ...given
      .filter((name, index) => given.indexOf(name) !== index)
      .map((name) => ({ message: `the path has its parameter ":${name}" twice`, expected }))
  ]
}

/** Renames of keys that are sent. Only known keys can be renamed, and no two keys may be sent under one name. */
const checkSent = (part: "query" | "body", known: ReadonlyArray<string>, renames: Renames): ReadonlyArray<Problem> => {
  const problems: Array<Problem> = []
  const sentAs = new Map(known.filter((name) => !Object.hasOwn(renames, name)).map((name) => [name, name]))
  for (const [name, to] of Object.entries(renames)) {
    const path = [part, name]
    const other = sentAs.get(to)
    if (!known.includes(name)) {
      const expected = known.length === 0 ? `no ${quoted(part)} here` : meant(name, known)
      problems.push({ path, message: `the operation has no ${part} key ${quoted(name)}`, expected })
    } else if (to === "") {
      problems.push({ path, message: "the new name is empty", expected: "the service's name of the key" })
    } else if (other !== undefined) {
      const message = `${quoted(name)} and ${quoted(other)} would both be sent as ${quoted(to)}`
      problems.push({ path, message, expected: "a name of its own for each key" })
    } else {
      sentAs.set(to, name)
    }
  }
  return problems
}

/** Renames of keys that are received. */
const checkReceived = (known: ReadonlyArray<string>, renames: Renames): ReadonlyArray<Problem> => {
  const problems: Array<Problem> = []
  const readFrom = new Map<string, string>()
  for (const [from, name] of Object.entries(renames)) {
    const path = ["response", from]
    const other = readFrom.get(name)
    if (known.length > 0 && !known.includes(name)) {
      const message = `the operation's answer has no key ${quoted(name)}`
      problems.push({ path, message, expected: meant(name, known) })
    } else if (other !== undefined) {
      const message = `${quoted(other)} and ${quoted(from)} would both be read as ${quoted(name)}`
      problems.push({ path, message, expected: "one key of the service's for each of ours" })
    } else {
      readFrom.set(name, from)
    }
  }
  return problems
}

const formatter = SchemaIssue.makeFormatterStandardSchemaV1()
type StandardIssue = ReturnType<typeof formatter>["issues"][number]

const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce((part: unknown, key) => (Predicate.isReadonlyObject(part) ? part[key] : undefined), value)

/** A schema's message says what it expected. What it got is looked up in the input. */
const typeProblem = (said: unknown, { message, path = [] }: StandardIssue): Problem => {
  const keys = path.map((segment) => String(typeof segment === "object" ? segment.key : segment))
  return {
    path: keys,
    message: `${JSON.stringify(valueAt(said, keys))} does not fit`,
    expected: message.replace(/^Expected /, "")
  }
}

/** A read is sent again and used in look-ups, so it must stay one; a write that goes as GET could be repeated by anyone. */
const checkMethod = (wire: Wire, said: Differences): ReadonlyArray<Problem> => {
  const { readOnly } = said
  const method = said.method ?? wire.method
  if (wire.safety === "read") {
    if (method === "GET" || (method === "POST" && readOnly === true)) return []
    const message = `the operation is a read, and ${method} may change something`
    const expected = '"GET", or "POST" with "readOnly": true if the documentation says that it changes nothing'
    return [{ path: ["method"], message, expected }]
  }
  if (readOnly === true) {
    const message = "the operation changes something"
    return [{ path: ["readOnly"], message, expected: "nothing: only a read can be read-only" }]
  }
  if (method !== "GET") return []
  const message =
    wire.body.length > 0
      ? "the operation has a body, which GET does not carry"
      : "the operation changes something, and GET may be repeated by anyone on the way"
  return [{ path: ["method"], message, expected: `a method that changes things, such as ${quoted(wire.method)}` }]
}

const checkSaid = (wire: Wire, said: Differences): ReadonlyArray<Problem> => {
  const problems: Array<Problem> = []
  problems.push(...checkMethod(wire, said))
  if (said.path !== undefined) {
    problems.push(...checkPath(wire, said.path).map((problem) => ({ path: ["path"], ...problem })))
  }
  if (said.query !== undefined) problems.push(...checkSent("query", wire.query, said.query))
  if (said.body !== undefined) problems.push(...checkSent("body", wire.body, said.body))
  if (said.payload === "") {
    problems.push({ path: ["payload"], message: "the key is empty", expected: 'the envelope\'s key, such as "data"' })
  }
  if (said.response !== undefined) problems.push(...checkReceived(wire.response, said.response))
  return problems
}

const checkOperation = (schema: typeof Differences, wire: Wire, said: unknown): ReadonlyArray<Problem> => {
  if (said === true) return []
  const decoded = Schema.decodeUnknownResult(schema)(said, { errors: "all" })
  if (!Predicate.isReadonlyObject(said)) {
    const message = `${JSON.stringify(said)} confirms nothing`
    return [{ path: [], message, expected: "true, or an object of differences" }]
  }
  const parts = Object.keys(schema.fields)
  const strangers = Object.keys(said)
    .filter((part) => !parts.includes(part))
    .map((part) => ({ path: [part], message: `nothing is known as ${quoted(part)}`, expected: meant(part, parts) }))
  return [
    ...strangers,
    ...(Result.isFailure(decoded)
      ? formatter(decoded.failure.issue).issues.map((issue) => typeProblem(said, issue))
      : checkSaid(wire, decoded.success))
  ]
}

/** Everything that is wrong with confirmations of an API's operations. The schema is that of their differences. */
export const check = (schema: typeof Differences, api: Api, confirmations: unknown): ReadonlyArray<Problem> => {
  if (!Predicate.isReadonlyObject(confirmations)) {
    return [{ path: [], message: "there is no object", expected: `such as { "wallets.get": true }` }]
  }
  const wires = wiresOf(api)
  const probably = meantOperation(wires.keys())
  return Object.entries(confirmations).flatMap(([operation, said]): ReadonlyArray<Problem> => {
    const wire = wires.get(operation)
    if (wire === undefined) {
      const expected = probably(operation)
      return [{ path: [operation], message: `there is no operation ${quoted(operation)}`, expected }]
    }
    return checkOperation(schema, wire, said).map(({ path, ...rest }) => ({ path: [operation, ...path], ...rest }))
  })
}
