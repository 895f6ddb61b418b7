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
  "quotes and backslashes": (size, seed) => drawn(size, seed, `${letters}"'\\/&%+=,;:`),
  repeats: (size, seed) =>
    drawn(13, seed)
      .repeat(Math.ceil(size / 13))
      .slice(0, size)
}

export const sizes = [20, 300, 4_096] as const

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1)

const piece = (from: number) => (secret: string) => {
  const size = Math.min(secret.length, 20)
  const at = Math.floor((secret.length - size) * from)
  return secret.slice(at, at + size)
}

/** How an answer may spell a secret, as far as the SDK promises to find it. */
export const spellings: Readonly<Record<string, (secret: string) => string>> = {
  plain: (secret) => secret,
  "in capitals": (secret) => secret.toUpperCase(),
  "in small letters": (secret) => secret.toLowerCase(),
  "with blanks around it": (secret) => `  ${secret}\t`,
  "in JSON": inJson,
  "in JSON in JSON": (secret) => inJson(inJson(secret)),
  "with escaped slashes": (secret) => secret.replaceAll("/", String.raw`\/`),
  "in a URL": (secret) => encodeURIComponent(secret),
  "in a form": (secret) => new URLSearchParams({ secret }).toString(),
  "its beginning": piece(0),
  "its middle": piece(0.5),
  "its end": piece(1)
}
