/** Collects the secrets of a log, and replaces them with numbered labels, so that a reader can tell them apart. */
import * as Secrets from "@effect-custody/core/siblings/Secrets"
import * as Result from "effect/Result"

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

export interface LogSecrets {
  /** Learns the secret in a header or a parameter by its name. In an exchange of secrets, any name counts. */
  readonly learnValue: (name: string, value: string, isExchange: boolean) => void
  /**
   * Learns the secrets in a JSON body in the same way. Returns `false` for any other body that may hold a secret: it must be
   * redacted.
   */
  readonly learnBody: (text: string, isExchange: boolean) => boolean
  /** Replaces all known secrets in a text with labels. */
  readonly shown: (text: string) => string
}

export const make = (): LogSecrets => {
  const labels = new Map<string, string>()
  const known = new Secrets.Secrets()
  const counts = new Map<string, number>()

  const learnValue: LogSecrets["learnValue"] = (name, value, isExchange) => {
    const kind = kindOf(name) ?? (isExchange && mayBeSecret(value) ? name : undefined)
    if (kind === undefined || value === "" || labels.has(value)) return
    const count = (counts.get(kind) ?? 0) + 1
    counts.set(kind, count)
    labels.set(value, `<redacted ${kind} ${count}>`)
    known.add(value)
  }

  const learnIn = (json: unknown, name: string, isExchange: boolean): void => {
    if (typeof json === "string") learnValue(name, json, isExchange)
    else if (Array.isArray(json)) for (const each of json) learnIn(each, name, isExchange)
    else if (typeof json === "object" && json !== null) {
      for (const [key, each] of Object.entries(json)) learnIn(each, key, isExchange)
    }
  }

  return {
    learnValue,
    learnBody: (text, isExchange) => {
      if (text === "") return true
      // oxlint-disable-next-line effecttsgo/prefer-schema-over-json -- any JSON.
      const json = Result.try(() => JSON.parse(text) as unknown)
      if (Result.isSuccess(json)) learnIn(json.success, "", isExchange)
      else if (isExchange) for (const [name, value] of new URLSearchParams(text)) learnValue(name, value, true)
      return Result.isSuccess(json) || !(isExchange || (text.match(/[\w-]+/g) ?? []).some((word) => kindOf(word)))
    },
    shown: (text) => {
      let labelled = labels.get(text) ?? text
      for (const [secret, label] of labels) {
        const inJson = JSON.stringify(secret)
        labelled = labelled.replaceAll(inJson, `"${label}"`)
        if (secret.length >= minSecretLength) {
          labelled = labelled.replaceAll(secret, label).replaceAll(inJson.slice(1, -1), label)
        }
      }
      const redact = (piece: string) => (known.areIn(piece) ? Secrets.redacted : piece)
      // In JSON, only the strings with another spelling of a secret are redacted.
      return redact(labelled) === labelled ? labelled : redact(labelled.split('"').map(redact).join('"'))
    }
  }
}
