/**
 * Other ways to keep a session whose refresh token can be used once, as their projects describe them in public. Each
 * process reads a shared file, and refreshes when the token has expired by its own clock or after a 498.
 */
import { RefreshUnavailable, SessionLost, type SessionError } from "@effect-custody/core/SessionError"
import * as Sender from "@effect-custody/core/siblings/Sender"
import { type AccessToken, TokenService } from "@effect-custody/core/TokenService"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Semaphore from "effect/Semaphore"
import type { Process } from "../kernel.ts"
import { playExchange } from "../network.ts"
import { identity, remotely, type World } from "../world.ts"

/** What the shared file holds. */
export interface Kept {
  readonly generation: number
  readonly access: string
  readonly refresh: string
  readonly expiresAt: number
}

/** The file of a run and its lock. */
export interface Shared {
  kept: Kept
  holder: { readonly process: Process; readonly until: number } | undefined
}

/** Makes the session of one process. */
export type Contender = (world: World, process: Process, shared: Shared) => TokenService["Service"]

interface Disk {
  readonly read: Effect.Effect<Kept>
  readonly write: (kept: Kept) => Effect.Effect<void>
}

/** Refreshes after a token of a generation was rejected. Returns what is newer. */
type Refresh = (
  generation: number,
  spend: (kept: Kept) => Effect.Effect<Kept, SessionError>
) => Effect.Effect<Kept, SessionError>

const unavailable = (reason: string) =>
  new RefreshUnavailable({ identity, phase: "NotSent", reason, retryAt: DateTime.makeUnsafe(0) })

const diskOf = (world: World, process: Process, shared: Shared): Disk => {
  const visit = <A>(act: () => A) =>
    remotely(world, process, {
      there: world.chance.between(0.1, 2),
      back: world.chance.between(0.1, 2),
      act: () => Effect.sync(act)
    })
  return {
    read: visit(() => shared.kept),
    write: (kept) =>
      visit(() => {
        shared.kept = kept
      })
  }
}

/** Sends a refresh token. The answer says new tokens or no; without one, the next call tries again. */
const spendWith =
  (world: World, process: Process) =>
  (kept: Kept): Effect.Effect<Kept, SessionError> =>
    Effect.callback<Sender.Ended, SessionError>((resume) => {
      const request = HttpClientRequest.post("/auth/refresh-token").pipe(
        HttpClientRequest.bodyJsonUnsafe({ refreshToken: kept.refresh })
      )
      const giveUp = playExchange(world, process, request, {
        progress: Sender.makeProgress(() => true),
        onEnd: (exit) => resume(Exit.isSuccess(exit) ? Effect.succeed(exit.value) : unavailable("no answer"))
      })
      return Effect.sync(giveUp)
    }).pipe(
      Effect.timeoutOrElse({
        duration: world.requestTimeout,
        orElse: () => unavailable("no answer in time")
      }),
      Effect.flatMap((ended): Effect.Effect<Kept, SessionError> => {
        if (ended.ending !== "Whole") return unavailable("no whole answer")
        if (ended.status === 401) return new SessionLost({ identity, generation: kept.generation })
        if (ended.status !== 201) return unavailable(`HTTP ${ended.status}`)
        const { accessToken, expiresAt, refreshToken } = JSON.parse(ended.text()).data
        const generation = kept.generation + 1
        return Effect.succeed<Kept>({ generation, access: accessToken, refresh: refreshToken, expiresAt })
      })
    )

const tokenOf = ({ access, generation }: Kept): AccessToken => ({ value: Redacted.make(access), generation })

/** A session whose refreshes go as `makeRefresh` says. */
const contender =
  (makeRefresh: (disk: Disk, world: World, process: Process, shared: Shared) => Refresh): Contender =>
  (world, process, shared) => {
    const disk = diskOf(world, process, shared)
    const refresh = makeRefresh(disk, world, process, shared)
    let known: Kept | undefined
    const learn = (kept: Kept) => {
      known = kept
      return tokenOf(kept)
    }
    // A caller that gives up does not stop the refresh.
    const after = (generation: number) =>
      Effect.forkDetach(Effect.map(refresh(generation, spendWith(world, process)), learn)).pipe(
        Effect.flatMap(Fiber.join)
      )
    return {
      current: Effect.gen(function* () {
        const kept = known ?? (yield* disk.read)
        const now = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
        return kept.expiresAt > now ? learn(kept) : yield* after(kept.generation)
      }),
      rotate: after,
      reload: after,
      start: () => Effect.die("the session has started"),
      awaitStored: Effect.void,
      secrets: Effect.succeed([]),
      status: Effect.succeed({
        identity,
        state: "serving",
        generation: Option.none(),
        expiresAt: Option.none(),
        vaultId: Option.none(),
        hasUnusedKey: false
      }),
      subscribe: () => Effect.void
    }
  }

const spendAndWrite = (disk: Disk, generation: number, spend: (kept: Kept) => Effect.Effect<Kept, SessionError>) =>
  Effect.gen(function* () {
    const kept = yield* disk.read
    if (kept.generation > generation) return kept
    const next = yield* spend(kept)
    yield* disk.write(next)
    return next
  })

/** Every call that finds an expired token reads the file, and sends its refresh token. */
const noLock = contender((disk) => (generation, spend) => spendAndWrite(disk, generation, spend))

/** One refresh at a time in a process. Whoever waited uses its result. */
const processLock = contender((disk) => {
  const lock = Semaphore.makeUnsafe(1)
  return (generation, spend) => lock.withPermit(spendAndWrite(disk, generation, spend))
})

/** How long a process waits for the lock of the file: a fifth of 15 seconds, as all times of a run. */
const patience = 3_000

/**
 * One refresh at a time on all hosts, by a lock beside the file, and the file is read again under the lock. The system
 * frees the lock of a process that has ended. A lock that `expires` is free for others after that time as well.
 */
const fileLock = (expires = Infinity) =>
  contender((disk, world, process, shared) => {
    const lock = Semaphore.makeUnsafe(1)
    const take = Effect.gen(function* () {
      const since = world.kernel.time
      for (;;) {
        const { holder } = shared
        const isFree = holder === undefined || !holder.process.isAlive || holder.until < world.kernel.time
        if (isFree) {
          const mine = { process, until: world.kernel.time + expires }
          shared.holder = mine
          return mine
        }
        if (world.kernel.time - since > patience) return yield* unavailable("the file is locked")
        yield* Effect.sleep(world.chance.between(20, 60))
      }
    })
    const free = (mine: Shared["holder"]) =>
      Effect.sync(() => {
        if (shared.holder === mine) shared.holder = undefined
      })
    return (generation, spend) =>
      lock.withPermit(Effect.acquireUseRelease(take, () => spendAndWrite(disk, generation, spend), free))
  })

export const contenders = {
  "no lock": noLock,
  "a lock in the process": processLock,
  "a file lock, and the file read again": fileLock(),
  "a lock that expires, and the file read again": fileLock(2_000)
} as const satisfies Readonly<Record<string, Contender>>
