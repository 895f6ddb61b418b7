/** One HTTP exchange with the custody service: a request, and an answer or none. It decides nothing. */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Defect from "../errors/Defect.ts"
import * as Dispatch from "./Dispatch.ts"
import * as Environment from "./Environment.ts"
import * as DirectExchange from "./directExchange.ts"
import { type ExchangeResult, inDoubt, type NotAnswered, unanswered } from "./exchangeResult.ts"
import * as HttpExchange from "./httpExchange.ts"
import { isHeaderValue } from "../values/Text.ts"
import type { TimeLimit } from "./timeLimit.ts"
import { ConfigurationInvalid } from "../errors/SdkError.ts"
import { isSendable } from "../secrets/SecretRequest.ts"
import * as SendProgress from "./SendProgress.ts"

export { type Answered, type ExchangeResult, type NotAnswered, partial } from "./exchangeResult.ts"
export { fetchOnce } from "./fetchOnce.ts"
export { afterFreeze, limitPassed } from "./timeLimit.ts"

/** Bounds on one exchange. */
export interface Limits {
  /** How long one attempt may take. Default: 30 seconds. */
  readonly attemptTimeout: Duration.Duration
  /** The largest body that is read, in bytes. Default: 10 MiB. */
  readonly maxResponseBytes: number
}

interface Options {
  readonly environment: Environment.Environment
  readonly limits?: Partial<Limits> | undefined
  /** The `User-Agent` of every request. Default: none is set. */
  readonly userAgent?: string | undefined
}

/** Sends requests to the service of one environment. A test may provide another. */
export class Transport extends Context.Service<
  Transport,
  {
    readonly environment: Environment.Environment
    /**
     * Sends a request whose URL is relative to the base address, and reports to `progress`. After `deadline`, what is left
     * of the call's, the result `isLate`. Never fails: a failure is part of the result.
     */
    readonly send: (
      request: HttpClientRequest.HttpClientRequest,
      accessToken: Redacted.Redacted | undefined,
      options: { readonly progress: SendProgress.SendProgress; readonly deadline?: Duration.Duration | undefined }
    ) => Effect.Effect<ExchangeResult>
  }
>()("@effect-custody/core/Transport") {
  /** The options with their defaults, or what is wrong with them. */
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
    const { attemptTimeout = Duration.seconds(30), maxResponseBytes = 10 * 1024 * 1024 } = limits
    if (!Duration.isDuration(attemptTimeout) || !Duration.isPositive(attemptTimeout)) {
      return yield* invalid("limits.attemptTimeout", "must be a positive duration")
    }
    if (!Number.isSafeInteger(maxResponseBytes) || maxResponseBytes < 1) {
      return yield* invalid("limits.maxResponseBytes", "must be a positive integer")
    }
    return {
      environment: yield* Effect.fromResult(Environment.validate(environment)),
      limits: { attemptTimeout, maxResponseBytes }
    }
  })

  /** The transport of an environment, over the `HttpClient` that is provided. */
  static readonly layer = (options: Options): Layer.Layer<Transport, ConfigurationInvalid, HttpClient.HttpClient> =>
    Layer.effect(
      this,
      Effect.gen(function* () {
        const { environment, limits } = yield* Transport.validate(options)
        const http = yield* HttpClient.HttpClient
        const { baseUrl } = environment
        const settings = { baseUrl, maxBytes: limits.maxResponseBytes, userAgent: options.userAgent }
        const overHttp = HttpExchange.make(http, settings)
        const direct = DirectExchange.make(Dispatch.of(http), settings)
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
              const sent =
                accessToken === undefined ? undefined : direct?.(fiber, request, accessToken, progress, limit)
              return sent ?? overHttp(request, accessToken, progress, limit)
            }).pipe(
              Effect.catchCauseIf(Cause.hasDies, (cause) =>
                Effect.andThen(Defect.report(foreignDefect, cause), unanswered(progress, inDoubt(foreignDefect)))
              )
            )
        })
      })
    )
}

/** The `HttpClient`, or one of its middlewares, has thrown. The request may have been sent. */
const foreignDefect = "the HttpClient failed with a defect"

const reason = "no header can carry the access token"
const unsendable: NotAnswered = { _tag: "NotAnswered", phase: "NotSent", reason }
