/**
 * Reads the object in a text that is cut off or has other text around it: the part that is certainly complete. A string
 * without its closing quote does not count, nor does a number that nothing valid follows.
 */
import * as Result from "effect/Result"
import { visit } from "jsonc-parser"
import * as ExactJson from "./ExactJson.ts"

/** How much of a text is read from its first brace on, in characters. */
const longest = 64 * 1024

/** The longest beginning of a text that is JSON once its open brackets are closed, with these brackets. */
const complete = (json: string): string => {
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

/** The object that begins with the first brace of a text, as far as it is valid; `undefined` if there is none. */
export const parse = (text: string): unknown => {
  const start = text.indexOf("{")
  return start === -1 ? undefined : ExactJson.parseIfJson(complete(text.slice(start, start + longest)))
}
