/** The store and the service of a run for its processes. Checks all their acts. */
import * as Session from "@effect-custody/authentication/Session"
import { TokenStore, VersionConflict } from "@effect-custody/authentication/TokenStore"
import * as Environment from "@effect-custody/core/Environment"
import { TokenStoreError } from "@effect-custody/core/SessionError"
import type { ExchangeResult } from "@effect-custody/core/siblings/Transport"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type { Chance } from "./chance.ts"
import type { Faults, Kind } from "./faults.ts"
import type { Kernel, Process } from "./kernel.ts"
import { inDoubt, type StatusAnswer, type Service } from "./service.ts"

export const environment = Environment.emulator("http://127.0.0.1")
export const identity = "acme"

/** The times of a run: a fifth of the real ones. */
export const leaseTimeout = 2_000

interface Row {
  readonly version: number
  readonly record: Session.SessionRecord
}

/** A sent refresh request. */
export interface Sent {
  readonly token: string
  readonly by: Process
  readonly at: number
  /** The time of the sender's last stored claim or renewal. */
  readonly claimedAt: number
  /** `true` while its sender listens for the answer. */
  isAwaited: boolean
  /** `true` until the service has acted on it. */
  isUnderWay: boolean
  /** `true` if the service may have acted on it. */
  mayHaveActed: boolean
  /** `true` if the service refused it, and its sender received the refusal. */
  wasRefused: boolean
  /** The time of the next allowed attempt, if its sender received one. */
  notBefore: number | undefined
  /** `true` if a holder that may have lost its lease had sent the same token. Such requests are counted. */
  ofPausedHolder: boolean
}

/** The counts of a run. None of them is a mistake of the SDK. */
export interface Counted {
  refreshes: number
  rotations: number
  /** Concurrent refreshes, or tokens sent twice, after a pause past the lease or a failed renewal. */
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
  /** The time limit of a refresh in milliseconds. */
  readonly requestTimeout: number
  readonly processes: Array<Process>
  /** The end of the host's freeze. No process starts before. */
  frozenUntil: number
  row: Row | undefined
  readonly backups: Array<Row>
  /** The rows before the present one, for a replica that lags. */
  readonly recent: Array<Row>
  /** The last stored session, even if its record was deleted since. */
  lastStored: Session.Session | undefined
  /** The latest `startedAt` of all stored sessions. */
  latestStart: number
  readonly sent: Array<Sent>
  /** The sent API keys with their last senders. */
  readonly sentKeys: Map<string, Process>
  /** An operator deletes the record, or restores an older one. */
  replaceRecord: () => void
  /** The tokens of all records that were ever stored. */
  readonly durable: Set<string>
  /** Tokens that a process used before they were stored. */
  readonly early: Array<{ readonly by: Process; readonly generation: number }>
  /** The end of the time without writes, and whether the store then fails or stays silent. */
  writesStop: { readonly until: number; readonly isSilent: boolean }
  /** The time of the last stored write of each process. */
  readonly wroteAt: Map<Process, number>
  /** The times of failed or wrong writes of each process. */
  readonly writeFaults: Map<Process, ReadonlyArray<number>>
  /** The processes with slow reads and writes. */
  readonly slowBothWays: Set<Process>
  wasRevoked: boolean
  wasRestored: boolean
}

const secret = (token: Redacted.Redacted): string => Redacted.value(token)

/** Runs an operation of a process on the world, with a delay before and after it. */
export const remotely = <A, E>(
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

/** Checks a swap (I4 and take-overs), and records the rotations that are now durable. */
const checkSwap = (world: World, process: Process, next: Row): void => {
  const before = world.row?.record.session
  const after = next.record.session
  if (before !== undefined && (after === undefined || Session.isNewer(before, after))) {
    world.violations.push(
      `I4: ${process.name} replaced ${Session.pairId(before)} by ${after === undefined ? "nothing" : Session.pairId(after)}`
    )
  }
  // Only a holder that ignores a challenge is dead. The store may have refused its writes.
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
  world.latestStart = Math.max(world.latestStart, after.startedAt ?? 0)
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

/** Versions count the writes and never repeat, not even after a restore, as `TokenStore` promises. */
const randomPart = 2 ** 24

/** Makes the store of one process. */
export const makeStore = (world: World, process: Process): TokenStore["Service"] => {
  const { chance, faults } = world
  const moment = () => chance.between(0.2, 4)
  const drawn = (where: string, ...candidates: ReadonlyArray<Kind>) =>
    faults.draw(`${process.name} ${where}`, ...candidates)
  // The store may be slow for some processes only.
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
            checkSwap(world, process, { version, record })
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

/** The total length in milliseconds of a process's pauses that overlap the time from `since` to `until`. */
const paused = ({ pauses }: Process, since: number, until: number): number =>
  pauses.reduce((sum, { from, to }) => (to > since && from < until ? sum + to - from : sum), 0)

/** The number of failed writes within one lease after which a holder may lose the lease. */
const maxWriteFaults = 3

/**
 * `true` if a process may have lost its lease unknowingly between two moments: in pauses, or because several of its writes
 * failed within one lease. A slow write or a hanging read is no excuse, because it can be repeated. If all reads and writes
 * are slow, one failure is enough: the process needs a read to notice it, and another write and read for a challenge.
 */
export const lostLease = (
  { slowBothWays, writeFaults }: Pick<World, "slowBothWays" | "writeFaults">,
  process: Process,
  since: number,
  until: number = Infinity
): boolean => {
  const faults = (writeFaults.get(process) ?? []).filter((at) => at > since - leaseTimeout && at < until)
  const tooMany = slowBothWays.has(process) ? 1 : maxWriteFaults
  return (
    paused(process, since - leaseTimeout, until) > leaseTimeout / 2 ||
    faults.some((at, index) => (faults[index + tooMany - 1] ?? Infinity) - at < leaseTimeout)
  )
}

/**
 * `true` if the claim for a request was stored before a moment. Its sender could not see writes between the claim and its
 * acknowledgement. A lease that expired before the first byte was no longer held.
 */
export const isClaimedBefore = ({ at, claimedAt }: Sent, moment: number): boolean =>
  claimedAt < moment && at - claimedAt < (leaseTimeout * 3) / 4

/** `true` while a live process waits for the answer, or the service has not acted on the request. */
const isInFlight = ({ by, isAwaited, isUnderWay }: Sent): boolean => (isAwaited || isUnderWay) && by.isAlive

/** `true` if two refresh tokens belong to one session of the service. A replacement is another session. */
export const isOfOneSession = ({ refresh }: Pick<Service, "refresh">, one: string, other: string): boolean =>
  refresh.get(one)?.session === refresh.get(other)?.session

/** Checks a sent refresh request: I1, I2, and the pause of I6. */
export const checkRefresh = (world: World, process: Process, token: string): Sent => {
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
    // Within the grace period, several processes may get one answer. Perhaps only one got all of it and stored it.
    const receivers = service.rotations.filter((other) => other.gave === gave).map(({ to }) => to)
    // A holder that could not renew its lease may store its answer while the next claim is acknowledged.
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
  // A process knows what it has sent itself, for any state of the lease and the record.
  if (complaint !== undefined && open.length === 0 && again.some(({ by }) => by === process)) {
    world.violations.push(complaint)
  }
  now.ofPausedHolder = [...open, ...again].some(({ at, by }) => lostLease(world, by, at))
  if (complaint === undefined) return now
  // A paused holder that resumes and publishes waits for no one: the competing request is still in flight.
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
const saying = ({ code, retryAfter, status }: StatusAnswer): ExchangeResult =>
  answered(status, code === undefined ? "<html>" : refusal(status, code), retryAfter)

/** The body of an error. */
export const refusal = (status: number, code: string) => ({ status, message: "no", errors: {}, code })

/** Calls with the token that a process believes to be current. */
export const call = (world: World, process: Process, token: Redacted.Redacted, generation: number) =>
  Effect.suspend(() => {
    const value = secret(token)
    // I3 is checked at the end, because the report may come a moment later.
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
