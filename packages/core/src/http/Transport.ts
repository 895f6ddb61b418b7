/**
 * One HTTP exchange with the custody service: a request, and an answer or none. `Classification` interprets it.
 *
 * @stability unstable
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as ByteSize from "effect/ByteSize"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Defect from "../errors/Defect.ts"
import { ConfigurationInvalid } from "../errors/SdkError.ts"
import { isSendable } from "../secrets/SecretRequest.ts"
import { isHeaderValue } from "../values/Text.ts"
import * as Environment from "./Environment.ts"
import { answer, type ExchangeResult, inDoubt, type NotAnswered, unanswered } from "./exchangeResult.ts"
import { ofHttpClient } from "./ofHttpClient.ts"
import * as Sender from "./Sender.ts"
import * as SendPhase from "./sendPhase.ts"
import type * as SendProgress from "./SendProgress.ts"
import { runAfter, runAfterFreezes, socketsRead, type TimeLimit } from "./timeLimit.ts"

export type { Answered, ExchangeResult, NotAnswered } from "./exchangeResult.ts"
export { fetchOnce } from "./ofHttpClient.ts"
export { limitPassed } from "./timeLimit.ts"

/** The bounds of one exchange. */
export interface Limits {
  readonly attemptTimeout: Duration.Duration
  readonly maxResponseBytes: number
}

/** The options of {@link Limits}. */
export interface LimitOptions {
  /** The maximum duration of one attempt. Default: 30 seconds. */
  readonly attemptTimeout?: Duration.Input | undefined
  /** The maximum size of a body: a number of bytes, or a text such as `2 MiB`. Default: 10 MiB. */
  readonly maxResponseBytes?: ByteSize.Input | undefined
}

interface Options {
  readonly environment: Environment.Environment
  readonly limits?: LimitOptions | undefined
  /** The `User-Agent` of every request. Default: none. */
  readonly userAgent?: string | undefined
}

/** Reads the end of an exchange. */
const read = (progress: SendProgress.SendProgress, maxBytes: number, ended: Sender.Ended) => {
  const { cause, ending, headers, status } = ended
  if (status === 0) return unanswered(progress, SendPhase.ofConnection(cause))
  if (ending === "Whole") return answer(status, ended.text(), headers)
  // The status alone says what happened, so the answer counts as whole.
  if (status === 429 || status === 498) return answer(status, "", headers)
  const isTooLarge = ending === "TooLarge"
  return unanswered(
    progress,
    isTooLarge ? inDoubt(`the answer is larger than ${maxBytes} bytes`) : SendPhase.ofAnswer(cause)
  )
}

/**
 * Makes the function that sends a request, reads its result, and aborts it after the time limit. The answer to a request
 * without an access token may be the only copy of new tokens, so its time limit is extended after a freeze of the
 * process.
 */
const exchangeOver =
  (send: Sender.Send, maxBytes: number) =>
  (
    request: HttpClientRequest.HttpClientRequest,
    token: Redacted.Redacted | undefined,
    progress: SendProgress.SendProgress,
    fiber: Fiber.Fiber<unknown, unknown>,
    limit: TimeLimit
  ): Effect.Effect<ExchangeResult> =>
    Effect.callback((resume) => {
      let isOver = false
      let abort: Effect.Effect<void> = Effect.void
      const late = Effect.suspend(() => {
        if (isOver) return Effect.void
        isOver = true
        return Effect.andThen(
          abort,
          Effect.sync(() => resume(limit.result))
        )
      })
      const cancel =
        token === undefined
          ? runAfterFreezes(fiber, limit.after, late)
          : // The sockets are read first, because an answer may have arrived in time while the process was blocked.
            runAfter(fiber, limit.after, () => Effect.andThen(socketsRead, late))
      abort = send(request, token, {
        progress,
        context: fiber.context,
        onEnd: (exit) => {
          if (isOver) return
          isOver = true
          cancel()
          resume(Effect.flatMap(exit, (ended) => read(progress, maxBytes, ended)))
        }
      })
      return Effect.suspend(() => {
        isOver = true
        cancel()
        return abort
      })
    })

/** The reason if the `HttpClient` or a middleware throws. The request may have been sent. */
const foreignDefect = "the HttpClient failed with a defect"

const reason = "no header can carry the access token"
const unsendable: NotAnswered = { _tag: "NotAnswered", phase: "NotSent", reason }

/** Runs an exchange in its turn. If the turn does not come within `patience`, the result is `tooLate`. */
export type InTurn = (
  exchange: Effect.Effect<ExchangeResult>,
  patience: Duration.Duration,
  tooLate: ExchangeResult
) => Effect.Effect<ExchangeResult>

/**
 * Decides when each request may be sent. Default: each request is sent at once. `RateLimit` provides it, so that only a
 * program with a rate limit loads the limiter.
 */
export const InTurn = Context.Reference<InTurn | undefined>("@effect-custody/core/RateLimit", {
  defaultValue: () => undefined
})

/** Sends requests to the service of one environment. A test may provide its own transport. */
export class Transport extends Context.Service<
  Transport,
  {
    readonly environment: Environment.Environment
    /**
     * Sends a request whose URL is relative to the base address, and reports to `progress`. `deadline` is the time that
     * the call has left; after that time, the result has `isLate`. Never fails: a failure is part of the result.
     */
    readonly send: (
      request: HttpClientRequest.HttpClientRequest,
      accessToken: Redacted.Redacted | undefined,
      options: { readonly progress: SendProgress.SendProgress; readonly deadline?: Duration.Duration | undefined }
    ) => Effect.Effect<ExchangeResult>
  }
>()("@effect-custody/core/Transport") {
  /** Checks the options, and adds their defaults. */
  static readonly validate = Effect.fnUntraced(function* ({
    environment,
    limits = {},
    userAgent
  }: Options): Effect.fn.Return<
    { readonly environment: Environment.Environment; readonly limits: Limits },
    ConfigurationInvalid
  > {
    const invalid = (option: string, reason: string) => new ConfigurationInvalid({ option, reason })
    if (userAgent !== undefined && !isHeaderValue(userAgent)) {
      return yield* invalid("userAgent", "no header can carry it")
    }
    const { attemptTimeout: timeout = "30 seconds", maxResponseBytes: size } = limits
    const attemptTimeout = Option.getOrUndefined(Duration.fromInput(timeout))
    if (attemptTimeout === undefined || !Duration.isPositive(attemptTimeout)) {
      return yield* invalid("limits.attemptTimeout", "must be a positive duration")
    }
    const maxResponseBytes =
      size === undefined ? 10 * 1024 * 1024 : Number(Option.getOrUndefined(ByteSize.fromInput(size)))
    if (!Number.isSafeInteger(maxResponseBytes) || maxResponseBytes < 1) {
      return yield* invalid("limits.maxResponseBytes", "must be a positive size in bytes")
    }
    return {
      environment: yield* Effect.fromResult(Environment.validate(environment)),
      limits: { attemptTimeout, maxResponseBytes }
    }
  })

  /** The transport of an environment, over the provided `HttpClient`. */
  static readonly layer = (options: Options): Layer.Layer<Transport, ConfigurationInvalid, HttpClient.HttpClient> =>
    Layer.effect(
      this,
      Effect.gen(function* () {
        const { environment, limits } = yield* Transport.validate(options)
        const http = yield* HttpClient.HttpClient
        const { baseUrl } = environment
        const { maxResponseBytes: maxBytes } = limits
        const send = (Sender.of(http) ?? ofHttpClient(http))({ baseUrl, maxBytes, userAgent: options.userAgent })
        const exchange = exchangeOver(send, maxBytes)
        const tooSlow = { ...inDoubt(`no answer within ${Duration.format(limits.attemptTimeout)}`), isTimeout: true }
        const tooLate = { ...inDoubt("the deadline of the call has passed"), isLate: true }
        return Transport.of({
          environment,
          send: (request, accessToken, { deadline, progress }) =>
            Effect.withFiber((fiber) => {
              if (accessToken !== undefined && !isSendable(accessToken)) return Effect.succeed(unsendable)
              const limit: TimeLimit =
                deadline !== undefined && Duration.isLessThanOrEqualTo(deadline, limits.attemptTimeout)
                  ? { after: deadline, result: unanswered(progress, tooLate) }
                  : { after: limits.attemptTimeout, result: unanswered(progress, tooSlow) }
              return exchange(request, accessToken, progress, fiber, limit)
            }).pipe(
              Effect.catchCauseIf(Cause.hasDies, (cause) =>
                Effect.andThen(Defect.report(foreignDefect, cause), unanswered(progress, inDoubt(foreignDefect)))
              )
            )
        })
      })
    )
}
