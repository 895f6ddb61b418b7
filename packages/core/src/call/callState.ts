/** The state of a call under way: what it is doing, and whether it may already have taken effect. */
import type { Failed } from "../http/Classification.ts"
import type { Safety } from "../endpoint/EndpointSpec.ts"
import type { OutcomeUnknown } from "../errors/SdkError.ts"
import type { SendProgress } from "../http/SendProgress.ts"

/** What the answer shows if it leaves in doubt whether the call took effect. */
export type Evidence = Pick<OutcomeUnknown, "status" | "issue" | "payload" | "requestIds">

export interface CallState {
  /** To complete "the deadline passed while …". */
  activity: string
  /** Of the request that is with the transport. After a success it stays: the call has taken effect. */
  progress: SendProgress | undefined
  /** When it was last sent; before that, when it began. In milliseconds since 1970. */
  sentAt: number
  /** Why it may have taken effect: the reason of the first attempt that ended in doubt. */
  doubt: string | undefined
  /** What the first answer in doubt shows. */
  evidence: Evidence | undefined
  /** How often the session was rotated for this call. */
  rotations: number
  /** How often the session was loaded again for this call. */
  reloads: number
}

export const begun = (at: number): CallState => ({
  activity: "the call had not begun",
  progress: undefined,
  sentAt: at,
  doubt: undefined,
  evidence: undefined,
  rotations: 0,
  reloads: 0
})

/** Nothing of the call is with the transport. */
export const does = (state: CallState, activity: string): void => {
  state.activity = activity
  state.progress = undefined
}

/** A request is with the transport. */
export const sends = (state: CallState, at: number, progress: SendProgress): void => {
  state.activity = "the request was under way"
  state.progress = progress
  state.sentAt = at
}

/** An attempt did not succeed. Doubt stays, except for a read, which has no effect that could be in doubt. */
export const failed = (state: CallState, safety: Safety, outcome: Failed): void => {
  does(state, "the answer was read")
  if (safety === "read") state.doubt = undefined
  if (outcome._tag === "InDoubt") state.doubt ??= outcome.reason
}

/** Whether the request under way can have reached the service. */
export const mayHaveArrived = ({ progress }: CallState): boolean =>
  progress !== undefined && progress.stage !== "Waiting"

/** Whether anything of the call can have reached the service and taken effect. */
export const mayHaveHappened = (state: CallState): boolean => state.doubt !== undefined || mayHaveArrived(state)
