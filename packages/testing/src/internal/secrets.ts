/** Takes secrets out of what is written down, and tells them apart all the same: each gets a number. */

/** A secret by the name it goes under, in any spelling: `accessToken`, `ACCESS_TOKEN`, `x-access-token`. */
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

/** A key and its string in JSON, also where the text breaks off inside it. */
const pair = /"([\w-]+)"(\s*:\s*)"((?:[^"\\]|\\.)*)(?:"|\\?$)/g

/** Below it a text is no secret, and would be found where it is not meant. */
const shortest = 8

export interface Secrets {
  /** A value by its name: itself, or, if it is a secret, what may be shown of it. */
  readonly named: (name: string, value: string) => string
  /** A text without the secrets that are named in it, and without those that were seen before. */
  readonly text: (text: string) => string
}

/** `others`: further names that secrets go under. */
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
