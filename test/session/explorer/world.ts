/** The small world of the explorer, an immutable value. A step makes another world. */
import { empty, type Session, type SessionRecord } from "@effect-custody/authentication/Session"
import * as Redacted from "effect/Redacted"
import { withFingerprint } from "../../../packages/authentication/src/secrets.ts"
import type { Holding, Purpose } from "../../../packages/authentication/src/decide.ts"
import type { Intent } from "@effect-custody/authentication/Session"
import { initial, type SessionState } from "../../../packages/authentication/src/sessionState.ts"
import type { TokenResponse } from "../../../packages/authentication/src/tokenEndpoint.ts"

/** The fixed time of all clocks. The decisions compare times only to end a pause, and every pause may be over. */
export const now = 1_000
export const environment = "http://127.0.0.1"
export const identity = { name: "acme", environment }

/** The goal of a process, and whether it has tried its API key. */
export interface Goal {
  readonly purpose: Purpose
  readonly hasTried: boolean
}

/** A goal whose secret is claimed. */
export interface Attempt extends Goal {
  /** The record that the claim replaced. */
  readonly priorIntent: Intent | undefined
}

interface Claimed {
  readonly attempt: Attempt
  readonly secret: Redacted.Redacted
  readonly mark: string | undefined
  readonly record: SessionRecord
}

/** The position in the program of `rotation.ts`. All but the first, `Waiting` and `Listening` continue at once. */
export type At =
  | { readonly _tag: "Idle" | "Closing" | "Closed" }
  | (Goal & { readonly _tag: "Loading" })
  /** Another process holds the lease. It looks again when the record or its watched time has changed. */
  | (Goal & { readonly _tag: "Waiting"; readonly version: number; readonly millis: number })
  /** It has written the claim for an API key. */
  | (Claimed & { readonly _tag: "Marking"; readonly version: number })
  | (Claimed & { readonly _tag: "Connecting"; readonly holding: Holding })
  | (Claimed & {
      readonly _tag: "Listening"
      readonly holding: Holding
      readonly before: Pick<SessionState, "sent" | "unsent">
    })
  /** It has an answer. Without a version it first loads the record. */
  | {
      readonly _tag: "Applying"
      readonly attempt: Attempt
      readonly response: TokenResponse
      readonly version: number | undefined
      readonly record: SessionRecord
    }
  | {
      readonly _tag: "Storing"
      readonly attempt: Attempt
      readonly version: number | undefined
      readonly record: SessionRecord
      readonly session: Session
    }

export interface Process {
  readonly name: string
  /** A new one after each boot. */
  readonly owner: string
  readonly life: "awake" | "frozen" | "dead"
  readonly known: SessionState
  readonly at: At
  /** The halves of a lease without a renewal, and the frozen halves, since its claim. */
  readonly stale: number
  readonly slept: number
}

export interface Row {
  readonly version: number
  readonly record: SessionRecord
}

export interface Request {
  readonly by: number
  readonly owner: string
  readonly secret: string
  readonly isAwaited: boolean
  /** `undefined`: in flight. */
  readonly answer: "Tokens" | "Dead" | undefined
}

/** A sent secret, for the judge. */
export interface Sent {
  readonly secret: string
  readonly owner: string
  readonly hasSlept: boolean
  readonly fate: "unknown" | "not received" | "refused"
}

/** The faults and events that are left. All faults count against one number. */
export interface Left {
  readonly faults: number
  readonly expiries: number
  readonly early: number
  readonly closes: number
  readonly boots: number
}

export interface World {
  readonly processes: ReadonlyArray<Process>
  readonly row: Row | undefined
  readonly before: Row | undefined
  readonly writes: number
  /** Unanswered writes that may still happen. */
  readonly late: ReadonlyArray<{ readonly by: string; readonly expected: number; readonly record: SessionRecord }>
  /** `readonly`: refuses writes. `down`: answers nothing. */
  readonly store: "up" | "readonly" | "down"
  /** The number of the newest refresh token of each session of the service. */
  readonly service: ReadonlyArray<{
    readonly newest: number
    readonly isRevoked: boolean
    readonly hasExpired: boolean
  }>
  readonly isKeyUsed: boolean
  readonly requests: ReadonlyArray<Request>
  readonly left: Left
  // Only the judge uses the following fields.
  readonly sent: ReadonlyArray<Sent>
  readonly durable: ReadonlyArray<string>
  readonly excuses: ReadonlyArray<string>
  readonly broken: string | undefined
}

export interface Step {
  readonly label: string
  readonly world: World
}

export const stepOf = (label: string, world: World): Step => ({ label, world })

const secrets = new Map<string, Redacted.Redacted>()
/** One object for each secret. */
export const secretOf = (text: string): Redacted.Redacted => {
  const known = secrets.get(text) ?? Redacted.make(text)
  secrets.set(text, known)
  return known
}
export const apiKey = withFingerprint(secretOf("key"))
/** A token names its session and its number: R0.1 is the refresh token of the second pair of the first session. */
export const tokens = (session: number, number: number) => ({
  accessToken: secretOf(`A${session}.${number}`),
  refreshToken: secretOf(`R${session}.${number}`)
})
export const numbersOf = (token: string): readonly [session: number, number: number] => {
  const [session, number] = token.slice(1).split(".")
  return [Number(session), Number(number)]
}

export interface Scene {
  readonly processes: number
  /** `true` if a session is stored. Otherwise there is only an API key. */
  readonly isStarted: boolean
  readonly left: Left
}

/** A process at its start. It has loaded the record, as `TokenService` does. */
export const boot = (name: string, owner: string, row: Row | undefined): Process => {
  const session = row?.record.session
  const known = session === undefined ? initial : { ...initial, session, isAdopted: true }
  return { name, owner, life: "awake", known, at: { _tag: "Idle" }, stale: 0, slept: 0 }
}

export const begin = ({ isStarted, left, processes }: Scene): World => {
  const session = { generation: 0, startedAt: 1, obtainedAt: now, ...tokens(0, 0) }
  const record = { ...empty(environment), session, spentKeys: [`${apiKey.fingerprint} 0`] }
  const row = isStarted ? { version: 1, record } : undefined
  return {
    processes: ["A", "B", "C"].slice(0, processes).map((name) => boot(name, name, row)),
    row,
    before: undefined,
    writes: 1,
    late: [],
    store: "up",
    service: isStarted ? [{ newest: 0, isRevoked: false, hasExpired: false }] : [],
    isKeyUsed: isStarted,
    requests: [],
    left,
    sent: [],
    durable: isStarted ? ["A0.0"] : [],
    excuses: [],
    broken: undefined
  }
}

/** Changes one process of a world. */
export const change = (world: World, index: number, changes: Partial<Process>): World => ({
  ...world,
  processes: world.processes.map((one, at) => (at === index ? { ...one, ...changes } : one))
})

export const learn = (world: World, index: number, known: Partial<SessionState>): World =>
  change(world, index, { known: { ...world.processes[index]!.known, ...known } })

export const broken = (world: World, text: string | undefined): World =>
  world.broken === undefined && text !== undefined ? { ...world, broken: text } : world

export const excused = (world: World, excuse: string): World =>
  world.excuses.includes(excuse) ? world : { ...world, excuses: [...world.excuses, excuse] }

/** Fields without influence on decisions: for people, for pauses, and the number of writes. */
const ignored = new Set([
  "identity",
  "writes",
  "usedSince",
  "hasUnusedKey",
  "replacedSecrets",
  "pause",
  "isRefused",
  "rotation",
  "cachedKey",
  "stack",
  "message",
  "support"
])

const texts = new WeakMap<object, string>()

/** Formats a part of a world. A version stays a placeholder: `#`, the number, `;`. */
const textOf = (value: unknown): string => {
  if (typeof value !== "object" || value === null) return String(value)
  const known = texts.get(value)
  if (known !== undefined) return known
  const text = Redacted.isRedacted(value) ? String(Redacted.value(value)) : partsOf(value)
  texts.set(value, text)
  return text
}

const partsOf = (value: object): string => {
  if (Array.isArray(value)) return `[${value.map(textOf).join()}]`
  let text = "{"
  for (const [name, one] of Object.entries(value)) {
    if (one === undefined || ignored.has(name)) continue
    text += name === "version" || name === "expected" ? `#${one};` : `${name}:${textOf(one)},`
  }
  return `${text}}`
}

/** A text that two worlds share if they have the same future. Versions count by their order, and only if they are used. */
export const keyOf = (world: World): string => {
  const { before, late, left, processes, row } = world
  const held = processes.map(({ at }) => ("holding" in at && at.holding._tag === "Held" ? at.holding.version : 0))
  const kept = left.faults > 0 ? before : undefined
  const live = [row?.version ?? 0, kept?.version ?? 0, ...held, ...late.map(({ expected }) => expected)]
  const ranks = new Map([...new Set(live)].toSorted((a, b) => a - b).map((version, rank) => [version, rank]))
  return partsOf({ ...world, before: kept }).replaceAll(
    /#(\d+);/g,
    (_, version) => `v${ranks.get(Number(version)) ?? "-"};`
  )
}
