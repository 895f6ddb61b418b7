/** The result of an exchange: an answer, or how far it went without one. */
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Headers from "effect/http/Headers"
import * as Result from "effect/Result"
import type { Phase } from "../errors/SdkError.ts"
import type * as SendProgress from "./SendProgress.ts"
import * as ExactJson from "../json/ExactJson.ts"

/** How one exchange ended. `Classification` says what it means. */
export type ExchangeResult = Answered | NotAnswered

/** The service answered, and the whole answer arrived. */
export interface Answered {
  readonly _tag: "Answered"
  readonly status: number
  readonly text: string
  /** How long the service asked to wait before the next try. */
  readonly retryAfter: Duration.Duration | undefined
  /** The headers of the answer, by name in lower case. */
  readonly headers?: SendProgress.Received["headers"] | undefined
}

/** No whole answer arrived. */
export interface NotAnswered {
  readonly _tag: "NotAnswered"
  readonly phase: Phase
  readonly reason: string
  /** It took longer than `attemptTimeout`. */
  readonly isTimeout?: boolean | undefined
  /** The deadline of the call passed before. */
  readonly isLate?: boolean | undefined
  /** What arrived of an answer. It proves nothing about a call, but may hold new tokens for a one-time secret. */
  readonly partial?: Answered | undefined
}

/** An answer that does not print its text and headers: they may hold secrets. */
class Hidden implements Answered {
  readonly _tag = "Answered"
  readonly status: number
  readonly retryAfter: Duration.Duration | undefined
  readonly #text: () => string
  readonly #headers: SendProgress.Received["headers"]
  #json: { readonly value: unknown } | undefined

  constructor(
    status: number,
    text: () => string,
    headers: SendProgress.Received["headers"],
    wait: Duration.Duration | undefined
  ) {
    this.status = status
    this.retryAfter = wait
    this.#text = text
    this.#headers = headers
  }

  get headers(): SendProgress.Received["headers"] {
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

/** The JSON of an answer's body; `undefined` where it is not JSON. A refusal is read twice, and parsed once. */
export const jsonOf = (answered: Answered): unknown =>
  answered instanceof Hidden ? answered.json : ExactJson.parseIfJson(answered.text)

/** What has arrived of an answer that is not whole. It does not print its text. */
export const partial = (received: SendProgress.Received, retryAfter?: Duration.Duration): Answered =>
  new Hidden(received.status, () => received.text(), received.headers, retryAfter)

/** The wait that an answer asks for. */
const waitIn = (headers: SendProgress.Received["headers"], now: number): Duration.Duration | undefined => {
  const header = headers["retry-after"]
  if (header === undefined) return undefined
  return Result.getOrUndefined(
    Result.map(Headers.parseRetryAfter(String(header)), (hint) => Headers.retryAfterDelay(hint, now))
  )
}

/** A whole answer. */
export const answer = (
  status: number,
  text: string,
  headers: SendProgress.Received["headers"]
): Effect.Effect<Answered> =>
  headers["retry-after"] === undefined
    ? Effect.succeed(new Hidden(status, () => text, headers, undefined))
    : Effect.map(Clock.currentTimeMillis, (now) => new Hidden(status, () => text, headers, waitIn(headers, now)))

/** Why there is no whole answer, and whether the service may have acted. */
export type Failure = Omit<NotAnswered, "_tag" | "partial">

/** A failure after which nobody knows whether the service has acted. */
export const inDoubt = (reason: string): Failure => ({ phase: "MaybeProcessed", reason })

/** The answer is larger than is read. */
export const tooLarge = (maxBytes: number): Failure => inDoubt(`the answer is larger than ${maxBytes} bytes`)

/** No whole answer. What the transport knows of its progress takes precedence over what the failure looks like. */
export const unanswered = (progress: SendProgress.SendProgress, failure: Failure): Effect.Effect<ExchangeResult> =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    const { received, stage } = progress
    const phase = stage === "Unknown" ? failure.phase : stage === "Waiting" ? "NotSent" : "MaybeProcessed"
    const notAnswered: NotAnswered = { _tag: "NotAnswered", ...failure, phase }
    return received === undefined
      ? notAnswered
      : { ...notAnswered, partial: partial(received, waitIn(received.headers, now)) }
  })

/** An answer whose body is not whole. Of a 429 and a 498, the status is enough. */
export const brokenOff = (
  status: number,
  headers: SendProgress.Received["headers"],
  progress: SendProgress.SendProgress,
  failure: Failure
): Effect.Effect<ExchangeResult> =>
  status === 429 || status === 498 ? answer(status, "", headers) : unanswered(progress, failure)
