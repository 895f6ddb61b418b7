/** What is wrong with a contract, where, and what would be right. Pure. */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import { type Path, quoted } from "../jsonText.ts"

export { quoted }

export interface Problem {
  readonly path: Path
  readonly message: string
  readonly expected: string
}

export type Problems = ReadonlyArray<Problem>

export const problem = (path: Path, message: string, expected: string): Problem => ({ path, message, expected })

/** The same problems, further in. */
export const within = (path: Path, problems: Problems): Problems =>
  problems.map((each) => ({ ...each, path: [...path, ...each.path] }))

/** How many mistakes are listed: whoever corrects these sees the next ones. */
const mostListed = 100

/** How many unknown names of one object are looked at. */
const mostStrangers = mostListed + 1

/** The names that are not among those that are known: the first ones. */
export const strangersIn = (names: Iterable<string>, known: ReadonlyArray<string>): ReadonlyArray<string> => {
  const expected = new Set(known)
  const found: Array<string> = []
  for (const name of names) {
    if (found.length === mostStrangers) break
    if (!expected.has(name)) found.push(name)
  }
  return found
}

/** The problems that are listed, and one that says how many are not. */
export const listed = (problems: Problems): Problems => {
  const first = problems.slice(0, mostListed)
  if (first.length === problems.length) return first
  const path = problems[first.length]!.path
  return [
    ...first,
    problem(path, "there are further mistakes, which are not listed", "those before it corrected first")
  ]
}

const simplified = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "")

/** Whether one of two simplified names begins the other. */
const alike = (a: string, b: string): boolean =>
  Math.min(a.length, b.length) >= 3 && (a.startsWith(b) || b.startsWith(a))

export const oneOf = (names: ReadonlyArray<string>): string =>
  names.length === 1 ? quoted(names[0]!) : `one of ${names.map(quoted).join(", ")}`

/** What was probably meant by an unknown name: the known names that are alike, or else all of them. */
export const meant = (name: string, known: ReadonlyArray<string>): string => {
  const candidates = known.filter((candidate) => alike(simplified(name), simplified(candidate)))
  return oneOf(candidates.length > 0 ? candidates : known)
}

const partsOf = (operation: string): readonly [category: string, called: string] => {
  const [category = "", ...called] = operation.split(".")
  return [simplified(category), simplified(called.join("."))]
}

/** What was probably meant by an unknown operation: those of the category that is named, by their own name if it fits. */
export const meantOperation = (known: Iterable<string>): ((name: string) => string) => {
  const operations = [...known].map((name) => ({ name, parts: partsOf(name) }))
  return (name) => {
    const [category, called] = partsOf(name)
    const inCategory = operations.filter(({ parts }) => alike(category, parts[0]))
    const candidates = inCategory.filter(({ parts }) => alike(called, parts[1]))
    const names = (candidates.length > 0 ? candidates : inCategory).map((operation) => operation.name)
    return names.length === 0 ? 'an operation\'s name, such as "wallets.get"' : oneOf(names)
  }
}

const formatter = SchemaIssue.makeFormatterStandardSchemaV1()
type StandardIssue = ReturnType<typeof formatter>["issues"][number]

const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce(
    (part: unknown, key) =>
      Predicate.isObjectOrArray(part) ? (part as Readonly<Record<string | number, unknown>>)[key] : undefined,
    value
  )

/** A schema's message says what it expected. What it got is looked up in the input. */
const typeProblem = (given: unknown, { message, path = [] }: StandardIssue): Problem => {
  const keys = path.map((segment) => {
    const key = typeof segment === "object" ? segment.key : segment
    return typeof key === "number" ? key : String(key)
  })
  const value = valueAt(given, keys)
  return value === undefined
    ? problem(keys.slice(0, -1), `${quoted(String(keys.at(-1) ?? ""))} is missing`, "a value for it")
    : problem(keys, `${quoted(value)} is not valid`, message.replace(/^Expected /, ""))
}

/** The schema of an object. */
export interface Structure extends Schema.Codec<unknown, unknown> {
  readonly fields: Readonly<Record<string, unknown>>
}

/** Everything that keeps an object from being what a schema says, unknown keys among it. */
export const structure = (schema: Structure, given: unknown): Problems => {
  if (!Predicate.isReadonlyObject(given)) return [problem([], `${quoted(given)} is not valid`, "an object")]
  const known = Object.keys(schema.fields)
  const strangers = strangersIn(Object.keys(given), known).map((name) =>
    problem([name], `unknown key ${quoted(name)}`, meant(name, known))
  )
  const decoded = Schema.decodeResult(schema)(given, {
    errors: "all"
  })
  return [
    ...strangers,
    ...(Result.isFailure(decoded)
      ? formatter(decoded.failure.issue)
          .issues.slice(0, mostStrangers)
          .map((issue) => typeProblem(given, issue))
      : [])
  ]
}
