/** What a process makes of a record that it has just loaded: its own knowledge is added before `onRequest` decides. Pure. */
import { stateOf } from "../lease.ts"
import { sentAt, withKnown } from "../sessionMemory.ts"
import { liveSession, type SessionState } from "../sessionState.ts"
import type { Stored } from "../../TokenStore.ts"
import type { Identity, Purpose } from "./model.ts"
import { onRequest } from "./onRequest.ts"

interface Looker {
  readonly identity: Identity
  readonly owner: string
  readonly leaseTimeout: number
}

/** Decides on a loaded record. `known` is what the process knew before it began to load. */
export const onLook = (looker: Looker, purpose: Purpose, known: SessionState, stored: Stored, now: number) => {
  const { identity, leaseTimeout, owner } = looker
  const leaseState = stateOf(known.watch, stored, leaseTimeout)
  const local = liveSession(known)
  const record = withKnown(stored.record, known, now)
  const request = { purpose, owner, sentAt: sentAt(known, purpose), local, leaseState, now }
  return { decision: onRequest(identity, record, request), record, leaseState }
}
