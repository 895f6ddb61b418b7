/**
 * The emulated service: from a request to the outcome of its exchange. Independent of the transport.
 */
import type { Parts, ServerRequest } from "@effect-custody/core/Wire"
import type { WireContract } from "@effect-custody/core/WireContract"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Function from "effect/Function"
import type * as Headers from "effect/http/Headers"
import type { HttpServerError } from "effect/http/HttpServerError"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { Fault } from "../../Fault.ts"
import { categories } from "../categories/all.ts"
import type { FaultQueue } from "../state/faultQueue.ts"
import * as Sessions from "../state/sessions.ts"
import type { World } from "../state/world.ts"
import * as Answer from "./answer.ts"
import * as ExactJson from "./exactJson.ts"
import { type Outcome, outcomeOf, type Reply } from "./outcome.ts"
import type { Entry, RequestJournal } from "./requestJournal.ts"
import { parametersFor, type Route, routerOf } from "./routes.ts"
import * as Uploads from "./uploads.ts"
import type { Fields } from "./validation.ts"
import * as WireFormat from "./wireFormat.ts"

const accessTokenHeader = "x-access-token"
const json = { "content-type": "application/json" }

const headersOf = (spoken: Route["spoken"]) =>
  typeof spoken === "object" ? { "content-type": spoken.contentType } : json

const refuse = (world: World, entry: Entry, refused: Answer.Refused, spoken?: Route["spoken"]): Reply => {
  entry.status = refused.status
  entry.code = refused.code
  const body = Answer.errorBody(refused, world.settings.quirks)
  const content = typeof spoken === "object" ? spoken.error({ ...body }) : body
  return { status: refused.status, headers: headersOf(spoken), body: JSON.stringify(content) }
}

/** A success, encoded by the contract and then changed by the quirks. */
const succeed = (
  { settings: { quirks } }: World,
  route: Route,
  granted: Answer.Granted<unknown>,
  request: ServerRequest
): Reply => {
  const envelope = route.envelope({ ...granted, data: WireFormat.present(quirks, granted.data) })
  const encoded = route.encode(envelope)
  const body =
    !route.authenticated || WireFormat.isStandard(quirks)
      ? encoded
      : (WireFormat.applyQuirks(quirks, envelope, encoded) as typeof encoded)
  if (typeof route.spoken === "object") {
    const { body: content, status } = route.spoken.answer(body, route.status, request)
    return { status, headers: headersOf(route.spoken), body: content === undefined ? "" : JSON.stringify(content) }
  }
  const named =
    granted.ownName === undefined
      ? body
      : { message: body["message"], [granted.ownName]: body["data"], status: body["status"] }
  return { status: route.status, headers: json, body: JSON.stringify(named) }
}

/** The first of the named fields that is a string. */
const firstText = (fields: unknown, names: ReadonlyArray<string>): string | undefined =>
  Predicate.isReadonlyObject(fields)
    ? names.map((name) => fields[name]).find((value) => typeof value === "string")
    : undefined

const recordWrite = (
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
    input: Uploads.describeFiles(input),
    ...(id === undefined ? {} : { id })
  })
}

/** The vault of the access token, or the refusal. */
const authenticate = (world: World, accessToken: string | undefined, now: number): number | Answer.Refused => {
  const result = Sessions.authenticate(world, accessToken, now)
  if (typeof result === "object") return result.vaultId
  const { quirks } = world.settings
  return result === "expired" ? Answer.tokenExpired(quirks) : Answer.invalidAccessToken(quirks)
}

type Body = Result.Result<Uploads.Fields, Answer.Refused>

/** The fields of a JSON body. An empty body has none. */
const parseFields = (text: string): Body => {
  const body = Result.try(() => (text === "" ? {} : ExactJson.parse(text)))
  if (Result.isFailure(body)) return Result.fail(Answer.malformed("Request body is not JSON"))
  if (!Predicate.isReadonlyObject(body.success))
    return Result.fail(Answer.malformed("Request body is not a JSON object"))
  if (!ExactJson.isShallow(body.success)) return Result.fail(Answer.malformed("Request body is nested too deeply"))
  return Result.succeed(body.success)
}

/** A request to one operation. */
interface Found {
  readonly route: Route
  readonly request: ServerRequest
  /** Why the body cannot be read, if it cannot. */
  readonly unread: Answer.Refused | undefined
}

/** The input of a request, under our names. */
const partsOf = ({ request, route: { spoken } }: Found): Parts =>
  typeof spoken === "object" ? spoken.input(request) : request

/** Authenticates, validates and handles a request, synchronously. */
const handle = (world: World, entry: Entry, found: Found, accessToken: string | undefined, now: number): Reply => {
  const { request, route, unread } = found
  const { spoken } = route
  if (typeof spoken === "string") return refuse(world, entry, Answer.notSpoken(spoken))
  const vaultId = route.authenticated ? authenticate(world, accessToken, now) : undefined
  if (typeof vaultId === "object") return refuse(world, entry, vaultId, spoken)
  const { body, params, query } = partsOf(found)
  const checked = <A>(part: Result.Result<A, Fields>) =>
    Result.mapError(part, (fields) => Answer.invalid(fields, route.validationCode))
  const input = Result.all({
    params: checked(route.params(params)),
    query: checked(route.query(query)),
    payload:
      unread !== undefined
        ? Result.fail(unread)
        : route.payload === undefined
          ? Result.succeed(undefined)
          : checked(route.payload(body))
  })
  if (Result.isFailure(input)) return refuse(world, entry, input.failure, spoken)
  if (route.writes) {
    const tooLong = Uploads.tooLong(body)
    if (Object.keys(tooLong).length > 0) {
      return refuse(world, entry, Answer.invalid(tooLong, route.validationCode), spoken)
    }
  }
  const answer = route.handler({
    world,
    vault: vaultId === undefined ? undefined : world.vault(vaultId),
    now,
    ...input.success,
    used: (use) => {
      entry.token = use
    }
  } as Parameters<Route["handler"]>[0])
  if (answer._tag === "Refused") return refuse(world, entry, answer, spoken)
  if (route.writes && vaultId !== undefined) {
    const write = { operation: route.operation, vaultId, at: now }
    recordWrite(world, write, { ...params, ...body }, answer.data)
  }
  const reply = succeed(world, route, answer, request)
  entry.status = reply.status
  return reply
}

const unreadable = (error: HttpServerError): Answer.Refused =>
  error.reason._tag === "RequestParseError" && error.reason.reason === "BodyTooLarge"
    ? Answer.tooLarge
    : Answer.malformed("Request body cannot be read")

const noFields: Body = Result.succeed({})

/** Reads the body of a request to its end, if the endpoint takes one. */
const readBody = (request: HttpServerRequest.HttpServerRequest, route: Route | undefined): Effect.Effect<Body> => {
  const hasBody = typeof route?.spoken === "object" ? route.spoken.hasBody : route?.payload !== undefined
  if (route === undefined || !hasBody) return Effect.succeed(noFields)
  if (route.multipart) return Uploads.read(request)
  return Effect.map(Effect.result(request.text), (text) =>
    Result.flatMap(Result.mapError(text, unreadable), parseFields)
  )
}

const pause = (duration: Duration.Duration | undefined): Effect.Effect<void> =>
  duration === undefined || Duration.isZero(duration) ? Effect.void : Effect.sleep(duration)

/** A request with its body, before it is handled. */
interface Arrival {
  /** In nanoseconds. */
  readonly startedAt: bigint
  readonly method: string
  readonly path: string
  readonly headers: Headers.Headers
  readonly found: Found | undefined
}

export interface Service {
  readonly exchange: (request: HttpServerRequest.HttpServerRequest) => Effect.Effect<Outcome>
}

/** The router under a contract, which holds no state: emulators share it. */
const routerUnder = Function.memoize((contract: WireContract) => routerOf(categories, contract))

export const makeService = (options: {
  readonly world: World
  readonly journal: RequestJournal
  readonly faults: FaultQueue
  readonly scope: Scope.Scope
  readonly contract: WireContract
}): Service => {
  const { faults, journal, scope, world } = options
  const router = routerUnder(options.contract)

  const begin = ({ found, headers, method, path }: Arrival, now: number): Entry => {
    const operation = found?.route.operation
    const entry = journal.begin({ at: now, method, path, operation, headers: Object.keys(headers) })
    const accessToken = headers[accessTokenHeader]
    if (accessToken !== undefined) entry.token = Sessions.useOf(world, "accessToken", accessToken)
    return entry
  }

  const act = (entry: Entry, { found, headers, method, path }: Arrival, now: number): Reply => {
    if (found === undefined) return refuse(world, entry, Answer.noSuchRoute(method, path))
    return handle(world, entry, found, headers[accessTokenHeader], now)
  }

  const end = (entry: Entry, { startedAt }: Arrival, clock: Clock.Clock): void => {
    entry.took = Number(clock.monotonicTimeNanosUnsafe() - startedAt) / 1e6
    journal.end(entry)
  }

  const withoutFault = (arrival: Arrival, clock: Clock.Clock): Effect.Effect<Outcome> => {
    const now = clock.currentTimeMillisUnsafe()
    const entry = begin(arrival, now)
    const reply = act(entry, arrival, now)
    const replied = { _tag: "Replied", reply } as const
    const { latency } = world.settings.durations
    if (Duration.isZero(latency)) {
      end(entry, arrival, clock)
      return Effect.succeed(replied)
    }
    // Runs in the service's scope: the journal records the request even if the client gives up.
    return Effect.sleep(latency).pipe(
      Effect.map(() => end(entry, arrival, clock)),
      Effect.forkIn(scope, { startImmediately: true }),
      Effect.flatMap(Fiber.join),
      Effect.as(replied),
      Effect.interruptible
    )
  }

  const withFault = Effect.fnUntraced(function* (arrival: Arrival, fault: Fault) {
    yield* pause(fault.arrivesAfter)
    if (fault.reach === "Lost") {
      yield* pause(fault.answersAfter)
      return outcomeOf(fault, undefined) ?? (yield* Effect.never)
    }
    const clock = yield* Clock.Clock
    const now = clock.currentTimeMillisUnsafe()
    const entry = begin(arrival, now)
    entry.fault = fault.name
    const reply = fault.reach === "Acted" ? act(entry, arrival, now) : undefined
    yield* pause(fault.answersAfter)
    yield* pause(world.settings.durations.latency)
    const outcome = outcomeOf(fault, reply)
    entry.status = outcome === undefined || outcome._tag === "Broken" ? undefined : outcome.reply.status
    end(entry, arrival, clock)
    return outcome ?? (yield* Effect.never)
  })

  const exchange = (arrival: Arrival, fault: Fault | undefined): Effect.Effect<Outcome> => {
    if (fault === undefined) return Clock.clockWith((clock) => withoutFault(arrival, clock))
    // Runs in the service's scope: the service acts even if the client gives up.
    return withFault(arrival, fault).pipe(
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
      const { headers, method, url } = request
      const found = router.find(method, url)
      const arrive = (to: Found | undefined, fault: Fault | undefined): Effect.Effect<Outcome> =>
        exchange({ startedAt, method, path, headers, found: to }, fault)
      if (found === undefined) return arrive(undefined, faults.take(undefined))
      const routes = found.handler
      const [first] = routes
      /** The request as the operation of a route reads it. */
      const requestTo = (route: Route, body: Body): Found => ({
        route,
        request: {
          params: parametersFor(route, found.params),
          query: found.searchParams,
          headers,
          body: Result.getOrElse(body, () => ({})),
          target: url
        },
        unread: Result.isFailure(body) ? body.failure : undefined
      })
      const only = routes.length === 1 ? first : undefined
      const fault = only === undefined ? undefined : faults.take(only.operation)
      // The body of a lost request is not read: a stream that can be read only once can still be sent again.
      const body = fault?.reach === "Lost" ? Effect.succeed(noFields) : readBody(request, first)
      return Effect.flatMap(body, (body) => {
        if (only !== undefined) return arrive(requestTo(only, body), fault)
        const all = routes.map((route) => requestTo(route, body))
        const to = all.find(({ request, route: { spoken } }) => typeof spoken !== "object" || spoken.accepts(request))
        return arrive(to, faults.take(to?.route.operation))
      })
    }
  return { exchange: (request) => Clock.clockWith(receive(request)) }
}
