/** Reads JSON files that people write: every mistake with its line and column, and the position of every value. Pure. */
import * as ExactJson from "@effect-custody/core/unstable/ExactJson"
import * as Result from "effect/Result"
import {
  createScanner,
  findNodeAtLocation,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode
} from "jsonc-parser"

export type Path = ReadonlyArray<string | number>

/** A position in a text, both from 1. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** A value with the positions of its parts. */
export interface JsonText {
  readonly value: unknown
  /** Where the key of a member, an element, or the root begins. */
  readonly positionOf: (path: Path) => Position
  /** The keys that an object has more than once: the first 20. */
  readonly duplicates: ReadonlyArray<Position & { readonly path: Path }>
}

/** Why a text is not JSON, and where. */
export interface SyntaxMistake extends Position {
  readonly message: string
}

/** No file that we read is nested deeper. */
const maxDepth = 32

/** A file with more mistakes than this is probably no JSON at all. */
const maxMistakes = 20

const positionAt = (text: string, offset: number): Position => {
  const before = text.slice(0, offset)
  const lineStart = before.lastIndexOf("\n") + 1
  return { line: before.split("\n").length, column: offset - lineStart + 1 }
}

/** Where the text first nests too deeply. It is looked for before parsing, because the parser is recursive. */
const tooDeepAt = (text: string): number | undefined => {
  const scanner = createScanner(text, true)
  let depth = 0
  // Only the end of the text is a token without length.
  for (scanner.scan(); scanner.getTokenLength() > 0; scanner.scan()) {
    const first = text[scanner.getTokenOffset()]
    if (first === "{" || first === "[") depth++
    if (first === "}" || first === "]") depth--
    if (depth > maxDepth) return scanner.getTokenOffset()
  }
  return undefined
}

/** The parser's name of a mistake in words, such as "comma expected", and what is there. */
const mistakeAt = (text: string, { error, offset }: ParseError): SyntaxMistake => {
  const words = printParseErrorCode(error).replaceAll(/(?<=.)[A-Z]/g, (capital) => ` ${capital}`)
  const found = /^[\w.+-]{1,20}|^[^]/u.exec(text.slice(offset, offset + 20))?.[0]
  const what = found === undefined ? "the text ends here" : `at ${JSON.stringify(found)}`
  return { ...positionAt(text, offset), message: `${words.toLowerCase()}, ${what}` }
}

/** The first mistake of each line: the others of a line usually follow from it. */
const mistakesOf = (text: string, errors: ReadonlyArray<ParseError>): ReadonlyArray<SyntaxMistake> => {
  const byLine = new Map<number, SyntaxMistake>()
  for (const error of errors.slice(0, 10 * maxMistakes)) {
    const mistake = mistakeAt(text, error)
    if (!byLine.has(mistake.line)) byLine.set(mistake.line, mistake)
    if (byLine.size === maxMistakes) break
  }
  return [...byLine.values()]
}

const duplicatesIn = (text: string, root: Node): JsonText["duplicates"] => {
  const found: Array<JsonText["duplicates"][number]> = []
  const look = (node: Node, path: Path): void => {
    const keys = new Set<string>()
    for (const [index, child] of (node.children ?? []).entries()) {
      if (found.length === maxMistakes) return
      const [name, value = child] = child.type === "property" ? child.children! : []
      const key = name === undefined ? index : String(name.value)
      if (typeof key === "string" && keys.size === keys.add(key).size) {
        found.push({ path: [...path, key], ...positionAt(text, child.offset) })
      }
      if (value.children !== undefined) look(value, [...path, key])
    }
  }
  look(root, [])
  return found
}

/** The place of the key at a path, or of what is nearest to it. */
const offsetIn = (root: Node, path: Path): number => {
  const node = findNodeAtLocation(root, [...path])
  if (node === undefined) return path.length === 0 ? root.offset : offsetIn(root, path.slice(0, -1))
  return node.parent?.type === "property" ? node.parent.offset : node.offset
}

/** How much of a value a message repeats, in characters. */
const maxQuote = 128

/** A value as JSON, as far as a message repeats it. */
export const quoted = (value: unknown): string => {
  const json = String(JSON.stringify(value))
  return json.length > maxQuote ? `${json.slice(0, maxQuote)}…` : json
}

export const withoutMark = (source: string): string => source.replace(/^\uFEFF/, "")

/** The value of a JSON text with its positions, or every mistake that keeps it from being JSON. */
export const parse = (source: string): Result.Result<JsonText, ReadonlyArray<SyntaxMistake>> => {
  const text = withoutMark(source)
  const deep = tooDeepAt(text)
  if (deep !== undefined) {
    return Result.fail([{ ...positionAt(text, deep), message: `nested too deeply: at most ${maxDepth} levels` }])
  }
  const errors: Array<ParseError> = []
  const root = parseTree(text, errors, { disallowComments: true, allowTrailingComma: false })
  if (errors.length > 0) return Result.fail(mistakesOf(text, errors))
  return Result.mapBoth(
    // Node's own parser decides what the value is: jsonc-parser loses a key such as "__proto__".
    Result.try((): unknown => JSON.parse(text)),
    {
      onFailure: (error) => [{ line: 1, column: 1, message: String(error) }],
      onSuccess: (value): JsonText => ({
        value,
        duplicates: duplicatesIn(text, root!),
        positionOf: (path) => positionAt(text, offsetIn(root!, path))
      })
    }
  )
}

/** What is wrong with a text, and where. */
export interface Mistake extends SyntaxMistake {}

/** The value of a JSON text, or up to 20 mistakes in it. A number that a double cannot hold is a string: its source text. */
export const read = (text: string): Result.Result<unknown, ReadonlyArray<Mistake>> =>
  Result.flatMap(parse(text), ({ duplicates, positionOf }) => {
    if (duplicates.length > 0) {
      return Result.fail(
        duplicates.map(({ column, line, path }) => ({
          line,
          column,
          message: `${quoted(path.at(-1))} is repeated`
        }))
      )
    }
    return Result.try({
      try: () => ExactJson.parse(withoutMark(text)),
      catch: (error) => [{ ...positionOf([]), message: String(error) }]
    })
  })
