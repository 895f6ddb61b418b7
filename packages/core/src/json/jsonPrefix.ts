/**
 * Reads the object in a text that is cut off or has other text around the object. Returns only values that are
 * certainly complete: no string without its closing quote, and no number without a comma or
 * a bracket after it.
 */
import * as ExactJson from "./ExactJson.ts"

/** The maximum length of the text to read, in characters from the first brace on. */
const maxLength = 64 * 1024

/** A token of JSON: a punctuation mark, a string, or another literal. */
const token =
  // oxlint-disable-next-line no-control-regex -- a string of JSON has no control character.
  /[ \n\r\t]*(?:([{}[\],:])|("[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})[^"\\\u0000-\u001f]*)*")|true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)/gy

type Expected = "Value" | "FirstValue" | "Key" | "FirstKey" | "Colon" | "CommaOrEnd"

/**
 * Finds the longest prefix that becomes valid JSON when its open brackets are closed. Returns the prefix with the
 * brackets closed.
 */
const completePrefix = (json: string): string => {
  let found = ""
  let closing = ""
  let expected: Expected = "Value"
  // The iteration ends at the first text that is not a token.
  for (const {
    0: { length },
    1: sign,
    2: string,
    index
  } of json.matchAll(token)) {
    const end = index + length
    if (sign === ",") {
      if (expected !== "CommaOrEnd") return found
      // A comma shows that the value before it is complete, even if it is a number.
      found = json.slice(0, end - 1) + closing
      expected = closing.startsWith("}") ? "Key" : "Value"
    } else if (sign === ":") {
      if (expected !== "Colon") return found
      expected = "Value"
    } else if (sign === "}" || sign === "]") {
      const isEmpty = expected === (sign === "}" ? "FirstKey" : "FirstValue")
      if (!closing.startsWith(sign) || !(isEmpty || expected === "CommaOrEnd")) return found
      closing = closing.slice(1)
      found = json.slice(0, end) + closing
      if (closing === "") return found
      expected = "CommaOrEnd"
    } else if (expected === "Key" || expected === "FirstKey") {
      if (string === undefined) return found
      expected = "Colon"
    } else if (expected === "Value" || expected === "FirstValue") {
      if (sign !== undefined) {
        if (closing.length === ExactJson.maxDepth) return found
        closing = (sign === "{" ? "}" : "]") + closing
        expected = sign === "{" ? "FirstKey" : "FirstValue"
      } else {
        if (string !== undefined) found = json.slice(0, end) + closing
        expected = "CommaOrEnd"
      }
    } else return found
  }
  return found
}

/** Parses the object that begins at the first brace, as far as it is valid; `undefined` if there is no brace. */
export const parse = (text: string): unknown => {
  const start = text.indexOf("{")
  return start === -1 ? undefined : ExactJson.parseIfJson(completePrefix(text.slice(start, start + maxLength)))
}
