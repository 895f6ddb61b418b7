/** Reads JSON files that people write: every mistake with its line and column, and the position of every value. Pure. */
import * as Result from "effect/Result"
import { createScanner, type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser"

/** Keys and indices from the root. */
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
  /** The paths of keys that an object has more than once: the first 20. */
  readonly duplicates: ReadonlyArray<Path>
}

/** Why a text is not JSON, and where. */
export interface SyntaxMistake extends Position {
  readonly message: string
  readonly expected: string
}

/** No file that we read is nested deeper. */
const maxDepth = 32

/** A file with more mistakes than this is probably no JSON at all. */
const maxMistakes = 20

const positionsIn = (text: string): ((offset: number) => Position) => {
  const lineStarts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)]
  return (offset) => {
    let low = 0
    let high = lineStarts.length
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if (lineStarts[middle]! <= offset) low = middle
      else high = middle
    }
    return { line: low + 1, column: offset - lineStarts[low]! + 1 }
  }
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

type Mistake = Omit<SyntaxMistake, keyof Position>

const unexpected = (text: string, { offset }: ParseError): string => {
  const word = /[\w.+-]{1,20}|[^]/uy
  word.lastIndex = offset
  const found = word.exec(text)?.[0]
  return found === undefined ? "the text ends here" : `unexpected ${JSON.stringify(found)}`
}

const mistakeOf = (text: string, error: ParseError): Mistake => {
  const message = unexpected(text, error)
  switch (printParseErrorCode(error.error)) {
    case "PropertyNameExpected":
      return { message, expected: "a key in double quotes" }
    case "ColonExpected":
      return { message, expected: '":"' }
    case "CommaExpected":
      return { message, expected: '"," or a closing bracket' }
    case "CloseBraceExpected":
      return { message, expected: '"}"' }
    case "CloseBracketExpected":
      return { message, expected: '"]"' }
    case "EndOfFileExpected":
      return { message, expected: "the end of the text" }
    case "InvalidCommentToken":
    case "UnexpectedEndOfComment":
      return { message: "JSON has no comments", expected: "the text without the comment" }
    case "UnexpectedEndOfString":
      return { message, expected: "a closing quote on the same line" }
    case "InvalidUnicode":
    case "InvalidEscapeCharacter":
    case "InvalidCharacter":
      return { message: "the string has an escape or a character that JSON does not allow", expected: "a JSON string" }
    default:
      return { message, expected: "a JSON value" }
  }
}

/** The first mistake of each line: the others of a line usually follow from it. */
const mistakesOf = (
  text: string,
  errors: ReadonlyArray<ParseError>,
  at: (offset: number) => Position
): ReadonlyArray<SyntaxMistake> => {
  const byLine = new Map<number, SyntaxMistake>()
  for (const [index, error] of errors.entries()) {
    // The parser skips an unknown word, and then misses a value: that is one mistake.
    const previous = errors[index - 1]
    const follows = previous !== undefined && printParseErrorCode(previous.error) === "InvalidSymbol"
    if (follows && printParseErrorCode(error.error) === "ValueExpected") continue
    const position = at(error.offset)
    if (!byLine.has(position.line)) byLine.set(position.line, { ...position, ...mistakeOf(text, error) })
    if (byLine.size === maxMistakes) break
  }
  return [...byLine.values()]
}

/** A key or an element of a text: where it begins, and what it holds. */
interface Member {
  readonly offset: number
  readonly value: Node
}

/** What a node holds, by key or index; of a repeated key, the last. */
const membersOf = ({ children = [] }: Node): ReadonlyMap<string | number, Member> =>
  new Map(
    children.map((child, index): readonly [string | number, Member] => {
      const [key, value] = child.type === "property" ? child.children! : []
      return key === undefined
        ? [index, { offset: child.offset, value: child }]
        : [String(key.value), { offset: child.offset, value: value! }]
    })
  )

/** Finds the place of a path. Each object on the way is read once, whatever the number of paths. */
const offsetsIn = (root: Node): ((path: Path) => number) => {
  const read = new Map<Node, ReturnType<typeof membersOf>>()
  const membersIn = (node: Node) => {
    const members = read.get(node) ?? membersOf(node)
    read.set(node, members)
    return members
  }
  return (path) => {
    let found: Member = { offset: root.offset, value: root }
    for (const key of path) {
      const member = membersIn(found.value).get(key)
      if (member === undefined) return root.offset
      found = member
    }
    return found.offset
  }
}

/** The paths of the keys that an object repeats, up to a limit. */
const duplicatesIn = (root: Node): ReadonlyArray<Path> => {
  const found: Array<Path> = []
  const look = (node: Node, path: Path): void => {
    const keys = new Set<string>()
    for (const [index, child] of (node.children ?? []).entries()) {
      if (found.length === maxMistakes) return
      const [name, value] = child.type === "property" ? child.children! : []
      const key = name === undefined ? index : String(name.value)
      const inner = value ?? child
      if (typeof key === "string" && keys.size === keys.add(key).size) found.push([...path, key])
      if (inner.children !== undefined) look(inner, [...path, key])
    }
  }
  look(root, [])
  return found
}

/** How much of a value a message repeats, in characters. */
const longestQuote = 128

/** A value as JSON, as far as a message repeats it. */
export const quoted = (value: unknown): string => {
  const json = JSON.stringify(value)
  return json.length > longestQuote ? `${json.slice(0, longestQuote)}…` : json
}

/** The text without a byte order mark. */
export const withoutMark = (source: string): string => source.replace(/^\uFEFF/, "")

/** Where a text begins that is no JSON object; `undefined` if it begins as one, or is empty. */
export const otherBeginning = (source: string): Position | undefined => {
  const text = withoutMark(source)
  const offset = text.length - text.trimStart().length
  return offset === text.length || text[offset] === "{" ? undefined : positionsIn(text)(offset)
}

/** The value of a JSON text with its positions, or every mistake that keeps it from being JSON. */
export const parse = (source: string): Result.Result<JsonText, ReadonlyArray<SyntaxMistake>> => {
  const text = withoutMark(source)
  const at = positionsIn(text)
  const deep = tooDeepAt(text)
  if (deep !== undefined) {
    return Result.fail([{ ...at(deep), message: "nested too deeply", expected: `at most ${maxDepth} levels` }])
  }

  const errors: Array<ParseError> = []
  const root = parseTree(text, errors, { disallowComments: true, allowTrailingComma: false })
  if (errors.length > 0) return Result.fail(mistakesOf(text, errors, at))

  return Result.mapBoth(
    // Node's own parser decides what the value is: jsonc-parser loses a key such as "__proto__".
    Result.try((): unknown => JSON.parse(text)),
    {
      onFailure: (error) => [{ line: 1, column: 1, message: String(error), expected: "JSON" }],
      onSuccess: (value): JsonText => {
        const offsetOf = offsetsIn(root!)
        return { value, duplicates: duplicatesIn(root!), positionOf: (path) => at(offsetOf(path)) }
      }
    }
  )
}
