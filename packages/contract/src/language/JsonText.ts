/**
 * Reads JSON files that people write, with the position of every value. Pure.
 *
 * @stability unstable
 */
import * as ExactJson from "@effect-custody/core/ExactJson"
import { identity } from "effect/Function"
import * as Result from "effect/Result"
import {
  applyEdits,
  findNodeAtLocation,
  modify,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
  visit
} from "jsonc-parser"

export type Path = ReadonlyArray<string | number>

/** A line and a column in a text, each counted from 1. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** A value with the positions of its parts. */
export interface JsonText {
  readonly value: unknown
  /** Finds the beginning of a member's key, of an element, or of the root. */
  readonly positionOf: (path: Path) => Position
  /** The first keys that occur more than once in an object. */
  readonly duplicates: ReadonlyArray<Position & { readonly path: Path }>
}

/** A mistake in the syntax of a text, and its position. */
export interface SyntaxMistake extends Position {
  readonly message: string
}

/** The maximum number of repeated keys to report. */
const maxDuplicates = 20

const positionAt = (text: string, offset: number): Position => {
  const before = text.slice(0, offset)
  const lineStart = before.lastIndexOf("\n") + 1
  return { line: before.split("\n").length, column: offset - lineStart + 1 }
}

/** Describes a mistake in words, such as "comma expected", and quotes the text at its position. */
const mistakeAt = (text: string, { error, offset }: ParseError): SyntaxMistake => {
  const words = printParseErrorCode(error).replaceAll(/(?<=.)[A-Z]/g, (capital) => ` ${capital}`)
  const found = /^[\w.+-]{1,20}|^[^]/u.exec(text.slice(offset, offset + 20))?.[0]
  const what = found === undefined ? "the text ends here" : `at ${JSON.stringify(found)}`
  return { ...positionAt(text, offset), message: `${words.toLowerCase()}, ${what}` }
}

const findDuplicates = (text: string): JsonText["duplicates"] => {
  const found: Array<JsonText["duplicates"][number]> = []
  const open: Array<Set<string>> = []
  visit(text, {
    onObjectBegin: () => void open.push(new Set()),
    onObjectEnd: () => void open.pop(),
    onObjectProperty: (name, _offset, _length, line, character, parent) => {
      const keys = open.at(-1)!
      if (keys.size < keys.add(name).size || found.length === maxDuplicates) return
      found.push({ path: [...parent(), name], line: line + 1, column: character + 1 })
    }
  })
  return found
}

/** The offset of the key at a path, or of the nearest key that exists. */
const findOffset = (root: Node, path: Path): number => {
  const node = findNodeAtLocation(root, [...path])
  if (node === undefined) return path.length === 0 ? root.offset : findOffset(root, path.slice(0, -1))
  return node.parent?.type === "property" ? node.parent.offset : node.offset
}

/** The maximum length of a value quoted in a message, in characters. */
const maxQuote = 128

/** A value as JSON, cut to the maximum length of a quote. */
export const quoted = (value: unknown): string => {
  const json = String(JSON.stringify(value))
  return json.length > maxQuote ? `${json.slice(0, maxQuote)}…` : json
}

export const withoutMark = (source: string): string => source.replace(/^\uFEFF/, "")

const atStart = (error: unknown): SyntaxMistake => ({ line: 1, column: 1, message: String(error) })

/** Parses a JSON text. Returns the value with its positions, or the first mistake of the text. */
export const parse = (source: string): Result.Result<JsonText, SyntaxMistake> => {
  const text = withoutMark(source)
  return Result.flatMap(
    Result.try({
      try: () => {
        const errors: Array<ParseError> = []
        const root = parseTree(text, errors, { disallowComments: true, allowTrailingComma: false })!
        if (errors[0] !== undefined) return Result.fail(mistakeAt(text, errors[0]))
        return Result.succeed({
          // `JSON.parse` makes the value, because jsonc-parser loses a key such as "__proto__".
          value: JSON.parse(text) as unknown,
          duplicates: findDuplicates(text),
          positionOf: (path: Path) => positionAt(text, findOffset(root, path))
        })
      },
      // The parser is recursive: a text that nests too deeply exceeds the stack.
      catch: atStart
    }),
    identity
  )
}

/**
 * Parses a JSON text. Returns its value, or its first mistake. A repeated key is a mistake. A number that a double cannot
 * hold exactly becomes a string with its source text.
 */
export const read = (text: string): Result.Result<unknown, SyntaxMistake> =>
  Result.flatMap(parse(text), ({ duplicates: [duplicate] }) =>
    duplicate === undefined
      ? Result.try({ try: () => ExactJson.parse(withoutMark(text)), catch: atStart })
      : Result.fail({ ...duplicate, message: `${quoted(duplicate.path.at(-1))} is repeated` })
  )

/** Sets the value at a path of a valid JSON text, or removes it with `undefined`. Keeps the form of everything else. */
export const withValue = (text: string, path: Path, value: unknown): string => {
  const [, indent = "  "] = /\n([ \t]+)\S/.exec(text) ?? []
  const formattingOptions = {
    insertSpaces: !indent.startsWith("\t"),
    tabSize: indent.length,
    eol: text.includes("\r\n") ? "\r\n" : "\n"
  }
  const isFormatted = text.trimEnd().includes("\n")
  return applyEdits(text, modify(text, [...path], value, isFormatted ? { formattingOptions } : {}))
}
