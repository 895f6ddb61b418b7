/** One emulator and one place for sessions, shared by any number of processes in virtual time. */
import { ApiKeySource, type Session, TokenStore, type VersionConflict } from "@effect-custody/authentication"
import { type CustodyClient, RetryPolicy, type SessionEvent, TokenService, TokenStoreError } from "@effect-custody/core"
import { CustodyEmulator, type Fault, type Options } from "@effect-custody/emulator"
import { Custody, Vaults } from "@effect-custody/sdk"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"

/** A fault of one store operation: it fails before or after it is done, never answers, or is slow. */
export type StoreFault =
  | "before"
  | "after"
  | "hang"
  | { readonly wait: number }
  | { readonly instead: Effect.Effect<never> }

type Operation = "load" | "compareAndSwap"

/** A place that several processes share. Each has its own store, and every store can fail. */
export const makePlace = Effect.gen(function* () {
  const inner = yield* Effect.map(Layer.build(Layer.fresh(TokenStore.layerMemory)), Context.get(TokenStore))
  const faults: Record<Operation, Array<StoreFault | undefined>> = { load: [], compareAndSwap: [] }
  let isBroken: Operation | undefined
  let howBroken: StoreFault = "before"
  let swaps = 0
  const records: Array<Session.SessionRecord> = []

  const failed = (operation: Operation) => Effect.fail(new TokenStoreError({ operation, reason: "out of order" }))
  const run = <A, E>(operation: Operation, effect: Effect.Effect<A, E>): Effect.Effect<A, E | TokenStoreError> =>
    Effect.suspend(() => {
      const fault = isBroken === operation ? howBroken : faults[operation].shift()
      if (fault === undefined) return effect
      if (fault === "before") return failed(operation)
      if (fault === "after") return Effect.andThen(effect, failed(operation))
      if (fault === "hang") return Effect.never
      return "wait" in fault ? Effect.delay(effect, fault.wait) : fault.instead
    })

  const store = (): TokenStore["Service"] =>
    TokenStore.of({
      load: (identity) => run("load", inner.load(identity)),
      compareAndSwap: (identity, version, next) =>
        run(
          "compareAndSwap",
          Effect.tap(inner.compareAndSwap(identity, version, next), () =>
            Effect.sync(() => {
              swaps++
              records.push(next)
            })
          )
        )
    })

  /** A store that stays silent after a number of writes, as for a process that was killed there. */
  const dyingAfter = (writes: number): TokenStore["Service"] => {
    let left = writes
    return TokenStore.of({
      load: (identity) => (left > 0 ? inner.load(identity) : Effect.never),
      compareAndSwap: (identity, version, next) =>
        left-- > 0 ? inner.compareAndSwap(identity, version, next) : Effect.never
    })
  }

  /** A store that never acknowledges its last write, as for a process that was killed right after it. */
  const deadAfter = (writes: number): TokenStore["Service"] => {
    let left = writes
    return TokenStore.of({
      load: inner.load,
      compareAndSwap: (...swap) =>
        Effect.filterOrElse(
          inner.compareAndSwap(...swap),
          () => --left > 0,
          () => Effect.never
        )
    })
  }

  return {
    store,
    dyingAfter,
    deadAfter,
    inner,
    records,
    swaps: () => swaps,
    /** The faults of the next operations in order. `undefined`: no fault. */
    next: (operation: Operation, ...next: ReadonlyArray<StoreFault | undefined>) =>
      Effect.sync(() => void faults[operation].push(...next)),
    /** Lets every operation of a kind fail from now on, or none. */
    broken: (operation: Operation | undefined, how: StoreFault = "before") =>
      Effect.sync(() => {
        isBroken = operation
        howBroken = how
      }),
    record: Effect.map(
      inner.load("default"),
      (stored) => Option.getOrThrowWith(stored, () => new Error("nothing is stored")).record
    ),
    /** Replaces the record at any version, as an operator or a backup does. */
    put: (record: Session.SessionRecord, identity = "default") =>
      Effect.gen(function* () {
        const stored = yield* inner.load(identity)
        const version = Option.match(stored, { onNone: () => 0, onSome: (there) => there.version })
        yield* inner.compareAndSwap(identity, version, record)
      }).pipe(Effect.catchTag("VersionConflict", (conflict: VersionConflict) => Effect.die(conflict)))
  }
})

/** Sends every call once, and leaves the pauses of the session as they are. */
const callsOnce = RetryPolicy.makeUnsafe({ read: { attempts: 1 }, keyed: { attempts: 1 }, write: { attempts: 1 } })

export const makeWorld = Effect.fnUntraced(function* (options: Options = {}) {
  const context = yield* Layer.build(Layer.fresh(CustodyEmulator.layerHttpClientWith(options)))
  const emulator = Context.get(context, CustodyEmulator)
  const http = Context.get(context, HttpClient.HttpClient)
  const place = yield* makePlace

  /** Starts a process: its own layer over the place. It can be closed, or abandoned as if it had been killed. */
  const boot = Effect.fnUntraced(function* (
    given: Partial<Custody.Options> & {
      readonly source?: ApiKeySource
      readonly store?: TokenStore["Service"]
      readonly http?: HttpClient.HttpClient
    } = {}
  ) {
    const { http: ownHttp, source, store, ...rest } = given
    const scope = yield* Scope.make()
    // The test does not wait, because the end of a process may need time that no longer passes.
    yield* Effect.addFinalizer(() => Effect.forkDetach(Scope.close(scope, Exit.void)))
    const layer = Layer.fresh(
      Custody.layer({ environment: emulator.environment, retry: callsOnce, ...rest }).pipe(
        Layer.provide([
          Layer.succeed(TokenStore, store ?? place.store()),
          Layer.succeed(HttpClient.HttpClient, ownHttp ?? http),
          ...(source === undefined ? [] : [Layer.succeed(ApiKeySource, source)])
        ])
      )
    )
    const built = yield* Layer.buildWithScope(layer, scope)
    const tokens = Context.get(built, TokenService)
    const events: Array<SessionEvent> = []
    yield* Scope.provide(
      tokens.subscribe((event) => void events.push(event)),
      scope
    )
    // Without the client's policy, so that a test can provide a policy around `use` and `read`.
    const services = Context.omit(RetryPolicy.RetryPolicy)(built) as typeof built
    const use = <A, E>(effect: Effect.Effect<A, E, CustodyClient | TokenService>): Effect.Effect<A, E> =>
      Effect.provideContext(effect, services)
    return {
      tokens,
      events,
      use,
      read: use(Vaults.details()),
      close: Scope.close(scope, Exit.void),
      context: built
    }
  })

  /** Starts a first process with a session, and lets time pass until it is stored. */
  const started = Effect.fnUntraced(function* (given: Parameters<typeof boot>[0] = {}) {
    const process = yield* boot({ apiKey: yield* emulator.issueApiKey(), ...given })
    yield* process.read
    return process
  })

  const fault = (next: Fault.Fault, times = 1) => emulator.faults.next("authentication.refreshToken", next, { times })

  return { emulator, http, place, boot, started, fault }
})

/** Runs an effect, and advances the time as far as it needs. Returns its exit. */
export const letTime = Effect.fnUntraced(function* <A, E>(
  effect: Effect.Effect<A, E>,
  step: number = 100,
  maxMillis: number = 300_000
) {
  const fiber = yield* Effect.forkChild(Effect.exit(effect))
  for (let waited = 0; waited < maxMillis && fiber.pollUnsafe() === undefined; waited += step) {
    // The platform makes the fingerprint of a key, which takes a moment of real time.
    yield* TestClock.withLive(Effect.sleep(waited % 1_000 === 0 ? 1 : 0))
    yield* TestClock.adjust(step)
  }
  return yield* Effect.flatten(fiber.pollUnsafe() === undefined ? Effect.die("it waits for ever") : awaited(fiber))
})

const awaited = <A>(fiber: { readonly pollUnsafe: () => Exit.Exit<A> | undefined }) =>
  Effect.suspend(() => fiber.pollUnsafe() ?? Effect.never)

/** Advances the time in steps, so that every fiber can do its due work at each moment. */
export const pass = (millis: number, step = 10) =>
  Effect.forEach(Array.from({ length: Math.ceil(millis / step) }), () => TestClock.adjust(step), { discard: true })

/** The tag of an effect's error, or "Succeeded". */
export const tagOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.match(effect, { onFailure: ({ _tag }) => _tag, onSuccess: () => "Succeeded" })
