/**
 * Reads the object in a text that is cut off or has other text around the object. Returns only values that are
 * certainly complete: no string without its closing quote, and no number without a comma or
 * a bracket after it.
 */
import * as Result from "effect/Result"
import { visit } from "jsonc-parser"
import * as ExactJson from "./ExactJson.ts"

/** The maximum length of the text to read, in characters from the first brace on. */
const maxLength = 64 * 1024

/** Returns the longest prefix of a text that is JSON after its open brackets are closed, and closes them. */
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
    // If a closing bracket is missing, the visitor first reports the end of the container, and then the mistake.
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
    // A comma shows that the value before it is complete, even if it is a number.
    onSeparator: (character: string, offset: number) => {
      if (character === ",") isValidTo(offset)
    },
    onError: () => {
      throw new SyntaxError("JSON has a mistake")
    }
  }
  // `onError` throws to stop the visitor, which would only guess after a mistake.
  Result.try(() => visit(json, visitor, { disallowComments: true }))
  return found
}

/** Parses the object that begins at the first brace, as far as it is valid; `undefined` if there is no brace. */
export const parse = (text: string): unknown => {
  const start = text.indexOf("{")
  return start === -1 ? undefined : ExactJson.parseIfJson(completePrefix(text.slice(start, start + maxLength)))
}
