/**
 * How far a request has been sent. A transport that knows reports it here. Of one that does not, a request may have
 * arrived as soon as the transport has it.
 */
import * as Context from "effect/Context"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"

/** What has arrived of an answer. The transport keeps it up to date. */
export interface Received {
  readonly status: number
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  /** `Open`: more may come. `Cut`: the connection broke off, or the body cannot be decoded. */
  readonly ending: "Open" | "Whole" | "Cut" | "TooLarge"
  /** How many bytes of the body have arrived, in their encoding; absent where the transport does not count them. */
  readonly size?: number
  /** The body as far as it has arrived. */
  readonly text: () => string
  /** The response that the client gave for it. */
  readonly response: HttpClientResponse.HttpClientResponse | undefined
}

/** The progress of one request. The transport writes it, the client reads it. */
export interface SendProgress {
  /**
   * How far the request has been sent. It only moves forward:
   *
   * - `Unknown`: the transport does not report it;
   * - `Waiting`: accepted, and not one byte of it is on a connection;
   * - `Written`: the first byte is on a connection, or is about to be.
   */
  stage: "Unknown" | "Waiting" | "Written"
  /** Asked right before the first byte is written, by a transport that knows the moment. `false`: nothing is sent. */
  readonly mayStart?: (() => boolean) | undefined
  /** The answer, from the moment its headers have arrived; absent where the transport does not report it. */
  received?: Received
}

/** The progress of the request that is being sent; `undefined` outside of one. */
export const SendProgress = Context.Reference<SendProgress | undefined>("@effect-custody/core/SendProgress", {
  defaultValue: () => undefined
})

/** The progress of a request that the transport has not reported on yet. */
export const make = (mayStart?: () => boolean): SendProgress => ({ stage: "Unknown", mayStart })

/** The transport has accepted the request. From now on it reports every further step. */
export const waiting = (progress: SendProgress): void => {
  if (progress.stage === "Unknown") progress.stage = "Waiting"
}

/** The transport is about to write the first byte. */
export const written = (progress: SendProgress): void => {
  progress.stage = "Written"
}
