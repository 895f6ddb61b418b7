/** What may be shown of a stored session: everything but its tokens. Pure. */
import { type Intent, isSpent, type SessionRecord } from "@effect-custody/authentication/Session"
import * as SessionTiming from "@effect-custody/authentication/SessionTiming"
import type { Stored } from "@effect-custody/authentication/TokenStore"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import type * as Redacted from "effect/Redacted"

/**
 * - `none`: no session has started;
 * - `serving`: its access token is valid;
 * - `expired`: the next call refreshes it;
 * - `rotating`: a living process changes it now;
 * - `ambiguous`: the answer to a refresh or a start was lost;
 * - `lost`, `invalid`: only a new API key helps.
 */
export type State = "none" | "serving" | "expired" | "rotating" | "ambiguous" | "lost" | "invalid"

/** A stored session without its secrets. Times are ISO 8601. */
export interface SessionReport {
  readonly identity: string
  readonly state: State
  /** Grows with every write of the record, and has a random part. */
  readonly version: number
  readonly environment: string
  readonly vaultId: string | number | null
  readonly generation: number | null
  readonly startedAt: string | null
  readonly obtainedAt: string | null
  readonly expiresAt: string | null
  /** Who changes the record now. A holder that is silent for longer than a lease counts as dead. */
  readonly lease: { readonly owner: string; readonly renewedAt: string; readonly isAlive: boolean } | null
  /** A one-time secret that is about to be sent, or was. */
  readonly pending: {
    readonly secret: "refresh token" | "API key"
    readonly since: string
    readonly isAmbiguous: boolean
    readonly retryAt: string | null
  } | null
  readonly end: { readonly at: string; readonly reason: string } | null
  /** How many API keys were sent. None of them is sent again. */
  readonly spentKeys: number
  /** Whether the configured API key was sent; `null`: none is configured. */
  readonly configuredKey: "unused" | "spent" | null
}

const iso = (millis: number): string => DateTime.formatIso(DateTime.makeUnsafe(millis))
const isoOrNull = (millis: number | undefined): string | null => (millis === undefined ? null : iso(millis))

const leaseTimeout = Duration.toMillis(SessionTiming.standard.leaseTimeout)

const pendingOf = (intent: Intent): SessionReport["pending"] => {
  const refresh = intent._tag === "Refresh" ? intent : intent.pending
  return {
    secret: intent._tag === "Refresh" ? "refresh token" : "API key",
    since: iso(intent.since),
    isAmbiguous: intent.ambiguous,
    retryAt: isoOrNull(refresh?.retryAt)
  }
}

const endOf = ({ end, session }: SessionRecord): SessionReport["end"] => {
  if (end === undefined || end.generation !== session?.generation) return null
  const reason = end._tag === "Invalid" ? end.reason : "the service has refused its refresh token"
  return { at: iso(end.at), reason }
}

const stateOf = (record: SessionRecord, isRotating: boolean, now: number): State => {
  const { end, intent, session } = record
  if (isRotating) return "rotating"
  if (intent?.ambiguous === true) return "ambiguous"
  if (session === undefined) return "none"
  if (end !== undefined && end.generation === session.generation) return end._tag === "Lost" ? "lost" : "invalid"
  return session.expiresAt !== undefined && session.expiresAt <= now ? "expired" : "serving"
}

/** The report on a record, at a time of this host's clock. `apiKey` is the one that is configured. */
export const make = (
  identity: string,
  { record, version }: Stored,
  now: number,
  apiKey?: Redacted.Redacted
): SessionReport => {
  const { environment, intent, lease, session, spentKeys } = record
  const isAlive = lease !== undefined && now - lease.renewedAt < leaseTimeout
  return {
    identity,
    state: stateOf(record, isAlive, now),
    version,
    environment,
    vaultId: session?.vaultId ?? null,
    generation: session?.generation ?? null,
    startedAt: isoOrNull(session?.startedAt),
    obtainedAt: isoOrNull(session?.obtainedAt),
    expiresAt: isoOrNull(session?.expiresAt),
    lease: lease === undefined ? null : { owner: lease.owner, renewedAt: iso(lease.renewedAt), isAlive },
    pending: intent === undefined ? null : pendingOf(intent),
    end: endOf(record),
    spentKeys: spentKeys.length,
    configuredKey: apiKey === undefined ? null : isSpent(record, apiKey) ? "spent" : "unused"
  }
}

/** How far a time is from now, such as `3m ago` or `in 12m`. */
const fromNow = (time: string, now: number): string => {
  const difference = DateTime.toEpochMillis(DateTime.makeUnsafe(time)) - now
  const seconds = Duration.seconds(Math.round(Math.abs(difference) / 1000))
  const length = Duration.toMillis(seconds) === 0 ? "0s" : Duration.format(seconds)
  return difference > 0 ? `in ${length}` : `${length} ago`
}

const configuredKey = {
  unused: "never sent: custody session start --replace starts another session with it",
  spent: "sent before, and never sent again"
} as const

/** The same as rows of a table. */
export const rows = (report: SessionReport, now: number): ReadonlyArray<readonly [string, string]> => {
  const at = (time: string | null) => (time === null ? "unknown" : `${time}, ${fromNow(time, now)}`)
  const { end, lease, pending } = report
  return [
    ["identity", report.identity],
    ["state", report.state],
    ["environment", report.environment],
    ["vault", String(report.vaultId ?? "unknown")],
    ...(report.generation === null
      ? []
      : ([
          ["generation", String(report.generation)],
          ["started", at(report.startedAt)],
          ["last rotated", at(report.obtainedAt)],
          ["access token until", at(report.expiresAt)]
        ] as const)),
    [
      "lease",
      lease === null
        ? "free"
        : `${lease.isAlive ? "held" : "left behind"} by ${lease.owner}, renewed ${at(lease.renewedAt)}`
    ],
    ...(pending === null
      ? []
      : ([
          [
            "pending",
            `${pending.secret}, ${pending.isAmbiguous ? "sent without an answer" : "about to be sent"}, since ${at(pending.since)}`
          ]
        ] as const)),
    ...(end === null ? [] : ([["ended", `${at(end.at)}: ${end.reason}`]] as const)),
    ["API keys spent", String(report.spentKeys)],
    ...(report.configuredKey === null ? [] : ([["configured key", configuredKey[report.configuredKey]]] as const))
  ]
}
