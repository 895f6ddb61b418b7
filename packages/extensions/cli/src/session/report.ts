/** The report on a stored session: everything but its tokens. Pure. */
import { isSpent, type SessionRecord } from "@effect-custody/authentication/Session"
import * as SessionOptions from "@effect-custody/authentication/SessionOptions"
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
  readonly environment: string
  readonly vaultId: string | number | null
  readonly generation: number | null
  readonly startedAt: string | null
  readonly obtainedAt: string | null
  readonly expiresAt: string | null
  /** The process that changes the record now. A holder that is silent for longer than a lease counts as dead. */
  readonly lease: { readonly owner: string; readonly renewedAt: string; readonly isAlive: boolean } | null
  readonly pending: {
    readonly secret: "refresh token" | "API key"
    readonly since: string
    readonly isAmbiguous: boolean
  } | null
  readonly end: { readonly at: string; readonly reason: string } | null
  readonly spentKeys: number
  /** The state of the configured API key. `null` if none is configured. */
  readonly configuredKey: "unused" | "spent" | null
}

const iso = (millis: number): string => DateTime.formatIso(DateTime.makeUnsafe(millis))
const isoOrNull = (millis: number | undefined): string | null => (millis === undefined ? null : iso(millis))

const leaseTimeout = Duration.toMillis(SessionOptions.standard.leaseTimeout)

/** Finds the end of the record's session. An end of an earlier generation does not count. */
const findEnd = ({ end, session }: SessionRecord): SessionRecord["end"] =>
  end?.generation === session?.generation ? end : undefined

const findState = (record: SessionRecord, isRotating: boolean, now: number): State => {
  const { intent, session } = record
  if (isRotating) return "rotating"
  if (intent?.ambiguous === true) return "ambiguous"
  if (session === undefined) return "none"
  const end = findEnd(record)
  if (end !== undefined) return end._tag === "Lost" ? "lost" : "invalid"
  return session.expiresAt !== undefined && session.expiresAt <= now ? "expired" : "serving"
}

/** Describes a stored record. The time is this host's. `apiKey` is the configured key. */
export const make = (
  identity: string,
  { record }: Pick<Stored, "record">,
  now: number,
  apiKey?: Redacted.Redacted
): SessionReport => {
  const { environment, intent, lease, session, spentKeys } = record
  const end = findEnd(record)
  const isAlive = lease !== undefined && now - lease.renewedAt < leaseTimeout
  return {
    identity,
    state: findState(record, isAlive, now),
    environment,
    vaultId: session?.vaultId ?? null,
    generation: session?.generation ?? null,
    startedAt: isoOrNull(session?.startedAt),
    obtainedAt: isoOrNull(session?.obtainedAt),
    expiresAt: isoOrNull(session?.expiresAt),
    lease: lease === undefined ? null : { owner: lease.owner, renewedAt: iso(lease.renewedAt), isAlive },
    pending:
      intent === undefined
        ? null
        : {
            secret: intent._tag === "Refresh" ? "refresh token" : "API key",
            since: iso(intent.since),
            isAmbiguous: intent.ambiguous
          },
    end:
      end === undefined
        ? null
        : {
            at: iso(end.at),
            reason: end._tag === "Invalid" ? end.reason : "the service has refused its refresh token"
          },
    spentKeys: spentKeys.length,
    configuredKey: apiKey === undefined ? null : isSpent(record, apiKey) ? "spent" : "unused"
  }
}

export const rows = (report: object, within = ""): ReadonlyArray<readonly [name: string, value: string]> =>
  Object.entries(report).flatMap(([name, value]) =>
    typeof value === "object" && value !== null
      ? rows(value, `${within}${name}.`)
      : [[within + name, String(value ?? "none")] as const]
  )
