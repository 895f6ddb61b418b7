/** The secrets that a log has seen, and texts with numbered labels in their place, so that they can be told apart. */
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

/** Shorter texts would be found inside other words. */
const shortest = 8

/** Whether a value of an exchange of secrets may be one: words with spaces between them are a message. */
const mayBeSecret = (value: string): boolean => value.length >= shortest && !value.includes(" ")

/** Where a string in JSON ends that begins here: at its quote, or with the text. A loop: an expression needs a stack. */
const endOfString = (text: string, from: number): number => {
  let at = from
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1
  return Math.min(at, text.length)
}

/** The text that the inside of a JSON string encodes; unchanged if the string is incomplete. */
const unescaped = (inside: string): string => {
  try {
    // oxlint-disable-next-line effecttsgo/prefer-schema-over-json -- one string of a text that need not be JSON.
    return inside.includes("\\") ? (JSON.parse(`"${inside}"`) as string) : inside
  } catch {
    return inside
  }
}

/** The strings of a text in JSON that are no keys, each with the key before it. The text may break off. */
function* valuesIn(text: string): Generator<readonly [key: string, value: string]> {
  let key = ""
  for (let begin = text.indexOf('"'); begin !== -1;) {
    const end = endOfString(text, begin + 1)
    const inside = text.slice(begin + 1, end)
    if (/^\s*:/.test(text.slice(end + 1, end + 64))) key = inside
    else yield [key, unescaped(inside)]
    begin = text.indexOf('"', end + 1)
  }
}

/** The limit on the number of secrets times the number of characters to search. A text beyond it is not shown. */
const mostWork = 2 ** 27

/** A text with more secrets is not shown. */
const mostInText = 1_000

export interface LogSecrets {
  /** Learns the secret that a header or a parameter holds, by its name or, in an exchange of secrets, whatever its name. */
  readonly learnValue: (name: string, value: string, isExchange: boolean) => void
  /** Learns the secrets in a body, in the same way. False if there are too many: then it may not be shown. */
  readonly learnBody: (text: string, isExchange: boolean) => boolean
  /** A text with labels in place of all secrets that are known by then. */
  readonly shown: (text: string) => string
}

export const make = (): LogSecrets => {
  const labels = new Map<string, string>()
  const compiled: Array<Redaction.Compiled> = []
  const counts = new Map<string, number>()

  const learn = (kind: string, secret: string): void => {
    if (labels.has(secret) || secret === "") return
    const count = (counts.get(kind) ?? 0) + 1
    counts.set(kind, count)
    labels.set(secret, `<redacted ${kind} ${count}>`)
    compiled.push(Redaction.compile(secret))
  }

  const kindIn = (name: string, value: string, isExchange: boolean): string | undefined =>
    kindOf(name) ?? (isExchange && mayBeSecret(value) ? name : undefined)

  const shown = (text: string): string => {
    if (labels.size * text.length > mostWork) return Redaction.redacted
    const own = labels.get(text)
    if (own !== undefined) return own
    let labelled = text
    for (const [secret, label] of labels) {
      const inJson = JSON.stringify(secret)
      labelled = labelled.replaceAll(inJson, `"${label}"`)
      if (secret.length >= shortest)
        labelled = labelled.replaceAll(secret, label).replaceAll(inJson.slice(1, -1), label)
    }
    const redact = Redaction.fromCompiled(compiled)
    // In JSON only the strings with another spelling of a secret are dropped.
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
        if (found.size > mostInText) return false
      }
      for (const [secret, kind] of found) learn(kind, secret)
      return true
    },
    shown
  }
}
