/**
 * Reads JSON that is cut off, or followed by something else: the part that is certainly complete. A string without its
 * closing quote, and a number at the end of the text, may be incomplete and do not count.
 */
import { createScanner } from "jsonc-parser"
import * as ExactJson from "./exactJson.ts"

/** How much of a text is looked at, in characters. */
const longest = 64 * 1024

/** A value that may continue after its last character. */
const unquoted = /^(?:true|false|null|-?\d[\d.eE+-]*)$/

/** The longest beginning of a text that is JSON once its open brackets are closed. It starts at the first brace. */
const readable = (text: string): string | undefined => {
  const start = text.indexOf("{")
  if (start === -1) return undefined
  const json = text.slice(start, start + longest)
  const scanner = createScanner(json, true)
  let closing = ""
  let isKey = false
  let found: string | undefined
  // Only the end of the text is a token without length.
  for (scanner.scan(); scanner.getTokenLength() > 0 && scanner.getTokenError() === 0; scanner.scan()) {
    const token = scanner.getTokenValue()
    const end = scanner.getTokenOffset() + scanner.getTokenLength()
    switch (json[scanner.getTokenOffset()]) {
      case "{":
        closing = `}${closing}`
        isKey = true
        break
      case "[":
        closing = `]${closing}`
        isKey = false
        break
      case ",":
        isKey = closing.startsWith("}")
        continue
      case ":":
        isKey = false
        continue
      case "}":
      case "]":
        closing = closing.slice(1)
        break
      case '"':
        if (isKey) continue
        break
      default:
        if (!unquoted.test(token)) return found
        if (end === json.length) return found
    }
    found = json.slice(0, end) + closing
    if (closing === "") return found
  }
  return found
}

/** The JSON value from the first brace of a text, as far as it goes; `undefined` if there is none. */
export const parse = (text: string): unknown => {
  const json = readable(text)
  if (json === undefined) return undefined
  return ExactJson.parseIfJson(json)
}
