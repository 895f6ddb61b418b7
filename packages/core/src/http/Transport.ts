/**
 * One HTTP exchange with the custody service, from the request to the answer, or to the reason why there is none:
 *
 * 1. what an exchange ends with (`Classification` decides what it means);
 * 2. `Transport`, the service that sends requests;
 * 3. one exchange: a sender, a time limit, and the end that comes first;
 * 4. whether a failed request may have reached the service;
 * 5. time limits that allow for freezes (a paused container, a suspended laptop). After a freeze, timers fire before the
 *    process reads the bytes that have arrived meanwhile;
 * 6. `Recorder`, which receives the exchanges of a call as they went over the wire, so that a person compares a request
 *    with the service's own row. The client looks for it once per call.
 *
 * @siblings `authentication` sends requests, `sdk` makes a client's transport, `cli` and `ledger` show exchanges to a person.
 */
import * as ByteSize from "effect/ByteSize"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Headers from "effect/http/Headers"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as UrlParams from "effect/http/UrlParams"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import type * as Redacted from "effect/Redacted"
import * as Record from "effect/Record"
import * as Result from "effect/Result"
import * as OperatorLog from "../errors/OperatorLog.ts"
import { ConfigurationInvalid, type Phase } from "../errors/SdkError.ts"
import * as ExactJson from "../json/ExactJson.ts"
import * as Secrets from "../secrets/Secrets.ts"
import { isHeaderValue } from "../values/Text.ts"
import * as Environment from "./Environment.ts"
import * as Sender from "./Sender.ts"

// 1. What an exchange ends with.

/** The result of one exchange. `Classification` decides what it means. */
export type ExchangeResult = Answered | NotAnswered

/** A whole answer. */
export interface Answered {
  readonly _tag: "Answered"
  readonly status: number
  readonly text: string
  /** The wait that the service asks for before the next request. */
  readonly retryAfter: Duration.Duration | undefined
  /** Headers by name in lower case. */
  readonly headers?: Sender.Received["headers"] | undefined
}

/** No whole answer arrived. */
export interface NotAnswered {
  readonly _tag: "NotAnswered"
  readonly phase: Phase
  readonly reason: string
  /** `true` if the exchange took longer than `attemptTimeout`. */
  readonly isTimeout?: boolean | undefined
  /** `true` if the deadline of the call passed. */
  readonly isLate?: boolean | undefined
  /** The part of an answer that arrived. It proves nothing about a call, but may hold the new tokens of a session. */
  readonly partial?: Answered | undefined
}

/** An answer that does not print its text and headers, because they may hold secrets. */
class Hidden implements Answered {
  readonly _tag = "Answered"
  readonly status: number
  readonly retryAfter: Duration.Duration | undefined
  readonly #text: () => string
  readonly #headers: Sender.Received["headers"]
  #json: { readonly value: unknown } | undefined

  constructor(
    status: number,
    text: () => string,
    headers: Sender.Received["headers"],
    wait: Duration.Duration | undefined
  ) {
    this.status = status
    this.retryAfter = wait
    this.#text = text
    this.#headers = headers
  }

  get headers(): Sender.Received["headers"] {
    return this.#headers
  }

  get text(): string {
    return this.#text()
  }

  get json(): unknown {
    this.#json ??= { value: ExactJson.parseIfJson(this.text) }
    return this.#json.value
  }
}

/** The JSON of an answer's body; `undefined` if the body is not JSON. Each answer is parsed once. */
export const bodyJson = (answered: Answered): unknown =>
  answered instanceof Hidden ? answered.json : ExactJson.parseIfJson(answered.text)

/** The wait that an answer asks for. */
const parseRetryAfter = (headers: Sender.Received["headers"], now: number): Duration.Duration | undefined => {
  const header = headers["retry-after"]
  if (header === undefined) return undefined
  return Result.getOrUndefined(
    Result.map(Headers.parseRetryAfter(String(header)), (hint) => Headers.retryAfterDelay(hint, now))
  )
}

const answer = (status: number, text: string, headers: Sender.Received["headers"]): Effect.Effect<Answered> =>
  headers["retry-after"] === undefined
    ? Effect.succeed(new Hidden(status, () => text, headers, undefined))
    : Effect.map(
        Clock.currentTimeMillis,
        (now) => new Hidden(status, () => text, headers, parseRetryAfter(headers, now))
      )

// 2. The service.

/** The bounds of one exchange. */
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

/** Runs an exchange in its turn. If the turn does not come within `patience`, the result is `tooLate`. */
export type InTurn = (
  exchange: Effect.Effect<ExchangeResult>,
  patience: Duration.Duration,
  tooLate: ExchangeResult
) => Effect.Effect<ExchangeResult>

/**
 * Decides when each request may be sent. Default: each request is sent at once. `sdk` provides it for `requestsPerSecond`, so that only a
 * program with a rate limit loads the limiter.
 */
export const InTurn = Context.Reference<InTurn | undefined>("@effect-custody/core/InTurn", {
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
      options: { readonly progress: Sender.SendProgress; readonly deadline?: Duration.Duration | undefined }
    ) => Effect.Effect<ExchangeResult>
  }
>()("@effect-custody/core/Transport") {
  /** Checks the options, and adds their defaults. */
  static readonly validate = Effect.fnUntraced(function* ({ environment, limits = {}, userAgent }: Options) {
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
      attemptTimeout,
      maxResponseBytes
    }
  })

  /** The transport of an environment, over the provided `HttpClient`. */
  static readonly layer = (options: Options): Layer.Layer<Transport, ConfigurationInvalid, HttpClient.HttpClient> =>
    Layer.effect(
      this,
      Effect.gen(function* () {
        const { attemptTimeout, environment, maxResponseBytes: maxBytes } = yield* Transport.validate(options)
        const http = yield* HttpClient.HttpClient
        const { baseUrl } = environment
        const send = (Sender.of(http) ?? Sender.ofHttpClient(http))({ baseUrl, maxBytes, userAgent: options.userAgent })
        const exchange = exchangeOver(send, maxBytes)
        const tooSlow = { ...inDoubt(`no answer within ${Duration.format(attemptTimeout)}`), isTimeout: true }
        const tooLate = { ...inDoubt("the deadline of the call has passed"), isLate: true }
        return Transport.of({
          environment,
          send: (request, accessToken, { deadline, progress }) =>
            Effect.withFiber((fiber) => {
              if (accessToken !== undefined && !Secrets.isSendable(accessToken)) return Effect.succeed(unsendable)
              const limit: TimeLimit =
                deadline !== undefined && Duration.isLessThanOrEqualTo(deadline, attemptTimeout)
                  ? { after: deadline, result: unanswered(progress, tooLate) }
                  : { after: attemptTimeout, result: unanswered(progress, tooSlow) }
              return exchange(request, accessToken, progress, fiber, limit)
            }).pipe(
              Effect.catchCauseIf(Cause.hasDies, (cause) =>
                Effect.andThen(OperatorLog.defect(foreignDefect, cause), unanswered(progress, inDoubt(foreignDefect)))
              )
            )
        })
      })
    )
}

// 3. One exchange.

/** Reads the end of an exchange. */
const read = (progress: Sender.SendProgress, maxBytes: number, ended: Sender.Ended) => {
  const { cause, ending, headers, status } = ended
  if (status === 0) return unanswered(progress, failureOf(cause))
  if (ending === "Whole") return answer(status, ended.text(), headers)
  // The status alone says what happened, so the answer counts as whole.
  if (status === 429 || status === 498) return answer(status, "", headers)
  const tooLarge = `the answer is larger than limits.maxResponseBytes, ${maxBytes} bytes`
  return unanswered(progress, ending === "TooLarge" ? inDoubt(tooLarge) : failureInAnswer(cause))
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
    progress: Sender.SendProgress,
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

// 4. Whether a failed request may have reached the service.

/** The reason why no whole answer came, and whether the service may have acted. */
type Failure = Omit<NotAnswered, "_tag" | "partial">

/** Makes a failure after which the service may have acted. */
const inDoubt = (reason: string): Failure => ({ phase: "MaybeProcessed", reason })

/** Makes a result without a whole answer. If the transport reports a stage, the stage decides the phase. */
const unanswered = (progress: Sender.SendProgress, failure: Failure): Effect.Effect<ExchangeResult> =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    const { received, stage } = progress
    const reported = Sender.isNotSent(progress) ? "NotSent" : "MaybeProcessed"
    const phase = stage === "Unknown" ? failure.phase : reported
    const notAnswered: NotAnswered = { _tag: "NotAnswered", ...failure, phase }
    if (received === undefined) return notAnswered
    const { headers, status } = received
    return {
      ...notAnswered,
      partial: new Hidden(status, () => received.text(), headers, parseRetryAfter(headers, now))
    }
  })

/** `true` for an error code of the operating system or a library. Reject other texts, because they may hold a secret. */
const isCode = (code: unknown): code is string => typeof code === "string" && /^[A-Z][A-Z0-9_]{2,39}$/.test(code)

interface Finding {
  readonly code: string
  /** `true` if the code proves that nothing was sent. */
  readonly isCertain: boolean
}

/** The codes of an error and its causes. If several addresses were tried, the error holds an error for each address. */
const findCodes = (error: unknown, depth = 0): ReadonlyArray<Finding> => {
  if (!Predicate.isReadonlyObject(error) || depth > 8) return []
  const { cause, code, errors, syscall } = error
  const inCause = findCodes(cause, depth + 1)
  if (Array.isArray(errors) && errors.length > 0) {
    return [...errors.flatMap((each) => findCodes(each, depth + 1)), ...inCause]
  }
  if (!isCode(code)) return inCause
  return [{ code, isCertain: OperatorLog.provesUnsent(code, syscall) }, ...inCause]
}

/** Judges an error before an answer has begun. `NotSent` only if every code proves it. */
const failureOf = (cause: unknown): Failure => {
  if (!HttpClientError.isHttpClientError(cause)) return failureByCodes(cause)
  const { reason } = cause
  switch (reason._tag) {
    case "InvalidUrlError":
    case "EncodeError":
      return { phase: "NotSent", reason: reason._tag }
    case "TransportError":
      return failureByCodes(reason.cause)
    default:
      return failureInAnswer(reason.cause)
  }
}

const failureByCodes = (cause: unknown): Failure => {
  const found = findCodes(cause)
  const certain = found.length > 0 && found.every(({ isCertain }) => isCertain)
  return { phase: certain ? "NotSent" : "MaybeProcessed", reason: found[0]?.code ?? "the connection failed" }
}

/** Judges an error after an answer has begun. */
const failureInAnswer = (cause: unknown): Failure => ({
  phase: "MaybeProcessed",
  reason:
    findCodes(HttpClientError.isHttpClientError(cause) ? cause.reason.cause : cause)[0]?.code ?? "the answer broke off"
})

// 5. Time limits that allow for freezes.

/** The time limit of an exchange, and its result after that time. */
interface TimeLimit {
  readonly after: Duration.Duration
  readonly result: Effect.Effect<ExchangeResult>
}

/** Lets the event loop read the sockets and deliver the answers. Takes no time of the `Clock`. */
const socketsRead: Effect.Effect<void> = Effect.repeat(Effect.yieldNow, { times: 32 })

/**
 * If a timer is late by more than this, the process counts as frozen. It is harmless if a busy process counts as
 * frozen.
 */
const punctual = Duration.millis(20)

/** Replaces {@link punctual} after a freeze. Larger, so that a busy process does not count as frozen repeatedly. */
const punctualAgain = Duration.seconds(1)

/**
 * A request without an access token gets this extra time for each freeze, because the request may not have been written
 * before the freeze ended.
 */
const afterFreeze = Duration.seconds(30)

/**
 * Completes after a time limit. First lets the event loop read what the sockets have received. If the process was
 * frozen until after the limit, waits {@link afterFreeze} more.
 */
export const limitPassed = (limit: Duration.Duration, tolerance: Duration.Duration = punctual): Effect.Effect<void> =>
  Effect.clockWith((clock) => {
    const latest = clock.monotonicTimeNanosUnsafe() + Duration.toNanosUnsafe(Duration.sum(limit, tolerance))
    const wasFrozen = Effect.sync(() => clock.monotonicTimeNanosUnsafe() > latest)
    return Effect.sleep(limit).pipe(
      Effect.andThen(wasFrozen),
      Effect.tap(socketsRead),
      Effect.flatMap((late) => (late ? limitPassed(afterFreeze, punctualAgain) : Effect.void))
    )
  })

/** Effect's default clock. */
const system = Context.get(Context.empty(), Clock.Clock)

/** Runs an effect after a time, without a fiber until then. Returns a function that cancels or interrupts the effect. */
export const runAfter = (
  fiber: Fiber.Fiber<unknown, unknown>,
  duration: Duration.Duration,
  effect: () => Effect.Effect<void>
): (() => void) => {
  const { context } = fiber
  const clock = fiber.getRef(Clock.Clock)
  const millis = Duration.toMillis(duration)
  // Never run the effect, because `setTimeout` cannot wait this long (24 days), and no caller waits this long either.
  if (millis >= 2 ** 31) return () => {}
  if (clock !== system) {
    const sleeping = Effect.runForkWith(context)(Effect.andThen(clock.sleep(duration), Effect.suspend(effect)))
    return () => sleeping.interruptUnsafe()
  }
  let running: Fiber.Fiber<void> | undefined
  // oxlint-disable-next-line effecttsgo/global-timers -- the default clock uses this timer too, but needs a fiber.
  const timer = setTimeout(() => {
    running = Effect.runForkWith(context)(effect())
  }, millis)
  return () => {
    clearTimeout(timer)
    running?.interruptUnsafe()
  }
}

/** {@link runAfter} for a request without an access token: after a freeze, waits longer. */
const runAfterFreezes = (
  { context }: Fiber.Fiber<unknown, unknown>,
  duration: Duration.Duration,
  effect: Effect.Effect<void>
): (() => void) => {
  const running = Effect.runForkWith(context)(Effect.andThen(limitPassed(duration), effect))
  return () => running.interruptUnsafe()
}

// 6. The exchanges of a call, for a person.

/**
 * One exchange: a request that may have reached the service, and its answer. A part that holds a secret of the session
 * is `<redacted>` as a whole.
 */
export interface WireRecord {
  /** The operation, such as `transactions.send`. A call that looks something up has exchanges of two operations. */
  readonly operation: string
  readonly method: string
  /** The whole address. */
  readonly url: string
  /**
   * Headers by name in lower case. The value of the access token is `<redacted>`, and so is each header that
   * `Headers.CurrentRedactedNames` names.
   */
  readonly headers: Readonly<Record<string, string>>
  /** The text of the body, exactly as it was sent. Absent if there is no body, or if the body is multipart. */
  readonly body: string | undefined
  /** The answer, or the part that arrived. Absent if no answer began, or if the call was interrupted. */
  readonly answer:
    | {
        readonly status: number
        /** The text of the body, exactly as it was received. Empty for a 429 or a 498 that breaks off. */
        readonly body: string
        readonly isWhole: boolean
      }
    | undefined
}

/**
 * Receives each exchange of the calls to which it is provided, in order, right after the exchange has ended. Must be
 * quick. A defect in it is reported and changes no outcome. Requests without an access token (those of the session) are
 * not recorded, and neither is a request that was certainly not sent. A middleware that replaces a request while it is
 * being sent is not seen.
 *
 * @example
 * ```ts
 * import { Recorder, type WireRecord } from "@effect-custody/core/siblings/Transport"
 * import { Vaults } from "@effect-custody/sdk"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const records: Array<WireRecord> = []
 *   yield* Effect.provideService(Vaults.details(), Recorder, (record) => records.push(record))
 *   return records
 * })
 * ```
 */
export const Recorder = Context.Reference<((record: WireRecord) => void) | undefined>("@effect-custody/core/Recorder", {
  defaultValue: () => undefined
})

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true })

const answerOf = (result: ExchangeResult | undefined): WireRecord["answer"] => {
  const isWhole = result?._tag === "Answered"
  const arrived = isWhole ? result : result?.partial
  return arrived && { status: arrived.status, body: arrived.text, isWhole }
}

/** `true` if the request certainly did not reach the service. Without a result, the exchange was interrupted. */
const isUnsent = (result: ExchangeResult | undefined, progress: Sender.SendProgress): boolean =>
  result === undefined ? Sender.isNotSent(progress) : result._tag === "NotAnswered" && result.phase === "NotSent"

/** Begins the record of an exchange, which a {@link Recorder} receives. */
export const recordExchange = (
  fiber: Fiber.Fiber<unknown, unknown>,
  operation: string,
  receive: (record: WireRecord) => void
) => {
  const secretHeaders = [...fiber.getRef(Headers.CurrentRedactedNames), Secrets.accessTokenHeader]
  const secretParams = fiber.getRef(UrlParams.CurrentRedactedNames)
  let sent: Sender.SentRequest | undefined

  const report = (request: Sender.SentRequest, result: ExchangeResult | undefined, { redact }: Secrets.Diagnostics) => {
    const answer = answerOf(result)
    receive({
      operation,
      method: request.method,
      url: redact(UrlParams.redactUrl(request.url, secretParams)),
      headers: Record.map(request.headers, (value, name) =>
        Headers.isRedactedName(name, secretHeaders) ? Secrets.redacted : redact(value)
      ),
      body: request.body && redact(utf8.decode(request.body)),
      answer: answer && { ...answer, body: redact(answer.body) }
    })
  }

  return {
    onRequest: (request: Sender.SentRequest): void => {
      sent = request
    },
    /** Reports an exchange after its end, also after an interruption. */
    follow: <E>(
      exchange: Effect.Effect<ExchangeResult, E>,
      progress: Sender.SendProgress,
      diagnostics: Effect.Effect<Secrets.Diagnostics>
    ): Effect.Effect<ExchangeResult, E> =>
      Effect.onExit(exchange, (exit) => {
        const result = Exit.isSuccess(exit) ? exit.value : undefined
        const request = sent
        if (request === undefined || isUnsent(result, progress)) return Effect.void
        return Effect.map(diagnostics, (limits) => report(request, result, limits)).pipe(
          Effect.catchCause((cause) => OperatorLog.defect("the recorder of exchanges failed", cause))
        )
      })
  }
}
