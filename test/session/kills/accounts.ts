/** Makes the account of a run, and finds the claims that do not hold. Pure. */
import { type Entry, type Hold, findHolds } from "./history.ts"

/** The refreshes that the service received with one refresh token. */
export interface Refreshes {
  readonly identity: string
  readonly generation: number
  readonly received: number
  /** The worker whose request arrived first. It received the next tokens. */
  readonly firstBy?: string | undefined
}

/** A lost session. */
export interface Loss {
  readonly identity: string
  /** The stored generation; -1 if there was none. */
  readonly generation: number
  /** The service's generation; -1 if the session never began. */
  readonly served: number
  /** The time of the first error at a worker. */
  readonly at: number
}

/** The observations of a run. */
export interface Observations {
  readonly leaseMillis: number
  readonly history: ReadonlyArray<Entry>
  readonly refreshes: ReadonlyArray<Refreshes>
  readonly rotations: number
  /** The number of refused API keys. Each key was valid when it first arrived. */
  readonly keysRefused: number
  readonly losses: ReadonlyArray<Loss>
  readonly recordChecks: number
  /** The mistakes in records that were read from outside. */
  readonly torn: ReadonlyArray<string>
}

export interface Account {
  readonly kills: number
  readonly killedHolders: number
  readonly freezes: number
  readonly pausedHolders: number
  /** The number of refresh tokens that were due. */
  readonly expiries: number
  readonly received: number
  readonly rotations: number
  /** Refreshes beyond one per expiry, by their explanation. */
  readonly beyond: { readonly afterKill: number; readonly pausedHolder: number; readonly unexplained: number }
  /** As the workers reported. */
  readonly keysSentTwice: number
  /** As the service reported. */
  readonly keysRefused: number
  readonly recordChecks: number
  readonly torn: ReadonlyArray<string>
  readonly storeFailures: number
  readonly lost: number
  /** Sessions that a holder stored after a freeze past its lease. Other workers had failed with `NoSession`. */
  readonly begunLate: number
  /** Holders that were frozen within their lease between sending and storing. */
  readonly frozenSenders: number
  /** Lost sessions whose answer had arrived: the holder lived, and was the only sender until it gave up. */
  readonly lostAfterArrival: ReadonlyArray<Loss>
  /** Lost sessions of which every answer could have been stored. */
  readonly lostForNothing: ReadonlyArray<Loss>
}

/**
 * Explains the second and later refreshes with one token. After a killed holder, or one frozen past its lease, the state
 * of the token is unknown, and the next holder may send it once more. Of all other holders, only one may have sent it.
 */
export const explainExtras = (received: number, holds: ReadonlyArray<Hold>): Account["beyond"] => {
  const extras = Math.max(0, received - 1)
  const sent = holds.filter(({ sends }) => sends > 0)
  const reported = sent.reduce((sum, { sends }) => sum + sends, 0)
  const kept = sent.filter(({ fate }) => fate === "kept").length
  const repeated = reported - sent.length
  const unexplained = Math.min(extras, Math.max(0, kept - 1) + repeated + Math.max(0, received - reported))
  const pausedHolder = Math.min(extras - unexplained, sent.filter(({ fate }) => fate === "paused").length)
  return { afterKill: extras - unexplained - pausedHolder, pausedHolder, unexplained }
}

/** `true` if no client could have kept the session: its holder was killed or frozen between sending and storing. */
const isExplained = (
  { generation, identity, served }: Loss,
  holds: ReadonlyArray<Hold>,
  refreshes: ReadonlyArray<Refreshes>
): boolean => {
  const lost = holds.filter((hold) => hold.identity === identity && hold.fate !== "kept")
  // The token of a holder that was frozen past its lease may arrive after its successor has sent the same token. The
  // service then revokes the session, even after later rotations.
  const cameAgain = refreshes.filter((refresh) => refresh.identity === identity && refresh.received > 1)
  const isLate = (hold: Hold) =>
    hold.fate === "paused" && hold.sends > 0 && cameAgain.some((refresh) => refresh.generation === hold.generation)
  if (lost.some(isLate)) return true
  // No worker sends a claimed key again, even if its holder was killed before sending it.
  if (generation === -1) return lost.some(({ claimedAt }) => claimedAt !== undefined)
  return served > generation && lost.some((hold) => hold.generation === generation && hold.sends > 0)
}

/**
 * `true` if the answer with the next tokens had arrived: its receiver was not killed, and no other worker sent the secret
 * before the receiver gave up. The service names the receiver of a refresh. The receiver of an API key's answer is the
 * first sender. If all senders withdrew the key, one of them used it.
 */
const hasArrived = (
  { generation, identity, served }: Loss,
  holds: ReadonlyArray<Hold>,
  refreshes: ReadonlyArray<Refreshes>
): boolean => {
  const senders = holds
    .flatMap((hold) => {
      const { sentAt } = hold
      return hold.identity === identity && hold.generation === generation && sentAt !== undefined
        ? [{ ...hold, sentAt }]
        : []
    })
    .toSorted((a, b) => a.sentAt - b.sentAt)
  const received = refreshes.find((refresh) => refresh.identity === identity && refresh.generation === generation)
  const used = senders.filter(({ isWithdrawn }) => !isWithdrawn)
  const possible = used.length === 0 ? senders : used
  const holder = possible.find(({ worker }) => worker === received?.firstBy) ?? possible[0]
  if (holder === undefined || holder.wasKilled || served <= generation) return false
  const { endedAt = Infinity } = holder
  // A worker that had already reported an unsent secret is not to blame.
  const isApart = (other: (typeof possible)[number]) =>
    other.sentAt >= endedAt || (other.endedAt ?? Infinity) <= holder.sentAt
  return possible.every((other) => other.worker === holder.worker || isApart(other))
}

/**
 * `true` if the session began late: its holder was frozen past its lease, and stored the session afterwards. The others
 * failed with `NoSession` during the freeze, after at least half a lease.
 */
const beganLate = ({ at, generation, identity }: Loss, holds: ReadonlyArray<Hold>, leaseMillis: number): boolean =>
  generation === -1 &&
  holds
    .filter((hold) => hold.identity === identity && hold.generation === -1 && hold.fate === "paused" && hold.hasStored)
    .some(({ lostAt = Infinity }) => at - lostAt >= leaseMillis / 2)

export const makeAccount = (observations: Observations): Account => {
  const { history, keysRefused, leaseMillis, recordChecks, refreshes, rotations, torn } = observations
  const holds = findHolds(history, leaseMillis)
  const turns = Map.groupBy(holds, ({ generation, identity }) => `${identity} ${generation}`)
  const beyond = { afterKill: 0, pausedHolder: 0, unexplained: 0 }
  for (const { generation, identity, received } of refreshes) {
    const why = explainExtras(received, turns.get(`${identity} ${generation}`) ?? [])
    beyond.afterKill += why.afterKill
    beyond.pausedHolder += why.pausedHolder
    beyond.unexplained += why.unexplained
  }
  const starts = Map.groupBy(
    holds.filter(({ generation }) => generation === -1),
    ({ identity }) => identity
  )
  const losses = observations.losses.filter((loss) => !beganLate(loss, holds, leaseMillis))
  const count = (what: Entry["what"]) => history.filter((entry) => entry.what === what).length
  return {
    kills: count("killed"),
    killedHolders: holds.filter(({ claimedAt, fate }) => fate === "killed" && claimedAt !== undefined).length,
    freezes: count("stopped"),
    pausedHolders: holds.filter(({ fate }) => fate === "paused").length,
    expiries: refreshes.length,
    received: refreshes.reduce((sum, { received }) => sum + received, 0),
    rotations,
    beyond,
    keysSentTwice: [...starts.values()].filter((turn) => turn.reduce((sum, { sends }) => sum + sends, 0) > 1).length,
    keysRefused,
    recordChecks,
    torn,
    storeFailures: count("failed"),
    lost: losses.length,
    begunLate: observations.losses.length - losses.length,
    frozenSenders: holds.filter(({ wasFrozenSending }) => wasFrozenSending).length,
    lostAfterArrival: losses.filter((loss) => hasArrived(loss, holds, refreshes)),
    lostForNothing: losses.filter((loss) => !hasArrived(loss, holds, refreshes) && !isExplained(loss, holds, refreshes))
  }
}

const formatLosses = (losses: ReadonlyArray<Loss>): string =>
  losses.map(({ generation, identity, served }) => `${identity} at ${generation}, of the service ${served}`).join("; ")

/** Lists the claims that do not hold. */
export const brokenClaims = (account: Account): ReadonlyArray<string> => {
  const { beyond, keysRefused, keysSentTwice, lostAfterArrival, lostForNothing, torn } = account
  const claims: ReadonlyArray<readonly [holds: boolean, otherwise: string]> = [
    [torn.length === 0, `records torn or set back: ${torn.slice(0, 5).join("; ")}`],
    [beyond.unexplained === 0, `refreshes beyond one per expiry that nothing explains: ${beyond.unexplained}`],
    [keysSentTwice === 0, `API keys that were sent twice: ${keysSentTwice}`],
    [keysRefused === 0, `API keys that the service refused: ${keysRefused}`],
    [lostAfterArrival.length === 0, `sessions lost though the answer had arrived: ${formatLosses(lostAfterArrival)}`],
    [lostForNothing.length === 0, `sessions lost for nothing: ${formatLosses(lostForNothing)}`]
  ]
  return claims.flatMap(([holds, otherwise]) => (holds ? [] : [otherwise]))
}

/** Formats the account as a short table. */
export const formatTable = (account: Account): string => {
  const { beyond } = account
  const extras = beyond.afterKill + beyond.pausedHolder + beyond.unexplained
  const rows: ReadonlyArray<readonly [string, string]> = [
    ["kills", `${account.kills}, ${account.killedHolders} of a session under way`],
    ["freezes", `${account.freezes}, ${account.pausedHolders} of a session past its lease`],
    ["  within it, with a request under way", `${account.frozenSenders}`],
    ["expiries", `${account.expiries}`],
    ["refreshes received, rotations", `${account.received}, ${account.rotations}`],
    ["refreshes beyond one per expiry", `${extras}`],
    ["  after a killed holder", `${beyond.afterKill}`],
    ["  by or after a paused holder", `${beyond.pausedHolder}`],
    ["  unexplained", `${beyond.unexplained}`],
    ["API keys sent twice", `${account.keysSentTwice}`],
    ["API keys refused by the service", `${account.keysRefused}`],
    ["torn records, in checks", `${account.torn.length}, in ${account.recordChecks}`],
    ["failures of the store", `${account.storeFailures}`],
    ["sessions lost", `${account.lost}`],
    [
      "  the answer had not arrived",
      `${account.lost - account.lostAfterArrival.length - account.lostForNothing.length}`
    ],
    ["  though the answer had arrived", `${account.lostAfterArrival.length}`],
    ["  for nothing", `${account.lostForNothing.length}`],
    ["sessions begun late, by a frozen holder", `${account.begunLate}`]
  ]
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join("\n")
}
