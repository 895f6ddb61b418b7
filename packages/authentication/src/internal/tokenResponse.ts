/** What the answer of an authentication endpoint means for the secret that was sent. Pure, and lenient with tokens. */
import type * as ApiError from "@effect-custody/core/ApiError"
import * as AttemptOutcome from "@effect-custody/core/AttemptOutcome"
import type { Outcome } from "@effect-custody/core/Transport"
import type { Differences } from "@effect-custody/core/WireContract"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

export type Reading =
  /** New tokens: they are kept, whatever else is odd about the answer. */
  | {
      readonly _tag: "Tokens"
      readonly accessToken: Redacted.Redacted
      readonly refreshToken: Redacted.Redacted | undefined
      readonly expiresAt: number | undefined
      readonly vaultId: number | string | undefined
    }
  /** It is certain that the secret was not spent. */
  | { readonly _tag: "Unchanged"; readonly reason: string; readonly retryAfter: Duration.Duration | undefined }
  /** The secret is dead (E01402, E40002) or was never good (E00401). */
  | { readonly _tag: "Refused"; readonly reason: string }
  /** The secret is malformed (422). */
  | { readonly _tag: "Malformed"; readonly reason: string }
  /** Nobody can say whether it was spent. */
  | { readonly _tag: "Unanswered"; readonly reason: string; readonly retryAfter?: Duration.Duration | undefined }

const NonEmpty = Schema.String.pipe(Schema.check(Schema.isNonEmpty()))

const Pair = Schema.Struct({
  accessToken: NonEmpty,
  refreshToken: Schema.optionalKey(Schema.Unknown),
  expiresAt: Schema.optionalKey(Schema.Unknown),
  vaultId: Schema.optionalKey(Schema.Unknown)
})
const pairIn = Schema.decodeUnknownOption(Pair)
const isRecord = Schema.is(Schema.Record(Schema.String, Schema.Unknown))

/** The tokens of an answer: where the envelope has them, under their confirmed names, or at the top. */
const tokensIn = (body: unknown, { payload = "data", response = {} }: Differences) => {
  if (!isRecord(body)) return Option.none()
  const inside = body[payload]
  const named = isRecord(inside)
    ? Object.fromEntries(Object.entries(inside).map(([name, value]) => [response[name] ?? name, value]))
    : undefined
  return Option.firstSomeOf([named, inside, body].map((place) => pairIn(place)))
}

const nonEmpty = Schema.is(NonEmpty)
const isVaultId = Schema.is(Schema.Union([Schema.Int, Schema.String]))

/** No access token of this service lives longer: beyond it, an expiry is not believed. */
const longest = Duration.toMillis(Duration.days(366))

/** An expiry in milliseconds that lies ahead, or nothing: then only the service's word (498) counts. */
export const credibleExpiry = (expiresAt: unknown, now: number): number | undefined =>
  typeof expiresAt === "number" && Number.isSafeInteger(expiresAt) && expiresAt > now && expiresAt < now + longest
    ? expiresAt
    : undefined

/** Which one-time secret was sent. */
export type Sent = "RefreshToken" | "ApiKey"

/** Whether a rejection means that the secret itself is dead. Whatever else a rejection says, the secret was not spent. */
const refuses = (sent: Sent, status: number, meaning: ApiError.Tag): boolean =>
  sent === "RefreshToken"
    ? meaning === "InvalidRefreshToken" || meaning === "TokenExpired" || status === 498
    : meaning === "InvalidApiKey" || meaning === "InvalidRefreshToken"

/** Reads the outcome of sending a one-time secret. */
export const of = (sent: Sent, answer: Outcome, now: number, differences: Differences = {}): Reading => {
  const outcome = AttemptOutcome.classify("auth", answer, (body) =>
    Result.fromOption(tokensIn(body, differences), () => "no tokens")
  )
  switch (outcome._tag) {
    case "Succeeded": {
      const { accessToken, expiresAt, refreshToken, vaultId } = outcome.value
      return {
        _tag: "Tokens",
        accessToken: Redacted.make(accessToken),
        refreshToken: nonEmpty(refreshToken) ? Redacted.make(refreshToken) : undefined,
        expiresAt: credibleExpiry(expiresAt, now),
        vaultId: isVaultId(vaultId) ? vaultId : undefined
      }
    }
    case "InDoubt":
      return { _tag: "Unanswered", reason: outcome.reason, retryAfter: outcome.retryAfter }
    case "NotSent":
    case "Throttled":
      return { _tag: "Unchanged", reason: outcome.reason, retryAfter: outcome.retryAfter }
    default: {
      const { meaning, reason, retryAfter } = outcome
      if (refuses(sent, outcome.answer.status, meaning)) return { _tag: "Refused", reason: `${reason}, ${meaning}` }
      if (meaning === "ValidationFailed") return { _tag: "Malformed", reason: `${reason}, ${meaning}` }
      return { _tag: "Unchanged", reason, retryAfter }
    }
  }
}
