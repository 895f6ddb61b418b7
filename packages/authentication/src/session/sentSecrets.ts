/** Remembers the secrets that a process has sent, and which of them were refused, even if the store forgets. */
import type * as Redacted from "effect/Redacted"
import type { Refusal } from "../endpoint/tokenEndpoint.ts"
import { sameSecret } from "../store/secrets.ts"
import type { Intent, SessionRecord } from "../store/Session.ts"

interface SentSecret {
  readonly secret: Redacted.Redacted
  /** The time of the first send. */
  readonly at: number
  /** The mark in the record, if the secret is an API key. */
  readonly mark: string | undefined
  /** The service's refusal of a refresh token, and the intent of an earlier send, if there was one. */
  readonly refusal?: { readonly response: Refusal; readonly priorIntent: Intent | undefined }
}

export interface SentSecrets {
  /** The secrets that this process has sent, oldest first, except secrets that were certainly not used. */
  readonly sent: ReadonlyArray<SentSecret>
}

const maxRemembered = 64

export const addSent =
  (secret: SentSecret) =>
  ({ sent }: SentSecrets): SentSecrets => ({
    sent: sent.some((one) => sameSecret(one.secret, secret.secret)) ? sent : [...sent.slice(1 - maxRemembered), secret]
  })

export const addRefusal =
  (secret: Redacted.Redacted, refusal: SentSecret["refusal"] & {}) =>
  ({ sent }: SentSecrets): SentSecrets => ({
    sent: sent.map((one) => (sameSecret(one.secret, secret) ? { ...one, refusal } : one))
  })

/** `undefined` if this process has never sent the secret, or if the secret was certainly not used. */
export const find = ({ sent }: SentSecrets, secret: Redacted.Redacted | undefined): SentSecret | undefined =>
  sent.find((one) => sameSecret(one.secret, secret))

/** Adds the marks of the API keys that this process has sent, because the store may have lost them. */
export const withMarks = (record: SessionRecord, { sent }: SentSecrets): SessionRecord => {
  const { spentKeys } = record
  const forgotten = sent.flatMap(({ mark }) => (mark === undefined || spentKeys.includes(mark) ? [] : [mark]))
  return forgotten.length === 0 ? record : { ...record, spentKeys: [...spentKeys, ...forgotten] }
}
