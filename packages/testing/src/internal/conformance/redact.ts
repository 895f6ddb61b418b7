/**
 * Removes secrets from the service's answers before anything else reads them. Labels such as `‹access token 2›` replace
 * them, so that equal secrets can still be recognized. A secret that is encoded or escaped becomes `<redacted>`.
 */
import * as Redaction from "@effect-custody/core/Redaction"
import { isRecord } from "./values.ts"

export interface Redactor {
  /** Adds a secret under a label. A known secret keeps its label. */
  readonly add: (label: string, secret: string) => void
  /** Adds every token of a body, at any depth. */
  readonly addTokens: (body: unknown) => void
  /** Removes the secrets from a value, keys included. */
  readonly redact: <A>(value: A) => A
}

/** Shorter text would be found inside too many other texts. */
const minLength = 4

/** The names that the specification has: they are no secrets, whatever the tokens of a service look like. */
const specified: ReadonlySet<string> = new Set(
  "message status data code errors apiKey accessToken refreshToken expiresAt vaultId".split(" ")
)

const tokenNames: Readonly<Record<string, string>> = { accessToken: "access token", refreshToken: "refresh token" }

/** The spellings of a secret inside another text. */
const spellingsOf = (secret: string): ReadonlyArray<string> => [
  secret,
  JSON.stringify(secret).slice(1, -1),
  encodeURIComponent(secret.toWellFormed())
]

export const makeRedactor = (): Redactor => {
  const labels = new Map<string, string>()
  const counts = new Map<string, number>()
  /** Longest first: a secret may be the beginning of another. */
  let spellings: ReadonlyArray<readonly [spelling: string, label: string]> = []
  let compiled: ReadonlyArray<Redaction.Compiled> = []
  let otherSpellings = Redaction.by(compiled)

  const add = (label: string, secret: string): void => {
    if (labels.has(secret) || secret.length < minLength) return
    labels.set(secret, label)
    spellings = [...spellings, ...spellingsOf(secret).map((spelling) => [spelling, label] as const)].sort(
      ([a], [b]) => b.length - a.length
    )
    compiled = [...compiled, Redaction.compile(secret)]
    otherSpellings = Redaction.by(compiled)
  }

  const addToken = (kind: string, secret: string): void => {
    if (labels.has(secret)) return
    const count = (counts.get(kind) ?? 0) + 1
    counts.set(kind, count)
    add(`${kind} ${count}`, secret)
  }

  const addTokens = (body: unknown): void => {
    if (Array.isArray(body)) return body.forEach(addTokens)
    if (!isRecord(body)) return
    for (const [name, value] of Object.entries(body)) {
      const kind = Object.hasOwn(tokenNames, name) ? tokenNames[name] : undefined
      if (kind !== undefined && typeof value === "string") addToken(kind, value)
      else addTokens(value)
    }
  }

  const redactText = (text: string): string =>
    otherSpellings(spellings.reduce((rest, [spelling, label]) => rest.replaceAll(spelling, `‹${label}›`), text))

  const redact = (value: unknown): unknown => {
    if (typeof value === "string") return redactText(value)
    if (Array.isArray(value)) return value.map(redact)
    if (!isRecord(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [specified.has(key) ? key : redactText(key), redact(inner)])
    )
  }

  return { add, addTokens, redact: (value) => redact(value) as typeof value }
}
