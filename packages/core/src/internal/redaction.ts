/** Keeps a secret that the service repeats in its answer out of our errors. Pure. */

/** Below it a text is no secret, and would be found where it is not meant. */
const shortest = 8

/** A character as it may stand in a text or in a JSON string: itself, escaped, or by its number. */
const spelt = (unit: number): string => {
  const hex = unit.toString(16).padStart(4, "0")
  return String.raw`(?:\\?\u${hex}|\\u(?:${hex}|${hex.toUpperCase()}))`
}

const pattern = (secret: string): RegExp =>
  new RegExp(Array.from({ length: secret.length }, (_, at) => spelt(secret.charCodeAt(at))).join(""), "g")

/** The text without the secrets, however they are spelt in it. What is JSON stays JSON. */
export const without = (secrets: ReadonlyArray<string>, text: string): string =>
  secrets
    .filter((secret) => secret.length >= shortest)
    .reduce((rest, secret) => rest.replaceAll(pattern(secret), "<redacted>"), text)
