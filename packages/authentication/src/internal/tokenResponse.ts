/** Reads the answer of an authentication endpoint: whether the one-time secret was used up. Pure. */
import * as Classification from "@effect-custody/core/unstable/Classification"
import { isSendable } from "@effect-custody/core/unstable/SecretRequest"
import type { ExchangeResult } from "@effect-custody/core/unstable/Transport"
import type { Wire } from "@effect-custody/core/unstable/Wires"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

export type TokenResponse = Tokens | (NoTokens & { readonly support?: Classification.SupportData | undefined })

export interface Tokens {
  readonly _tag: "Tokens"
  readonly accessToken: Redacted.Redacted
  readonly refreshToken: Redacted.Redacted
  readonly expiresAt: number | undefined
  readonly vaultId: number | string | undefined
}

type NoTokens =
  /** The secret was certainly not spent. */
  | {
      readonly _tag: "NotSpent"
      /** The request never arrived, or was refused. */
      readonly phase: "NotSent" | "Throttled" | "Rejected"
      readonly reason: string
      readonly retryAfter: Duration.Duration | undefined
    }
  /** The secret is dead (E01402, E40002) or was never valid (E00401). */
  | { readonly _tag: "Rejected"; readonly reason: string }
  /** The secret is malformed (E00402). */
  | { readonly _tag: "Malformed"; readonly reason: string }
  /** The secret may have been spent. */
  | { readonly _tag: "InDoubt"; readonly reason: string; readonly retryAfter: Duration.Duration | undefined }

export type Sent = "RefreshToken" | "ApiKey"

/**
 * A token. A mask (`***`, `[REDACTED]`) or an example (`<token>`) in its place must not replace a good session: a token is
 * not empty, has no three asterisks, and is not in brackets.
 */
const Token = Schema.String.check(Schema.isPattern(/^(?!\$?[<[{].*[>\]}]$)(?!.*\*{3})./s))

const Pair = Schema.Struct({
  accessToken: Token.check(Schema.makeFilter((token) => isSendable(Redacted.make(token)))),
  refreshToken: Token,
  expiresAt: Schema.optionalKey(Schema.Unknown),
  vaultId: Schema.optionalKey(Schema.Unknown)
})
const decodePair = Schema.decodeUnknownOption(Pair)
const isRecord = Schema.is(Schema.Record(Schema.String, Schema.Unknown))

/** The tokens in a body: where the wire says, in the envelope of the specification, or at the top. */
const tokensIn = (body: unknown, status: number, wire: Wire) =>
  Option.firstSomeOf(
    [wire.envelope(body, status, undefined), body].flatMap((place) =>
      isRecord(place) ? [decodePair(place["data"]), decodePair(place)] : []
    )
  )

const isVaultId = Schema.is(Schema.Union([Schema.Int, Schema.String]))

const longestLifetime = Duration.toMillis(Duration.days(366))
const isMillis = Schema.is(Schema.Int)

/** An expiry in the future, in milliseconds. Otherwise `undefined`: then only a 498 shows that the token has expired. */
const credibleExpiry = (expiresAt: unknown, now: number): number | undefined =>
  isMillis(expiresAt) && expiresAt > now && expiresAt < now + longestLifetime ? expiresAt : undefined

/** Whether a rejection says that the secret itself is dead. After any other rejection it was not spent. */
const isDead = (sent: Sent, { meaning }: Classification.Refused): boolean =>
  meaning === "InvalidRefreshToken" || meaning === (sent === "RefreshToken" ? "TokenExpired" : "InvalidApiKey")

const fields = { RefreshToken: "refreshToken", ApiKey: "apiKey" } as const

/** Whether a rejection says that the secret is malformed: a validation error that names no other field. */
const isMalformed = (sent: Sent, { body, meaning }: Classification.Refused): boolean => {
  if (meaning !== "ValidationFailed") return false
  const errors = isRecord(body) && isRecord(body["errors"]) ? body["errors"] : {}
  const named = Object.keys(errors).filter((field) => field !== "message")
  return named.length === 0 || named.includes(fields[sent])
}

const onRefused = (sent: Sent, refused: Classification.Refused): TokenResponse => {
  const { meaning, reason, retryAfter } = refused
  // A throttled request was not looked at, whatever code it carries.
  if (refused._tag !== "Throttled") {
    if (isDead(sent, refused)) return { _tag: "Rejected", reason: `${reason}, ${meaning}` }
    if (isMalformed(sent, refused)) return { _tag: "Malformed", reason: `${reason}, ${meaning}` }
  }
  return { _tag: "NotSpent", phase: refused._tag === "Throttled" ? "Throttled" : "Rejected", reason, retryAfter }
}

export const read = (sent: Sent, answer: ExchangeResult, now: number, wire: Wire): TokenResponse => {
  const outcome = Classification.classify(
    "auth",
    answer,
    (body, status) => Result.fromOption(tokensIn(body, status, wire), () => "no tokens"),
    wire
  )
  switch (outcome._tag) {
    case "Succeeded": {
      const { accessToken, expiresAt, refreshToken, vaultId } = outcome.value
      return {
        _tag: "Tokens",
        accessToken: Redacted.make(accessToken),
        refreshToken: Redacted.make(refreshToken),
        expiresAt: credibleExpiry(expiresAt, now),
        vaultId: isVaultId(vaultId) ? vaultId : undefined
      }
    }
    case "InDoubt":
      return { _tag: "InDoubt", reason: outcome.reason, retryAfter: outcome.retryAfter }
    case "NotSent":
      return { _tag: "NotSpent", phase: "NotSent", reason: outcome.reason, retryAfter: undefined }
    default:
      return onRefused(sent, outcome)
  }
}
