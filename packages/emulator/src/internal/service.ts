/**
 * The emulated service: from a request to how its exchange ends. It knows no transport.
 */
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as FindMyWay from "effect/http/FindMyWay"
import type * as Headers from "effect/http/Headers"
import type { HttpServerError } from "effect/http/HttpServerError"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { Fault } from "../Fault.ts"
import * as Answer from "./answer.ts"
import { categories } from "./categories.ts"
import { type Faults, type Outcome, outcomeOf, type Reply } from "./faults.ts"
import type { Entry, Journal } from "./journal.ts"
import { type Route, routerOf } from "./routes.ts"
import * as Sessions from "./sessions.ts"
import type { World } from "./world.ts"

const accessTokenHeader = "x-access-token"
const json = { "content-type": "application/json" }

const router = routerOf(categories)

const refusal = (entry: Entry, refused: Answer.Refused): Reply => {
  entry.status = refused.status
  entry.code = refused.code
  return { status: refused.status, headers: json, body: JSON.stringify(Answer.errorBody(refused)) }
}

/** The vault of the request's access token, or the answer to a request that has none. */
const vaultOf = (world: World, accessToken: string | undefined, now: number): number | Answer.Refused => {
  const found = Sessions.authenticate(world, accessToken, now)
  if (typeof found === "object") return found.vaultId
  const { quirks } = world.settings
  return found === "expired" ? Answer.tokenExpired(quirks) : Answer.invalidAccessToken(quirks)
}

/** The body as the contract takes it. No body at all is read as one without fields. */
const payloadOf = (route: Route, text: string): Result.Result<unknown, Answer.Refused> => {
  if (route.payload === undefined) return Result.succeed(undefined)
  const body = Result.try((): unknown => (text === "" ? {} : JSON.parse(text)))
  if (Result.isFailure(body)) return Result.fail(Answer.malformed("Request body is not JSON"))
  if (typeof body.success !== "object" || body.success === null || Array.isArray(body.success)) {
    return Result.fail(Answer.malformed("Request body is not a JSON object"))
  }
  return Result.mapError(route.payload(body.success), (fields) => Answer.invalid(route.validationCode, fields))
}

/** One request to a known endpoint, from its token to its answer: at once. */
const answerOf = (
  world: World,
  entry: Entry,
  { handler: route, params, searchParams }: FindMyWay.FindResult<Route>,
  request: { readonly accessToken: string | undefined; readonly text: string; readonly now: number }
): Reply => {
  const vaultId = route.authenticated ? vaultOf(world, request.accessToken, request.now) : undefined
  if (typeof vaultId === "object") return refusal(entry, vaultId)
  const input = Result.all({
    params: Result.mapError(route.params(params), (fields) => Answer.invalid(route.validationCode, fields)),
    query: Result.mapError(route.query(searchParams), (fields) => Answer.invalid(route.validationCode, fields)),
    payload: payloadOf(route, request.text)
  })
  if (Result.isFailure(input)) return refusal(entry, input.failure)
  const answer = route.handler({
    world,
    vault: vaultId === undefined ? undefined : world.vault(vaultId),
    now: request.now,
    ...input.success,
    used: (use) => {
      entry.token = use
    }
  } as Parameters<Route["handler"]>[0])
  if (answer._tag === "Refused") return refusal(entry, answer)
  entry.status = route.status
  return { status: route.status, headers: json, body: JSON.stringify(route.envelope(answer)) }
}

const unreadable = (error: HttpServerError): Answer.Refused =>
  error.reason._tag === "RequestParseError" && error.reason.reason === "BodyTooLarge"
    ? Answer.tooLarge
    : Answer.malformed("Request body cannot be read")

const pause = (duration: Duration.Duration | undefined): Effect.Effect<void> =>
  duration === undefined ? Effect.void : Effect.sleep(duration)

/** A request with its body, before anybody has looked at it. */
interface Arrival {
  readonly method: string
  readonly path: string
  readonly headers: Headers.Headers
  readonly found: FindMyWay.FindResult<Route> | undefined
  readonly body: Result.Result<string, HttpServerError>
}

export interface Service {
  readonly exchange: (request: HttpServerRequest.HttpServerRequest) => Effect.Effect<Outcome>
}

export const makeService = (options: {
  readonly world: World
  readonly journal: Journal
  readonly faults: Faults
  readonly scope: Scope.Scope
}): Service => {
  const { faults, journal, scope, world } = options

  const arrive = ({ found, headers, method, path }: Arrival, now: number): Entry => {
    const operation = found?.handler.operation
    const entry = journal.arrived({ at: now, method, path, operation, headers: Object.keys(headers) })
    const accessToken = headers[accessTokenHeader]
    if (accessToken !== undefined) entry.token = Sessions.useOf(world, "accessToken", accessToken)
    return entry
  }

  const act = (entry: Entry, { body, found, headers, method, path }: Arrival, now: number): Reply => {
    if (found === undefined) return refusal(entry, Answer.noSuchRoute(method, path))
    if (Result.isFailure(body)) return refusal(entry, unreadable(body.failure))
    return answerOf(world, entry, found, { accessToken: headers[accessTokenHeader], text: body.success, now })
  }

  const plainly = (arrival: Arrival, now: number): Outcome => {
    const entry = arrive(arrival, now)
    const reply = act(entry, arrival, now)
    journal.ended(entry)
    return { _tag: "Replied", reply }
  }

  const underFault = Effect.fnUntraced(function* (arrival: Arrival, fault: Fault) {
    yield* pause(fault.arrivesAfter)
    if (fault.reach === "Lost") {
      yield* pause(fault.answersAfter)
      return outcomeOf(fault, undefined) ?? (yield* Effect.never)
    }
    const now = yield* Clock.currentTimeMillis
    const entry = arrive(arrival, now)
    entry.fault = fault.name
    const reply = fault.reach === "Acted" ? act(entry, arrival, now) : undefined
    yield* pause(fault.answersAfter)
    const outcome = outcomeOf(fault, reply)
    entry.status = outcome === undefined || outcome._tag === "Broken" ? undefined : outcome.reply.status
    journal.ended(entry)
    return outcome ?? (yield* Effect.never)
  })

  const exchange = (arrival: Arrival): Effect.Effect<Outcome> => {
    const fault = faults.take(arrival.found?.handler.operation)
    if (fault === undefined) return Effect.map(Clock.currentTimeMillis, (now) => plainly(arrival, now))
    // In the service's scope: a client that gives up does not stop what is on its way.
    return underFault(arrival, fault).pipe(
      Effect.forkIn(scope, { startImmediately: true }),
      Effect.flatMap(Fiber.join),
      Effect.interruptible
    )
  }

  return {
    exchange: (request) => {
      const query = request.url.indexOf("?")
      const path = query === -1 ? request.url : request.url.slice(0, query)
      const found = router.find(request.method, request.url)
      const arrival = { method: request.method, path, headers: request.headers, found }
      if (found?.handler.payload === undefined) return exchange({ ...arrival, body: Result.succeed("") })
      return Effect.flatMap(Effect.result(request.text), (body) => exchange({ ...arrival, body }))
    }
  }
}
