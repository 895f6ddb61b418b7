/** The session part of the custody service: its rules, its unknowns, and its log of requests. */
import type { Chance } from "./chance.ts"
import type { Kernel } from "./kernel.ts"

/** The behavior that the specification leaves open, drawn for every run. */
export interface Unknowns {
  readonly oldAccessTokenOutlivesRotation: boolean
  readonly reuseGrace: number
  readonly reuseRevokes: boolean
  readonly activation: number
  readonly lifetime: number
  readonly expiry: "told" | "missing" | "seconds" | "past" | "text"
}

/** An answer: its status, and its optional code, fields and `Retry-After` in milliseconds. */
export interface StatusAnswer {
  readonly status: number
  readonly code?: string
  /** The fields of a validation error. */
  readonly fields?: ReadonlyArray<string>
  /** The tokens in it that are only an example. */
  readonly example?: readonly [access: string, refresh: string]
  readonly retryAfter?: number
}

const examples = {
  placeholder: ["<accessToken>", "<refreshToken>"],
  credible: ["eyJhbGciOiJIUzI1NiJ9.example", "eyJhbGciOiJIUzI1NiJ9.refresh"]
} as const

/**
 * Answers that leave open whether the request was processed: a proxy that gave up, a failed service (with any code), a
 * redirect, an unreadable 2xx.
 */
export const inDoubt: ReadonlyArray<StatusAnswer> = [
  { status: 408 },
  { status: 499 },
  { status: 500 },
  { status: 500, code: "E01402" },
  { status: 500, code: "E40002" },
  { status: 500, code: "E01401" },
  { status: 500, code: "E01403" },
  { status: 502, code: "E00402" },
  { status: 502, code: "E00401" },
  { status: 503, retryAfter: 4_000 },
  { status: 499, retryAfter: 4_000 },
  { status: 504 },
  { status: 500, retryAfter: 4_000 },
  { status: 408, retryAfter: 4_000 },
  { status: 502, retryAfter: 15_000 },
  { status: 302 },
  { status: 200, code: "E01402" },
  { status: 200, example: examples.placeholder },
  { status: 503, example: examples.credible }
]

/** Answers that deny that the request was processed: it is too early, or a gateway stops it. */
export const notProcessed: ReadonlyArray<StatusAnswer> = [
  { status: 429 },
  { status: 429, code: "E99999", retryAfter: 4_000 },
  { status: 429, retryAfter: 15_000 },
  { status: 429, example: examples.credible },
  { status: 403, retryAfter: 15_000 },
  { status: 422 },
  { status: 422, code: "E00402", fields: ["tenant"], retryAfter: 15_000 },
  { status: 498 },
  { status: 498, retryAfter: 15_000 }
]

interface Session {
  readonly id: number
  generation: number
  isRevoked: boolean
}

/** A reused refresh token, for which the service has revoked the session. */
interface Reuse {
  readonly token: string
  readonly by: string
  readonly at: number
}

interface Access {
  readonly session: Session
  readonly generation: number
  readonly from: number
  readonly until: number
}

export interface Rotation {
  readonly session: number
  /** In the kernel's time, as all times in this log. */
  readonly at: number
  /** The accepted secret. */
  readonly from: string
  /** The issued refresh token. */
  readonly gave: string
  readonly to: string
  /** `true` if both tokens arrived in time on a connection of a live process. */
  isDelivered: boolean
  /** The time of the first stored record with it. */
  durableAt: number | undefined
}

interface Refresh {
  readonly session: Session
  readonly access: string
  spent: { readonly at: number; readonly pair: Pair } | undefined
}

export interface Pair {
  readonly accessToken: string
  readonly refreshToken: string
  readonly expiresAt: unknown
  readonly session: number
}

export const drawUnknowns = (chance: Chance): Unknowns => ({
  oldAccessTokenOutlivesRotation: chance.happens(0.6),
  reuseGrace: chance.of([0, 0, 3_000, 20_000]),
  reuseRevokes: chance.happens(0.5),
  activation: chance.of([0, 0, 0, 800]),
  lifetime: chance.between(4_000, 20_000),
  expiry: chance.of(["told", "told", "told", "told", "missing", "seconds", "past", "text"])
})

export class Service {
  readonly keys = new Map<string, { isUsed: boolean }>()
  readonly access = new Map<string, Access>()
  readonly refresh = new Map<string, Refresh>()
  readonly sessions: Array<Session> = []
  readonly rotations: Array<Rotation> = []
  readonly reuses: Array<Reuse> = []
  private serial = 0
  readonly unknowns: Unknowns
  private readonly kernel: Pick<Kernel, "now" | "time">

  constructor(unknowns: Unknowns, kernel: Pick<Kernel, "now" | "time">) {
    this.unknowns = unknowns
    this.kernel = kernel
  }

  issueKey(): string {
    const key = `secret-ak-${++this.serial}`
    this.keys.set(key, { isUsed: false })
    return key
  }

  start(key: string, by: string): Pair | undefined {
    const known = this.keys.get(key)
    if (known === undefined || known.isUsed) return undefined
    known.isUsed = true
    const session = { id: this.sessions.length, generation: 0, isRevoked: false }
    this.sessions.push(session)
    const pair = this.issue(session)
    this.rotations.push(this.rotation(key, pair, by))
    return pair
  }

  private issue(session: Session): Pair {
    const n = ++this.serial
    const now = this.kernel.now()
    const until = now + this.unknowns.lifetime
    const accessToken = `secret-access-token-${n}`
    const refreshToken = `secret-refresh-token-${n}`
    this.access.set(accessToken, {
      session,
      generation: session.generation,
      from: now + this.unknowns.activation,
      until
    })
    this.refresh.set(refreshToken, { session, access: accessToken, spent: undefined })
    return { accessToken, refreshToken, session: session.id, expiresAt: told(this.unknowns.expiry, Math.floor(until)) }
  }

  rotate(refreshToken: string, by: string): Pair | undefined {
    const token = this.refresh.get(refreshToken)
    if (token === undefined || token.session.isRevoked) return undefined
    if (token.spent !== undefined) {
      if (this.kernel.now() - token.spent.at < this.unknowns.reuseGrace) {
        const { pair } = token.spent
        this.rotations.push(this.rotation(refreshToken, pair, by))
        return pair
      }
      if (this.unknowns.reuseRevokes) {
        token.session.isRevoked = true
        this.reuses.push({ token: refreshToken, by, at: this.kernel.time })
      }
      return undefined
    }
    token.session.generation++
    const pair = this.issue(token.session)
    token.spent = { at: this.kernel.now(), pair }
    this.rotations.push(this.rotation(refreshToken, pair, by))
    return pair
  }

  private rotation(from: string, { refreshToken, session }: Pair, to: string): Rotation {
    return { session, at: this.kernel.time, from, gave: refreshToken, to, isDelivered: false, durableAt: undefined }
  }

  /** The status of a call with this token. */
  check(accessToken: string): 200 | 401 | 498 {
    const token = this.access.get(accessToken)
    const now = this.kernel.now()
    if (token === undefined || token.session.isRevoked || now < token.from) return 401
    if (token.generation < token.session.generation && !this.unknowns.oldAccessTokenOutlivesRotation) return 401
    return now >= token.until ? 498 : 200
  }

  /** `true` if the holder of the newest refresh token can still use the session. */
  isLive(refreshToken: string): boolean {
    const token = this.refresh.get(refreshToken)
    return token !== undefined && !token.session.isRevoked && token.spent === undefined
  }
}

const told = (how: Unknowns["expiry"], until: number): unknown => {
  switch (how) {
    case "told":
      return until
    case "missing":
      return undefined
    case "seconds":
      return Math.floor(until / 1000)
    case "past":
      return 1
    case "text":
      return String(until)
  }
}
