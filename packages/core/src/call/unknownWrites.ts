/**
 * Remembers a client's writes with an unknown outcome. The client refuses the same write until its outcome is resolved,
 * so that a caller who retries blindly does not pay twice.
 */
import { fingerprint } from "../endpoint/Operation.ts"
import type { Encoded } from "../endpoint/Wires.ts"
import type { OutcomeUnknown } from "../errors/SdkError.ts"

/** The maximum number of writes that a client remembers. A further write drops the oldest. */
const maxWrites = 10_000

/** The time for which a client remembers a write. */
const maxAgeSeconds = 24 * 60 * 60

/** The operation and the fingerprint that identify a write. */
export type Write = Pick<OutcomeUnknown, "operation" | "fingerprint">

const toKey = (write: Write): string => `${write.operation} ${write.fingerprint}`

export interface UnknownWrites extends ReturnType<typeof make> {}

/** Makes an empty memory. Times are in seconds of the monotonic clock. */
export const make = () => {
  /** Ordered by age, the oldest first. */
  const remembered = new Map<string, { readonly error: OutcomeUnknown; readonly at: number }>()

  /** Drops the writes that are too old or too many. */
  const evict = (now: number): void => {
    for (const [key, { at }] of remembered) {
      if (remembered.size <= maxWrites && now - at < maxAgeSeconds) return
      remembered.delete(key)
    }
  }

  return {
    remember: (error: OutcomeUnknown, now: number): void => {
      const key = toKey(error)
      remembered.delete(key)
      remembered.set(key, { error, at: now })
      evict(now)
    },

    /**
     * Finds the earlier error of the same write, if its outcome is still unknown. Does not hash the input if nothing is
     * remembered.
     */
    find: (operation: string, encoded: Encoded, now: number): OutcomeUnknown | undefined => {
      if (remembered.size === 0) return undefined
      evict(now)
      return remembered.get(toKey({ operation, fingerprint: fingerprint(encoded) }))?.error
    },

    forget: (write: Write): void => {
      remembered.delete(toKey(write))
    }
  }
}
