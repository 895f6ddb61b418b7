/** The messages between the workers and the command that kills them, as lines of JSON. */
import type { TokenStoreError } from "@effect-custody/core"

/** The options of a worker, apart from its name. */
export interface Start {
  readonly store:
    | { readonly _tag: "sqlite"; readonly path: string }
    | { readonly _tag: "postgres"; readonly url: string }
    | { readonly _tag: "redis"; readonly url: string; readonly replicas?: number }
  readonly key: string
  readonly baseUrl: string
  readonly leaseMillis: number
  /** The time limit of a refresh. */
  readonly requestMillis: number | undefined
  /** A bug to plant in the worker. */
  readonly bug: string | undefined
}

/** An instruction to read with a session, which the worker may start with the key. */
export interface Instruction {
  readonly identity: string
  readonly apiKey: string
  readonly round: number
}

/**
 * The progress of a worker with a session.
 *
 * - `waits`: it has seen another worker's lease;
 * - `claims`: it writes its own lease;
 * - `claimed`, `renewed`: the store has its lease;
 * - `yields`: another worker was faster;
 * - `sends`: it sends the one-time secret now;
 * - `stored`: it has stored the next generation;
 * - `ended`: it has stored that the session cannot continue;
 * - `released`: it has given up the lease, and nothing else has changed;
 * - `withdrawn`: it has given up the lease, and the API key was not used;
 * - `adopted`: it uses a generation that another worker has stored.
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

/** A phase and the stored generation, -1 if there is none. */
export interface PhaseMessage {
  readonly what: Phase
  readonly identity: string
  readonly generation: number
}

/** A call that has ended, of a worker that calls all the time. */
export interface Call {
  readonly what: "call"
  readonly identity: string
  readonly began: number
  /** "ok", or the tag of the error. */
  readonly tag: string
}

export type Message =
  | { readonly what: "ready" }
  | PhaseMessage
  | { readonly what: "read"; readonly identity: string; readonly round: number; readonly tag: string }
  | Call
  | { readonly what: "failed"; readonly operation: TokenStoreError["operation"]; readonly reason: string }

export type TimedMessage = Message & { readonly at: number }

/** The header that names the worker in each of its requests. The emulator reports the names of headers. */
export const senderHeader = (worker: string): string => `x-sent-by-${worker}`
/** Reads the worker from the headers of a request. */
export const readSender = (headers: ReadonlyArray<string>): string | undefined =>
  headers.find((name) => name.startsWith(senderHeader("")))?.slice(senderHeader("").length)

/** Milliseconds on the monotonic clock that all processes of a host share. */
export const clock = (): number => Number(process.hrtime.bigint() / 1_000n) / 1_000
