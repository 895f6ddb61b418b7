/** Keeps a secret that the service repeats in its answer out of our errors. Pure. */

/** Below it a text is no secret, and would be found where it is not meant. */
const shortest = 8

/** A character as it may stand in an answer: itself, or escaped for JSON, a URL or HTML. */
const spelt = (unit: number): string => {
  const hex = unit.toString(16)
  const four = hex.padStart(4, "0")
  const anyCase = (digits: string) => `(?:${digits}|${digits.toUpperCase()})`
  return String.raw`(?:\\?\u${four}|\\u${anyCase(four)}|%${anyCase(hex.padStart(2, "0"))}|&#(?:0*${unit}|[xX]0*${anyCase(hex)});)`
}

const pattern = (secret: string): RegExp =>
  new RegExp(Array.from({ length: secret.length }, (_, at) => spelt(secret.charCodeAt(at))).join(""), "g")

/** The text without the secrets, however they are spelt in it. What is JSON stays JSON. */
export const without = (secrets: ReadonlyArray<string>, text: string): string =>
  secrets
    .filter((secret) => secret.length >= shortest)
    .reduce((rest, secret) => rest.replaceAll(pattern(secret), "<redacted>"), text)
