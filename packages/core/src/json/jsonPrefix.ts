/**
 * Reads the object in a text that breaks off after an inner object, or has other text around the object. Returns only
 * objects that are certainly complete.
 */
import * as ExactJson from "./ExactJson.ts"

/** The maximum length of the text to read, in characters from the first brace on. */
const maxLength = 64 * 1024

/** A bracket, or a string. The last string may lack its closing quote. */
const token = /[{}[\]]|"[^"\\]*(?:\\[^][^"\\]*)*"?/g

/** Finds the longest prefix that ends with an object. Returns the prefix with its open brackets closed. */
const completePrefix = (json: string): string => {
  let found = ""
  let closing = ""
  for (const { 0: sign, index } of json.matchAll(token)) {
    if (sign === "{" || sign === "[") {
      if (closing.length === ExactJson.maxDepth) return found
      closing = (sign === "{" ? "}" : "]") + closing
    } else if (sign === "}" || sign === "]") {
      if (!closing.startsWith(sign)) return found
      closing = closing.slice(1)
      if (sign === "}") found = json.slice(0, index + 1) + closing
      if (closing === "") return found
    }
  }
  return found
}

/** Parses the object that begins at the first brace, as far as it is complete; `undefined` if there is none. */
export const parse = (text: string): unknown => {
  const start = text.indexOf("{")
  return start === -1 ? undefined : ExactJson.parseIfJson(completePrefix(text.slice(start, start + maxLength)))
}
