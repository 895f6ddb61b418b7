/**
 * Whether the note of a transaction is the one that was sent, or what a service may have made of it. Pure.
 *
 * If our note is overlooked, a payment may be made twice; if another note is taken for ours, a person only has to look.
 * So a doubtful note counts as `resembles`. The table in `docs/errors-and-retries.md` says which notes count as
 * another's.
 */
import { plain } from "@effect-custody/core/Text"
import * as Base64 from "effect/encoding/Base64"
import * as Hex from "effect/encoding/Hex"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { Transaction } from "../Transaction.ts"

/** Whether a note is the one that was sent, as it was sent. */
export const isSame = (sent: string, shown: string): boolean => plain(sent) === plain(shown)

/** A text without case and compatibility forms, and without accents and the selectors of emoji. */
const folded = (text: string): string =>
  text
    .normalize("NFKD")
    .toUpperCase()
    .toLowerCase()
    .replace(/\p{Script=Inherited}/gu, "")

/** The letters and digits of a text, with one space in place of what is between them. */
const words = (text: string): string =>
  folded(text)
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, " ")
    .trim()

const lettersAndDigits = (text: string): string => words(text).replaceAll(" ", "")

const digitsOf = (text: string): string => text.replace(/\D/g, "")

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

const fromHexadecimal = (text: string): string => ifReadable(text, Hex.decodeString(text.trim().replace(/^0x/i, "")))

const fromBase64 = (text: string): string => ifReadable(text, Base64.decodeString(text.trim()))

/** How a shown text may be read. */
const readings: ReadonlyArray<(shown: string) => string> = [
  (shown) => shown,
  unescaped,
  (shown) => unescaped(unescaped(shown)),
  fromHexadecimal,
  fromBase64
]

/** Texts in place of a note that a service does not show. A text without letters and digits is one too. */
const placeholders: ReadonlySet<string> = new Set(
  "na nil null none no nan undefined unknown empty blank hidden redacted nonote notavailable notapplicable".split(" ")
)

const isPlaceholder = (shown: string): boolean => {
  const seen = lettersAndDigits(shown)
  return seen === "" || placeholders.has(seen)
}

const isPart = (one: string, other: string): boolean =>
  one !== "" && other !== "" && (one.includes(other) || other.includes(one))

/** Whether a text is a part of another, or has something added. */
const isCut = (sent: string, shown: string): boolean =>
  isPart(lettersAndDigits(sent), lettersAndDigits(shown)) || isPart(plain(sent), plain(shown))

/** Longer notes are not compared with signs in place of characters, in letters and digits. */
const longestMasked = 1_000

/**
 * Whether a shown text has signs in place of some characters: `?` for one or none, and stars or dots for any number, as in
 * `Dvo?ák` and `payout 7****9`.
 */
const isMasked = (sent: string, shown: string): boolean => {
  const pattern = folded(shown.replace(/…|\.{3}/g, "*")).replace(/[^\p{L}\p{M}\p{N}?*\uFFFD]/gu, "")
  if (!/[?*\uFFFD]/.test(pattern)) return false
  const own = lettersAndDigits(sent)
  // The loop below takes as many steps as the product of the two lengths.
  if (own.length > longestMasked || pattern.length > longestMasked) return false
  const places = Array.from({ length: own.length + 1 }, (_, at) => at)
  let read: ReadonlySet<number> = new Set([0])
  for (const sign of pattern) {
    const first = Math.min(...read)
    const next =
      sign === "*"
        ? places.filter((at) => at >= first)
        : "?\uFFFD".includes(sign)
          ? places.filter((at) => read.has(at) || read.has(at - 1))
          : places.filter((at) => read.has(at - sign.length) && own.startsWith(sign, at - sign.length))
    read = new Set(next)
  }
  return read.has(own.length)
}

/** A character beyond ASCII, and a digit that is shown as an emoji's keycap. */
const beyondAscii = /[\d#*]\uFE0F?\u20E3|[^\p{ASCII}]/gu

/** How many letters of ASCII a character becomes at most: `shch` for `щ`. */
const mostLetters = 4

/** The letters and digits of a text, accents included. */
const asTheyStand = (text: string): string => text.replace(/[^\p{L}\p{M}\p{N}]/gu, "")

/** Whether a text is what remains, after a service dropped the characters that it cannot show, or wrote them in ASCII. */
const isTransliterated = (sent: string, shown: string): boolean => {
  const [own, seen] = [plain(sent), plain(shown)]
  const rest = own.replace(beyondAscii, (lost) => (seen.includes(lost) ? lost : ""))
  if (rest === own) return false
  const [kept, read] = [asTheyStand(rest), asTheyStand(seen)]
  const isLonger = read.length > kept.length + mostLetters * (own.length - rest.length)
  return kept.startsWith(read) || (!isLonger && digitsOf(kept) === digitsOf(read) && isWithAscii(kept, read))
}

/** Whether a text is another one with letters of ASCII added to it. */
const isWithAscii = (text: string, longer: string): boolean => {
  let at = 0
  for (const letter of longer) {
    if (text.startsWith(letter, at)) at += letter.length
    else if (!/\p{ASCII}/u.test(letter)) return false
  }
  return at === text.length
}

/**
 * Whether a note is the same number, written in another way: `1000` for `1e3`. Two long numbers may be equal as
 * doubles.
 */
const isSameNumber = (sent: string, shown: string): boolean =>
  sent.trim() !== "" && /\D/.test(sent + shown) && Number(sent) === Number(shown)

/** This many letters and digits, with a digit among them, are enough to tell one note from another. */
const fewest = 8

const isTelling = (text: string): boolean => text.length >= fewest && /\p{N}/u.test(text)

/**
 * Whether the shown text ends with the start of the one that was sent, long enough to be no coincidence: the service
 * has put something before the note, and cut it.
 */
const isCutAfter = (sent: string, shown: string): boolean => {
  const [own, seen] = [lettersAndDigits(sent), lettersAndDigits(shown)]
  if (!isTelling(own)) return false
  const start = own.slice(0, fewest)
  // A longer end cannot be a start of ours.
  for (let at = seen.indexOf(start, seen.length - own.length); at !== -1; at = seen.indexOf(start, at + 1)) {
    const end = seen.slice(at)
    if (isTelling(end) && own.startsWith(end)) return true
  }
  return false
}

/** Each way in which a service may change a note, other than its letters beyond ASCII. */
const changes: ReadonlyArray<(sent: string, shown: string) => boolean> = [isCut, isCutAfter, isMasked, isSameNumber]

/**
 * Whether a text has all the letters and digits of the note, or starts as it does, long enough to be no coincidence.
 */
const isClose = (sent: string, shown: string): boolean => {
  const [own, seen] = [lettersAndDigits(sent), lettersAndDigits(shown)]
  if (own === "" || seen === "") return false
  const isStart = isTelling(seen) && own.startsWith(seen)
  const isWithin = isTelling(own) && ` ${words(shown)} `.includes(` ${words(sent)} `)
  return own === seen || isStart || isWithin
}

/**
 * How a note that is shown compares with the one that was sent: the same; so close that it is ours whatever else differs;
 * something that a service may have made of it; something else; or nothing.
 */
export type Likeness = "agrees" | "close" | "resembles" | "contradicts" | "silent"

const likenesses: ReadonlyArray<Likeness> = ["agrees", "close", "resembles", "contradicts"]

const compareText = (sent: string, shown: string): Likeness => {
  if (isSame(sent, shown)) return "agrees"
  const own = [...new Set(forms.map((form) => form(sent)))]
  const seen = [...new Set(readings.map((reading) => reading(shown)))]
  const is = (like: (sent: string, shown: string) => boolean): boolean =>
    own.some((one) => seen.some((other) => like(one, other)))
  if (is(isClose)) return "close"
  const isChanged = isPlaceholder(shown) || changes.some(is) || seen.some((reading) => isTransliterated(sent, reading))
  return isChanged ? "resembles" : "contradicts"
}

type Shown = Pick<Transaction, "extra" | "note">

const valueOf = ({ extra, note }: Shown): unknown => note ?? extra["note"]

const textOf = (value: unknown): ReadonlyArray<string> => {
  const text = typeof value === "string" || typeof value === "number" ? String(value) : ""
  return text.trim() === "" ? [] : [text]
}

/** The texts that a transaction shows as its note: one, or those within an object or a list. */
export const textsOf = (shown: Shown): ReadonlyArray<string> => {
  const value = valueOf(shown)
  return Predicate.isObject(value) || Array.isArray(value) ? Object.values(value).flatMap(textOf) : textOf(value)
}

/**
 * How the note of a transaction compares with the one that was sent. Only a text can be ruled out as another note, and a
 * number if the note that was sent is a number. Any other value may be something of the service's own.
 */
export const compare = (sent: string, shown: Shown): Likeness => {
  const found = textsOf(shown).map((text) => compareText(sent, text))
  const best = likenesses.find((likeness) => found.includes(likeness)) ?? "silent"
  const value = valueOf(shown)
  const isCertain = typeof value === "string" || (typeof value === "number" && Number.isFinite(Number(sent)))
  return best === "contradicts" && !isCertain ? "resembles" : best
}
