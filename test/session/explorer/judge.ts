/** Judges the invariants of docs/internals/session.md that exist in the small world. */
import { isNewer, pairId, type Session, type SessionRecord } from "@effect-custody/authentication/Session"
import * as Redacted from "effect/Redacted"
import { broken, numbersOf, type Process, type World } from "./world.ts"

export const isAccessDead = ({ service }: World, session: Session): boolean => {
  const [id, number] = numbersOf(Redacted.value(session.accessToken))
  const { hasExpired, isRevoked, newest } = service[id]!
  return isRevoked || number < newest || hasExpired
}

/** The owners that could continue a session of the service: the store, a live process, or one that waits for the answer. */
const keeperOf = (world: World, id: number): string | undefined => {
  const newest = `R${id}.${world.service[id]!.newest}`
  const has = (session: Session | undefined) => session !== undefined && Redacted.value(session.refreshToken) === newest
  if (has(world.row?.record.session)) return "the store has its newest tokens"
  const keeper = world.processes.find(
    ({ at, known, life }) =>
      life !== "dead" && at._tag !== "Closed" && (has(known.session) || (at._tag === "Storing" && has(at.session)))
  )
  return keeper && `${keeper.name} has its newest tokens`
}

/** `true` if the sender of a secret was frozen for longer than its lease, the exception of I1 and I5. */
const isForgiven = ({ excuses }: World): boolean => excuses.includes("frozen past its lease")

/** Judges I1 and I2 when a secret is sent. */
export const onSend = (world: World, process: Process, secret: string, session: Session | undefined): World => {
  const { excuses, requests, sent } = world
  const own = sent.filter((one) => one.secret === secret && one.owner === process.owner)
  const again = sent.filter((one) => one.secret === secret && one.fate !== "not received")
  const isLostByStore = excuses.includes("failover")
  if (own.some(({ fate }) => fate === "refused"))
    return broken(world, `I2: ${process.name} sends ${secret} again, which was refused to it`)
  if (secret === "key") {
    const isAgain = again.some(({ owner }) => owner === process.owner || !isLostByStore)
    return broken(world, isAgain ? `I2: ${process.name} sends the API key again` : undefined)
  }
  const open = requests.some((one) => one.isAwaited && one.secret.startsWith("R"))
  if (open && !isForgiven(world) && !isLostByStore)
    return broken(world, `I1: ${process.name} sends ${secret} while another request is in flight`)
  const [id, number] = numbersOf(secret)
  if (world.durable.includes(`A${id}.${number + 1}`) && !isForgiven(world) && !isLostByStore) {
    return broken(world, `I1: ${process.name} sends ${secret}, although what replaced it is stored`)
  }
  const isValid = session !== undefined && !isAccessDead(world, session)
  const isOwn = again.some(({ owner }) => owner === process.owner)
  return broken(
    world,
    again.length > 0 && isValid && (isOwn || !(isForgiven(world) || isLostByStore))
      ? `I2: ${process.name} sends ${secret} again, and its access token is valid`
      : undefined
  )
}

/** Judges I4 when a record is replaced. */
export const onWrite = (world: World, by: string, next: SessionRecord): World => {
  const [before, after] = [world.row?.record.session, next.session]
  const isLess = before !== undefined && (after === undefined || isNewer(before, after))
  return broken(
    world,
    isLess ? `I4: ${by} replaces ${pairId(before)} by ${after === undefined ? "nothing" : pairId(after)}` : undefined
  )
}

/**
 * Judges I5 when the service ends a session because of a spent token. A request without a listener was given up, or its
 * sender is dead.
 */
export const onReuse = (world: World, id: number, by: string, isAwaited: boolean): World => {
  const keeper =
    isAwaited && !isForgiven(world) && !world.excuses.includes("failover") ? keeperOf(world, id) : undefined
  return broken(world, keeper && `I5: ${by}'s spent token ends the session, although ${keeper}`)
}

/** Judges I5 when a process reports a lost session. */
export const onLost = (world: World, by: string, session: Session | undefined, answerLostAt: unknown): World => {
  if (session === undefined) return world
  const [id] = numbersOf(Redacted.value(session.refreshToken))
  if (world.service[id]!.isRevoked || isForgiven(world)) return world
  const keeper = keeperOf(world, id)
  if (keeper !== undefined) return broken(world, `I5: ${by} says that the session is lost, although ${keeper}`)
  const isSaid = answerLostAt !== undefined || world.excuses.includes("failover")
  return broken(world, isSaid ? undefined : `I5: ${by} does not say that an answer was lost`)
}

/** Judges I3, and the end of a world. */
export const onState = (world: World, isEnd: boolean): string | undefined => {
  for (const { at, known, life, name } of world.processes) {
    if (life !== "awake" || at._tag === "Closed") continue
    const token = known.session === undefined ? undefined : Redacted.value(known.session.accessToken)
    if (token !== undefined && known.isDurable && !world.durable.includes(token))
      return `I3: ${name} uses ${token} before it is stored`
    if (isEnd && at._tag !== "Idle") return `I6: ${name} waits for ever`
  }
  const areClosed = world.processes.every(({ at, life }) => at._tag === "Closed" && life === "awake")
  const isBurnt =
    world.row !== undefined &&
    world.row.record.spentKeys.length > 0 &&
    !world.isKeyUsed &&
    !world.sent.some(({ secret }) => secret === "key")
  if (areClosed && isBurnt && world.late.length === 0 && !world.excuses.includes("failover"))
    return "I2: an API key is used up without being sent"
  const unkept = world.processes.find(
    ({ at, known, life }) => life === "awake" && at._tag === "Closed" && known.unstored !== undefined
  )
  return unkept && world.store === "up" ? `I5: ${unkept.name} closes without storing the tokens it has` : undefined
}
