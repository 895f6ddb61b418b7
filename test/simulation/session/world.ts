/** The store and the service of a run, as its processes reach them; everything that they do is looked at here. */
import * as Session from "@effect-custody/authentication/Session"
import { TokenStore, VersionConflict } from "@effect-custody/authentication/TokenStore"
import { TokenStoreError } from "@effect-custody/core/SessionError"
import * as Environment from "@effect-custody/core/Environment"
import type { ExchangeResult } from "@effect-custody/core/unstable/Transport"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type { Chance } from "./chance.ts"
import type { Faults, Kind } from "./faults.ts"
import type { Kernel, Process } from "./kernel.ts"
import { inDoubt, type Said, type Service } from "./service.ts"

export const environment = Environment.local("http://127.0.0.1")
export const identity = "acme"

/** The times of a run: the real ones, five times as fast. */
export const leaseTimeout = 2_000

interface Row {
  readonly version: number
  readonly record: Session.SessionRecord
}

/** A refresh request that somebody waits for. */
export interface Sent {
  readonly token: string
  readonly by: Process
  readonly at: number
  /** When the store last took a write of its sender: the claim, or a renewal of it. */
  readonly claimedAt: number
  /** Whether its sender listens for the answer. */
  isAwaited: boolean
  /** Whether the service has yet to act on it. */
  isUnderWay: boolean
  /** Whether the service may have acted on it. */
  mayHaveActed: boolean
  /** Whether the service has said no to it, and its sender has heard. */
  wasRefused: boolean
  /** When the service allows the next attempt, if its answer said so and its sender has heard. */
  notBefore: number | undefined
  /** Whether it was sent while, or after, a holder had sent it who may have lost the lease since: it is counted. */
  ofPausedHolder: boolean
}

/** What a run has counted; none of it is a fault of ours. */
export interface Counted {
  refreshes: number
  rotations: number
  /** Two refreshes in flight, or a token sent twice, after a holder was paused past its lease or could not renew it. */
  pausedHolders: number
  lost: number
}

export interface World {
  readonly kernel: Kernel
  readonly faults: Faults
  readonly service: Service
  readonly chance: Chance
  readonly violations: Array<string>
  readonly counted: Counted
  readonly log: (line: () => string) => void
  /** How long a process listens for the answer to a refresh, in milliseconds. */
  readonly requestTimeout: number
  readonly processes: Array<Process>
  /** Until when the host stands still. Nothing is started there meanwhile. */
  frozenUntil: number
  row: Row | undefined
  readonly backups: Array<Row>
  /** The rows before the present one: what a replica that lags behind holds. */
  readonly recent: Array<Row>
  /** The session that was stored last, even if its record was deleted since. */
  lastStored: Session.Session | undefined
  readonly sent: Array<Sent>
  /** The API keys that were sent, and by whom last. */
  readonly sentKeys: Map<string, Process>
  /** An operator deletes the record, or restores an older one. */
  replaceRecord: () => void
  /** Tokens of records that were stored at some time. */
  readonly durable: Set<string>
  /** Tokens that were used before they were stored: by whom, and of which generation. */
  readonly early: Array<{ readonly by: Process; readonly generation: number }>
  /** Until when the store takes no writes, and whether it says so or does not answer. */
  writesStop: { readonly until: number; readonly isSilent: boolean }
  /** When the store last took a write of a process. */
  readonly wroteAt: Map<Process, number>
  /** When the store did not do a write of a process, or not as it should. */
  readonly writeFaults: Map<Process, ReadonlyArray<number>>
  /** The processes whose reads and writes are all slow. */
  readonly slowBothWays: Set<Process>
  wasRevoked: boolean
  wasRestored: boolean
}

const secret = (token: Redacted.Redacted): string => Redacted.value(token)

/** An operation of a process on the world: it takes a moment to get there, is done at once, and a moment to come back. */
const remotely = <A, E>(
  world: World,
  process: Process,
  options: {
    readonly there: number
    readonly back: number
    readonly act: () => Effect.Effect<A, E>
  }
): Effect.Effect<A, E> =>
  Effect.callback<A, E>((resume) => {
    const { kernel } = world
    let isOff = false
    kernel.after(options.there, () => {
      const result = options.act()
      if (!Number.isFinite(options.back)) return
      kernel.after(
        options.back,
        () => {
          if (!isOff) resume(result)
        },
        process
      )
    })
    return Effect.sync(() => {
      isOff = true
    })
  })

const failing = (operation: "load" | "compareAndSwap") =>
  Effect.fail(new TokenStoreError({ operation, reason: "the disk is on fire" }))

/** I4, take-overs, and who of the rotations is safe now. */
const swapped = (world: World, process: Process, next: Row): void => {
  const before = world.row?.record.session
  const after = next.record.session
  if (before !== undefined && (after === undefined || Session.isNewer(before, after))) {
    world.violations.push(
      `I4: ${process.name} replaced ${Session.pairId(before)} by ${after === undefined ? "nothing" : Session.pairId(after)}`
    )
  }
  // Only a holder that has not answered a challenge is dead: the store may have taken no writes.
  const [held, lease] = [world.row?.record.lease, next.record.lease]
  if (held !== undefined && lease !== undefined && held.owner !== lease.owner && held.isChallenged !== true) {
    world.violations.push(`I1: ${process.name} takes over a lease that nobody has challenged`)
  }
  world.wroteAt.set(process, world.kernel.time)
  if (world.chance.happens(0.05)) world.backups.push(next)
  if (world.row !== undefined) world.recent.push(world.row)
  if (world.recent.length > 6) world.recent.shift()
  world.row = next
  if (after === undefined) return
  world.lastStored = after
  world.durable.add(secret(after.accessToken))
  const refreshToken = secret(after.refreshToken)
  for (const rotation of world.service.rotations)
    if (rotation.gave === refreshToken) rotation.durableAt ??= world.kernel.time
}

const delays: Partial<Record<Kind, number>> = {
  "store slow": 700,
  "store hangs": Infinity,
  "read hangs after a conflict": Infinity
}

/** Versions count the writes and never repeat, not even after a restore: so `TokenStore` promises. */
const randomPart = 2 ** 24

/** The store as one process reaches it. */
export const storeOf = (world: World, process: Process): TokenStore["Service"] => {
  const { chance, faults } = world
  const moment = () => chance.between(0.2, 4)
  const drawn = (where: string, ...candidates: ReadonlyArray<Kind>) =>
    faults.draw(`${process.name} ${where}`, ...candidates)
  // The way to the store may be slow for some processes only.
  const isOn = (kind: Kind) => faults.knows(kind) && faults.form([true, false])
  const readsSlow = isOn("reads slow")
  const writesSlow = isOn("writes slow")
  if (readsSlow && writesSlow) world.slowBothWays.add(process)
  let hasConflict = false
  return TokenStore.of({
    load: () =>
      Effect.suspend(() => {
        const afterConflict = hasConflict ? (["read hangs after a conflict"] as const) : []
        hasConflict = false
        const kind = drawn("load", ...afterConflict, "store fails before", "store slow", "store hangs")
        const slow = readsSlow ? chance.between(250, 700) : 0
        const read = remotely(world, process, {
          there: moment(),
          back: moment() + slow + (kind === undefined ? 0 : (delays[kind] ?? 0)),
          act: () => (kind === "store fails before" ? failing("load") : Effect.succeed(world.row))
        })
        return Effect.map(read, Option.fromUndefinedOr)
      }),
    compareAndSwap: (_, expectedVersion, record) =>
      Effect.suspend(() => {
        const kind = drawn("swap", "store fails before", "store fails after", "store slow", "store hangs")
        if (kind !== undefined && kind !== "store slow") {
          const times = world.writeFaults.get(process) ?? []
          world.writeFaults.set(process, [...times, world.kernel.time])
        }
        const { isSilent, until } = world.writesStop
        const slow = writesSlow ? chance.between(0, 600) : 0
        const there = moment()
        const isStopped = world.kernel.time + there < until
        return remotely(world, process, {
          there,
          back: isStopped && isSilent ? Infinity : moment() + slow + (kind === undefined ? 0 : (delays[kind] ?? 0)),
          act: (): Effect.Effect<number, VersionConflict | TokenStoreError> => {
            if (isStopped || kind === "store fails before") return failing("compareAndSwap")
            if ((world.row?.version ?? 0) !== expectedVersion) {
              hasConflict = true
              return Effect.fail(new VersionConflict({ identity, expectedVersion }))
            }
            const count = Math.floor(expectedVersion / randomPart) + 1
            const version = count * randomPart + chance.integer(0, randomPart - 1)
            swapped(world, process, { version, record })
            world.log(
              () =>
                `${process.name} stored ${record.session === undefined ? "none" : Session.pairId(record.session)} v${version}` +
                ` lease ${record.lease === undefined ? "free" : record.lease.owner.slice(0, 4)} intent ${JSON.stringify(record.intent)} end ${record.end?._tag}`
            )
            return kind === "store fails after" ? failing("compareAndSwap") : Effect.succeed(version)
          }
        })
      })
  })
}

/** The length of all pauses of a process that were not over at a moment, and had begun at a later one, in milliseconds. */
const paused = ({ pauses }: Process, since: number, until: number): number =>
  pauses.reduce((sum, { from, to }) => (to > since && from < until ? sum + to - from : sum), 0)

/** How many writes of a holder go wrong within one lease before it may lose that lease. */
const tooManyFaults = 3

/**
 * Whether a process may have lost its lease without knowing, between two moments: in one pause or in several, or because
 * several of its writes went wrong within one lease. A slow write is no excuse, nor is a read that hangs: it can be
 * repeated. If all reads and writes are slow, one that goes wrong is enough: to find out takes a read, and a challenge that
 * comes meanwhile another write and another read.
 */
export const lostLease = (
  { slowBothWays, writeFaults }: Pick<World, "slowBothWays" | "writeFaults">,
  process: Process,
  since: number,
  until: number = Infinity
): boolean => {
  const faults = (writeFaults.get(process) ?? []).filter((at) => at > since - leaseTimeout && at < until)
  const tooMany = slowBothWays.has(process) ? 1 : tooManyFaults
  return (
    paused(process, since - leaseTimeout, until) > leaseTimeout / 2 ||
    faults.some((at, index) => (faults[index + tooMany - 1] ?? Infinity) - at < leaseTimeout)
  )
}

/**
 * Whether the claim for a request was stored before a moment. What was stored between the claim and its acknowledgement
 * its sender could not see. A lease that had expired before the first byte was no longer held.
 */
export const isClaimedBefore = ({ at, claimedAt }: Sent, moment: number): boolean =>
  claimedAt < moment && at - claimedAt < (leaseTimeout * 3) / 4

/** Whether a living process still waits for the answer to a request, or the service has yet to act on it. */
const isInFlight = ({ by, isAwaited, isUnderWay }: Sent): boolean => (isAwaited || isUnderWay) && by.isAlive

/** Whether two refresh tokens are of one session of the service. Those of a session and of its replacement are not. */
export const isOfOneSession = ({ refresh }: Pick<Service, "refresh">, one: string, other: string): boolean =>
  refresh.get(one)?.session === refresh.get(other)?.session

/** I1, I2 and the pause that I6 asks for, when a refresh request is sent. */
export const looked = (world: World, process: Process, token: string): Sent => {
  const { kernel, service } = world
  const now: Sent = {
    token,
    by: process,
    at: kernel.time,
    claimedAt: world.wroteAt.get(process) ?? -Infinity,
    isAwaited: true,
    isUnderWay: false,
    mayHaveActed: false,
    wasRefused: false,
    notBefore: undefined,
    ofPausedHolder: false
  }
  const open = world.sent.filter((sent) => isInFlight(sent) && isOfOneSession(service, sent.token, token))
  const again = world.sent.filter((sent) => sent.token === token && sent.mayHaveActed)
  world.counted.refreshes++
  world.sent.push(now)
  const access = service.refresh.get(token)?.access
  const isDead = access === undefined || service.check(access) !== 200
  const knowsBetter = world.sent.some((sent) => sent.token === token && sent.by === process && sent.wasRefused)
  if (knowsBetter) world.violations.push(`I2: ${process.name} sends ${token} again, which was refused to it`)
  const isReplaced = service.rotations.some(({ durableAt, from, gave }) => {
    if (durableAt === undefined || from !== token || gave === token) return false
    // Within the grace period several processes may get one answer. Only one of them may have got all of it, and stored it.
    const receivers = service.rotations.filter((other) => other.gave === gave).map(({ to }) => to)
    // A holder that could not renew its lease may store its answer while the claim of the next one is acknowledged.
    const isLate = again.some(({ at, by }) => receivers.includes(by.name) && lostLease(world, by, at))
    return !(isLate && isClaimedBefore(now, durableAt))
  })
  if (isReplaced && !world.wasRestored) {
    world.violations.push(`I1: ${process.name} sends ${token}, although what replaced it is stored`)
  }
  const isEarly = world.sent.some(
    (sent) => sent.token === token && sent.by === process && (sent.notBefore ?? 0) > kernel.time
  )
  if (isEarly && !world.wasRestored) {
    world.violations.push(`I6: ${process.name} sends ${token} again before the Retry-After of its answer is over`)
  }
  const complaint =
    open.length > 0
      ? `I1: ${process.name} refreshes while ${open.map(({ by }) => by.name).join()} does`
      : again.length > 0 && !isDead
        ? `I2: ${process.name} sends ${token} again, and its access token is valid`
        : undefined
  // Whatever has happened to the lease and to the record: what it has sent itself it knows.
  if (complaint !== undefined && open.length === 0 && again.some(({ by }) => by === process)) {
    world.violations.push(complaint)
  }
  now.ofPausedHolder = [...open, ...again].some(({ at, by }) => lostLease(world, by, at))
  if (complaint === undefined) return now
  // A paused holder who wakes up and publishes has no one to wait for: what was sent against it is still under way.
  if (now.ofPausedHolder || open.some(({ ofPausedHolder }) => ofPausedHolder) || world.wasRestored) {
    world.counted.pausedHolders++
  } else world.violations.push(complaint)
  return now
}

const answered = (status: number, body: unknown, retryAfter?: number): ExchangeResult => ({
  _tag: "Answered",
  status,
  text: typeof body === "string" ? body : JSON.stringify(body),
  retryAfter: retryAfter === undefined ? undefined : Duration.millis(retryAfter)
})
const saying = ({ code, retryAfter, status }: Said): ExchangeResult =>
  answered(status, code === undefined ? "<html>" : refusal(status, code), retryAfter)

/** The body of an error. */
export const refusal = (status: number, code: string) => ({ status, message: "no", errors: {}, code })

/** A call of a process, with what it believes to be its token. */
export const call = (world: World, process: Process, token: Redacted.Redacted, generation: number) =>
  Effect.suspend(() => {
    const value = secret(token)
    // I3: looked at in the end, for the report may come a moment later.
    if (!world.durable.has(value)) world.early.push({ by: process, generation })
    const said =
      world.faults.draw(`${process.name} call`, "call in doubt") === undefined ? undefined : world.faults.form(inDoubt)
    return remotely(world, process, {
      there: world.chance.between(1, 30),
      back: world.chance.between(1, 30),
      act: () => Effect.succeed(said === undefined ? checked(world.service.check(value)) : saying(said))
    })
  })

const checked = (status: 200 | 401 | 498): ExchangeResult =>
  status === 200
    ? answered(200, { message: "ok", status, data: {} })
    : answered(status, refusal(status, status === 401 ? "E40001" : "E40003"))
