/** What an error may repeat from an answer: bounded, on one line, without secrets. Pure. */
import * as Predicate from "effect/Predicate"
import type { Answered } from "../Transport.ts"
import { bodyLimit } from "./errorAnswer.ts"
import { redacted, type Redact } from "./redaction.ts"

/** In characters: one text, and all texts of a value. What is searched counts, even if it is dropped. */
const longestText = 1_024
const longestTotal = 32_768

/** Fields of an object, or items of a list. */
const mostFields = 64
const deepest = 32

// oxlint-disable-next-line no-control-regex -- these are the ones that are looked for.
const controls = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g

// oxlint-disable-next-line no-control-regex -- these are the ones that are looked for.
const exceptLines = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g

/** Control characters in visible form, so that no terminal obeys them and no log line ends early. */
const visible = (text: string, which: RegExp): string =>
  text.search(which) === -1
    ? text
    : text.replaceAll(which, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`)

/** A text of an answer as an error may repeat it: bounded, on one line, and dropped if what is left holds a secret. */
export const textIn = (redact: Redact, text: string, longest = longestText): string => {
  const shown = visible(redact(text.slice(0, longest + 1)), controls)
  return shown.length > longest ? `${shown.slice(0, longest)}…` : shown
}

/** The headers of an answer with one of these names, in lower case, as an error may repeat them. */
export const headersIn = (
  redact: Redact,
  names: ReadonlyArray<string>,
  { headers = {} }: Pick<Answered, "headers">
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    names.filter((name) => headers[name] !== undefined).map((name) => [name, textIn(redact, String(headers[name]))])
  )

/** The beginning of a body as an error may repeat it: each line that holds a secret is dropped. */
export const bodyIn = (redact: Redact, text: string): string =>
  visible(text.slice(0, bodyLimit).split("\n").map(redact).join("\n"), exceptLines).slice(0, bodyLimit)

/** A value of an answer as an error may repeat it: bounded in size, number and depth, and as a whole. */
export const valueIn = (redact: Redact, value: unknown): unknown => {
  let left = longestTotal
  const textOf = (text: string): string => {
    const shown = textIn(redact, text, Math.min(longestText, left))
    left -= Math.max(shown.length, Math.min(text.length, longestText))
    return shown
  }
  const inside = (value: unknown, depth: number): unknown => {
    // Each value counts, however short it is.
    left--
    if (typeof value === "string") return textOf(value)
    if (typeof value === "number") return textOf(String(value)) === String(value) ? value : redacted
    if (!Predicate.isObjectOrArray(value)) return value
    const entries = depth < deepest ? Object.entries(value).slice(0, mostFields) : []
    if (Array.isArray(value)) return entries.flatMap(([, item]) => (left > 0 ? [inside(item, depth + 1)] : []))
    return Object.fromEntries(
      entries.flatMap(([name, field]) => (left > 0 ? [[textOf(name), inside(field, depth + 1)]] : []))
    )
  }
  return inside(value, 0)
}
