/**
 * Takes secrets out of what the service said, before anything else sees it. What takes the place of one, such as
 * `‹access token 2›`, still tells whether two of them are the same.
 */
import { isRecord } from "./values.ts"

export interface Veil {
  /** From now on this text is shown under another name. One that is known keeps the name that it has. */
  readonly learn: (name: string, secret: string) => void
  /** Learns every token that a body brings, wherever it has it. */
  readonly learnTokens: (body: unknown) => void
  /** The same value without secrets, keys included. */
  readonly over: <A>(value: A) => A
}

/** Shorter text is part of too many others. */
const shortest = 4

const tokenNames: Readonly<Record<string, string>> = { accessToken: "access token", refreshToken: "refresh token" }

/** A secret as it may stand in the middle of a text. */
const formsOf = (secret: string): ReadonlyArray<string> => [
  secret,
  JSON.stringify(secret).slice(1, -1),
  encodeURIComponent(secret.toWellFormed())
]

export const makeVeil = (): Veil => {
  const names = new Map<string, string>()
  const counts = new Map<string, number>()
  /** By length: one secret may begin with another. */
  let forms: ReadonlyArray<readonly [form: string, name: string]> = []

  const learn = (name: string, secret: string): void => {
    if (names.has(secret) || secret.length < shortest) return
    names.set(secret, name)
    forms = [...forms, ...formsOf(secret).map((form) => [form, name] as const)].sort(([a], [b]) => b.length - a.length)
  }

  const learnToken = (kind: string, secret: string): void => {
    if (names.has(secret)) return
    const count = (counts.get(kind) ?? 0) + 1
    counts.set(kind, count)
    learn(`${kind} ${count}`, secret)
  }

  const learnTokens = (body: unknown): void => {
    if (Array.isArray(body)) return body.forEach(learnTokens)
    if (!isRecord(body)) return
    for (const [name, value] of Object.entries(body)) {
      const kind = Object.hasOwn(tokenNames, name) ? tokenNames[name] : undefined
      if (kind !== undefined && typeof value === "string") learnToken(kind, value)
      else learnTokens(value)
    }
  }

  const text = (value: string): string =>
    forms.reduce((veiled, [form, name]) => veiled.replaceAll(form, `‹${name}›`), value)

  const veiled = (value: unknown): unknown => {
    if (typeof value === "string") return text(value)
    if (Array.isArray(value)) return value.map(veiled)
    if (!isRecord(value)) return value
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [text(key), veiled(inner)]))
  }

  return { learn, learnTokens, over: (value) => veiled(value) as typeof value }
}
