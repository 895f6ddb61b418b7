/** The state of a call: its request, its deadline, its activity, and whether it may already have taken effect. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import type * as Fiber from "effect/Fiber"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import type { About, Safety } from "../endpoint/Declaration.ts"
import type { Existing, Operation } from "../endpoint/Operation.ts"
import type { Encoded, Wire } from "../endpoint/Wires.ts"
import type { OutcomeUnknown } from "../errors/SdkError.ts"
import type { Failed } from "../http/Classification.ts"
import { isNotSent, type SendProgress } from "../http/SendProgress.ts"
import type { RetryPolicy } from "../retry/RetryPolicy.ts"

/** One call, from its first attempt to its last. */
export interface Call<A> {
  readonly operation: Operation<A, unknown>
  /** How to recognise the requested record; `undefined` for a look-up, which compares the record itself. */
  readonly about: About | undefined
  readonly encoded: Encoded
  readonly wire: Wire
  /** The cursor of the page to read, if the service pages by cursor. */
  readonly cursor: string | undefined
  /** The base address of the service. */
  readonly baseUrl: string
  readonly request: HttpClientRequest.HttpClientRequest
  /** The look-up of the records that the call creates; `undefined` if the caller did not name them. */
  readonly existing: Existing<A> | undefined
  readonly policy: RetryPolicy
  /** The maximum duration of the whole call. */
  readonly deadline: Duration.Duration
  /** The end of the deadline, in seconds of the monotonic clock. */
  readonly endsAt: number
  readonly state: CallState
}

/** Data from an answer that does not show whether the call took effect. */
export type Evidence = Pick<OutcomeUnknown, "status" | "issue" | "payload" | "requestIds">

export interface CallState {
  /** Completes the sentence "the deadline passed while …". */
  activity: string
  /** The progress of the current request. Kept after a success, to record that the call has taken effect. */
  progress: SendProgress | undefined
  /** When the last request was sent, in milliseconds since 1970. Before the first request: when the call began. */
  sentAt: number
  /** Why the first attempt with an unknown outcome may have taken effect; `undefined` if there is no such attempt. */
  doubt: string | undefined
  /** Data from the first answer that leaves the outcome unknown. */
  evidence: Evidence | undefined
  rotations: number
  /** The number of times that this call loaded the session again. */
  reloads: number
}

/** The time of the monotonic clock, in seconds. */
export const monotonicSeconds = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe()) / 1e9

/** The time left until `endsAt`, a time in seconds of the monotonic clock. */
export const timeLeft = (fiber: Fiber.Fiber<unknown, unknown>, endsAt: number): Duration.Duration =>
  Duration.seconds(Math.max(0, endsAt - monotonicSeconds(fiber.getRef(Clock.Clock))))

export const initial = (at: number): CallState => ({
  activity: "the call had not begun",
  progress: undefined,
  sentAt: at,
  doubt: undefined,
  evidence: undefined,
  rotations: 0,
  reloads: 0
})

/** Records what the call is doing while no request is under way. */
export const does = (state: CallState, activity: string): void => {
  state.activity = activity
  state.progress = undefined
}

/** Records that the transport now has a request of the call. */
export const sends = (state: CallState, at: number, progress: SendProgress): void => {
  state.activity = "the request was under way"
  state.progress = progress
  state.sentAt = at
}

/** Records a failed attempt. Keeps the doubt of an earlier attempt, except for a read, because a read has no effect. */
export const failed = (state: CallState, safety: Safety, outcome: Failed): void => {
  does(state, "the answer was read")
  if (safety === "read") state.doubt = undefined
  if (outcome._tag === "InDoubt") state.doubt ??= outcome.reason
}

/** `true` if the current request may have reached the service. */
export const mayHaveArrived = ({ progress }: CallState): boolean => progress !== undefined && !isNotSent(progress)

/** `true` if a request of the call may have reached the service and taken effect. */
export const mayHaveHappened = (state: CallState): boolean => state.doubt !== undefined || mayHaveArrived(state)
