/** The secrets that are looked for, and how a service may spell them. Always the same ones. */
import { random } from "../support/random.ts"

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

/** Pseudo-random characters from an alphabet; always the same ones. */
const drawn = (size: number, seed: number, from: string = letters): string => {
  const { below } = random(seed)
  let text = ""
  while (text.length < size) text += from[below(from.length)]!
  return text.slice(0, size)
}

/** Greek, Cyrillic, Turkish, Georgian and Cherokee letters, ligatures and mathematical signs. */
const alphabets = "αβΓςΣΐжЩюІıİſﬁﬃaZ7-ა℮ꭰ"

/** A secret of a kind, by size. Another seed gives another one. */
export const kinds: Readonly<Record<string, (size: number, seed: number) => string>> = {
  plain: drawn,
  base64: (size, seed) => Buffer.from(drawn(size, seed)).toString("base64").slice(0, size),
  JWT: (size, seed) => {
    const head = Buffer.from('{"alg":"HS256"}')
      .toString("base64url")
      .slice(0, Math.ceil(size / 5))
    const rest = drawn(size - head.length - 1, seed)
    return `${head}.${rest.slice(0, Math.floor(size / 2))}.${rest.slice(Math.floor(size / 2) + 1)}`
  },
  "quotes and backslashes": (size, seed) => drawn(size, seed, `${letters}"'\\/<>&%+=,;:{}[]`),
  "not ASCII": (size, seed) => drawn(size, seed, `${letters}äöüßéçñøÅ£§ÿ`),
  // Every second one is no letter of English. Pairs such as Å£ are UTF-8 of one character, and ß has two capitals.
  "letters of Europe": (size, seed) => drawn(size, seed, "aKe-7cäöüßéçñøÅ£§ÿ"),
  "all alphabets": (size, seed) => drawn(size, seed, alphabets),
  repeats: (size, seed) =>
    drawn(13, seed)
      .repeat(Math.ceil(size / 13))
      .slice(0, size)
}

export const sizes = [20, 300, 4_096, 100_000] as const

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1)
const percent = (text: string): string =>
  Array.from(new TextEncoder().encode(text), (byte) => `%${byte.toString(16).padStart(2, "0").toUpperCase()}`).join("")
const unicode = (text: string): string =>
  Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, "0")}`).join("")
const numbered = (text: string, base: 10 | 16): string =>
  Array.from(
    { length: text.length },
    (_, at) => `&#${base === 16 ? "x" : ""}${text.charCodeAt(at).toString(base)};`
  ).join("")

/** HTML's names of the characters of the secrets. */
export const htmlNames: Readonly<Record<string, string>> = {
  amp: "&",
  quot: '"',
  apos: "'",
  lt: "<",
  gt: ">",
  sol: "/",
  bsol: "\\",
  plus: "+",
  equals: "=",
  percnt: "%",
  comma: ",",
  semi: ";",
  colon: ":",
  lowbar: "_",
  lbrace: "{",
  rbrace: "}",
  lsqb: "[",
  rsqb: "]",
  period: ".",
  auml: "ä",
  ouml: "ö",
  uuml: "ü",
  szlig: "ß",
  eacute: "é",
  ccedil: "ç",
  ntilde: "ñ",
  oslash: "ø",
  Aring: "Å",
  pound: "£",
  sect: "§",
  yuml: "ÿ"
}
const nameOf = new Map(Object.entries(htmlNames).map(([name, character]) => [character, name]))
const named = (text: string): string =>
  Array.from(text, (character) => (nameOf.has(character) ? `&${nameOf.get(character)!};` : character)).join("")

const piece = (from: number) => (secret: string) => {
  const size = Math.min(secret.length, 20)
  const at = Math.floor((secret.length - size) * from)
  return secret.slice(at, at + size)
}

const hexOf = (code: number): string => code.toString(16).padStart(2, "0")

/** Each sign of ASCII by its number, as encoders write it that leave letters and digits alone. */
const signs = (secret: string, spell: (code: number) => string): string =>
  secret.replaceAll(/[^a-z0-9\u0080-\uffff]/gi, (sign) => spell(sign.charCodeAt(0)))

const bytes = (secret: string, spell: (byte: number) => string): ReadonlyArray<string> =>
  Array.from(new TextEncoder().encode(secret), spell)

/** How an answer may spell a secret. */
export const spellings: Readonly<Record<string, (secret: string) => string>> = {
  plain: (secret) => secret,
  "in capitals": (secret) => secret.toUpperCase(),
  "in small letters": (secret) => secret.toLowerCase(),
  trimmed: (secret) => secret.trim(),
  "with blanks around it": (secret) => `  ${secret}\t`,
  "in JSON": inJson,
  "in JSON in JSON": (secret) => inJson(inJson(secret)),
  "in JSON by numbers": unicode,
  "with escaped slashes": (secret) => secret.replaceAll("/", String.raw`\/`),
  "in a URL": (secret) => encodeURIComponent(secret),
  "in a URL in a URL": (secret) => encodeURIComponent(encodeURIComponent(secret)),
  "in a URL, every byte": percent,
  "in a URL, every byte, twice": (secret) => encodeURIComponent(percent(secret)),
  "in a form": (secret) => new URLSearchParams({ secret }).toString(),
  "in HTML by names": named,
  "in HTML by numbers": (secret) => numbered(secret, 10),
  "in HTML by hexadecimal numbers": (secret) => numbered(secret, 16),
  "in HTML in HTML": (secret) => named(secret).replaceAll("&", "&amp;"),
  "in hexadecimal": (secret) => Buffer.from(secret).toString("hex"),
  "in base64": (secret) => Buffer.from(secret).toString("base64"),
  "in base64 for URLs": (secret) => Buffer.from(secret).toString("base64url"),
  "in base64 behind a name": (secret) => Buffer.from(`u:${secret}`).toString("base64"),
  "in HTML by numbers with zeros": (secret) => numbered(secret, 10).replaceAll("#", "#0000000000"),
  "in HTML by numbers without semicolons": (secret) => numbered(secret, 10).replaceAll(";", ""),
  "in JavaScript": (secret) => signs(secret, (code) => `\\x${hexOf(code)}`),
  "in JavaScript with braces": (secret) => signs(secret, (code) => `\\u{${code.toString(16)}}`),
  "in hexadecimal with colons": (secret) => bytes(secret, hexOf).join(":"),
  "in hexadecimal, marked": (secret) => bytes(secret, (byte) => `0x${hexOf(byte)}`).join(", "),
  "as a Buffer": (secret) => `<Buffer ${bytes(secret, hexOf).join(" ")}>`,
  "as a list of bytes": (secret) => JSON.stringify([...Buffer.from(secret)]),
  "with zero-width characters": (secret) => Array.from(secret).join("\u200b"),
  "its beginning": piece(0),
  "its middle": piece(0.5),
  "its end": piece(1)
}
