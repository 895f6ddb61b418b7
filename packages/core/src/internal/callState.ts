/** The state of a call under way: its phase, and whether it may already have taken effect. Pure. */
import type { Failed } from "../Classification.ts"
import type { Safety } from "../Contract.ts"
import type { OutcomeUnknown } from "../SdkError.ts"
import type { SendProgress } from "../SendProgress.ts"

/** What a call is doing. */
export type Phase =
  | { readonly _tag: "Begun" }
  | { readonly _tag: "AwaitingToken" }
  /** It waits for the client's own rate limit. */
  | { readonly _tag: "AwaitingTurn" }
  /** A request is with the transport. After a success the call stays here: it has taken effect. */
  | { readonly _tag: "InFlight"; readonly progress: SendProgress }
  /** The attempt is over, without success. */
  | { readonly _tag: "Failed" }
  | { readonly _tag: "Rotating" }
  | { readonly _tag: "Reloading" }
  | { readonly _tag: "LookingUp" }
  /** It waits until it may be sent again. */
  | { readonly _tag: "BackingOff" }

/** What the answer shows if it leaves in doubt whether the call took effect. */
export type Evidence = Pick<OutcomeUnknown, "status" | "issue" | "payload" | "requestIds">

export interface CallState {
  readonly phase: Phase
  /** When it was last sent; before that, when it began. In milliseconds since 1970. */
  readonly sentAt: number
  /** Why it may have taken effect: the reason of the first attempt that ended in doubt. */
  readonly doubt: string | undefined
  /** What the first answer in doubt shows. */
  readonly evidence: Evidence | undefined
  /** How often the session was rotated for this call. */
  readonly rotations: number
  /** How often the session was loaded again for this call. */
  readonly reloads: number
}

export const begun = (at: number): CallState => ({
  phase: { _tag: "Begun" },
  sentAt: at,
  doubt: undefined,
  evidence: undefined,
  rotations: 0,
  reloads: 0
})

export const awaitingToken = (state: CallState): CallState => ({ ...state, phase: { _tag: "AwaitingToken" } })

export const awaitingTurn = (state: CallState): CallState => ({ ...state, phase: { _tag: "AwaitingTurn" } })

export const inFlight =
  (sentAt: number, progress: SendProgress) =>
  (state: CallState): CallState => ({ ...state, sentAt, phase: { _tag: "InFlight", progress } })

/** An attempt did not succeed. Doubt stays, except for a read, which has no effect that could be in doubt. */
export const failed =
  (safety: Safety, outcome: Failed) =>
  (state: CallState): CallState => {
    const kept = safety === "read" ? undefined : state.doubt
    return { ...state, phase: { _tag: "Failed" }, doubt: outcome._tag === "InDoubt" ? (kept ?? outcome.reason) : kept }
  }

/** Keeps what an answer in doubt shows. The first such answer counts. */
export const showing =
  (evidence: Evidence | undefined) =>
  (state: CallState): CallState => ({ ...state, evidence: state.evidence ?? evidence })

export const rotating = (state: CallState): CallState => ({
  ...state,
  phase: { _tag: "Rotating" },
  rotations: state.rotations + 1
})

export const reloading = (state: CallState): CallState => ({
  ...state,
  phase: { _tag: "Reloading" },
  reloads: state.reloads + 1
})

export const lookingUp = (state: CallState): CallState => ({ ...state, phase: { _tag: "LookingUp" } })

export const backingOff = (state: CallState): CallState => ({ ...state, phase: { _tag: "BackingOff" } })

/** Whether anything of the call can have reached the service and taken effect. */
export const mayHaveHappened = ({ doubt, phase }: CallState): boolean =>
  doubt !== undefined || (phase._tag === "InFlight" && phase.progress.stage !== "Waiting")
