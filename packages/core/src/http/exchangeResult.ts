/** The result of an exchange: a whole answer, or the failure and the part that arrived. */
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Headers from "effect/http/Headers"
import * as Result from "effect/Result"
import type { Phase } from "../errors/SdkError.ts"
import * as SendProgress from "./SendProgress.ts"
import * as ExactJson from "../json/ExactJson.ts"

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
  readonly headers?: SendProgress.Received["headers"] | undefined
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

/** The JSON of an answer's body; `undefined` if the body is not JSON. Each answer is parsed once. */
export const bodyJson = (answered: Answered): unknown =>
  answered instanceof Hidden ? answered.json : ExactJson.parseIfJson(answered.text)

/** The wait that an answer asks for. */
const parseRetryAfter = (headers: SendProgress.Received["headers"], now: number): Duration.Duration | undefined => {
  const header = headers["retry-after"]
  if (header === undefined) return undefined
  return Result.getOrUndefined(
    Result.map(Headers.parseRetryAfter(String(header)), (hint) => Headers.retryAfterDelay(hint, now))
  )
}

export const answer = (
  status: number,
  text: string,
  headers: SendProgress.Received["headers"]
): Effect.Effect<Answered> =>
  headers["retry-after"] === undefined
    ? Effect.succeed(new Hidden(status, () => text, headers, undefined))
    : Effect.map(
        Clock.currentTimeMillis,
        (now) => new Hidden(status, () => text, headers, parseRetryAfter(headers, now))
      )

/** The reason why no whole answer came, and whether the service may have acted. */
export type Failure = Omit<NotAnswered, "_tag" | "partial">

/** Makes a failure after which the service may have acted. */
export const inDoubt = (reason: string): Failure => ({ phase: "MaybeProcessed", reason })

/** Makes a result without a whole answer. If the transport reports a stage, the stage decides the phase. */
export const unanswered = (progress: SendProgress.SendProgress, failure: Failure): Effect.Effect<ExchangeResult> =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    const { received, stage } = progress
    const reported = SendProgress.isNotSent(progress) ? "NotSent" : "MaybeProcessed"
    const phase = stage === "Unknown" ? failure.phase : reported
    const notAnswered: NotAnswered = { _tag: "NotAnswered", ...failure, phase }
    if (received === undefined) return notAnswered
    const { headers, status } = received
    return {
      ...notAnswered,
      partial: new Hidden(status, () => received.text(), headers, parseRetryAfter(headers, now))
    }
  })
