/**
 * Sends a one-time secret (an API key or a refresh token) once, and reads from the answer whether the secret was spent.
 */
import { InputInvalid } from "@effect-custody/core/SdkError"
import { readCode } from "@effect-custody/core/siblings/Answer"
import * as Classification from "@effect-custody/core/siblings/Classification"
import * as Instrumentation from "@effect-custody/core/siblings/Instrumentation"
import * as Operation from "@effect-custody/core/siblings/Operation"
import * as OperatorLog from "@effect-custody/core/siblings/OperatorLog"
import * as Secrets from "@effect-custody/core/siblings/Secrets"
import * as Sender from "@effect-custody/core/siblings/Sender"
import { bodyJson, type ExchangeResult, limitPassed, type Transport } from "@effect-custody/core/siblings/Transport"
import type { Received, Wire, Wires } from "@effect-custody/core/siblings/Wires"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Authentication from "./Authentication.ts"

export type TokenResponse = Tokens | (NoTokens & { readonly support?: SupportData | undefined })

/** The data by which the service's support finds a request. */
export interface SupportData {
  readonly status: number
  readonly code?: string
  /** Headers that identify the request, such as `x-request-id`. */
  readonly requestIds: Readonly<Record<string, string>>
}

export interface Tokens {
  readonly _tag: "Tokens"
  readonly accessToken: Redacted.Redacted
  readonly refreshToken: Redacted.Redacted
  readonly expiresAt: number | undefined
  readonly vaultId: number | string | undefined
}

export type Refusal = Extract<TokenResponse, { readonly _tag: "Dead" | "Malformed" }>

type NoTokens =
  /** The secret was certainly not spent. */
  | {
      readonly _tag: "NotSpent"
      /** `NotSent`: the request never arrived. `Throttled` and `Rejected`: the service refused the request. */
      readonly phase: "NotSent" | "Throttled" | "Rejected"
      readonly reason: string
      readonly retryAfter: Duration.Duration | undefined
    }
  /** The secret is dead (E01402, E40002) or was never valid (E00401). */
  | { readonly _tag: "Dead"; readonly reason: string }
  /** The secret is malformed (E00402). */
  | { readonly _tag: "Malformed"; readonly reason: string }
  /** The secret may have been spent. */
  | { readonly _tag: "InDoubt"; readonly reason: string; readonly retryAfter: Duration.Duration | undefined }

export type Sent = "RefreshToken" | "ApiKey"

/**
 * A token: not empty, without three asterisks, and not in brackets. A mask (`***`, `[REDACTED]`) or an example (`<token>`)
 * must not replace a good session.
 */
const Token = Schema.String.check(Schema.isPattern(/^(?!\$?[<[{].*[>\]}]$)(?!.*\*{3})./s))

const Pair = Schema.Struct({
  accessToken: Token.check(Schema.makeFilter((token) => Secrets.isSendable(Redacted.make(token)))),
  refreshToken: Token,
  expiresAt: Schema.optionalKey(Schema.Unknown),
  vaultId: Schema.optionalKey(Schema.Unknown)
})
const decodePair = Schema.decodeUnknownOption(Pair)
const isRecord = Schema.is(Schema.Record(Schema.String, Schema.Unknown))

/** Finds the tokens in a body: at the place that `wire` specifies, in the specification's envelope, or at the top. */
const findTokens = (received: Received, wire: Wire) => {
  const success = wire.answer(received, undefined)
  const places =
    success !== undefined && Result.isSuccess(success) ? [success.success.envelope, received.body] : [received.body]
  return Result.fromOption(
    Option.firstSomeOf(
      places.flatMap((place) => (isRecord(place) ? [decodePair(place["data"]), decodePair(place)] : []))
    ),
    () => "no tokens"
  )
}

const isVaultId = Schema.is(Schema.Union([Schema.Int, Schema.String]))

const maxLifetime = Duration.toMillis(Duration.days(366))
const isMillis = Schema.is(Schema.Int)

/**
 * The expiry, if it is an instant within the next 366 days. Otherwise `undefined`: then only a 498 answer shows that
 * the token has expired.
 */
const credibleExpiry = (expiresAt: unknown, now: number): number | undefined =>
  isMillis(expiresAt) && expiresAt > now && expiresAt < now + maxLifetime ? expiresAt : undefined

/** `true` if a rejection says that the secret is dead. After any other rejection the secret was not spent. */
const isDead = (sent: Sent, { meaning }: Classification.Refused): boolean =>
  meaning === "InvalidRefreshToken" || meaning === (sent === "RefreshToken" ? "TokenExpired" : "InvalidApiKey")

const fields = { RefreshToken: "refreshToken", ApiKey: "apiKey" } as const

/**
 * `true` if a rejection says that the secret is malformed: a validation error for the secret's field, or for no field.
 */
const isMalformed = (sent: Sent, { body, meaning }: Classification.Refused): boolean => {
  if (meaning !== "ValidationFailed") return false
  const errors = isRecord(body) && isRecord(body["errors"]) ? body["errors"] : {}
  const named = Object.keys(errors).filter((field) => field !== "message")
  return named.length === 0 || named.includes(fields[sent])
}

const onRefused = (sent: Sent, refused: Classification.Refused): TokenResponse => {
  const { meaning, reason, retryAfter } = refused
  // The service has not processed a throttled request, whatever code the answer carries.
  if (refused._tag !== "Throttled") {
    if (isDead(sent, refused)) return { _tag: "Dead", reason: `${reason}, ${meaning}` }
    if (isMalformed(sent, refused)) return { _tag: "Malformed", reason: `${reason}, ${meaning}` }
  }
  return { _tag: "NotSpent", phase: refused._tag === "Throttled" ? "Throttled" : "Rejected", reason, retryAfter }
}

const classify = (answer: ExchangeResult, wire: Wire) => {
  const received = Classification.received("auth", answer)
  return Classification.classify("auth", answer, received && findTokens(received, wire), wire)
}

export const read = (sent: Sent, answer: ExchangeResult, now: number, wire: Wire): TokenResponse => {
  const outcome = classify(answer, wire)
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
    case "Foreign":
      return { _tag: "InDoubt", reason: outcome.reason, retryAfter: outcome.retryAfter }
    case "NotSent":
      return { _tag: "NotSpent", phase: "NotSent", reason: outcome.reason, retryAfter: undefined }
    default:
      return onRefused(sent, outcome)
  }
}

const notSent = (reason: string): ExchangeResult => ({ _tag: "NotAnswered", phase: "NotSent", reason })
const unanswered = (reason: string): ExchangeResult => ({ _tag: "NotAnswered", phase: "MaybeProcessed", reason })

const closingTimeout = Duration.seconds(30)

/**
 * Waits for the answer, which may hold new tokens. When the client closes, the wait goes on for up to `closingTimeout`.
 */
const awaitAnswer = (answer: Fiber.Fiber<ExchangeResult>) =>
  Effect.interruptible(Fiber.join(answer)).pipe(
    Effect.catchCauseIf(Cause.hasInterrupts, () =>
      Effect.raceFirst(
        Fiber.join(answer),
        Effect.as(limitPassed(closingTimeout), unanswered("no answer before the client was closed"))
      )
    ),
    Effect.ensuring(Fiber.interrupt(answer))
  )

export const make = (options: {
  readonly transport: Transport["Service"]
  readonly contract: Wires
  readonly listener: Instrumentation.Listener | undefined
  /** The names, in lower case, of the headers that identify a request to the service's support. */
  readonly requestIdHeaders: ReadonlyArray<string>
  /** Secrets that no error may repeat, in addition to the sent secret. */
  readonly secrets: Effect.Effect<ReadonlyArray<Redacted.Redacted>>
}) => {
  const { contract, listener, requestIdHeaders, secrets, transport } = options
  const follow = Instrumentation.followRequests(transport.environment, listener)

  /** What an error keeps of an answer, if one came. */
  const supportOf = (answer: ExchangeResult, redact: Secrets.Redact, wire: Wire): SupportData | undefined => {
    const arrived = answer._tag === "Answered" ? answer : answer.partial
    if (arrived === undefined) return undefined
    const code = readCode(wire.error(bodyJson(arrived)).body)
    return {
      status: arrived.status,
      ...(code === undefined ? {} : { code: Secrets.excerpt(redact, code) }),
      requestIds: Secrets.redactHeaders(redact, requestIdHeaders, arrived)
    }
  }

  /** Sends a request in a span. After a defect, the secret may have been sent. */
  const send = (
    { operation, route }: Operation.Any,
    request: HttpClientRequest.HttpClientRequest,
    progress: Sender.SendProgress,
    wire: Wire
  ) =>
    Effect.suspend(() =>
      follow(
        operation,
        route,
        request,
        0,
        (traced) => transport.send(traced, undefined, { progress }),
        (exit) => {
          const answer = Exit.isSuccess(exit) ? exit.value : undefined
          return { outcome: answer && classify(answer, wire), answer, mayHaveArrived: !Sender.isNotSent(progress) }
        }
      )
    ).pipe(
      Effect.catchCause((cause) =>
        Effect.as(OperatorLog.defect(`${operation} failed with a defect`, cause), unanswered("an internal error"))
      )
    )

  return Effect.fnUntraced(function* (
    purpose: { readonly _tag: "Refresh" | "Start" },
    secret: Redacted.Redacted,
    mayStart: () => boolean
  ): Effect.fn.Return<TokenResponse> {
    const [sent, operation, input] =
      purpose._tag === "Refresh"
        ? (["RefreshToken", Authentication.refreshToken, { refreshToken: secret }] as const)
        : (["ApiKey", Authentication.generateTokens, { apiKey: secret }] as const)
    const wire = contract.wire(operation) ?? Operation.codec(operation).wire
    const prepared = Result.flatMap(Operation.encode(operation, input), (encoded) =>
      Result.mapError(
        wire.request({ encoded, given: input }),
        (issues) => new InputInvalid({ operation: operation.operation, issues })
      )
    )
    const progress = Sender.makeProgress(mayStart)
    const outcome = Result.isFailure(prepared)
      ? notSent(prepared.failure.message)
      : !mayStart()
        ? notSent(Sender.tooLate.message)
        : yield* Effect.flatMap(Effect.forkChild(send(operation, prepared.success, progress, wire)), awaitAnswer)
    const response = read(sent, outcome, yield* Clock.currentTimeMillis, wire)
    if (response._tag === "Tokens") return response
    const redact = Secrets.makeRedact([...(yield* secrets), secret].map(Redacted.value))
    return { ...response, support: supportOf(outcome, redact, wire) }
  })
}
