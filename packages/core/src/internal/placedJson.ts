/** JSON that knows where each of its keys stands: for files that people write, and whose errors they have to find. Pure. */
import * as Result from "effect/Result"

/** Keys and indices from the root. */
export type Path = ReadonlyArray<string | number>

/** A position in a text, both from 1. */
export interface Place {
  readonly line: number
  readonly column: number
}

/** A value with the places of its parts. */
export interface Placed {
  readonly value: unknown
  /** Where a member's key, an element, or the root begins. */
  readonly placeOf: (path: Path) => Place
  /** The paths of keys that stand a second time in one object. */
  readonly repeated: ReadonlyArray<Path>
}

/** Why a text is not JSON. */
export interface Misplaced {
  readonly place: Place
  readonly message: string
  readonly expected: string
}

const whitespace = /[ \t\n\r]*/y
const string = /"(?:[^"\\\n\r\t]|\\[^\n\r])*"/y
const stringOrScalar =
  /"(?:[^"\\\n\r\t]|\\[^\n\r])*"|(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y
const word = /[\w.+-]{1,20}|[^]/uy

/** No contract is nested deeper. */
const maxDepth = 32

class NotJson {
  readonly offset: number
  readonly message: string
  readonly expected: string
  constructor(offset: number, message: string, expected: string) {
    this.offset = offset
    this.message = message
    this.expected = expected
  }
}

const placeAt = (text: string, offset: number): Place => {
  const before = text.slice(0, offset)
  return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n") }
}

/** The value of a JSON text with its places, or the first place that is not JSON. */
export const parse = (text: string): Result.Result<Placed, Misplaced> => {
  const offsets = new Map<string, number>()
  const repeated: Array<Path> = []
  let offset = text.startsWith("\uFEFF") ? 1 : 0

  const read = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = offset
    const found = pattern.exec(text)?.[0]
    if (found !== undefined) offset += found.length
    return found
  }
  const fail = (expected: string): never => {
    const at = offset
    const found = read(word)
    throw new NotJson(at, found === undefined ? "the file ends here" : `unexpected ${JSON.stringify(found)}`, expected)
  }
  const take = (character: string): boolean => {
    read(whitespace)
    if (text[offset] !== character) return false
    offset++
    return true
  }

  const literal = (pattern: RegExp, expected: string): unknown => {
    const at = offset
    const source = read(pattern)
    if (source === undefined) return fail(text[at] === '"' ? "a closing quote on the same line" : expected)
    return Result.getOrElse(
      Result.try((): unknown => JSON.parse(source)),
      () => {
        throw new NotJson(at, "the string holds an escape or a character that JSON does not have", "a JSON string")
      }
    )
  }

  const members = (path: Path): unknown => {
    const entries = new Map<string, unknown>()
    if (take("}")) return {}
    do {
      read(whitespace)
      const at = offset
      const key = String(literal(string, "a key in double quotes"))
      const member = [...path, key]
      if (entries.has(key)) repeated.push(member)
      if (!take(":")) fail('":"')
      const value = valueAt(member)
      offsets.set(JSON.stringify(member), at)
      entries.set(key, value)
    } while (take(","))
    if (!take("}")) fail('"," or "}"')
    return Object.fromEntries(entries)
  }

  const elements = (path: Path): unknown => {
    const values: Array<unknown> = []
    if (take("]")) return values
    do values.push(valueAt([...path, values.length]))
    while (take(","))
    if (!take("]")) fail('"," or "]"')
    return values
  }

  const valueAt = (path: Path): unknown => {
    read(whitespace)
    offsets.set(JSON.stringify(path), offset)
    if (path.length > maxDepth) throw new NotJson(offset, "nested too deeply", `at most ${maxDepth} levels`)
    if (take("{")) return members(path)
    if (take("[")) return elements(path)
    return literal(stringOrScalar, "a JSON value")
  }

  try {
    const value = valueAt([])
    read(whitespace)
    if (offset < text.length) fail("the end of the file")
    return Result.succeed({
      value,
      placeOf: (path) => placeAt(text, offsets.get(JSON.stringify(path)) ?? 0),
      repeated
    })
  } catch (error) {
    if (!(error instanceof NotJson)) throw error
    const { expected, message } = error
    return Result.fail({ place: placeAt(text, error.offset), message, expected })
  }
}
