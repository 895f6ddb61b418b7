/** Replaces secrets with numbered labels, so that different secrets can still be told apart. */

/** Names of secrets, normalized: `accessToken`, `ACCESS_TOKEN` and `x-access-token` are all known. */
const named: Readonly<Record<string, string>> = {
  apikey: "apiKey",
  accesstoken: "accessToken",
  xaccesstoken: "accessToken",
  refreshtoken: "refreshToken",
  authorization: "authorization",
  cookie: "cookie",
  setcookie: "cookie"
}

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "")

/** A key with a string value in JSON, even if the text ends inside the string. */
const pair = /"([\w-]+)"(\s*:\s*)"((?:[^"\\]|\\.)*)(?:"|\\?$)/g

/** Shorter texts are no secrets, and would be found inside other words. */
const shortest = 8

export interface Secrets {
  /** A named value: the value itself, or the label of a secret. */
  readonly named: (name: string, value: string) => string
  /** A text without the secrets that it names, and without those seen before. */
  readonly text: (text: string) => string
}

/** `others`: further names of secrets. */
export const make = (others: ReadonlyArray<string>): Secrets => {
  const kinds = new Map([...Object.entries(named), ...others.map((name) => [plain(name), name] as const)])
  const shown = new Map<string, string>()
  const counts = new Map<string, number>()

  const show = (kind: string, secret: string): string => {
    const before = shown.get(secret)
    if (before !== undefined) return before
    const number = (counts.get(kind) ?? 0) + 1
    counts.set(kind, number)
    const label = `<redacted ${kind} ${number}>`
    shown.set(secret, label)
    return label
  }

  const byName = (name: string, value: string): string => {
    const kind = kinds.get(plain(name))
    return kind === undefined || value === "" ? value : show(kind, value)
  }

  const withoutSeen = (text: string): string =>
    [...shown]
      .filter(([secret]) => secret.length >= shortest)
      .reduce((rest, [secret, label]) => rest.replaceAll(secret, label), text)

  return {
    named: (name, value) => withoutSeen(byName(name, value)),
    text: (text) =>
      withoutSeen(
        text.replaceAll(pair, (whole, name: string, colon: string, value: string) =>
          kinds.has(plain(name)) ? `"${name}"${colon}"${byName(name, value)}"` : whole
        )
      )
  }
}
