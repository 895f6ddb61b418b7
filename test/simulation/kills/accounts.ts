/** The account of a run, and which of its claims do not hold. Pure. */
import { type Entry, type Hold, holdsOf } from "./history.ts"

/** The refreshes that the service received with one refresh token. */
export interface Refreshes {
  readonly identity: string
  readonly generation: number
  readonly received: number
  /** The worker whose request came first: to it the service gave the next tokens. */
  readonly firstBy?: string | undefined
}

/** A session that could not go on. */
export interface Loss {
  readonly identity: string
  /** The stored generation; -1 if there was none. */
  readonly generation: number
  /** The service's generation; -1 if the session never began. */
  readonly served: number
  /** When the first worker was told. */
  readonly at: number
}

/** What was seen of a run. */
export interface Seen {
  readonly leaseMillis: number
  readonly history: ReadonlyArray<Entry>
  readonly refreshes: ReadonlyArray<Refreshes>
  readonly rotations: number
  /** API keys that the service refused. Each was valid when it came first. */
  readonly keysRefused: number
  readonly losses: ReadonlyArray<Loss>
  readonly looks: number
  /** What was wrong with records that were read from outside. */
  readonly torn: ReadonlyArray<string>
}

export interface Account {
  readonly kills: number
  readonly killedHolders: number
  readonly freezes: number
  readonly pausedHolders: number
  /** Refresh tokens that were due. */
  readonly expiries: number
  readonly received: number
  readonly rotations: number
  /** Refreshes beyond one per expiry, by their explanation. */
  readonly beyond: { readonly afterKill: number; readonly pausedHolder: number; readonly unexplained: number }
  /** By what the workers said. */
  readonly keysSentTwice: number
  /** By what the service received. */
  readonly keysRefused: number
  readonly looks: number
  readonly torn: ReadonlyArray<string>
  readonly storeFailures: number
  readonly lost: number
  /** Sessions that a holder, frozen past its lease, stored when it was resumed. Others had been told: no session. */
  readonly begunLate: number
  /** Holders that were frozen, within their lease, between sending and storing. */
  readonly frozenSenders: number
  /** Sessions whose holder lived, and was the only one to send until it gave up: its answer had arrived. */
  readonly lostAfterArrival: ReadonlyArray<Loss>
  /** Sessions that were lost although every answer could have been stored. */
  readonly lostForNothing: ReadonlyArray<Loss>
}

/**
 * Why more than one refresh was sent with one token. If a holder was killed or frozen past its lease, nobody knows what
 * became of the token, and the next holder may send it once more. Of all other holders, only one may have sent it.
 */
export const beyondOne = (received: number, holds: ReadonlyArray<Hold>): Account["beyond"] => {
  const extras = Math.max(0, received - 1)
  const sent = holds.filter(({ sends }) => sends > 0)
  const said = sent.reduce((sum, { sends }) => sum + sends, 0)
  const kept = sent.filter(({ fate }) => fate === "kept").length
  const again = said - sent.length
  const unexplained = Math.min(extras, Math.max(0, kept - 1) + again + Math.max(0, received - said))
  const pausedHolder = Math.min(extras - unexplained, sent.filter(({ fate }) => fate === "paused").length)
  return { afterKill: extras - unexplained - pausedHolder, pausedHolder, unexplained }
}

/** Whether no client could have kept a session: its holder was killed or frozen between sending and storing. */
const isExplained = (
  { generation, identity, served }: Loss,
  holds: ReadonlyArray<Hold>,
  refreshes: ReadonlyArray<Refreshes>
): boolean => {
  const lost = holds.filter((hold) => hold.identity === identity && hold.fate !== "kept")
  // The token of a holder that was frozen for too long arrives although its successor has sent it too, whether it was
  // sent before the freeze or after it: the service then revokes the session, however often it was rotated meanwhile.
  const cameAgain = refreshes.filter((refresh) => refresh.identity === identity && refresh.received > 1)
  const isLate = (hold: Hold) =>
    hold.fate === "paused" && hold.sends > 0 && cameAgain.some((refresh) => refresh.generation === hold.generation)
  if (lost.some(isLate)) return true
  // A key is never sent again, not even one whose holder was killed just before, from its mark on.
  if (generation === -1) return lost.some(({ claimedAt }) => claimedAt !== undefined)
  return served > generation && lost.some((hold) => hold.generation === generation && hold.sends > 0)
}

/**
 * Whether the answer with the next tokens had arrived: the one to whom the service gave them was not killed, and nobody
 * else sent the secret before that one had given up. The service says who it was. Of an API key it does not: then it is
 * the one who sent it first. If all say of a key that they did not use it, one of them did.
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
  // Whoever had said before that nothing was sent is not to blame.
  const isApart = (other: (typeof possible)[number]) =>
    other.sentAt >= endedAt || (other.endedAt ?? Infinity) <= holder.sentAt
  return possible.every((other) => other.worker === holder.worker || isApart(other))
}

/**
 * Whether the session began after all: its holder was frozen past its lease, and stored it when it was resumed. The others
 * were told of none while it was frozen: they have watched it be silent for half of its lease at least.
 */
const beganLate = ({ at, generation, identity }: Loss, holds: ReadonlyArray<Hold>, leaseMillis: number): boolean =>
  generation === -1 &&
  holds
    .filter((hold) => hold.identity === identity && hold.generation === -1 && hold.fate === "paused" && hold.hasStored)
    .some(({ lostAt = Infinity }) => at - lostAt >= leaseMillis / 2)

export const accountOf = (seen: Seen): Account => {
  const { history, keysRefused, leaseMillis, looks, refreshes, rotations, torn } = seen
  const holds = holdsOf(history, leaseMillis)
  const turns = Map.groupBy(holds, ({ generation, identity }) => `${identity} ${generation}`)
  const beyond = { afterKill: 0, pausedHolder: 0, unexplained: 0 }
  for (const { generation, identity, received } of refreshes) {
    const why = beyondOne(received, turns.get(`${identity} ${generation}`) ?? [])
    beyond.afterKill += why.afterKill
    beyond.pausedHolder += why.pausedHolder
    beyond.unexplained += why.unexplained
  }
  const starts = Map.groupBy(
    holds.filter(({ generation }) => generation === -1),
    ({ identity }) => identity
  )
  const losses = seen.losses.filter((loss) => !beganLate(loss, holds, leaseMillis))
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
    looks,
    torn,
    storeFailures: count("failed"),
    lost: losses.length,
    begunLate: seen.losses.length - losses.length,
    frozenSenders: holds.filter(({ wasFrozenSending }) => wasFrozenSending).length,
    lostAfterArrival: losses.filter((loss) => hasArrived(loss, holds, refreshes)),
    lostForNothing: losses.filter((loss) => !hasArrived(loss, holds, refreshes) && !isExplained(loss, holds, refreshes))
  }
}

const namesOf = (losses: ReadonlyArray<Loss>): string =>
  losses.map(({ generation, identity, served }) => `${identity} at ${generation}, of the service ${served}`).join("; ")

/** The claims that do not hold. */
export const broken = (account: Account): ReadonlyArray<string> => {
  const { beyond, keysRefused, keysSentTwice, lostAfterArrival, lostForNothing, torn } = account
  const claims: ReadonlyArray<readonly [holds: boolean, otherwise: string]> = [
    [torn.length === 0, `records torn or set back: ${torn.slice(0, 5).join("; ")}`],
    [beyond.unexplained === 0, `refreshes beyond one per expiry that nothing explains: ${beyond.unexplained}`],
    [keysSentTwice === 0, `API keys that were sent twice: ${keysSentTwice}`],
    [keysRefused === 0, `API keys that the service refused: ${keysRefused}`],
    [lostAfterArrival.length === 0, `sessions lost though the answer had arrived: ${namesOf(lostAfterArrival)}`],
    [lostForNothing.length === 0, `sessions lost for nothing: ${namesOf(lostForNothing)}`]
  ]
  return claims.flatMap(([holds, otherwise]) => (holds ? [] : [otherwise]))
}

/** The account as a short table. */
export const tableOf = (account: Account): string => {
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
    ["torn records, in looks", `${account.torn.length}, in ${account.looks}`],
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
