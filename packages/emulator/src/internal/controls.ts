/** What a test, a checker or an operator can do to the service. */
import * as Clock from "effect/Clock"
import type { ConfigurationInvalid } from "@effect-custody/core/SdkError"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import type { Fault } from "../Fault.ts"
import * as Options from "../Options.ts"
import type { Counts, Received, SessionSummary } from "../Received.ts"
import type { Faults } from "./faults.ts"
import type { Journal } from "./journal.ts"
import * as Sessions from "./sessions.ts"
import type { World } from "./world.ts"

/** The controls of an emulator, the same in process and behind a socket. */
export interface Controls {
  /** A new one-time API key. `vaultId` (default: 1) is the vault that its session will belong to. */
  readonly issueApiKey: (options?: { readonly vaultId?: number | undefined }) => Effect.Effect<Redacted.Redacted>
  /** How long the access tokens live that are issued from now on. */
  readonly setTokenLifetime: (lifetime: Duration.Input) => Effect.Effect<void, ConfigurationInvalid>
  /** Changes the quirks that are given, from the next request on. */
  readonly setQuirks: (quirks: Options.QuirksInput) => Effect.Effect<void, ConfigurationInvalid>
  /** Every access token that was issued expires now. */
  readonly expireTokens: Effect.Effect<void>
  /** No token that was issued is accepted from now on, and none can be refreshed. */
  readonly revokeSessions: Effect.Effect<void>
  /** The requests that were received, oldest first; with `after`, those with a higher sequence. */
  readonly received: Effect.Effect<ReadonlyArray<Received>>
  readonly receivedAfter: (sequence: number) => Effect.Effect<ReadonlyArray<Received>>
  /** The requests that are received from now on, each when it has been answered. */
  readonly exchanges: Stream.Stream<Received>
  /** The service's own counts, exact from the start. */
  readonly counts: Effect.Effect<Counts>
  /** The sessions as the service knows them. */
  readonly sessions: Effect.Effect<ReadonlyArray<SessionSummary>>
  /** What goes wrong next. */
  readonly faults: {
    /**
     * Plays a fault on the next request of an operation, such as `authentication.refreshToken`, or `*` for any; several
     * are played one after the other. `times` (default: 1) may be `Infinity`.
     */
    readonly next: (
      operation: string,
      fault: Fault,
      options?: { readonly times?: number | undefined }
    ) => Effect.Effect<void>
    /** How many are still to be played, by operation. */
    readonly pending: Effect.Effect<Readonly<Record<string, number>>>
    /** Nothing goes wrong from now on. */
    readonly clear: Effect.Effect<void>
  }
}

const defaultVault = 1

export const makeControls = (options: {
  readonly world: World
  readonly journal: Journal
  readonly faults: Faults
}): Controls => {
  const { faults, journal, world } = options
  const change = (changes: Options.Options): Effect.Effect<void, ConfigurationInvalid> =>
    Effect.suspend(() => Effect.fromResult(Options.settle(world.settings, changes))).pipe(
      Effect.map((settings) => {
        world.settings = settings
      })
    )
  const receivedAfter = (sequence: number) => Effect.sync(() => journal.received(sequence))
  return {
    issueApiKey: (options) =>
      Effect.sync(() =>
        Redacted.make(Sessions.issueApiKey(world, options?.vaultId ?? defaultVault), { label: "apiKey" })
      ),
    setTokenLifetime: (tokenLifetime) => change({ tokenLifetime }),
    setQuirks: (quirks) => change({ quirks }),
    expireTokens: Effect.map(Clock.currentTimeMillis, (now) => Sessions.expireAll(world, now)),
    revokeSessions: Effect.sync(() => Sessions.revokeAll(world)),
    received: receivedAfter(0),
    receivedAfter,
    exchanges: Stream.callback<Received>((queue) =>
      Effect.acquireRelease(
        Effect.sync(() => journal.listen((received) => void Queue.offerUnsafe(queue, received))),
        (stop) => Effect.sync(stop)
      )
    ),
    counts: Effect.sync(() => journal.counts(Sessions.rotations(world))),
    sessions: Effect.sync(() => Sessions.summaries(world)),
    faults: {
      next: (operation, fault, options) => Effect.sync(() => faults.add(operation, fault, options?.times ?? 1)),
      pending: Effect.sync(() => faults.pending()),
      clear: Effect.sync(() => faults.clear())
    }
  }
}
