/**
 * Finds secrets in texts, in every spelling that the SDK promises to look for. It shares nothing with the redaction of the packages: it decodes texts
 * by expressions, and looks for pieces of the secrets in what comes out.
 */

/** Any run of 16 characters of a secret is found: a piece begins at every fourth. */
const windowSize = 13
const stride = 4

/** Without letter case, and with one alphabet of base64. */
const folded = (text: string): string => text.toLowerCase().replaceAll("+", "-").replaceAll("/", "_")

const inBase64 = (secret: string, before: number): string => {
  const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)])
  return bytes.toString("base64").slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6))
}

const spelt = (secret: string): ReadonlyArray<string> => [
  secret,
  Buffer.from(secret).toString("hex"),
  ...[0, 1, 2].map((before) => inBase64(secret, before))
]

const url = (text: string): string =>
  text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (escaped) => {
    try {
      return decodeURIComponent(escaped)
    } catch {
      return Buffer.from(escaped.replaceAll("%", ""), "hex").toString("latin1")
    }
  })

const json = (text: string): string =>
  text
    .replaceAll(/\\+u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll("\\", "")

/** A text, and each text that results from decoding its escapes, again and again. */
function* readings(text: string): Generator<string> {
  let reading = text
  for (let round = 0; round < 6; round++) {
    yield folded(reading)
    const next = json(url(reading))
    if (next === reading) return
    reading = next
  }
}

/** Without stack frames: they are long, and contain only file names. */
const withoutFrames = (text: string): string => text.replaceAll(/^ +at .*$/gm, "")

/** Gives the first piece of a secret in a text, with what stands around it. */
export const detector = (secrets: ReadonlyArray<string>): ((text: string) => string | undefined) => {
  const pieces = new Set<string>()
  for (const secret of secrets) {
    // A secret is looked for as it is and with its own escapes decoded, because those of a text are decoded, whoever
    // wrote them.
    for (const text of [...readings(secret), ...spelt(secret).map(folded)]) {
      for (let at = 0; at + windowSize <= text.length; at += stride) pieces.add(text.slice(at, at + windowSize))
    }
  }
  const search = (text: string): string | undefined => {
    for (const reading of readings(text)) {
      for (let at = 0; at + windowSize <= reading.length; at++) {
        if (pieces.has(reading.slice(at, at + windowSize))) return reading.slice(Math.max(0, at - 60), at + 60)
      }
    }
    return undefined
  }
  /** Many sinks say the same of many cases, line by line. No secret and no escape has a line break. */
  const clean = new Set<string>()
  return (text) => {
    for (const line of withoutFrames(text).split("\n")) {
      if (clean.has(line)) continue
      const found = search(line)
      if (found !== undefined) return found
      clean.add(line)
    }
    return undefined
  }
}
