/**
 * The progress of a request, for transports that can report it. If a transport reports nothing, its requests may have
 * arrived, unless an error shows that nothing was sent.
 *
 * @stability unstable
 */
import * as Context from "effect/Context"

/** The part of an answer that has arrived. The transport keeps it up to date. */
export interface Received {
  readonly status: number
  /** Headers by name in lower case. */
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  /** `Open`: more bytes may come. `Cut`: the connection broke off, or the body cannot be decoded. */
  readonly ending: "Open" | "Whole" | "Cut" | "TooLarge"
  /** The number of body bytes so far, before decompression; absent if the transport does not count them. */
  readonly size?: number
  /** Returns the part of the body that has arrived. */
  readonly text: () => string
}

/** A request as a transport sends it. Its headers hold the access token. */
export interface SentRequest {
  readonly method: string
  /** The whole address. */
  readonly url: string
  /** Headers by name in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The bytes of the body. Absent if there is no body, or if the body is multipart. */
  readonly body: Uint8Array | undefined
}

/** The progress of one request. The transport writes it, and the client reads it. */
export interface SendProgress {
  /**
   * The stage of the request. It only moves forward:
   *
   * - `Unknown`: the transport does not report the stage;
   * - `Waiting`: the transport has accepted the request, and no byte of it is on a connection;
   * - `Written`: the first byte is on a connection, or is about to be;
   * - `Refused`: the service has said that it did not process the request, as HTTP/2 can.
   */
  stage: "Unknown" | "Waiting" | "Written" | "Refused"
  /** A transport that reports progress calls this right before the first byte. After `false`, it must send nothing. */
  readonly mayStart?: (() => boolean) | undefined
  /**
   * `true` if the answer will show to which request it belongs. The transport may then write the request on a
   * connection that has carried other requests.
   */
  readonly mayReuse?: boolean | undefined
  /** The transport calls this with the request, right before it hands the request to its client or connection. */
  readonly onRequest?: ((request: SentRequest) => void) | undefined
  /** Closes the connection. Present once the request is written on a connection that carried others (`mayReuse`). */
  closeReused?: (() => void) | undefined
  /** The answer, once its headers have arrived; absent if the transport does not report it. */
  received?: Received
}

/** The progress of the current request; `undefined` outside a request. */
export const SendProgress = Context.Reference<SendProgress | undefined>("@effect-custody/core/SendProgress", {
  defaultValue: () => undefined
})

/**
 * The `mayStart` check of a call's requests. It returns `false` once it is too late to send, so that a process that was
 * suspended cannot send late. The request then fails as certainly not sent. A transport that never runs the check sends
 * the request anyway, so code that depends on the check must record that the check ran.
 */
export const MayStart = Context.Reference<(() => boolean) | undefined>("@effect-custody/core/SendProgress/MayStart", {
  defaultValue: () => undefined
})

/** The error with which a transport ends a request for which `mayStart` returned `false`. */
export const tooLate = Object.assign(new Error("the request was not sent in time"), {
  code: "TOO_LATE_TO_SEND",
  stack: undefined
})

export const make = (
  mayStart?: SendProgress["mayStart"],
  mayReuse = false,
  onRequest?: SendProgress["onRequest"]
): SendProgress => ({
  stage: "Unknown",
  mayStart,
  mayReuse,
  onRequest
})

/** Notes that the transport has accepted the request, and will report every further step. */
export const waiting = (progress: SendProgress): void => {
  if (progress.stage === "Unknown") progress.stage = "Waiting"
}

/** Notes that the service has certainly not processed the request, although its first byte was written. */
export const refused = (progress: SendProgress): void => {
  progress.stage = "Refused"
}

/** `true` if the service certainly did not process the request. */
export const isNotSent = ({ stage }: SendProgress): boolean => stage === "Waiting" || stage === "Refused"

/** Notes that the transport is about to write the first byte. */
export const written = (progress: SendProgress): void => {
  progress.stage = "Written"
}
