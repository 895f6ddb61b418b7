/** What the workers and the command that kills them say to each other: JSON, a line each. */
import type { TokenStoreError } from "@effect-custody/core"

/** What a worker is started with, beside its name. */
export interface Start {
  readonly store:
    | { readonly _tag: "sqlite"; readonly path: string }
    | { readonly _tag: "postgres"; readonly url: string }
  readonly key: string
  readonly baseUrl: string
  readonly leaseMillis: number
  /** How long it listens for the answer to a refresh. */
  readonly requestMillis: number | undefined
  /** A bug to plant in it: see that the account shows it. */
  readonly bug: string | undefined
}

/** What a worker is told: read with this session, which it may start with this key. */
export interface Told {
  readonly identity: string
  readonly apiKey: string
  readonly round: number
}

/**
 * How far a worker is with a session. `waits`: it has seen the lease of another; `claims`: its own is on its way to the
 * store; `claimed`, `renewed`: it is there; `yields`: another was faster; `sends`: the one-time secret leaves now;
 * `stored`: the next generation is; `ended`: the session is stored as one that cannot go on; `released`: the lease is
 * given back, and nothing else has changed; `withdrawn`: the same, and the API key was not used; `adopted`: what another
 * has stored is in use.
 */
export type Phase =
  | "waits"
  | "claims"
  | "claimed"
  | "yields"
  | "renewed"
  | "sends"
  | "stored"
  | "ended"
  | "released"
  | "withdrawn"
  | "adopted"

/** A phase, and the generation that it is about: the stored one, or -1 before there is any. */
export interface InPhase {
  readonly what: Phase
  readonly identity: string
  readonly generation: number
}

export type Saying =
  | { readonly what: "ready" }
  | InPhase
  | { readonly what: "read"; readonly identity: string; readonly round: number; readonly tag: string }
  | { readonly what: "failed"; readonly operation: TokenStoreError["operation"]; readonly reason: string }

export type Said = Saying & { readonly at: number }

/** The name of the header that each request of a worker has: the service tells the names of headers. */
export const headerOf = (worker: string): string => `x-sent-by-${worker}`
/** Which worker has sent a request with these headers. */
export const senderOf = (headers: ReadonlyArray<string>): string | undefined =>
  headers.find((name) => name.startsWith(headerOf("")))?.slice(headerOf("").length)

/** Milliseconds on a clock that all processes of a host share, and that nobody sets. */
export const clock = (): number => Number(process.hrtime.bigint() / 1_000n) / 1_000
