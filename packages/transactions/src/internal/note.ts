/**
 * Whether the note of a transaction is the one that was sent, or what a service may have made of it. Pure.
 *
 * If our note is overlooked, a payment may be made twice; if another note is taken for ours, a person only has to look.
 * So a doubtful note counts as `resembles`. The table in `docs/errors-and-retries.md` says which notes count as
 * another's.
 */
import { plain } from "@effect-custody/core/Text"
import * as Predicate from "effect/Predicate"
import type { Transaction } from "../Transaction.ts"
import { formsOf, make, readingsOf, type Text } from "./noteText.ts"

/** Whether a note is the one that was sent, as it was sent. */
export const isSame = (sent: string, shown: string): boolean => plain(sent) === plain(shown)

const digitsOf = (text: string): string => text.replace(/\D/g, "")

/** Texts in place of a note that a service does not show. A text without letters and digits is one too. */
const placeholders: ReadonlySet<string> = new Set(
  "na nil null none no nan undefined unknown empty blank hidden redacted nonote notavailable notapplicable objectobject".split(
    " "
  )
)

const isPlaceholder = ({ lettersAndDigits }: Text): boolean =>
  lettersAndDigits === "" || placeholders.has(lettersAndDigits)

const isPart = (one: string, other: string): boolean =>
  one !== "" && other !== "" && (one.includes(other) || other.includes(one))

/** Whether a text is a part of another, or has something added. */
const isCut = (sent: Text, shown: Text): boolean =>
  isPart(sent.lettersAndDigits, shown.lettersAndDigits) || isPart(sent.plain, shown.plain)

/** If the note or the pattern has more letters and digits than this, only the order of the letters is compared. */
const longestMasked = 200

/** Whether a text has the letters of a pattern, in their order. */
const hasInOrder = (text: string, pattern: string): boolean => {
  let at = 0
  for (const letter of pattern.replace(/[?*\uFFFD]/g, "")) {
    const found = text.indexOf(letter, at)
    if (found === -1) return false
    at = found + letter.length
  }
  return true
}

/**
 * Whether a shown text has signs in place of some characters: `?` for one or none, and stars or dots for any number, as in
 * `Dvo?ák` and `payout 7****9`.
 */
const isMasked = ({ lettersAndDigits: own }: Text, { pattern }: Text): boolean => {
  if (pattern === undefined || !hasInOrder(own, pattern)) return false
  // The loop below takes as many steps as the product of the two lengths.
  if (own.length > longestMasked || pattern.length > longestMasked) return true
  /** Whether the pattern may have been read up to each place of the note. */
  let read = Uint8Array.of(1, ...new Uint8Array(own.length))
  for (const sign of pattern) {
    const first = read.indexOf(1)
    read = read.map((isRead, at) => {
      if (sign === "*") return Number(first !== -1 && at >= first)
      if ("?\uFFFD".includes(sign)) return isRead | Number(read[at - 1] === 1)
      return Number(read[at - sign.length] === 1 && own.startsWith(sign, at - sign.length))
    })
  }
  return read[own.length] === 1
}

/** A character beyond ASCII, and a digit that is shown as an emoji's keycap. */
const beyondAscii = /[\d#*]\uFE0F?\u20E3|[^\p{ASCII}]/gu

/** How many letters of ASCII a character becomes at most: `shch` for `щ`. */
const mostLetters = 4

/** The letters and digits of a text, accents included. */
const asTheyStand = (text: string): string => text.replace(/[^\p{L}\p{M}\p{N}]/gu, "")

/** Whether a text is what remains, after a service dropped the characters that it cannot show, or wrote them in ASCII. */
const isTransliterated = ({ plain: own }: Text, { plain: seen }: Text): boolean => {
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
const isSameNumber = ({ raw: sent }: Text, { raw: shown }: Text): boolean =>
  sent.trim() !== "" && /\D/.test(sent + shown) && Number(sent) === Number(shown)

/** This many letters and digits, with a digit among them, are enough to tell one note from another. */
const fewest = 8

const isTelling = (text: string): boolean => text.length >= fewest && /\p{N}/u.test(text)

/**
 * Whether the shown text ends with the start of the one that was sent, long enough to be no coincidence: the service
 * has put something before the note, and cut it.
 */
const isCutAfter = ({ lettersAndDigits: own }: Text, { lettersAndDigits: seen }: Text): boolean => {
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
const changes: ReadonlyArray<(sent: Text, shown: Text) => boolean> = [isCut, isCutAfter, isMasked, isSameNumber]

/**
 * Whether a text has all the letters and digits of the note, or starts as it does, long enough to be no coincidence.
 */
const isClose = (sent: Text, shown: Text): boolean => {
  const [own, seen] = [sent.lettersAndDigits, shown.lettersAndDigits]
  if (own === "" || seen === "") return false
  const isStart = isTelling(seen) && own.startsWith(seen)
  const isWithin = isTelling(own) && ` ${shown.words} `.includes(` ${sent.words} `)
  return own === seen || isStart || isWithin
}

/**
 * How a note that is shown compares with the one that was sent: the same; so close that it is ours whatever else differs;
 * something that a service may have made of it; something else; or nothing.
 */
export type Likeness = "agrees" | "close" | "resembles" | "contradicts" | "silent"

const likenesses: ReadonlyArray<Likeness> = ["agrees", "close", "resembles", "contradicts"]

/** A longer text, in characters, is not read: it may have the note anywhere in it. */
const longest = 1_000

/** A note that was sent, and what a service may have kept of it. */
interface Sent {
  readonly note: Text
  readonly forms: ReadonlyArray<Text>
}

const compareText = ({ forms, note }: Sent, shown: string): Likeness => {
  if (note.plain === plain(shown)) return "agrees"
  if (shown.length > longest) return "resembles"
  const seen = readingsOf(shown)
  const is = (like: (sent: Text, shown: Text) => boolean): boolean =>
    forms.some((one) => seen.some((other) => like(one, other)))
  if (is(isClose)) return "close"
  const isChanged =
    isPlaceholder(make(shown)) || changes.some(is) || seen.some((reading) => isTransliterated(note, reading))
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

/** So many texts within one note are compared. */
const mostTexts = 64

/**
 * Compares notes of transactions with the one that was sent. Only a text can be ruled out as another note, and a number
 * if the note that was sent is a number. Any other value may be something of the service's own.
 */
export const comparing = (note: string): ((shown: Shown) => Likeness) => {
  const sent = { note: make(note), forms: formsOf(note) }
  return (shown) => {
    const texts = textsOf(shown)
    const found = texts.slice(0, mostTexts).map((text) => compareText(sent, text))
    const best = likenesses.find((likeness) => found.includes(likeness)) ?? "silent"
    const value = valueOf(shown)
    const isCertain = typeof value === "string" || (typeof value === "number" && Number.isFinite(Number(note)))
    return best === "contradicts" && !isCertain ? "resembles" : best
  }
}
