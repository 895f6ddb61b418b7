/**
 * The writes of a client whose outcome is unknown. The same write is refused until its outcome is resolved, so that a
 * caller who retries blindly does not pay twice.
 */
import type { Encoded } from "../Operation.ts"
import type { OutcomeUnknown } from "../SdkError.ts"
import { fingerprint } from "./fingerprint.ts"

/** When this many are remembered, the oldest leaves. */
const maxWrites = 10_000

/** How long a write is remembered. */
const maxAgeSeconds = 24 * 60 * 60

/** What identifies a write. */
export type Write = Pick<OutcomeUnknown, "operation" | "fingerprint">

const keyOf = (write: Write): string => `${write.operation} ${write.fingerprint}`

export interface UnknownWrites extends ReturnType<typeof make> {}

/** Nothing is remembered yet. Times are in seconds of the monotonic clock. */
export const make = () => {
  /** The oldest first. */
  const remembered = new Map<string, { readonly error: OutcomeUnknown; readonly at: number }>()

  /** Drops what is too old or too many. */
  const evict = (now: number): void => {
    for (const [key, { at }] of remembered) {
      if (remembered.size <= maxWrites && now - at < maxAgeSeconds) return
      remembered.delete(key)
    }
  }

  return {
    remember: (error: OutcomeUnknown, now: number): void => {
      const key = keyOf(error)
      remembered.delete(key)
      remembered.set(key, { error, at: now })
      evict(now)
    },

    /** The error of the same write, if its outcome is unknown. Where nothing is remembered, the input is not hashed. */
    find: (operation: string, encoded: Encoded, now: number): OutcomeUnknown | undefined => {
      if (remembered.size === 0) return undefined
      evict(now)
      return remembered.get(keyOf({ operation, fingerprint: fingerprint(encoded) }))?.error
    },

    forget: (write: Write): void => {
      remembered.delete(keyOf(write))
    }
  }
}
