/** How far a call has come, and what its end may then leave open. */
import type * as DateTime from "effect/DateTime"
import type { Encoded, Operation } from "../Operation.ts"
import type * as RetryPolicy from "../RetryPolicy.ts"
import { OutcomeUnknown, TransportError } from "../SdkError.ts"
import * as Transmission from "../Transmission.ts"
import type { Differences } from "../WireContract.ts"
import * as Ending from "./ending.ts"
import { fingerprint } from "./fingerprint.ts"

/** What is known of a call while it travels. Kept up by each step, and read where the call is cut short. */
export interface Journey<A> {
  readonly operation: Operation<A, unknown>
  readonly input: unknown
  readonly encoded: Encoded
  readonly differences: Differences
  readonly policy: RetryPolicy.RetryPolicy
  stage: Ending.Stage
  /** What it is at, in the words of "the deadline passed while …". */
  doing: string
  /** When it was last sent. */
  sentAt: DateTime.Utc
  /** The request that is under way. */
  transmission: Transmission.Transmission
  /** How the first attempt ended that left doubt. */
  doubt: string | undefined
  /** What the last attempt sent that no error may repeat. */
  secrets: ReadonlyArray<string>
  rotations: number
  resyncs: number
}

/** That a call may have happened, and how to find out. */
export const outcomeUnknown = (
  { doubt, encoded, operation, sentAt }: Journey<unknown>,
  reason: string
): OutcomeUnknown =>
  new OutcomeUnknown({
    operation: operation.operation,
    fingerprint: fingerprint(encoded),
    sentAt,
    reason: doubt === undefined || doubt === reason ? reason : `${doubt}; then ${reason}`,
    ...(operation.lookUp === undefined ? {} : { lookUp: operation.lookUp })
  })

/**
 * How far a call that is cut short has come. A request that a transport still holds back has not been sent; what an
 * attempt before it has left open stays open.
 */
const stageOf = ({ doubt, stage, transmission }: Journey<unknown>): Ending.Stage => {
  if (stage !== "InFlight" || transmission.progress !== "Waiting") return stage
  return doubt === undefined ? "Idle" : "Doubtful"
}

/** Whether an end of the call leaves it open whether it has happened, unless it is a success. */
export const mayHaveHappened = (journey: Journey<unknown>): boolean =>
  Ending.cut(journey.operation.safety, stageOf(journey)) === "TellUnknown"

/** The error of a call that is cut short, by what was sent of it. */
export const cutShort = (journey: Journey<unknown>, reason: string): TransportError | OutcomeUnknown => {
  const { operation } = journey
  const cut = Ending.cut(operation.safety, stageOf(journey))
  return cut === "TellUnknown"
    ? outcomeUnknown(journey, reason)
    : new TransportError({ operation: operation.operation, phase: cut, reason })
}
