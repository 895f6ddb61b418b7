/** Judges whether a lost session could have been kept. */
import type { Process } from "./kernel.ts"
import type { Rotation, Service } from "./service.ts"
import { isClaimedBefore, lostLease, type World } from "./world.ts"

/** The events before the loss of a session. */
export interface History extends Pick<World, "sent" | "slowBothWays" | "writeFaults" | "wasRevoked" | "wasRestored"> {
  readonly service: Pick<Service, "rotations" | "reuses">
  readonly counted: Pick<World["counted"], "pausedHolders">
  readonly members: ReadonlyArray<{ readonly process: Process; readonly isStopping: boolean }>
}

/** Finds the mistake in the loss of a session, if there is one. */
export const judgeLoss = (
  history: History,
  error: { readonly answerLostAt?: unknown },
  by: string
): string | undefined => {
  const { rotations } = history.service
  if (history.wasRevoked || history.wasRestored || history.counted.pausedHolders > 0) return undefined
  if (isUsedByTheDead(history) || rotations.some((rotation) => isStoredTooLate(history, rotation))) return undefined
  if (!rotations.some((rotation) => isGone(history, rotation))) return `${by} lost a session that could have been kept`
  return error.answerLostAt === undefined ? `${by} does not say that an answer was lost` : undefined
}

/** `true` if the tokens of a rotation are stored nowhere through no fault of the holder. */
const isGone = (history: History, rotation: Rotation): boolean => {
  if (rotation.durableAt !== undefined) return false
  const holder = memberOf(history, rotation.to)
  if (!rotation.isDelivered || holder === undefined || !holder.process.isAlive || holder.isStopping) return true
  // A holder with the tokens is not to blame either if others sent the old token before it could store them, after a
  // pause or because the store kept failing. If no other process sent anything, the holder dropped the tokens.
  const others = othersSent(history, rotation)
  return others.length > 0 && lostLease(history, holder.process, rotation.at, lastSentAt(others))
}

/**
 * `true` if the tokens of a rotation were stored after another process had sent the old token, or had claimed the record
 * to send it, and was refused. That process has lost the session. If the service has revoked the session, the stored
 * tokens are useless too.
 */
const isStoredTooLate = (history: History, rotation: Rotation): boolean => {
  const { at: rotatedAt, durableAt, from, to } = rotation
  const holder = memberOf(history, to)
  if (durableAt === undefined || holder === undefined) return false
  const takenOver = othersSent(history, rotation)
    .filter((sent) => rotatedAt <= sent.at && (sent.at < durableAt || isClaimedBefore(sent, durableAt)))
    .filter(
      (sent) => sent.wasRefused || history.service.reuses.some(({ by, token }) => token === from && by === sent.by.name)
    )
  return takenOver.length > 0 && lostLease(history, holder.process, rotatedAt, lastSentAt(takenOver))
}

/**
 * `true` if the request of a killed process is still in flight. Its answer is lost in any case: the service acts on it
 * before others send the token, or takes it for a reuse afterwards.
 */
const isUsedByTheDead = (history: History): boolean =>
  history.service.reuses.some(({ at, by }) => {
    const sender = memberOf(history, by)
    const died = sender?.isStopping === false ? sender.process.diedAt : undefined
    return died !== undefined && died <= at
  })

const memberOf = ({ members }: History, name: string) => members.find(({ process }) => process.name === name)

/** The time of the last of several requests. */
const lastSentAt = (sent: History["sent"]): number => Math.max(...sent.map(({ at }) => at))

/** The requests of other processes with the token that a rotation has replaced. */
const othersSent = ({ sent }: History, { from, to }: Rotation) =>
  sent.filter(({ by, token }) => token === from && by.name !== to)
