/** What to do when something is wanted of a session. */
import type { Intent, Session, SessionRecord } from "../../Session.ts"
import type { Identity, Plan, Purpose, Refresh, Requested, Start } from "./model.ts"
import { belongs, ended, isPast, isTaken, noSession, refreshIntentOf, withNewest } from "./record.ts"

/** What is written of the secret of a purpose. */
const intentOf = (record: SessionRecord, purpose: Purpose): Intent | undefined => {
  const { intent } = record
  if (purpose._tag === "Refresh") return refreshIntentOf(record, purpose.session)
  return intent?._tag === "Start" && intent.fingerprint === purpose.key?.fingerprint ? intent : undefined
}

/** What follows from a record when something is wanted of its session. */
export const plan = (identity: Identity, loaded: SessionRecord, event: Requested): Plan => {
  const { held, owner, purpose, sent } = event
  const foreign = belongs(identity, loaded)
  if (foreign !== undefined) return { _tag: "Fail", error: foreign }
  const known = withNewest(loaded, held)
  // What was rejected is the least that there is, whatever has become of the record.
  const record = purpose._tag === "Refresh" ? withNewest(known, purpose.session) : known
  const end = ended(identity, record)
  const { lease, session } = record
  const live = end === undefined ? session : undefined
  if (live !== undefined && !wants(record, purpose, live)) return { _tag: "Adopt", session: live }
  if (isTaken(record, event)) return { _tag: "Wait" }

  // An intent of our own that was written but never sent, as after a lost acknowledgement, is as good as none.
  const intent = intentOf(record, purpose)
  const unsent = lease?.owner === owner && !sent && intent?.ambiguous === false
  const earlier = unsent ? undefined : intent
  return purpose._tag === "Refresh"
    ? planRefresh(identity, record, event, purpose, earlier)
    : planStart(identity, record, event, purpose, { earlier, unsent })
}

/** Whether a purpose wants anything but the live session that is there. */
const wants = (record: SessionRecord, purpose: Purpose, live: Session): boolean =>
  purpose._tag === "Refresh"
    ? !isPast(live, purpose)
    : purpose.replaces && purpose.key !== undefined && !record.spentKeys.includes(purpose.key.fingerprint)

const planRefresh = (
  identity: Identity,
  record: SessionRecord,
  { longestPause, now, owner }: Requested,
  purpose: Refresh,
  earlier: Intent | undefined
): Plan => {
  const { session } = record
  if (session === undefined) return { _tag: "Fail", error: noSession(identity, "none is stored") }
  const end = ended(identity, record)
  if (end !== undefined) return { _tag: "Fail", error: end }
  // The refresh token may be spent: it is worth one more attempt only when there is nothing left to lose.
  if (earlier !== undefined && !purpose.dead) return { _tag: "Hold", session, ambiguousSince: earlier.since }
  const retryAt = earlier?._tag === "Refresh" ? (earlier.retryAt ?? 0) : 0
  if (earlier !== undefined && now < retryAt && retryAt - now <= longestPause) {
    return { _tag: "Pause", until: retryAt, ambiguousSince: earlier.since }
  }
  const intent: Intent = {
    _tag: "Refresh",
    generation: session.generation,
    since: earlier?.since ?? now,
    ambiguous: earlier !== undefined
  }
  return {
    _tag: "Send",
    secret: session.refreshToken,
    earlier,
    record: { ...record, lease: { owner, renewedAt: now }, intent }
  }
}

const planStart = (
  identity: Identity,
  record: SessionRecord,
  { now, owner }: Requested,
  { key }: Start,
  { earlier, unsent }: { readonly earlier: Intent | undefined; readonly unsent: boolean }
): Plan => {
  const need = (reason: string): Plan => ({
    _tag: "NeedKey",
    error: noSession(identity, reason),
    end: ended(identity, record)
  })
  if (key === undefined) return need("none is stored, and no API key is given")
  const spent = record.spentKeys.includes(key.fingerprint)
  if (spent && !unsent) {
    const reason = earlier === undefined ? "it was sent before" : "it was sent, and no answer says what became of it"
    return need(`this API key must not be sent again: ${reason}. Make a new one`)
  }
  const pending = refreshIntentOf(record, record.session)
  return {
    _tag: "Send",
    secret: key.apiKey,
    earlier,
    record: {
      ...record,
      lease: { owner, renewedAt: now },
      intent: {
        _tag: "Start",
        fingerprint: key.fingerprint,
        since: now,
        ambiguous: false,
        ...(pending === undefined ? {} : { pending })
      },
      spentKeys: spent ? record.spentKeys : [...record.spentKeys, key.fingerprint]
    }
  }
}
