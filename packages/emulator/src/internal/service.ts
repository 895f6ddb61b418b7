/**
 * The emulated service: from a request to how its exchange ends. It knows no transport.
 */
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as FindMyWay from "effect/http/FindMyWay"
import type * as Headers from "effect/http/Headers"
import type { HttpServerError } from "effect/http/HttpServerError"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { Fault } from "../Fault.ts"
import * as Answer from "./answer.ts"
import { categories } from "./categories.ts"
import * as Dialect from "./dialect.ts"
import * as ExactJson from "./exactJson.ts"
import { type Faults, type Outcome, outcomeOf, type Reply } from "./faults.ts"
import type { Entry, Journal } from "./journal.ts"
import { type Route, routerOf } from "./routes.ts"
import * as Sessions from "./sessions.ts"
import * as Uploads from "./uploads.ts"
import type { Fields } from "./validation.ts"
import type { World } from "./world.ts"

const accessTokenHeader = "x-access-token"
const json = { "content-type": "application/json" }

const router = routerOf(categories)

const refusal = (world: World, entry: Entry, refused: Answer.Refused): Reply => {
  entry.status = refused.status
  entry.code = refused.code
  const body = Answer.errorBody(refused, world.settings.quirks)
  return { status: refused.status, headers: json, body: JSON.stringify(body) }
}

/** A success as bytes: as the contract writes it, and as the quirks would have it. */
const success = ({ settings: { quirks } }: World, route: Route, granted: Answer.Granted<unknown>): Reply => {
  const envelope = route.envelope(granted)
  const encoded = route.encode(envelope)
  const written =
    !route.authenticated || Dialect.isPlain(quirks)
      ? encoded
      : (Dialect.written(quirks, envelope, encoded) as typeof encoded)
  const named =
    granted.ownName === undefined
      ? written
      : { message: written["message"], [granted.ownName]: written["data"], status: written["status"] }
  return { status: route.status, headers: json, body: JSON.stringify(named) }
}

/** The first of some fields that is a text. */
const firstText = (fields: unknown, names: ReadonlyArray<string>): string | undefined =>
  Predicate.isReadonlyObject(fields)
    ? names.map((name) => fields[name]).find((value) => typeof value === "string")
    : undefined

const record = (
  world: World,
  write: { readonly operation: string; readonly vaultId: number; readonly at: number },
  input: Uploads.Fields,
  data: unknown
): void => {
  const marker = firstText(input, ["note", "reason", "name", "id"])
  const id = firstText(data, ["id", "transactionId", "externalId"])
  world.writes.push({
    sequence: world.writes.length + 1,
    at: DateTime.makeUnsafe(write.at),
    vaultId: write.vaultId,
    operation: write.operation,
    ...(marker === undefined ? {} : { marker }),
    input: Uploads.told(input),
    ...(id === undefined ? {} : { id })
  })
}

/** The vault of the request's access token, or the answer to a request that has none. */
const vaultOf = (world: World, accessToken: string | undefined, now: number): number | Answer.Refused => {
  const found = Sessions.authenticate(world, accessToken, now)
  if (typeof found === "object") return found.vaultId
  const { quirks } = world.settings
  return found === "expired" ? Answer.tokenExpired(quirks) : Answer.invalidAccessToken(quirks)
}

type Body = Result.Result<Uploads.Fields, Answer.Refused>

/** The fields of a JSON body. No body at all is read as one without fields. */
const fieldsOf = (text: string): Body => {
  const body = Result.try(() => (text === "" ? {} : ExactJson.parse(text)))
  if (Result.isFailure(body)) return Result.fail(Answer.malformed("Request body is not JSON"))
  if (!Predicate.isReadonlyObject(body.success))
    return Result.fail(Answer.malformed("Request body is not a JSON object"))
  if (!ExactJson.isShallow(body.success)) return Result.fail(Answer.malformed("Request body is nested too deeply"))
  return Result.succeed(body.success)
}

/** One request to a known endpoint, from its token to its answer: at once. */
const answerOf = (
  world: World,
  entry: Entry,
  { handler: route, params, searchParams }: FindMyWay.FindResult<Route>,
  request: { readonly accessToken: string | undefined; readonly body: Body; readonly now: number }
): Reply => {
  const vaultId = route.authenticated ? vaultOf(world, request.accessToken, request.now) : undefined
  if (typeof vaultId === "object") return refusal(world, entry, vaultId)
  const checked = <A>(part: Result.Result<A, Fields>) =>
    Result.mapError(part, (fields) => Answer.invalid(route.validationCode, fields))
  const input = Result.all({
    params: checked(route.params(params)),
    query: checked(route.query(searchParams)),
    payload: Result.flatMap(request.body, (fields) =>
      route.payload === undefined ? Result.succeed(undefined) : checked(route.payload(fields))
    )
  })
  if (Result.isFailure(input)) return refusal(world, entry, input.failure)
  const answer = route.handler({
    world,
    vault: vaultId === undefined ? undefined : world.vault(vaultId),
    now: request.now,
    ...input.success,
    used: (use) => {
      entry.token = use
    }
  } as Parameters<Route["handler"]>[0])
  if (answer._tag === "Refused") return refusal(world, entry, answer)
  entry.status = route.status
  if (route.writes && vaultId !== undefined) {
    const sent = Result.getOrElse(request.body, () => ({}))
    const write = { operation: route.operation, vaultId, at: request.now }
    record(world, write, { ...params, ...sent }, answer.data)
  }
  return success(world, route, answer)
}

const unreadable = (error: HttpServerError): Answer.Refused =>
  error.reason._tag === "RequestParseError" && error.reason.reason === "BodyTooLarge"
    ? Answer.tooLarge
    : Answer.malformed("Request body cannot be read")

const nothing: Body = Result.succeed({})

/** The body of a request, read to its end where the endpoint takes one. */
const bodyOf = (request: HttpServerRequest.HttpServerRequest, route: Route | undefined): Effect.Effect<Body> => {
  if (route?.payload === undefined) return Effect.succeed(nothing)
  if (route.multipart) return Uploads.read(request)
  return Effect.map(Effect.result(request.text), (text) => Result.flatMap(Result.mapError(text, unreadable), fieldsOf))
}

const pause = (duration: Duration.Duration | undefined): Effect.Effect<void> =>
  duration === undefined || Duration.isZero(duration) ? Effect.void : Effect.sleep(duration)

/** A request with its body, before anybody has looked at it. */
interface Arrival {
  /** In nanoseconds. */
  readonly startedAt: bigint
  readonly method: string
  readonly path: string
  readonly headers: Headers.Headers
  readonly found: FindMyWay.FindResult<Route> | undefined
  readonly body: Body
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
    if (found === undefined) return refusal(world, entry, Answer.noSuchRoute(method, path))
    return answerOf(world, entry, found, { accessToken: headers[accessTokenHeader], body, now })
  }

  const ended = (entry: Entry, { startedAt }: Arrival, clock: Clock.Clock): void => {
    entry.took = Number(clock.monotonicTimeNanosUnsafe() - startedAt) / 1e6
    journal.ended(entry)
  }

  const plainly = (arrival: Arrival, clock: Clock.Clock): Effect.Effect<Outcome> => {
    const now = clock.currentTimeMillisUnsafe()
    const entry = arrive(arrival, now)
    const reply = act(entry, arrival, now)
    const replied = { _tag: "Replied", reply } as const
    const { latency } = world.settings.durations
    if (Duration.isZero(latency)) {
      ended(entry, arrival, clock)
      return Effect.succeed(replied)
    }
    // In the service's scope: a client that gives up does not keep it from the journal.
    return Effect.sleep(latency).pipe(
      Effect.map(() => ended(entry, arrival, clock)),
      Effect.forkIn(scope, { startImmediately: true }),
      Effect.flatMap(Fiber.join),
      Effect.as(replied),
      Effect.interruptible
    )
  }

  const underFault = Effect.fnUntraced(function* (arrival: Arrival, fault: Fault) {
    yield* pause(fault.arrivesAfter)
    if (fault.reach === "Lost") {
      yield* pause(fault.answersAfter)
      return outcomeOf(fault, undefined) ?? (yield* Effect.never)
    }
    const clock = yield* Clock.Clock
    const now = clock.currentTimeMillisUnsafe()
    const entry = arrive(arrival, now)
    entry.fault = fault.name
    const reply = fault.reach === "Acted" ? act(entry, arrival, now) : undefined
    yield* pause(fault.answersAfter)
    yield* pause(world.settings.durations.latency)
    const outcome = outcomeOf(fault, reply)
    entry.status = outcome === undefined || outcome._tag === "Broken" ? undefined : outcome.reply.status
    ended(entry, arrival, clock)
    return outcome ?? (yield* Effect.never)
  })

  const exchange = (arrival: Arrival, fault: Fault | undefined): Effect.Effect<Outcome> => {
    if (fault === undefined) return Clock.clockWith((clock) => plainly(arrival, clock))
    // In the service's scope: a client that gives up does not stop what is on its way.
    return underFault(arrival, fault).pipe(
      Effect.forkIn(scope, { startImmediately: true }),
      Effect.flatMap(Fiber.join),
      Effect.interruptible
    )
  }

  const receive =
    (request: HttpServerRequest.HttpServerRequest) =>
    (clock: Clock.Clock): Effect.Effect<Outcome> => {
      const startedAt = clock.monotonicTimeNanosUnsafe()
      const query = request.url.indexOf("?")
      const path = query === -1 ? request.url : request.url.slice(0, query)
      const found = router.find(request.method, request.url)
      const arrival = { startedAt, method: request.method, path, headers: request.headers, found }
      const fault = faults.take(found?.handler.operation)
      // What gets lost on the way is not read: a body that can be read once can still be sent.
      const body = fault?.reach === "Lost" ? Effect.succeed(nothing) : bodyOf(request, found?.handler)
      return Effect.flatMap(body, (body) => exchange({ ...arrival, body }, fault))
    }
  return { exchange: (request) => Clock.clockWith(receive(request)) }
}
