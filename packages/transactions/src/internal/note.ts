/**
 * Whether the note of a transaction is the one that was sent, or what a service may have made of it. Pure.
 *
 * A note that is overlooked may be paid twice, and one that is taken for ours only asks a person: what is doubtful
 * resembles. The table in `docs/errors-and-retries.md` says where another note begins.
 */

/** The same text, whichever of Unicode's forms it has; case and the white space around it do not count. */
const plain = (text: string): string => text.normalize("NFC").trim().toLowerCase()

/** Whether a note is the one that was sent, as it was sent. */
export const isSame = (sent: string, shown: string): boolean => plain(sent) === plain(shown)

/** What is left of a text without case, white space, punctuation and signs. */
const lettersAndDigits = (text: string): string =>
  text
    .normalize("NFKC")
    .toUpperCase()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]/gu, "")

const asciiOf = (text: string): string => text.normalize("NFC").replace(/[^ -~]/g, "")

const isBeyondAscii = (text: string): boolean => /[^\p{ASCII}]/u.test(lettersAndDigits(text))

/** UTF-8 that was read as Windows-1252: `fÃ¼r` for `für`. */
const garbled = (text: string): string => new TextDecoder("windows-1252").decode(new TextEncoder().encode(text))

const signs: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  szlig: "ß"
}

const character = (code: number): string => (code <= 0x10ffff ? String.fromCodePoint(code) : "")

const bytesOf = (percent: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(percent.slice(1).split("%"), (byte) => Number.parseInt(byte, 16))

/** A text without the escapes of HTML, URLs and JSON, and without one that was cut at the end. */
const unescaped = (text: string): string =>
  text
    .replace(/(?:&#?\w{0,8}|%[\da-f]?|\\u?[\da-f]{0,3})$/i, "")
    .replace(/&#(\d{1,7});/g, (_, code: string) => character(Number(code)))
    .replace(/&#x([\da-f]{1,6});/gi, (_, code: string) => character(Number.parseInt(code, 16)))
    .replace(/&([a-z])(?:uml|acute|grave|circ|tilde|cedil|ring|slash|caron);/gi, "$1")
    .replace(/&([a-z]{2,5});/gi, (all, name: string) => signs[name.toLowerCase()] ?? all)
    .replace(/\\u([\da-f]{4})/gi, (_, code: string) => character(Number.parseInt(code, 16)))
    .replace(/\\[nrt]/g, " ")
    .replace(/(?:%[\da-f]{2})+/gi, (percent) => new TextDecoder().decode(bytesOf(percent)))

/** What stands in place of a note that a service does not show. A text without letters and digits does too. */
const placeholders: ReadonlySet<string> = new Set(
  "na nil null none no nan undefined unknown empty blank hidden redacted nonote notavailable notapplicable".split(" ")
)

const isPart = (one: string, other: string): boolean =>
  one !== "" && other !== "" && (one.includes(other) || other.includes(one))

/** Whether the characters of a text are all in another one, in their order. */
const isWithin = (text: string, other: string): boolean => {
  let at = 0
  for (const character of other) if (character === text[at]) at++
  return at === text.length
}

const digitsOf = (text: string): string => text.replace(/\D/g, "")

/** Whether a text in ASCII is what remains of a text with other letters, after they were transliterated or lost. */
const isTransliterated = (sent: string, shown: string): boolean => {
  if (!isBeyondAscii(sent) || isBeyondAscii(shown)) return false
  const [ascii, seen] = [lettersAndDigits(asciiOf(sent)), lettersAndDigits(shown)]
  return ascii.startsWith(seen) || (digitsOf(ascii) === digitsOf(seen) && isWithin(ascii, seen))
}

/** How a note that is shown, and not empty, compares with the one that was sent. */
export const compare = (sent: string, shown: string): "agrees" | "resembles" | "contradicts" => {
  if (isSame(sent, shown)) return "agrees"
  const once = unescaped(shown)
  const readings = [shown, once, unescaped(once)]
  const seen = lettersAndDigits(shown)
  if (seen === "" || placeholders.has(seen)) return "resembles"
  const ours = [sent, garbled(sent)].map(lettersAndDigits)
  const isOurs = readings.some(
    (reading) => ours.some((own) => isPart(own, lettersAndDigits(reading))) || isTransliterated(sent, reading)
  )
  return isOurs || isPart(plain(sent), plain(shown)) ? "resembles" : "contradicts"
}
