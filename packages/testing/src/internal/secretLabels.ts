/** Replaces secrets with numbered labels, so that different secrets can still be told apart. */

import * as Redaction from "@effect-custody/core/Redaction"

/** Names of secrets, normalized: `accessToken`, `ACCESS_TOKEN` and `x-access-token` are all known. */
const named: Readonly<Record<string, string>> = {
  apikey: "apiKey",
  xapikey: "apiKey",
  accesstoken: "accessToken",
  xaccesstoken: "accessToken",
  refreshtoken: "refreshToken",
  authorization: "authorization",
  cookie: "cookie",
  setcookie: "cookie"
}

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "")

/** A key in JSON, up to the quote that begins its value. */
const key = /"([\w-]{1,64})"\s{0,64}:\s{0,64}"/g

/** Where a string in JSON ends that begins here: at its quote, or with the text. A loop: an expression needs a stack. */
const endOfString = (text: string, from: number): number => {
  let at = from
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1
  return Math.min(at, text.length)
}

/** The text that the inside of a JSON string encodes; unchanged if the string is incomplete. */
const unescaped = (inside: string): string => {
  if (!inside.includes("\\")) return inside
  try {
    // oxlint-disable-next-line effecttsgo/prefer-schema-over-json -- one string of a text that need not be JSON.
    return JSON.parse(`"${inside}"`) as string
  } catch {
    return inside
  }
}

/** The JSON of a text; `undefined` if it is none. */
const jsonOf = (text: string): unknown => {
  try {
    // oxlint-disable-next-line effecttsgo/prefer-schema-over-json -- any JSON.
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Replaces the string values of a text in JSON, by their keys. */
const withValues = (text: string, replace: (name: string, value: string) => string): string => {
  let rest = ""
  let from = 0
  for (const match of text.matchAll(key)) {
    const begin = match.index + match[0].length
    // A key inside a replaced value is removed with it.
    if (match.index < from) continue
    const end = endOfString(text, begin)
    const value = text.slice(begin, end)
    const plainly = unescaped(value)
    const shown = replace(match[1]!, plainly)
    if (shown === plainly) continue
    // A value that breaks off with the text gets its quote, as if it were whole.
    rest += `${text.slice(from, begin)}${shown}${end === text.length ? '"' : ""}`
    from = end
  }
  return rest + text.slice(from)
}

/** Shorter texts are no secrets, and would be found inside other words. */
const shortest = 8

/** The limit on the number of secrets times the number of characters to search. A text beyond it is not shown. */
const mostWork = 2 ** 27

/** Of a text that is not shown, the secrets in this many characters are learned: new tokens are at the beginning. */
const beginning = 256 * 1024

/** How many values of one text are replaced. */
const mostReplaced = 20_000

/** Whether a text brings more values than are replaced, or looked for in it. */
const bringsTooMany = (text: string, counts: (name: string, value: string) => boolean): boolean => {
  if (text.length <= beginning) return false
  const values = new Set<string>()
  let replaced = 0
  for (const match of text.matchAll(key)) {
    const begin = match.index + match[0].length
    const value = unescaped(text.slice(begin, endOfString(text, begin)))
    if (!counts(match[1]!, value)) continue
    values.add(value)
    if (++replaced > mostReplaced || values.size * text.length > mostWork) return true
  }
  return false
}

export interface Secrets {
  /** How many secrets are known. */
  readonly count: () => number
  /** Takes the secrets out of a text that became known after so many others: after none, all of them. */
  readonly since: (known: number) => (text: string) => string
  /** A named value: the value itself, or the label of a secret. */
  readonly named: (name: string, value: string) => string
  /** A text without the secrets that it names, and without those seen before. */
  readonly text: (text: string) => string
  /** The label of a value that is a secret, whatever its name. */
  readonly hidden: (name: string, value: string) => string
  /**
   * A text of an exchange of secrets, whose fields may have any names: every value that may be a secret is removed,
   * unless the text names the secrets that are expected. `isWhole` decides that, from those that it names.
   */
  readonly exchanged: (text: string, isWhole: (kinds: ReadonlySet<string>) => boolean) => string
}

/** Whether a value of an exchange of secrets may be one: words with spaces between them are a message. */
const mayBeSecret = (value: string): boolean => value.length >= shortest && !value.includes(" ")

/** The strings in the lists of a JSON value, which have no key. */
const listed = (json: unknown): ReadonlyArray<string> => {
  if (Array.isArray(json)) return json.flatMap((item) => (typeof item === "string" ? [item] : listed(item)))
  return typeof json === "object" && json !== null ? Object.values(json).flatMap(listed) : []
}

/** `others`: further names of secrets. */
export const make = (others: ReadonlyArray<string>): Secrets => {
  const kinds = new Map([...Object.entries(named), ...others.map((name) => [plain(name), name] as const)])
  const shown = new Map<string, string>()
  const compiled = new Map<string, Redaction.Compiled>()
  const counts = new Map<string, number>()

  const show = (kind: string, secret: string): string => {
    const before = shown.get(secret)
    if (before !== undefined) return before
    const number = (counts.get(kind) ?? 0) + 1
    counts.set(kind, number)
    const label = `<redacted ${kind} ${number}>`
    shown.set(secret, label)
    compiled.set(secret, Redaction.compile(secret))
    return label
  }

  const byName = (name: string, value: string): string => {
    const kind = kinds.get(plain(name))
    return kind === undefined || value === "" ? value : show(kind, value)
  }

  /**
   * Replaces the secrets seen after so many others by their labels. A string in JSON with another spelling of a secret, or
   * with a piece of one, becomes `<redacted>`; a text that is not JSON does so as a whole.
   */
  const since = (known: number) => {
    const seen = [...shown].slice(known).filter(([secret]) => secret.length >= shortest)
    const redact = Redaction.by([...compiled.values()].slice(known))
    return (text: string): string => {
      if (seen.length * text.length > mostWork) return Redaction.redacted
      const labelled = seen.reduce((rest, [secret, label]) => rest.replaceAll(secret, label), text)
      if (redact(labelled) === labelled) return labelled
      return redact(labelled.split('"').map(redact).join('"'))
    }
  }

  const withoutSeen = (text: string): string => since(0)(text)

  const isNamed = (name: string): boolean => kinds.has(plain(name))

  /** Replaces what a text of an exchange of secrets says, by the names of its values or, without them, wherever it may be. */
  const exchangedOf = (text: string, isWhole: (kinds: ReadonlySet<string>) => boolean): string => {
    const names = new Set<string>()
    const found = withValues(text, (name, value) => {
      const kind = kinds.get(plain(name))
      if (kind !== undefined) names.add(kind)
      return byName(name, value)
    })
    if (isWhole(names)) return found
    // With more than that, the text is too long to be shown.
    for (const value of listed(jsonOf(text)).filter(mayBeSecret).slice(0, mostReplaced)) show("value", value)
    return withValues(text, (name, value) =>
      isNamed(name) ? byName(name, value) : mayBeSecret(value) ? show(name, value) : value
    )
  }

  /** Learns the secrets of a text, and shows it unless it brings too many. */
  const shownIf = (
    text: string,
    counts: (name: string, value: string) => boolean,
    learn: (text: string) => string
  ): string => {
    if (!bringsTooMany(text, counts)) return withoutSeen(learn(text))
    learn(text.slice(0, beginning))
    return Redaction.redacted
  }

  return {
    count: () => shown.size,
    since,
    named: (name, value) => withoutSeen(byName(name, value)),
    text: (text) => shownIf(text, isNamed, (text) => withValues(text, byName)),
    hidden: (name, value) => (value === "" ? value : show(kinds.get(plain(name)) ?? name, value)),
    exchanged: (text, isWhole) =>
      shownIf(
        text,
        (name, value) => isNamed(name) || mayBeSecret(value),
        (text) => exchangedOf(text, isWhole)
      )
  }
}
