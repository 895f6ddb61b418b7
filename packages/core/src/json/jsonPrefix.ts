/**
 * Reads the object in a text that is cut off or has other text around it. Returns only what is certainly complete: no
 * string without its closing quote, and no number that nothing valid follows.
 */
import * as Result from "effect/Result"
import { visit } from "jsonc-parser"
import * as ExactJson from "./ExactJson.ts"

/** In characters, from the first brace on. */
const maxLength = 64 * 1024

/** Returns the longest prefix that is JSON once its open brackets are closed, with these brackets closed. */
const completePrefix = (json: string): string => {
  let found = ""
  let closing = ""
  const isValidTo = (end: number) => {
    found = json.slice(0, end) + closing
  }
  const open = (bracket: string) => () => {
    if (closing.length === ExactJson.maxDepth) throw new SyntaxError("JSON is nested too deeply")
    closing = bracket + closing
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
    // Before a comma every value has ended, a number too.
    onSeparator: (character: string, offset: number) => {
      if (character === ",") isValidTo(offset)
    },
    onError: () => {
      throw new SyntaxError("JSON has a mistake")
    }
  }
  // `onError` throws to stop the visitor: after a mistake it would only guess.
  Result.try(() => visit(json, visitor, { disallowComments: true }))
  return found
}

/** Parses the object that begins at the first brace, as far as it is valid; `undefined` if there is none. */
export const parse = (text: string): unknown => {
  const start = text.indexOf("{")
  return start === -1 ? undefined : ExactJson.parseIfJson(completePrefix(text.slice(start, start + maxLength)))
}
