/**
 * The texts that a service may have stored instead of a note that was sent, and the texts that it may have been sent
 * where it shows a note. Pure.
 */
import { plain } from "@effect-custody/core/Text"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Hex from "effect/encoding/Hex"
import * as Result from "effect/Result"

/** A text without case and compatibility forms, and without accents and the selectors of emoji. */
const folded = (text: string): string => {
  const unfolded = text.normalize("NFKD")
  // A single character may become eighteen. No text is written in such ones.
  const isGrown = text.length > 64 && unfolded.length > 4 * text.length
  return (isGrown ? text : unfolded)
    .toUpperCase()
    .toLowerCase()
    .replace(/\p{Script=Inherited}/gu, "")
}

/** The letters and digits of a text, with one space in place of what is between them. */
const words = (text: string): string =>
  folded(text)
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, " ")
    .trim()

/** A text, and what is compared of it. */
export interface Text {
  readonly raw: string
  readonly plain: string
  readonly words: string
  readonly lettersAndDigits: string
  /**
   * The letters, the digits, and the signs that stand for others: `?` for one or none, and stars or dots for any number.
   * `undefined` if there is no such sign.
   */
  readonly pattern: string | undefined
}

/** Placeholders for removed text: `[email]`, `<EMAIL_ADDRESS>`, `[REDACTED]`, `###`, `XXXX1111`. */
const removed =
  /[[<{(](?:[a-z]+[ _-]){0,3}(?:account|address|card|email|filtered|hidden|iban|link|masked|name|number|phone|pii|redacted|removed|url)[\]>})]|#{3,}|x{4,}/gi

const patternOf = (text: string): string | undefined => {
  const pattern = folded(text.replace(removed, "*").replace(/…|\.{3}/g, "*")).replace(
    /[^\p{L}\p{M}\p{N}?*\uFFFD]/gu,
    ""
  )
  return /[?*\uFFFD]/.test(pattern) ? pattern : undefined
}

export const make = (raw: string): Text => {
  const said = words(raw)
  return { raw, plain: plain(raw), words: said, lettersAndDigits: said.replaceAll(" ", ""), pattern: patternOf(raw) }
}

const utf8 = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)

const windows1252 = new TextDecoder("windows-1252")

/** UTF-8 that was read as Windows-1252: `fÃ¼r` for `für`. */
const inWindows1252 = (text: string): string => windows1252.decode(utf8(text))

/** UTF-8 that was read as ISO-8859-1, which has control characters where Windows-1252 has letters and signs. */
const inLatin1 = (text: string): string => Array.from(utf8(text), (byte) => String.fromCharCode(byte)).join("")

/** A text of which a service has removed what looks like HTML: `payout alice` for `payout <7f3a> alice`. */
const withoutTags = (text: string): string => text.replace(/<[^<>]*>/g, " ")

/** What a service may have read in place of the note. */
const forms: ReadonlyArray<(sent: string) => string> = [
  (sent) => sent,
  inWindows1252,
  (sent) => inWindows1252(inWindows1252(sent)),
  inLatin1,
  withoutTags
]

const signs: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", szlig: "ß" }

const character = (code: number): string => (code <= 0x10ffff ? String.fromCodePoint(code) : "")

const bytesOf = (escaped: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(escaped.slice(1).split(/[%=]/), (byte) => Number.parseInt(byte, 16))

/** A text without the escapes of HTML, URLs, JSON and mail, and without one that was cut at the end. */
const unescaped = (text: string): string =>
  text
    .replace(/(?:&#?\w{0,8}|%[\da-f]?|\\u?[\da-f]{0,3})$/i, "")
    .replace(/&#(\d{1,7});/g, (_, code: string) => character(Number(code)))
    .replace(/&#x([\da-f]{1,6});/gi, (_, code: string) => character(Number.parseInt(code, 16)))
    .replace(/&([a-z])(?:uml|acute|grave|circ|tilde|cedil|ring|slash|caron);/gi, "$1")
    .replace(/&([a-z\d]{2,8});/gi, (_, name: string) => signs[name.toLowerCase()] ?? " ")
    .replace(/\\u([\da-f]{4})/gi, (_, code: string) => character(Number.parseInt(code, 16)))
    .replace(/\\[nrt]/g, " ")
    .replace(/(?:[%=][\da-f]{2})+/gi, (escaped) => new TextDecoder().decode(bytesOf(escaped)))

/** The decoded text if it is readable, otherwise the text as it is: most notes are not encoded. */
const ifReadable = (text: string, decoded: Result.Result<string, unknown>): string =>
  Result.isSuccess(decoded) && /^[^\p{C}\uFFFD]{6,}$/u.test(decoded.success) ? decoded.success : text

// A text that is no code is not decoded: an error with its stack would be made of each.
const fromHexadecimal = (text: string): string => {
  const code = text.trim().replace(/^0x/i, "")
  return /^[\da-f]{12,}$/i.test(code) ? ifReadable(text, Hex.decodeString(code)) : text
}

const fromBase64 = (text: string): string => {
  const code = text.trim().replace(/={1,2}$/, "")
  if (!/^[a-z\d+/_-]{6,}$/i.test(code) || code.length % 4 === 1) return text
  return ifReadable(text, Base64Url.decodeString(code.replaceAll("+", "-").replaceAll("/", "_")))
}

/** How a shown text may be read. */
const readings: ReadonlyArray<(shown: string) => string> = [
  (shown) => shown,
  unescaped,
  (shown) => unescaped(unescaped(shown)),
  withoutTags,
  fromHexadecimal,
  fromBase64
]

const textsBy = (ways: ReadonlyArray<(text: string) => string>, text: string): ReadonlyArray<Text> =>
  [...new Set(ways.map((way) => way(text)))].map(make)

/** What a service may have kept of the note that it was sent. */
export const formsOf = (sent: string): ReadonlyArray<Text> => textsBy(forms, sent)

/** The readings of a text that a service shows: as it is, and without escapes and encodings. */
export const readingsOf = (shown: string): ReadonlyArray<Text> => textsBy(readings, shown)
