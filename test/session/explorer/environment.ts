/** The next steps of a world: steps of its processes, of the service, of the store, and of time. */
import * as Redacted from "effect/Redacted"
import { liveSession } from "../../../packages/authentication/src/sessionState.ts"
import type { TokenResponse } from "../../../packages/authentication/src/tokenEndpoint.ts"
import * as Judge from "./judge.ts"
import { fault, onAnswer, onStored, persist, renew, start, steps, storedOf, takeBack, write } from "./process.ts"
import { leaseTimeout, mayClose } from "./rules.ts"
import {
  boot,
  change,
  excused,
  numbersOf,
  type Process,
  type Request,
  type Sent,
  type Step,
  stepOf,
  tokens,
  type World
} from "./world.ts"

const spend = (world: World, what: "expiries" | "early" | "closes" | "boots"): World => ({
  ...world,
  left: { ...world.left, [what]: world.left[what] - 1 }
})

const isAtOnce = ({ at, known, life }: Process, { store }: World): boolean =>
  life === "awake" &&
  (!["Idle", "Waiting", "Listening", "Closed", "Closing"].includes(at._tag) ||
    (known.unstored !== undefined && store === "up"))

const fated = (world: World, { owner, secret }: Request, fate: Sent["fate"]): World => ({
  ...world,
  sent: world.sent.map((one) =>
    one.secret === secret && one.owner === owner && one.fate === "unknown" ? { ...one, fate } : one
  )
})

const replaced = (world: World, request: Request, by: ReadonlyArray<Request>): World => ({
  ...world,
  requests: world.requests.flatMap((one) => (one === request ? by : [one]))
})

/** The acts of the service on a request. A spent token ends the session. */
const served = (world: World, request: Request): World => {
  const answered = (next: World, answer: Request["answer"]) =>
    replaced(next, request, request.isAwaited ? [{ ...request, answer }] : [])
  if (request.secret === "key") {
    if (world.isKeyUsed) return answered(world, "Dead")
    const service = [...world.service, { newest: 0, isRevoked: false, hasExpired: false }]
    return answered({ ...world, isKeyUsed: true, service }, "Tokens")
  }
  const [id, number] = numbersOf(request.secret)
  const session = world.service[id]!
  const changed = (to: Partial<typeof session>): World => ({
    ...world,
    service: world.service.map((one, at) => (at === id ? { ...one, ...to } : one))
  })
  if (session.isRevoked) return answered(world, "Dead")
  if (number === session.newest) return answered(changed({ newest: number + 1, hasExpired: false }), "Tokens")
  return answered(
    Judge.onReuse(changed({ isRevoked: true }), id, world.processes[request.by]!.name, request.isAwaited),
    "Dead"
  )
}

const responseTo = ({ secret }: Request, answer: "Tokens" | "Dead", world: World): TokenResponse => {
  if (answer === "Dead") return { _tag: "Dead", reason: "" }
  const [id, number] = secret === "key" ? [world.service.length - 1, -1] : numbersOf(secret)
  return { _tag: "Tokens", ...tokens(id, number + 1), expiresAt: undefined, vaultId: undefined }
}

const inDoubt: TokenResponse = { _tag: "InDoubt", reason: "", retryAfter: undefined }

const ofRequests = (world: World): ReadonlyArray<Step> =>
  world.requests.flatMap((request) => {
    const { answer, by, isAwaited, secret } = request
    const { life, name } = world.processes[by]!
    const next: Array<Step> = []
    if (answer === undefined) next.push(stepOf(`the service acts on ${name}'s ${secret}`, served(world, request)))
    if (!isAwaited || life !== "awake") return next
    if (answer !== undefined) {
      const gone = fated(replaced(world, request, []), request, answer === "Dead" ? "refused" : "unknown")
      next.push(stepOf(`the answer reaches ${name}: ${answer}`, onAnswer(gone, by, responseTo(request, answer, world))))
    }
    if (world.left.faults === 0) return next
    const less = fault(world)
    const rest = answer === undefined ? [{ ...request, isAwaited: false }] : []
    next.push(stepOf(`${name} gets no answer, and gives up`, onAnswer(replaced(less, request, rest), by, inDoubt)))
    if (answer === undefined) {
      const gone = fated(replaced(less, request, []), request, "not received")
      next.push(
        stepOf(
          `${name}'s request gets a 429`,
          onAnswer(gone, by, { _tag: "NotSpent", phase: "Throttled", reason: "", retryAfter: undefined })
        ),
        stepOf(`${name}'s request gets lost on its way`, onAnswer(replaced(less, request, []), by, inDoubt))
      )
    }
    return next
  })

/** The steps that a process may delay. */
const ofProcess = (world: World, index: number): ReadonlyArray<Step> => {
  const process = world.processes[index]!
  const { at, known, life, name } = process
  const next: Array<Step> = []
  const step = (label: string, to: World) => next.push(stepOf(`${name} ${label}`, to))
  if (life === "dead") {
    if (world.left.boots > 0)
      step("starts again", {
        ...spend(world, "boots"),
        processes: world.processes.map((one, i) =>
          i === index ? boot(name, `${name}${world.left.boots}`, world.row) : one
        )
      })
    return next
  }
  if (at._tag === "Closed") return next
  if (world.left.faults > 0) {
    const requests = world.requests.flatMap((one) =>
      one.by === index && one.isAwaited ? (one.answer === undefined ? [{ ...one, isAwaited: false }] : []) : [one]
    )
    step("is killed", excused({ ...change(fault(world), index, { life: "dead" }), requests }, "killed"))
    if (life === "awake" && at._tag !== "Idle") step("is frozen", change(fault(world), index, { life: "frozen" }))
  }
  if (life === "frozen") return (step("wakes", change(world, index, { life: "awake" })), next)
  next.push(...steps(world, index))
  if (known.unstored !== undefined && at._tag !== "Storing") {
    next.push(
      ...persist(world, name, known.unstored, {
        stored: (done, final) => onStored(done, index, final),
        failed: (done) => done
      })
    )
  }
  const session = liveSession(known)
  switch (at._tag) {
    case "Idle":
      if (session === undefined)
        step("makes a call without a session", start(world, index, { _tag: "Start", key: undefined, replaces: false }))
      else if (Judge.isAccessDead(world, session))
        step(
          `makes a call: ${Redacted.value(session.accessToken)} is refused`,
          start(world, index, { _tag: "Refresh", session, accessTokenRejected: true })
        )
      else if (world.left.early > 0)
        step(
          "refreshes before the token expires",
          start(spend(world, "early"), index, { _tag: "Refresh", session, accessTokenRejected: false })
        )
      if (world.left.closes > 0)
        step("is asked to end", change(spend(world, "closes"), index, { at: { _tag: "Closing" } }))
      break
    case "Waiting":
      if (storedOf(world).version !== at.version || known.watch.millis !== at.millis)
        step(
          "looks again",
          change(world, index, { at: { _tag: "Loading", purpose: at.purpose, hasTried: at.hasTried } })
        )
      break
    case "Connecting":
    case "Listening":
      if (process.stale > 0 || storedOf(world).record.lease?.isChallenged === true)
        step("renews its lease", renew(world, index))
      break
    case "Closing":
      next.push(...closing(world, index))
      break
    default:
  }
  return next
}

/** `writeOnShutdown` repeats for 45 seconds while the store fails. Then a claim is withdrawn, once. */
const closing = (world: World, index: number): ReadonlyArray<Step> => {
  const { known, name } = world.processes[index]!
  if (!mayClose(known, world)) return []
  const closed = change(takeBack(world, index), index, { at: { _tag: "Closed" } })
  return [stepOf(`${name} withdraws its claim, if it has one, and closes`, closed)]
}

/** Half a lease passes. Processes that can continue have done so, and holders that can renew have renewed. */
const time = (world: World): ReadonlyArray<Step> => {
  if (world.processes.some((one) => isAtOnce(one, world))) return []
  if (
    !world.processes.some(
      ({ at, known, life }) => life === "awake" && at._tag === "Waiting" && known.watch.millis < leaseTimeout
    )
  )
    return []
  const renewed = world.processes.reduce(
    (next, one, index) => (one.life === "awake" ? renew(next, index) : next),
    world
  )
  const hasRenewed = (index: number) => renewed.processes[index] !== world.processes[index] && renewed.store === "up"
  const processes = renewed.processes.map((one, index): Process => {
    const { at, known, life } = one
    if (life === "awake" && at._tag === "Waiting")
      return {
        ...one,
        known: { ...known, watch: { ...known.watch, millis: Math.min(leaseTimeout, known.watch.millis + 1) } }
      }
    if (at._tag === "Idle" || at._tag === "Closed" || life === "dead") return one
    return {
      ...one,
      stale: hasRenewed(index) ? 0 : Math.min(leaseTimeout, one.stale + 1),
      slept: life === "frozen" ? Math.min(leaseTimeout, one.slept + 1) : one.slept
    }
  })
  // A process that has not sent its secret yet must not send it afterwards. The freeze is no excuse.
  const isPast = processes.some(
    ({ at, slept, stale }) =>
      stale >= leaseTimeout && slept > 0 && ["Listening", "Applying", "Storing"].includes(at._tag)
  )
  const next = { ...renewed, processes }
  return [stepOf("half a lease passes", isPast ? excused(next, "frozen past its lease") : next)]
}

const ofStore = (world: World): ReadonlyArray<Step> => {
  const next: Array<Step> = []
  if (world.store !== "up") next.push(stepOf("the store takes writes again", { ...world, store: "up" }))
  for (const one of world.late) {
    const rest = { ...world, late: world.late.filter((other) => other !== one) }
    const isDone = world.store === "up" && storedOf(world).version === one.expected
    if (isDone) next.push(stepOf(`the late write of ${one.by} is done`, write(rest, one.by, one.record)))
  }
  if (world.left.faults === 0 || world.store !== "up") return next
  const less = fault(world)
  next.push(
    stepOf("the store takes no writes", { ...less, store: "readonly" }),
    stepOf("the store does not answer", { ...less, store: "down" })
  )
  if (world.before !== undefined && world.row !== world.before) {
    next.push(
      stepOf(
        "the store fails over to a replica without the last write",
        excused({ ...less, row: world.before, before: undefined }, "failover")
      )
    )
  }
  return next
}

const ofService = (world: World): ReadonlyArray<Step> =>
  world.left.expiries === 0
    ? []
    : world.service.flatMap((one, id) =>
        one.hasExpired || one.isRevoked
          ? []
          : [
              stepOf(`A${id}.${one.newest} expires`, {
                ...spend(world, "expiries"),
                service: world.service.map((other, at) => (at === id ? { ...one, hasExpired: true } : other))
              })
            ]
      )

export const nextOf = (world: World): ReadonlyArray<Step> => [
  ...ofService(world),
  ...world.processes.flatMap((_, index) => ofProcess(world, index)),
  ...ofRequests(world),
  ...time(world),
  ...ofStore(world)
]
