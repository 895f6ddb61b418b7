/** The emulated service. Turns a request into the outcome of its exchange, independently of the transport. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { Fault } from "../model/Fault.ts"
import { categories } from "../categories/all.ts"
import type { FaultQueue } from "../state/faultQueue.ts"
import * as Sessions from "../state/sessionTokens.ts"
import type { World } from "../state/world.ts"
import * as Answer from "../http/answer.ts"
import { type RoutedRequest, describeBody, handle, noFields, readBody, refuse } from "./operation.ts"
import { type Outcome, resolveOutcome, type OwnReply } from "../http/outcome.ts"
import type { Entry, RequestJournal } from "../state/requestJournal.ts"
import { makeRouter } from "./routes.ts"

const accessTokenHeader = "x-access-token"

const pause = (duration: Duration.Duration | undefined): Effect.Effect<void> =>
  duration === undefined || Duration.isZero(duration) ? Effect.void : Effect.sleep(duration)

/** A request whose body has been read, before the service handles it. */
interface Arrival {
  /** In nanoseconds. */
  readonly startedAt: bigint
  readonly request: HttpServerRequest.HttpServerRequest
  readonly path: string
  readonly found: RoutedRequest | undefined
}

export interface Service {
  readonly exchange: (request: HttpServerRequest.HttpServerRequest) => Effect.Effect<Outcome>
}

/** Emulators share a router, because it holds no state. It is made at first use. */
let shared: ReturnType<typeof makeRouter> | undefined

export const makeService = (options: {
  readonly world: World
  readonly journal: RequestJournal
  readonly faults: FaultQueue
  readonly scope: Scope.Scope
}): Service => {
  const { faults, journal, scope, world } = options
  const router = (shared ??= makeRouter(categories))

  const act = (entry: Entry, { found, path, request }: Arrival, now: number): OwnReply =>
    found === undefined
      ? refuse(world, entry, Answer.noSuchRoute(request.method, path))
      : handle(world, entry, found, request.headers[accessTokenHeader], now)

  const perform = Effect.fnUntraced(function* (arrival: Arrival, fault: Fault | undefined) {
    yield* pause(fault?.arrivesAfter)
    if (fault?.reach === "Lost") {
      yield* pause(fault.answersAfter)
      return resolveOutcome(fault.ending, undefined) ?? (yield* Effect.never)
    }
    const clock = yield* Clock.Clock
    const now = clock.currentTimeMillisUnsafe()
    const { found, path, request } = arrival
    const { headers, method, url } = request
    const { operation, safety } = found?.route.declaration ?? {}
    const texts =
      safety === "session" ? { query: "", body: "" } : { query: url.slice(path.length + 1), body: describeBody(found) }
    const entry = journal.begin({ at: now, method, path, operation, headers, ...texts })
    const accessToken = headers[accessTokenHeader]
    if (accessToken !== undefined) entry.token = Sessions.findUse(world, "accessToken", accessToken)
    if (fault !== undefined) entry.fault = fault.name
    const actsNow = fault === undefined || (fault.reach === "Acted" && fault.actsAfter === undefined)
    const reply = actsNow ? act(entry, arrival, now) : undefined
    if (fault?.actsAfter !== undefined) {
      // Pass a copy, because the entry belongs to the exchange, which ends earlier.
      const acting = Effect.sync(() => act({ ...entry }, arrival, clock.currentTimeMillisUnsafe()))
      yield* Effect.forkIn(Effect.delay(acting, fault.actsAfter), scope)
    }
    yield* pause(fault?.answersAfter)
    yield* pause(world.settings.durations.latency)
    const outcome = resolveOutcome(fault?.ending, reply)
    if (outcome !== undefined && outcome._tag !== "Broken") entry.status = outcome.reply.status
    entry.took = Number(clock.monotonicTimeNanosUnsafe() - arrival.startedAt) / 1e6
    journal.end(entry)
    return outcome ?? (yield* Effect.never)
  })

  /** Runs a slow exchange in the service's scope, so that the service acts even if the client gives up. */
  const exchange = (arrival: Arrival, fault: Fault | undefined): Effect.Effect<Outcome> =>
    fault === undefined && Duration.isZero(world.settings.durations.latency)
      ? perform(arrival, undefined)
      : perform(arrival, fault).pipe(
          Effect.forkIn(scope, { startImmediately: true }),
          Effect.flatMap(Fiber.join),
          Effect.interruptible
        )

  const receive =
    (request: HttpServerRequest.HttpServerRequest) =>
    (clock: Clock.Clock): Effect.Effect<Outcome> => {
      const startedAt = clock.monotonicTimeNanosUnsafe()
      const { method, url } = request
      const [path = ""] = url.split("?", 1)
      const found = router.find(method, url)
      const arrive = (to: RoutedRequest | undefined, fault: Fault | undefined): Effect.Effect<Outcome> =>
        exchange({ startedAt, request, path, found: to }, fault)
      if (found === undefined) return arrive(undefined, faults.take(undefined))
      const route = found.handler
      const fault = faults.take(route.declaration.operation)
      // A lost request never reaches the service. Leave its body unread, so that the client can resend even a stream
      // that can be read only once.
      const body = fault?.reach === "Lost" ? Effect.succeed(noFields) : readBody(request, route)
      return Effect.flatMap(body, (body) =>
        arrive(
          {
            route,
            request: {
              params: found.params,
              query: found.searchParams,
              body: Result.getOrElse(body, () => ({}))
            },
            unread: Result.isFailure(body) ? body.failure : undefined
          },
          fault
        )
      )
    }
  return { exchange: (request) => Clock.clockWith(receive(request)) }
}
