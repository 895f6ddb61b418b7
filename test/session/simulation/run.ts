/** One run of the simulation: takes a seed, and returns the broken invariants. */
import type { Session, SessionRecord } from "@effect-custody/authentication/Session"
import { ApiKeySource } from "@effect-custody/authentication/SessionOptions"
import { TokenService } from "@effect-custody/authentication/TokenService"
import { TokenStore } from "@effect-custody/authentication/TokenStore"
import type { SessionError } from "@effect-custody/core/SessionError"
import * as Classification from "@effect-custody/core/siblings/Classification"
import type { ExchangeResult } from "@effect-custody/core/siblings/Transport"
import { type SessionEvent, TokenService as Core } from "@effect-custody/core/TokenService"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import { withFingerprint } from "../../../packages/authentication/src/secrets.ts"
import { chance } from "./chance.ts"
import { type Fault, Faults, type Kind } from "./faults.ts"
import { Kernel, type Process } from "./kernel.ts"
import { judgeLoss } from "./lostSession.ts"
import { drawUnknowns, type Pair, Service } from "./service.ts"
import { makeTransport } from "./network.ts"
import { call, type Counted, environment, identity, leaseTimeout, makeStore, type World } from "./world.ts"

export interface Calls {
  all: number
  /** Those that took more than a second. */
  late: number
  /** The last calls that failed, when nothing goes wrong any more. */
  failedLast: number
  /** The refreshes that were sent while something could go wrong. */
  refreshes: number
}

/** A run that compares ways to keep a session. A person has started the session, and there is no other API key. */
export interface Contest {
  readonly kinds: ReadonlyArray<Kind>
  /** `false`: this SDK refreshes only tokens that have expired. */
  readonly isAhead: boolean
  /** Makes the session of a process in place of this SDK's. */
  readonly makeTokens?: ((world: World, process: Process, started: Pair) => Core["Service"]) | undefined
}

export interface Ran {
  readonly calls: Calls
  readonly violations: ReadonlyArray<string>
  readonly faults: ReadonlyArray<Fault>
  readonly counted: Counted
  readonly trace: ReadonlyArray<string>
}

const times = {
  leaseTimeout: Duration.millis(leaseTimeout),
  storeTimeout: Duration.millis(2_000),
  cooldown: Duration.seconds(1),
  maxCooldown: Duration.seconds(20),
  proactiveWindow: Duration.seconds(3)
}

/** In a comparison, the service says when a token expires, and accepts it at once. */
const usual = { expiry: "told", activation: 0 } as const

/** A call that takes longer than this, in milliseconds, has waited. */
const late = 1_000

/** The record of a session that a person has started. */
const startedRecord = (kernel: Kernel, key: string, { accessToken, expiresAt, refreshToken }: Pair): SessionRecord => ({
  environment: environment.baseUrl,
  session: {
    generation: 0,
    startedAt: kernel.now(),
    accessToken: Redacted.make(accessToken),
    refreshToken: Redacted.make(refreshToken),
    obtainedAt: kernel.now(),
    ...(typeof expiresAt === "number" && expiresAt > kernel.now() ? { expiresAt } : {})
  },
  spentKeys: [withFingerprint(Redacted.make(key)).fingerprint]
})

/** The time with faults. */
const trouble = 30_000

interface Member {
  readonly process: Process
  readonly events: Array<SessionEvent>
  service: Core["Service"] | undefined
  scope: Scope.Closeable | undefined
  waiting: number
  /** The number of invocations under way. */
  invocations: number
  isStopping: boolean
  /** `true` if another process starts, or has started, in its place. */
  hasSuccessor: boolean
}

/** The result of a call: its status, or the reason for its failure. */
type Called = number | SessionError

/** Calls as the client does: repeats the call after a rotation or for a newer session, and never after doubt. */
const callWith = Effect.fnUntraced(function* (
  world: World,
  process: Process,
  tokens: Core["Service"]
): Effect.fn.Return<number, SessionError> {
  let token = yield* tokens.current
  let resyncs = 0
  for (let rotations = 0; ;) {
    const outcome = classify(yield* call(world, process, token.value, token.generation))
    if (outcome._tag === "Succeeded") {
      tokens.accepted?.(token)
      return 200
    }
    world.log(() => `${process.name} gets ${outcome.reason} for ${token.generation}`)
    if (outcome._tag === "Expired" && rotations < 2) {
      token = yield* tokens.rotate(token.generation, token.value)
      rotations++
    } else if (outcome._tag === "Unauthorized" && resyncs < 3) {
      const newest = yield* tokens.reload(token.generation, token.value)
      if (newest.generation === token.generation && newest.isRecent !== true) return statusOf(outcome)
      token = newest
      resyncs++
    } else {
      return statusOf(outcome)
    }
  }
})

const isPayload = Schema.is(Schema.Struct({ data: Schema.Unknown }))
const classify = (result: ExchangeResult) => {
  const received = Classification.received("call", result)
  const isSuccess = received !== undefined && received.status >= 200 && received.status < 300
  const read = isPayload(received?.body) ? Result.succeed(received.body) : Result.fail("no payload")
  return Classification.classify("call", result, isSuccess ? read : undefined)
}

const statusOf = ({ answer }: Classification.Failed): number => (answer._tag === "Answered" ? answer.status : 0)

export const run = (
  seed: number,
  options: { readonly without?: ReadonlySet<number>; readonly trace?: boolean; readonly contest?: Contest } = {}
): Ran => {
  const { contest } = options
  const time = chance(seed, 0)
  const plan = chance(seed, 1)
  const kernel = new Kernel(time)
  const faults = new Faults(seed, options.without ?? new Set(), () => kernel.time, contest?.kinds)
  const unknowns = drawUnknowns(plan)
  const service = new Service(contest === undefined ? unknowns : { ...unknowns, ...usual }, kernel)
  const trace: Array<string> = []
  const world: World = {
    kernel,
    faults,
    service,
    chance: time,
    violations: [],
    counted: { refreshes: 0, rotations: 0, pausedHolders: 0, lost: 0 },
    // In most runs the limit is as short as a typical outage, and in some as long as for users.
    requestTimeout: chance(seed, 4).of([5_000, 5_000, 36_000]),
    processes: [],
    frozenUntil: 0,
    log: (line) => {
      if (options.trace === true) trace.push(`${(kernel.time / 1000).toFixed(3)} ${line()}`)
    },
    row: undefined,
    backups: [],
    recent: [],
    lastStored: undefined,
    latestStart: 0,
    sent: [],
    sentKeys: new Map(),
    replaceRecord: () => {},
    durable: new Set(),
    early: [],
    writesStop: { until: 0, isSilent: false },
    wroteAt: new Map(),
    writeFaults: new Map(),
    slowBothWays: new Set(),
    wasRevoked: false,
    wasRestored: false
  }
  const timing = { ...times, requestTimeout: Duration.millis(world.requestTimeout) }
  /**
   * The time in which all processes must recover: receive the last answers, and make a last call. A frozen process listens
   * half a minute longer.
   */
  const recovery = 75_000 + world.requestTimeout
  const firstKey = service.issueKey()
  const hasSource = plan.happens(0.5) && contest === undefined
  const started = contest === undefined ? undefined : service.start(firstKey, "a person")!
  if (started !== undefined) world.row = { version: 1, record: startedRecord(kernel, firstKey, started) }
  const calls: Calls = { all: 0, late: 0, failedLast: 0, refreshes: 0 }
  const runtime = chance(seed, 5)
  /** The share of processes whose runtime freezes them between calls, as Lambda does. */
  const freezing = contest === undefined ? runtime.of([0, 0, 0, 0, 0, 0.5, 1]) : 0
  const members: Array<Member> = []
  /** The log messages and errors of all processes. */
  const messages: Array<string> = []

  const lookAtLoss = (error: { readonly answerLostAt?: unknown }, by: string) => {
    world.counted.lost++
    const wrong = judgeLoss({ ...world, members }, error, by)
    if (wrong !== undefined) world.violations.push(`I5: ${wrong}`)
  }

  const boot = (name: string): void => {
    // The service and the judge identify a process by its name.
    if (world.processes.some((other) => other.name === name)) return boot(`${name}'`)
    const process = kernel.process(name)
    if (faults.knows("clock jumps")) process.skew = plan.between(-3_600_000, 3_600_000)
    const member: Member = {
      process,
      events: [],
      service: undefined,
      scope: undefined,
      waiting: 0,
      invocations: 0,
      isStopping: false,
      hasSuccessor: false
    }
    members.push(member)
    world.processes.push(process)
    if (world.frozenUntil > kernel.time) kernel.freeze(process, world.frozenUntil - kernel.time)
    world.log(() => `${name} boots`)
    const scope = Scope.makeUnsafe()
    member.scope = scope
    const freezes = runtime.happens(freezing)
    const options = {
      identity,
      apiKey: Redacted.make(firstKey),
      timing: { ...timing, proactive: !freezes && contest?.isAhead !== false }
    }
    const tokensOf = contest?.makeTokens
    const ours = TokenService.layer(options).pipe(
      Layer.provide([
        Layer.succeed(TokenStore, makeStore(world, process)),
        makeTransport(world, process),
        ...(hasSource
          ? [
              Layer.succeed(ApiKeySource, {
                next: () => Effect.sync(() => Option.some(Redacted.make(service.issueKey())))
              })
            ]
          : [])
      ])
    )
    const layer = tokensOf === undefined ? ours : Layer.succeed(Core, tokensOf(world, process, started!))
    const live = Effect.gen(function* () {
      const context = yield* Layer.buildWithScope(layer, scope)
      const tokens = Context.get(context, Core)
      member.service = tokens
      yield* Scope.provide(
        tokens.subscribe((event) => {
          world.log(() => `${name} says ${JSON.stringify(event)}`)
          member.events.push(event)
        }),
        scope
      )
      for (let caller = plan.integer(1, 2); caller > 0; caller--) {
        if (freezes) nextInvocation(member, tokens)
        else yield* Effect.forkDetach(keepCalling(member, tokens))
      }
      // Repeats the build until the store can be read, as an operator would.
    }).pipe(Effect.catch(() => Effect.sleep(500).pipe(Effect.tap(() => Effect.sync(() => retire(member))))))
    kernel.start(process, Effect.provide(live, quiet))
  }

  const quiet = Logger.layer([
    Logger.make(({ cause, message }) => {
      const text = `${String(message)} ${cause.reasons.length > 0 ? String(cause) : ""}`
      world.log(() => `log: ${text}`)
      messages.push(text)
    })
  ])

  /** Starts another process in place of a member after a delay, once for each member. */
  const startSuccessor = (member: Member, millis: number) => {
    if (member.hasSuccessor) return
    member.hasSuccessor = true
    kernel.after(millis, () => boot(`${member.process.name}'`))
  }

  /** Replaces a process whose layer could not be built. */
  const retire = (member: Member) => {
    kernel.kill(member.process)
    startSuccessor(member, 100)
  }

  const once = Effect.fnUntraced(
    function* (member: Member, tokens: Core["Service"]): Effect.fn.Return<Called> {
      member.waiting++
      calls.all++
      const since = kernel.time
      const ended = yield* Effect.result(callWith(world, member.process, tokens))
      member.waiting--
      if (kernel.time - since > late) calls.late++
      if (Result.isSuccess(ended)) return ended.success
      const error = ended.failure
      messages.push(error.message)
      world.log(() => `${member.process.name} call: ${error._tag} ${error.message}`)
      // The service never reports a malformed token.
      if (error._tag === "StoredSessionInvalid") world.violations.push(`I5: ${error.message}`)
      if (error._tag === "SessionLost") lookAtLoss(error, member.process.name)
      return error
    },
    (called, member) =>
      Effect.onInterrupt(called, () =>
        Effect.sync(() => {
          member.waiting--
        })
      )
  )

  const keepCalling = (member: Member, tokens: Core["Service"]): Effect.Effect<void> =>
    Effect.gen(function* () {
      for (;;) {
        yield* Effect.sleep(time.between(20, 5_000))
        if (faults.isOver || member.isStopping) return
        const givesUp = faults.draw(`${member.process.name} call`, "caller gives up") !== undefined
        yield* givesUp
          ? Effect.timeoutOption(once(member, tokens), Duration.millis(time.between(1, 200)))
          : once(member, tokens)
      }
    })

  /**
   * Invokes a process later, with a deadline. Its runtime freezes it soon after the last invocation has ended. The judge
   * excuses what is lost in a pause, but not what is lost in such a freeze.
   */
  const nextInvocation = (member: Member, tokens: Core["Service"]): void => {
    const { process } = member
    const freeze = () => {
      if (member.invocations > 0 || member.isStopping || faults.isOver) return
      world.log(() => `${process.name} is frozen`)
      process.isFrozen = true
    }
    const end = () => {
      member.invocations--
      kernel.after(time.between(0, 3), freeze)
      nextInvocation(member, tokens)
    }
    const invocation = Effect.suspend(() => Effect.timeoutOption(once(member, tokens), time.between(10, 400))).pipe(
      Effect.andThen(tokens.awaitStored),
      Effect.andThen(Effect.sync(end))
    )
    kernel.after(time.between(20, 5_000), () => {
      if (faults.isOver || member.isStopping || !process.isAlive) return
      member.invocations++
      kernel.start(process, Effect.provide(invocation, quiet))
    })
  }

  /** Stops a process gracefully, and starts it again. */
  const stop = (member: Member) => {
    const { process, scope } = member
    if (!process.isAlive || member.isStopping) return
    member.isStopping = true
    const end = Effect.sync(() => {
      kernel.kill(process)
      startSuccessor(member, time.between(10, 8_000))
    })
    kernel.start(process, Effect.andThen(scope === undefined ? Effect.void : Scope.close(scope, Exit.void), end))
  }

  /** Replaces all processes: starts a new one, and ends the old one later. */
  const replaceAll = () => {
    if (time.happens(0.25)) return
    for (const member of members.filter(({ hasSuccessor, process }) => process.isAlive && !hasSuccessor)) {
      const at = time.between(10, 2_000)
      startSuccessor(member, at)
      kernel.after(at + time.between(10, 5_000), () => stop(member))
    }
  }

  const putBack = (row: World["row"]) => {
    world.log(() => (row === undefined ? "operator: deletes the record" : `operator: restores v${row.version}`))
    world.row = row
    world.wasRestored = true
    replaceAll()
  }
  /** An older row from a backup, or from a replica that lagged when it became the primary. */
  const pickOlderRow = () => {
    const rows = time.happens(0.5) || world.backups.length === 0 ? world.recent : world.backups
    return rows.length === 0 ? undefined : time.of(rows)
  }
  world.replaceRecord = () => {
    if (!faults.isOver) putBack(time.happens(0.5) ? undefined : pickOlderRow())
  }

  /** Plays events of processes and acts of operators. */
  const playEvents = () => {
    if (faults.isOver) return
    const alive = members.filter(({ isStopping, process }) => process.isAlive && !isStopping)
    const member = alive.length === 0 ? undefined : time.of(alive)
    if (member !== undefined) {
      const { process } = member
      const kind = faults.draw(process.name, "crash", "stop", "pause", "pause past the lease", "clock jumps")
      if (kind !== undefined) world.log(() => `${process.name}: ${kind}`)
      switch (kind) {
        case "crash":
          kernel.kill(process)
          startSuccessor(member, time.between(10, 8_000))
          break
        case "stop":
          stop(member)
          break
        case "pause":
          kernel.pause(process, time.between(1, leaseTimeout / 3))
          break
        case "pause past the lease":
          kernel.pause(process, time.between(leaseTimeout, 4 * leaseTimeout))
          break
        case "clock jumps":
          process.skew += time.between(-600_000, 600_000)
          break
        default:
      }
    }
    const operator = faults.draw("operator", "revoked", "restored", "deleted")
    if (operator === "revoked" && time.happens(0.2)) {
      world.log(() => "operator: revokes")
      world.wasRevoked = true
      for (const session of service.sessions) session.isRevoked = true
    }
    if (operator === "restored" && world.recent.length > 0 && time.happens(0.2)) putBack(pickOlderRow())
    if (operator === "deleted" && world.row !== undefined && time.happens(0.2)) putBack(undefined)
    kernel.after(time.between(100, 3_000), playEvents)
  }

  for (let index = plan.integer(2, plan.happens(0.2) ? 8 : 4); index > 0; index--) boot(`p${index}`)
  kernel.after(1_000, playEvents)
  kernel.run(trouble)
  calls.refreshes = world.counted.refreshes
  faults.isOver = true
  for (const { process } of members) kernel.thaw(process)
  world.log(() => "nothing goes wrong any more")
  kernel.run(trouble + recovery / 2)

  /** `true` for an error with a later retry time. After a clock jump, this may be as far away as the longest pause. */
  const isForLater = (called: Called) =>
    typeof called !== "number" && (called._tag === "SessionAmbiguous" || called._tag === "RefreshUnavailable")

  /** `true` if a member can work: it or the store holds the newest tokens. */
  const hasGoodSession = ({ process }: Member): boolean => {
    const session = world.row?.record.session
    const isStored = session !== undefined && !isHidden(session) && service.isLive(Redacted.value(session.refreshToken))
    const delivered = service.rotations.filter(({ isDelivered }) => isDelivered)
    // A replaced session is useless, even if the service still accepts its tokens.
    const latest = Math.max(...delivered.map(({ session }) => session))
    const holds = ({ gave, session, to }: (typeof delivered)[number]) =>
      session === latest && to === process.name && service.isLive(gave)
    return isStored || (!isOutranked(latest) && delivered.some(holds))
  }

  /**
   * Of two sessions, the session whose API key was sent later is kept, even if the service was slow with the other key.
   * After the record was deleted or restored, only the clocks of the hosts show which one this is. A process that has
   * adopted the other session has given this one up, even if the other session's record is deleted afterwards.
   */
  const isOutranked = (latest: number): boolean => {
    const session = world.row?.record.session ?? world.lastStored
    const stored = session === undefined ? undefined : service.refresh.get(Redacted.value(session.refreshToken))
    if (stored === undefined || stored.session.id === latest) return false
    const keys = [...world.sentKeys.keys()]
    const begun = (id: number) => keys.indexOf(service.rotations.find((one) => one.session === id)?.from ?? "")
    return begun(stored.session.id) > begun(latest) || (world.wasRestored && isClockWrong())
  }

  const isClockWrong = () => members.some(({ process }) => process.skew !== 0)

  /** `true` if a deleted record had a session of a later time by a wrong clock. A process that has it keeps it. */
  const isHidden = ({ startedAt = 0 }: Session) => isClockWrong() && startedAt < world.latestStart

  // Every process makes a last call, and must end with it.
  for (const member of members) {
    const { process, service: tokens } = member
    if (!process.isAlive || member.isStopping || tokens === undefined) continue
    let wasGood = false
    let rotations = 0
    const call = Effect.suspend(() => {
      wasGood = hasGoodSession(member)
      rotations = service.rotations.length
      return once(member, tokens)
    })
    // A rotation during the call can invalidate the token of the repeated call.
    const isOutrun = (called: Called) => called === 401 && service.rotations.length > rotations
    const lastCall = call.pipe(
      // After a restored backup, the first call of a process with the newest tokens repairs the store for the others.
      Effect.filterOrElse(
        (called) => called === 200 || !(world.wasRestored || isForLater(called) || isOutrun(called)),
        (called) => Effect.delay(call, isForLater(called) ? timing.maxCooldown : "5 seconds")
      ),
      // After the record was deleted, no process may know that the configured API key was sent. The key is sent again and
      // refused, and the next call asks the source.
      Effect.filterOrElse(
        (called) => !(hasSource && world.wasRestored && typeof called !== "number" && called._tag === "NoSession"),
        () => Effect.delay(call, "5 seconds")
      ),
      // The next call uses a session that another process starts meanwhile.
      Effect.filterOrElse(
        (called) => called === 200 || wasGood || !hasGoodSession(member),
        () => Effect.delay(call, "5 seconds")
      )
    )
    kernel.start(
      process,
      Effect.provide(
        Effect.map(lastCall, (called) => lastWord(member, called)),
        quiet
      )
    )
  }
  const lastWord = (member: Member, called: Called) => {
    if (called === 200) return
    calls.failedLast++
    const isGood = hasGoodSession(member)
    if (isGood || (hasSource && typeof called !== "number")) {
      const said = typeof called === "number" ? String(called) : called.message
      world.violations.push(
        `I6: ${member.process.name} is not well in the end (${isGood ? "the session is good" : "there is a source of keys"}): ${said}`
      )
    }
  }
  kernel.run(trouble + recovery)

  for (const { events, isStopping, process, waiting } of members) {
    if (waiting > 0 && process.isAlive && !isStopping) world.violations.push(`I6: ${process.name} waits for ever`)
    for (const { by, generation } of world.early) {
      if (by !== process || !process.isAlive) continue
      if (!events.some((event) => event._tag === "NotPersisted" && event.generation === generation)) {
        world.violations.push(`I3: ${process.name} used generation ${generation} before it was stored`)
      }
    }
    if (events.some((event) => JSON.stringify(event).includes("secret-")))
      world.violations.push("I7: an event holds a token")
  }
  // A process cannot withdraw a mark if it is killed before the first byte, or closed while the store fails.
  const isPlayed = (pattern: RegExp) => faults.played.some(({ kind }) => pattern.test(kind))
  const mayBurn = isPlayed(/^crash$/) || (isPlayed(/^stop$/) && isPlayed(/^store /))
  const burnt = () =>
    [...service.keys.keys()].filter((key) => {
      const { fingerprint } = withFingerprint(Redacted.make(key))
      return !world.sentKeys.has(key) && world.row?.record.spentKeys.some((mark) => mark.startsWith(fingerprint))
    })
  // A process withdraws the rest when it ends.
  if (burnt().length > 0 && !mayBurn) {
    for (const { process, scope } of members) {
      if (process.isAlive && scope !== undefined) kernel.start(process, Scope.close(scope, Exit.void))
    }
    kernel.run(trouble + 2 * recovery)
  }
  if (burnt().length > 0 && !mayBurn && !world.wasRestored) {
    world.violations.push("I2: an API key was burnt without being sent")
  }
  if (messages.some((message) => message.includes("secret-"))) world.violations.push("I7: a message holds a token")
  return { calls, violations: world.violations, faults: faults.played, counted: world.counted, trace }
}

export { environment }
