/** Collects the secrets of a log, and replaces them with numbered labels, so that a reader can tell them apart. */
import * as Redaction from "@effect-custody/core/unstable/Redaction"

/** Names of secrets, normalized: `accessToken`, `ACCESS_TOKEN` and `x-access-token` are all known. */
const kinds = new Map([
  ["apikey", "apiKey"],
  ["xapikey", "apiKey"],
  ["accesstoken", "accessToken"],
  ["xaccesstoken", "accessToken"],
  ["refreshtoken", "refreshToken"],
  ["authorization", "authorization"],
  ["cookie", "cookie"],
  ["setcookie", "cookie"]
])

const kindOf = (name: string): string | undefined => kinds.get(name.toLowerCase().replaceAll(/[^a-z0-9]/g, ""))

/** The minimum length of a secret. Shorter texts would match inside other words. */
const minSecretLength = 8

/** `true` if a value of an exchange of secrets may be a secret. Words with spaces are a message. */
const mayBeSecret = (value: string): boolean => value.length >= minSecretLength && !value.includes(" ")

/** Finds the end of a JSON string: its quote, or the end of the text. A regular expression would need a deep stack. */
const findStringEnd = (text: string, from: number): number => {
  let at = from
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1
  return Math.min(at, text.length)
}

/** Decodes the inside of a JSON string. Returns it unchanged if the string is incomplete. */
const unescaped = (inside: string): string => {
  try {
    // oxlint-disable-next-line effecttsgo/prefer-schema-over-json -- one string of a text that need not be JSON.
    return inside.includes("\\") ? (JSON.parse(`"${inside}"`) as string) : inside
  } catch {
    return inside
  }
}

/** Yields the string values of a JSON text, each with the key before it. The text may be incomplete. */
function* valuesIn(text: string): Generator<readonly [key: string, value: string]> {
  let key = ""
  for (let begin = text.indexOf('"'); begin !== -1;) {
    const end = findStringEnd(text, begin + 1)
    const inside = text.slice(begin + 1, end)
    if (/^\s*:/.test(text.slice(end + 1, end + 64))) key = inside
    else yield [key, unescaped(inside)]
    begin = text.indexOf('"', end + 1)
  }
}

/** The limit on the number of secrets times the number of characters to search. A text beyond it is redacted. */
const maxSearch = 2 ** 27

/** A text with more secrets is redacted. */
const maxSecretsInText = 1_000

export interface LogSecrets {
  /** Learns the secret in a header or a parameter by its name. In an exchange of secrets, any name counts. */
  readonly learnValue: (name: string, value: string, isExchange: boolean) => void
  /** Learns the secrets in a body in the same way. Returns `false` if there are too many; then the body must be redacted. */
  readonly learnBody: (text: string, isExchange: boolean) => boolean
  /** Replaces all known secrets in a text with labels. */
  readonly shown: (text: string) => string
}

export const make = (): LogSecrets => {
  const labels = new Map<string, string>()
  const known = new Redaction.Secrets()
  const counts = new Map<string, number>()

  const learn = (kind: string, secret: string): void => {
    if (labels.has(secret) || secret === "") return
    const count = (counts.get(kind) ?? 0) + 1
    counts.set(kind, count)
    labels.set(secret, `<redacted ${kind} ${count}>`)
    known.add(secret)
  }

  const kindIn = (name: string, value: string, isExchange: boolean): string | undefined =>
    kindOf(name) ?? (isExchange && mayBeSecret(value) ? name : undefined)

  const shown = (text: string): string => {
    if (labels.size * text.length > maxSearch) return Redaction.redacted
    const own = labels.get(text)
    if (own !== undefined) return own
    let labelled = text
    for (const [secret, label] of labels) {
      const inJson = JSON.stringify(secret)
      labelled = labelled.replaceAll(inJson, `"${label}"`)
      if (secret.length >= minSecretLength)
        labelled = labelled.replaceAll(secret, label).replaceAll(inJson.slice(1, -1), label)
    }
    const redact = (piece: string) => (known.areIn(piece) ? Redaction.redacted : piece)
    // In JSON, only the strings with another spelling of a secret are redacted.
    return redact(labelled) === labelled ? labelled : redact(labelled.split('"').map(redact).join('"'))
  }

  return {
    learnValue: (name, value, isExchange) => {
      const kind = kindIn(name, value, isExchange)
      if (kind !== undefined) learn(kind, value)
    },
    learnBody: (text, isExchange) => {
      const found = new Map<string, string>()
      for (const [name, value] of valuesIn(text)) {
        const kind = kindIn(name, value, isExchange)
        if (kind !== undefined) found.set(value, kind)
        if (found.size > maxSecretsInText) return false
      }
      for (const [secret, kind] of found) learn(kind, secret)
      return true
    },
    shown
  }
}
