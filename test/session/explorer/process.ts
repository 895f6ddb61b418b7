/** The steps of one process: a small interpreter of the effects that `rotation.ts` runs around the pure decisions. */
import type { Session, SessionRecord } from "@effect-custody/authentication/Session"
import { empty, isNewer, pairId } from "@effect-custody/authentication/Session"
import type { Stored } from "@effect-custody/authentication/TokenStore"
import * as Redacted from "effect/Redacted"
import type { TokenResponse } from "../../../packages/authentication/src/tokenEndpoint.ts"
import {
  afterRenewal,
  onLook,
  onRenewal,
  onResponse,
  type Purpose
} from "../../../packages/authentication/src/decide.ts"
import * as SessionState from "../../../packages/authentication/src/sessionState.ts"
import {
  type EndReason,
  endReason,
  isEndReason,
  merge,
  watch,
  withoutClaims,
  withoutMarks
} from "../../../packages/authentication/src/record.ts"
import { sameSecret } from "../../../packages/authentication/src/secrets.ts"
import * as Judge from "./judge.ts"
import { isHeld, leaseTimeout } from "./rules.ts"
import { apiKey, type At, change, environment, identity, learn, now, type Step, stepOf, type World } from "./world.ts"

export const storedOf = ({ row }: World): Stored => row ?? { version: 0, record: empty(environment) }

export const fault = (world: World): World => ({ ...world, left: { ...world.left, faults: world.left.faults - 1 } })

/** Replaces the record. */
export const write = (world: World, by: string, record: SessionRecord): World => {
  const judged = Judge.onWrite(world, by, record)
  const access = record.session && Redacted.value(record.session.accessToken)
  const durable = access === undefined || world.durable.includes(access) ? world.durable : [...world.durable, access]
  const writes = world.writes + 1
  return { ...judged, before: world.row, row: { version: writes, record }, writes, durable }
}

interface Outcomes {
  readonly written: (world: World, version: number) => World
  readonly conflict: (world: World) => World
  readonly failed: (world: World) => World
}

/** A compare-and-swap. It may fail, succeed without an acknowledgement, or happen later. */
const swap = (
  world: World,
  by: string,
  version: number | undefined,
  record: SessionRecord,
  what: string,
  then: Outcomes
): ReadonlyArray<Step> => {
  if (version === undefined) return [stepOf(`${by} knows that the record was written to`, then.conflict(world))]
  if (world.store !== "up") return [stepOf(`${by} cannot write ${what}`, then.failed(world))]
  if (storedOf(world).version !== version)
    return [stepOf(`${by} cannot write ${what}: a conflict`, then.conflict(world))]
  const done = write(world, by, record)
  const steps = [stepOf(`${by} writes ${what}`, then.written(done, done.writes))]
  if (world.left.faults > 0) {
    const less = fault(world)
    steps.push(
      stepOf(`${by} writes ${what}: the store fails`, then.failed(less)),
      stepOf(`${by} writes ${what}: done, but the acknowledgement is lost`, then.failed(write(less, by, record))),
      stepOf(
        `${by} writes ${what}: no answer, it may be done later`,
        then.failed({ ...less, late: [...less.late, { by, expected: version, record }] })
      )
    )
  }
  return steps
}

/** The end of a rotation: withdraws unused claims (`withdrawSoon`). */
const finish = (world: World, index: number): World =>
  takeBack(change(world, index, { stale: 0, slept: 0, at: { _tag: "Idle" } }), index)

const goTo = (world: World, index: number, at: At): World => change(world, index, { at })

/** `state.use` */
const use = (world: World, index: number, session: Session, isDurable: boolean): World =>
  learn(world, index, {
    ...SessionState.inUse(session, isDurable, 0)(world.processes[index]!.known),
    replacedSecrets: [],
    unaccepted: 0
  })

/** `state.adopt` */
const adopt = (world: World, index: number, session: Session): World => {
  const current = SessionState.liveSession(world.processes[index]!.known)
  const isCurrent =
    current !== undefined && pairId(current) === pairId(session) && sameSecret(current.accessToken, session.accessToken)
  return isCurrent ? world : use(world, index, session, true)
}

/** `state.end` */
const end = (world: World, index: number, error: EndReason, session: Session | undefined): World => {
  const { name } = world.processes[index]!
  const told = learn(world, index, { end: error })
  return error._tag === "SessionLost" ? Judge.onLost(told, name, session, error.answerLostAt) : told
}

/** The start of `run`, after `claims.withdraw`. */
export const start = (world: World, index: number, purpose: Purpose): World =>
  goTo(takeBack(world, index), index, { _tag: "Loading", purpose, hasTried: false })

/**
 * `look`, and the next step of `run`. A load and the write that follows it at once are one step, because an event between
 * them only leads to a conflict and the same load.
 */
const onLoading = (world: World, index: number, at: Extract<At, { _tag: "Loading" }>): ReadonlyArray<Step> => {
  const { known, name, owner } = world.processes[index]!
  const { hasTried, purpose } = at
  const local = SessionState.liveSession(known)
  const isAhead = purpose._tag === "Refresh" && local !== undefined && isNewer(local, purpose.session)
  if (isAhead || (purpose._tag === "Refresh" && known.end !== undefined)) {
    return [stepOf(`${name} has a newer session, or knows its end`, finish(world, index))]
  }
  if (world.store === "down") return [stepOf(`${name} cannot load the record`, finish(world, index))]
  const stored = storedOf(world)
  const decision = onLook({ identity, owner, leaseTimeout }, purpose, known, stored, now)
  const next = learn(world, index, { watch: watch(known.watch, stored) })
  const step = (what: string, to: World): ReadonlyArray<Step> => [
    stepOf(`${name} loads the record (${purpose._tag}): ${what}`, to)
  ]
  const again = (done: World) => goTo(done, index, at)
  const failed = (done: World) => finish(done, index)
  switch (decision._tag) {
    case "Adopt":
      return step(`adopts ${pairId(decision.session)}`, finish(adopt(next, index, decision.session), index))
    case "Wait": {
      const millis = known.watch.version === stored.version ? known.watch.millis : 0
      const waiting: At = { ...at, _tag: "Waiting", version: stored.version, millis }
      return step("waits for the holder of the lease", goTo(next, index, waiting))
    }
    case "Challenge":
      return swap(next, name, stored.version, decision.record, "a challenge to the silent holder", {
        written: again,
        conflict: again,
        failed
      })
    case "KeepServing": {
      const { ambiguousSince } = decision
      return step("uses the access token it has", finish(learn(next, index, { ambiguousSince }), index))
    }
    case "Fail": {
      const { error } = decision
      return step("fails", finish(isEndReason(error) ? end(next, index, error, stored.record.session) : next, index))
    }
    case "NeedKey": {
      if (!hasTried) {
        const key: Purpose = { _tag: "Start", key: apiKey, replaces: false }
        return step("needs an API key", goTo(next, index, { _tag: "Loading", purpose: key, hasTried: true }))
      }
      const told = decision.end === undefined ? next : end(next, index, decision.end, stored.record.session)
      return step("has no other API key", finish(told, index))
    }
    case "Send": {
      const refusal = SessionState.findSent(known, decision.secret)?.refusal
      if (refusal !== undefined) {
        const { priorIntent, response } = refusal
        const attempt = { purpose, hasTried, priorIntent }
        const { record } = decision
        const applying: At = { _tag: "Applying", attempt, response, version: stored.version, record }
        return step("remembers that the token was refused", goTo(next, index, applying))
      }
      // `claims.claim`: the mark must be withdrawn unless the key is sent.
      const { mark, priorIntent, secret } = decision
      const others = known.unsent.filter((one) => one !== mark)
      const claim = withoutMarks(decision.record, others)
      const claiming = mark === undefined ? next : learn(next, index, { unsent: [...others, mark] })
      return swap(claiming, name, stored.version, claim, "its claim", {
        written: (done, version) => {
          const attempt = { purpose, hasTried, priorIntent }
          const marking = { _tag: "Marking" as const, attempt, secret, mark, record: claim, version }
          return mark === undefined ? connect(done, index, marking) : goTo(done, index, marking)
        },
        conflict: again,
        failed
      })
    }
  }
}

type Marking = Extract<At, { _tag: "Marking" }>

/** Writes the claim with the mark of an API key. */
const connect = (world: World, index: number, { version, ...at }: Marking): World =>
  change(world, index, {
    stale: 0,
    slept: 0,
    at: { ...at, _tag: "Connecting", holding: { _tag: "Held", version, since: 0 } }
  })

/** `claims.claim`: the mark. */
const onMarking = (world: World, index: number, at: Marking): ReadonlyArray<Step> => {
  const record = { ...at.record, spentKeys: [...at.record.spentKeys, at.mark!] }
  return swap(world, world.processes[index]!.name, at.version, record, "the mark of the API key", {
    written: (done, version) => connect(done, index, { ...at, record, version }),
    conflict: (done) => goTo(done, index, { ...at.attempt, _tag: "Loading" }),
    failed: (done) => finish(done, index)
  })
}

/** `send`: the first byte can be written now. A process that has lost its lease sends nothing. */
const onConnecting = (world: World, index: number, at: Extract<At, { _tag: "Connecting" }>): ReadonlyArray<Step> => {
  const process = world.processes[index]!
  const { known, name, owner } = process
  const { attempt, mark, secret } = at
  const { purpose } = attempt
  const noted = learn(world, index, {
    ...SessionState.addSent({ secret, at: now, mark })(known),
    unsent: known.unsent.filter((one) => one !== mark)
  })
  const listening: At = { ...at, _tag: "Listening", before: { sent: known.sent, unsent: known.unsent } }
  const unsent = (from: World, label: string): Step => ({
    label,
    world: onAnswer(goTo(from, index, listening), index, notSent)
  })
  if (!isHeld(process, at.holding)) return [unsent(noted, `${name} has lost its lease, and sends nothing`)]
  const text = Redacted.value(secret)
  const judged = Judge.onSend(noted, process, text, purpose._tag === "Refresh" ? purpose.session : undefined)
  const sent = {
    ...judged,
    requests: [...judged.requests, { by: index, owner, secret: text, isAwaited: true, answer: undefined }],
    sent: [...judged.sent, { secret: text, owner, hasSlept: false, fate: "unknown" as const }]
  }
  return [
    stepOf(`${name} sends ${text}`, goTo(sent, index, listening)),
    ...(world.left.faults > 0 ? [unsent(fault(noted), `${name} cannot connect, and sends nothing`)] : [])
  ]
}

export const notSent: TokenResponse = { _tag: "NotSpent", phase: "NotSent", reason: "", retryAfter: undefined }

/** The end of `send` and of `attempt`. */
export const onAnswer = (world: World, index: number, response: TokenResponse): World => {
  const { at, known } = world.processes[index]!
  if (at._tag !== "Listening") return world
  const { attempt, before, holding, record, secret } = at
  const version = holding._tag === "Held" ? holding.version : undefined
  const applying: At = { _tag: "Applying", attempt, response, version, record }
  if (response._tag === "NotSpent") return goTo(learn(world, index, before), index, applying)
  if (response._tag !== "Dead" || attempt.purpose._tag === "Start") return goTo(world, index, applying)
  const rejected = SessionState.addRefusal(secret, { response, priorIntent: attempt.priorIntent })(known)
  return goTo(learn(world, index, rejected), index, { ...applying, version: undefined })
}

/** `apply`, once. Without a version it first loads the record. */
const onApplying = (world: World, index: number, at: Extract<At, { _tag: "Applying" }>): ReadonlyArray<Step> => {
  const { known, name, owner } = world.processes[index]!
  const { attempt, response } = at
  const { priorIntent, purpose } = attempt
  const again: At = { _tag: "Loading", purpose, hasTried: attempt.hasTried }
  if (at.version === undefined && response._tag !== "Tokens") {
    if (world.store === "down") return [stepOf(`${name} cannot load the record again`, finish(world, index))]
    const stored = storedOf(world)
    const record = SessionState.withMarks(stored.record, known)
    return [
      stepOf(`${name} loads the record again`, goTo(world, index, { ...at, version: stored.version, record })),
      ...(world.left.faults > 0 ? [stepOf(`${name} cannot load the record again`, finish(fault(world), index))] : [])
    ]
  }
  const decision = onResponse(identity, at.record, {
    purpose,
    owner,
    response,
    priorIntent,
    now
  })
  const written = (
    record: SessionRecord | undefined,
    what: string,
    then: (world: World) => World
  ): ReadonlyArray<Step> =>
    record === undefined
      ? [stepOf(`${name} ${what}`, then(world))]
      : swap(world, name, at.version, record, what, {
          written: then,
          failed: then,
          conflict: (next) => goTo(next, index, { ...at, version: undefined })
        })
  switch (decision._tag) {
    case "Adopt":
      return [
        stepOf(`${name} adopts ${pairId(decision.session)}`, finish(adopt(world, index, decision.session), index))
      ]
    case "Defer":
      return [stepOf(`${name} leaves the record to its new holder`, goTo(world, index, again))]
    case "Store": {
      const { record, session } = decision
      const storing: At = { _tag: "Storing", attempt, version: at.version, record, session }
      return [stepOf(`${name} has new tokens`, goTo(world, index, storing))]
    }
    case "Release":
      return written(decision.record, "that its attempt brought no tokens", (next) => {
        const noted = learn(next, index, { ambiguousSince: decision.ambiguousSince })
        // `millisAfter`: a first doubt allows one more attempt at once.
        return response._tag === "InDoubt" && priorIntent === undefined
          ? goTo(noted, index, again)
          : finish(noted, index)
      })
    case "End":
      return written(decision.record, "that the secret was refused", (next) =>
        finish(
          isEndReason(decision.error) && purpose._tag === "Refresh"
            ? end(next, index, decision.error, purpose.session)
            : next,
          index
        )
      )
  }
}

/** `writer.write`: calls use the session once it is stored, or once the failure is reported. */
const onStoring = (world: World, index: number, at: Extract<At, { _tag: "Storing" }>): ReadonlyArray<Step> => {
  const { name } = world.processes[index]!
  const { attempt, record, session } = at
  const stored = (next: World, final: SessionRecord): World => {
    const cleared = learn(next, index, { unstored: undefined })
    const kept = final.session ?? session
    if (sameSecret(kept.accessToken, session.accessToken)) return finish(use(cleared, index, kept, true), index)
    return endReason(identity, final) === undefined
      ? finish(adopt(cleared, index, kept), index)
      : goTo(cleared, index, { _tag: "Loading", purpose: attempt.purpose, hasTried: attempt.hasTried })
  }
  const failed = (next: World) => finish(use(learn(next, index, { unstored: record }), index, session, false), index)
  if (at.version !== undefined) {
    return swap(world, name, at.version, record, "the new session", {
      written: (next) => stored(next, record),
      conflict: (next) => goTo(next, index, { ...at, version: undefined }),
      failed
    })
  }
  return persist(world, name, record, { stored, failed })
}

/** `store.persist` after a conflict: loads, merges and swaps; a conflict only repeats it. */
export const persist = (
  world: World,
  name: string,
  record: SessionRecord,
  then: { readonly stored: (world: World, final: SessionRecord) => World; readonly failed: (world: World) => World }
): ReadonlyArray<Step> => {
  if (world.store === "down") return [stepOf(`${name} cannot store the new session`, then.failed(world))]
  const found = storedOf(world)
  const next = merge(found.record, record)
  if (next === undefined)
    return [stepOf(`${name} finds a session in the store that stands`, then.stored(world, found.record))]
  return swap(world, name, found.version, next, "the new session over what is there", {
    written: (done) => then.stored(done, next),
    conflict: (done) => done,
    failed: then.failed
  })
}

/** `onStored`: the store finally has an unstored session, or a newer one. */
export const onStored = (world: World, index: number, final: SessionRecord): World => {
  const { session } = world.processes[index]!.known
  const cleared = learn(world, index, { unstored: undefined })
  const { session: stored } = final
  if (stored !== undefined && session !== undefined && isNewer(stored, session)) {
    return endReason(identity, final) === undefined ? adopt(cleared, index, stored) : cleared
  }
  return learn(cleared, index, { isDurable: true })
}

/** `withdraw`, as one step, because a conflict only repeats it. The next rotation repeats a failure. */
export const takeBack = (world: World, index: number): World => {
  const { known, owner } = world.processes[index]!
  if (known.unsent.length === 0 || world.store !== "up") return world
  const { record } = storedOf(world)
  const rest = withoutClaims(record, owner, known.unsent)
  if (rest !== record && record.lease !== undefined && record.lease.owner !== owner) return world
  return learn(rest === record ? world : write(world, owner, rest), index, { unsent: [] })
}

/** `whileRenewing`: reads after a conflict, and renews. */
export const renew = (world: World, index: number): World => {
  const process = world.processes[index]!
  const { at, owner } = process
  if ((at._tag !== "Listening" && at._tag !== "Connecting") || at.holding._tag === "Taken" || world.store !== "up")
    return world
  const { holding } = at
  const renewal = onRenewal(at.record, holding.version, storedOf(world), now)
  if (renewal.record === undefined) {
    return goTo(world, index, { ...at, holding: afterRenewal(holding, renewal, holding.version, 0) })
  }
  const next = write(world, owner, renewal.record)
  const renewed = afterRenewal(holding, renewal, next.writes, 0)
  return change(next, index, { stale: 0, slept: 0, at: { ...at, holding: renewed } })
}

/** The next steps of a process by itself. */
export const steps = (world: World, index: number): ReadonlyArray<Step> => {
  const { at } = world.processes[index]!
  switch (at._tag) {
    case "Loading":
      return onLoading(world, index, at)
    case "Marking":
      return onMarking(world, index, at)
    case "Connecting":
      return onConnecting(world, index, at)
    case "Applying":
      return onApplying(world, index, at)
    case "Storing":
      return onStoring(world, index, at)
    default:
      return []
  }
}
