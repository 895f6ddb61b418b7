/**
 * Reads JSON that has a mistake, is cut off, or stands among other text: the part that is certainly complete. A string
 * without its closing quote may be incomplete and does not count, nor does a number that nothing valid follows.
 */
import * as Result from "effect/Result"
import { visit } from "jsonc-parser"
import * as ExactJson from "./exactJson.ts"

/** How much of a text is looked at from the beginning of an object on, in characters. */
const longest = 64 * 1024

/** How many objects are looked at in a text. */
const most = 64

/** The beginning of an object with a key: a brace of another language is rarely followed by a quote. */
const beginning = /\{[ \t\r\n]*"/g

/** Where the valid part of a text ends, and the brackets that are open there, in the order in which they close. */
interface Valid {
  readonly end: number
  readonly closing: string
}

/** The longest beginning of a text that is JSON once its open brackets are closed. */
const valid = (json: string): Valid => {
  let found: Valid = { end: 0, closing: "" }
  let closing = ""
  const isValidTo = (end: number) => {
    found = { end, closing }
  }
  const open = (bracket: string) => (offset: number) => {
    if (closing.length === ExactJson.standard.depth) throw new SyntaxError("JSON is nested too deeply")
    closing = bracket + closing
    isValidTo(offset + 1)
  }
  const close = (offset: number) => {
    // The visitor closes what is open before it reports that the bracket is missing.
    if (json[offset] !== closing[0]) return
    closing = closing.slice(1)
    isValidTo(offset + 1)
  }
  const visitor = {
    onObjectBegin: open("}"),
    onArrayBegin: open("]"),
    onObjectEnd: close,
    onArrayEnd: close,
    onLiteralValue: (_: unknown, offset: number, length: number) => {
      if (json[offset] === '"') isValidTo(offset + length)
    },
    // Whatever is before a comma has ended, a number too.
    onSeparator: (character: string, offset: number) => {
      if (character === ",") isValidTo(offset)
    },
    onError: () => {
      throw new SyntaxError("JSON has a mistake")
    }
  }
  // It would go on after a mistake, and what it then finds is a guess.
  Result.try(() => visit(json, visitor, { disallowComments: true }))
  return found
}

const valueOf = (json: string, { closing, end }: Valid): unknown => ExactJson.parseIfJson(json.slice(0, end) + closing)

/** The JSON value that a text begins with, as far as it is valid; `undefined` if there is none. */
export const parse = (text: string): unknown => {
  const json = text.slice(0, longest)
  return valueOf(json, valid(json))
}

/**
 * The objects in a text, one after the other, each as far as it is valid. What is inside one is not given again; what is
 * inside the part that is not valid is.
 */
export const objects = function* (text: string): Generator<unknown> {
  let left = most
  let from = 0
  for (const { index } of text.matchAll(beginning)) {
    if (index < from) continue
    const json = text.slice(index, index + longest)
    const part = valid(json)
    yield valueOf(json, part)
    if (--left === 0) return
    from = index + part.end
  }
}
