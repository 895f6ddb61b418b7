/** Says of a lost session whether it could have been kept. */
import type { Process } from "./kernel.ts"
import type { Rotation, Service } from "./service.ts"
import { isClaimedBefore, lostLease, type World } from "./world.ts"

/** What has happened before a session was lost. */
export interface History extends Pick<World, "sent" | "slowBothWays" | "writeFaults" | "wasRevoked" | "wasRestored"> {
  readonly service: Pick<Service, "rotations" | "reuses">
  readonly counted: Pick<World["counted"], "pausedHolders">
  readonly members: ReadonlyArray<{ readonly process: Process; readonly isStopping: boolean }>
}

/** What is wrong with the loss of a session, or nothing. */
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

/** Whether the tokens of a rotation are stored nowhere, and its holder is not to blame. */
const isGone = (history: History, rotation: Rotation): boolean => {
  if (rotation.durableAt !== undefined) return false
  const holder = memberOf(history, rotation.to)
  if (!rotation.isDelivered || holder === undefined || !holder.process.isAlive || holder.isStopping) return true
  // Nor could a holder that has the tokens, if others send the token before it has stored them: after a pause, or
  // because the store keeps failing. If nobody else has sent anything, it has thrown the tokens away.
  const others = othersSent(history, rotation)
  return others.length > 0 && lostLease(history, holder.process, rotation.at, lastOf(others))
}

/**
 * Whether the tokens of a rotation were stored only after another process had sent the token that they replace, or had
 * claimed the record to send it, and was told no: the session is lost to it. What is stored afterwards is dead as well if the service has revoked the session.
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
  return takenOver.length > 0 && lostLease(history, holder.process, rotatedAt, lastOf(takenOver))
}

/**
 * The request of a killed process is still on its way, and its answer is lost in any case: whether the service acts on
 * it before the others send the token, or takes it for a reuse afterwards.
 */
const isUsedByTheDead = (history: History): boolean =>
  history.service.reuses.some(({ at, by }) => {
    const sender = memberOf(history, by)
    const died = sender?.isStopping === false ? sender.process.diedAt : undefined
    return died !== undefined && died <= at
  })

const memberOf = ({ members }: History, name: string) => members.find(({ process }) => process.name === name)

/** When the last of several requests was sent. */
const lastOf = (sent: History["sent"]): number => Math.max(...sent.map(({ at }) => at))

/** The requests of others than the holder, with the token that a rotation has replaced. */
const othersSent = ({ sent }: History, { from, to }: Rotation) =>
  sent.filter(({ by, token }) => token === from && by.name !== to)
