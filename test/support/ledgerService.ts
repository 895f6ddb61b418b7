/**
 * A service that keeps a ledger, at the end of a network that a seed makes unreliable: every logical write is written
 * down when it is carried out, whatever the client gets to know of it.
 *
 * It is an `HttpClient`, so that all of the SDK is between it and the caller.
 */
import * as Transmission from "@effect-custody/core/Transmission"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Random } from "./random.ts"
import { markIn } from "./writes.ts"

/** What happens to one request. */
const faults = {
  none: 30,
  // On the way there: nothing is carried out.
  refused: 5,
  unresolved: 1,
  connectTimeout: 2,
  noConnection: 2,
  resetBeforeRead: 5,
  lost: 3,
  // Carried out, and the client does not get to know it.
  resetAfterRead: 6,
  halfHeader: 3,
  halfBody: 3,
  silence: 4,
  garbage: 2,
  noContent: 1,
  // One or the other.
  slowRequest: 5,
  slowAnswer: 5,
  serverError: 8,
  redirect: 1,
  impatientProxy: 1,
  // Certainly rejected.
  throttled: 5,
  expired: 8,
  expiredHalfway: 2,
  stale: 2,
  invalid: 2,
  noRoute: 1
} as const
export type Fault = keyof typeof faults

/** What goes wrong with a refresh: less, or no call would come to its end. A session always begins. */
const sessionFaults = {
  none: 60,
  refused: 3,
  resetBeforeRead: 1,
  silence: 1,
  slowAnswer: 3,
  throttled: 1,
  serverError: 1
}

/** What was done. */
export interface Ledger {
  /** How often each logical write was carried out, by its mark. */
  readonly carriedOut: ReadonlyMap<string, number>
  /** What happened, in order, for a report. */
  readonly history: ReadonlyArray<string>
  /** How many requests came. */
  readonly requests: () => number
}

interface Reply {
  readonly status: number
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

const json = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Reply => ({
  status,
  body: JSON.stringify(body),
  headers: { "content-type": "application/json", ...headers }
})

const refusal = (status: number, code: string | undefined, headers?: Readonly<Record<string, string>>): Reply =>
  json(status, { status, message: "No", errors: { message: "No" }, ...(code === undefined ? {} : { code }) }, headers)

const failure = (code: string, syscall?: string) => Object.assign(new Error(code), { code, syscall })

const textOf = (request: HttpClientRequest.HttpClientRequest): Effect.Effect<string> => {
  switch (request.body._tag) {
    case "Uint8Array":
      return Effect.succeed(new TextDecoder().decode(request.body.body))
    case "Stream":
      return request.body.stream.pipe(Stream.orDie, Stream.decodeText(), Stream.mkString)
    default:
      return Effect.succeed("")
  }
}

/** The service and its network, for one seed. What is on its way lives in the scope, not in its sender. */
export const ledgerService = (random: Random, scope: Scope.Scope) => {
  const carriedOut = new Map<string, number>()
  const clients = new Set<string>()
  const history: Array<string> = []
  const known = random.chance(0.5)
  let requests = 0
  let generation = 0
  let isExpired = false

  const tokens = () => {
    isExpired = false
    generation++
    return json(201, {
      message: "Done",
      data: {
        accessToken: `access-token-${generation}`,
        refreshToken: `refresh-token-${generation}`,
        expiresAt: 4_102_444_800_000,
        vaultId: 1
      },
      status: 201
    })
  }

  /** A client is created under its name once; whoever comes second is told so. */
  const createClients = (names: ReadonlyArray<string>): Reply => {
    if (names.some((name) => clients.has(name))) return refusal(422, "E50001")
    const mark = markIn(names[0]!)!
    carriedOut.set(mark, (carriedOut.get(mark) ?? 0) + 1)
    for (const name of names) clients.add(name)
    const made = names.map((externalId) => ({ externalId }))
    return json(201, { message: "Created", data: made.length === 1 ? made[0] : made, status: 201 })
  }

  /** The service itself: it carries out what it is asked for, if the token is good. */
  const act = (request: HttpClientRequest.HttpClientRequest, path: string, body: string): Reply => {
    if (path.endsWith("/auth/generate-tokens")) return tokens()
    if (path.endsWith("/auth/refresh-token")) {
      return body.includes(`"refresh-token-${generation}"`) ? tokens() : refusal(401, "E01402")
    }
    if (request.headers["x-access-token"] !== `access-token-${generation}`) return refusal(401, "E40001")
    if (isExpired) return refusal(498, "E40003")
    if (request.method === "GET") {
      const name = path.slice(path.lastIndexOf("/") + 1)
      return clients.has(name)
        ? json(200, { message: "Found", data: { externalId: name }, status: 200 })
        : refusal(404, "E30001")
    }
    if (path.endsWith("/clients/create")) return createClients([(JSON.parse(body) as { id: string }).id])
    if (path.endsWith("/clients/create-many")) return createClients((JSON.parse(body) as { ids: Array<string> }).ids)
    const mark = markIn(path + body)
    if (mark === undefined) return refusal(422, "E00402")
    carriedOut.set(mark, (carriedOut.get(mark) ?? 0) + 1)
    return json(201, { message: "Done", data: { id: `id-${mark}`, status: "PENDING" }, status: 201 })
  }

  const responseOf = (request: HttpClientRequest.HttpClientRequest, reply: Reply) =>
    HttpClientResponse.fromWeb(
      request,
      new Response(reply.status === 204 ? null : reply.body, { status: reply.status, headers: { ...reply.headers } })
    )

  const exchange = Effect.fnUntraced(function* (
    request: HttpClientRequest.HttpClientRequest,
    path: string
  ): Effect.fn.Return<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError> {
    requests++
    const fault: Fault = path.endsWith("/auth/generate-tokens")
      ? "none"
      : path.endsWith("/auth/refresh-token")
        ? random.weighted(sessionFaults)
        : random.weighted(faults)
    const isLate = random.chance(0.5)
    const happens = random.chance(0.5)
    const wait = 50 + random.below(90_000)
    const status = random.pick([500, 502, 503, 504])
    const patience = random.pick([undefined, 1, 5, 20, 120])
    const transmission = known ? yield* Transmission.Transmission : undefined
    const say = (what: string) =>
      history.push(`${request.method} ${path.slice(path.indexOf("/api/integration") + 16)}: ${what}`)
    const fail = (cause: unknown) => {
      say(fault)
      return Effect.fail(
        new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request, cause }) })
      )
    }

    if (transmission !== undefined) Transmission.waiting(transmission)
    yield* Effect.sleep(1 + random.below(5))
    switch (fault) {
      case "refused":
        return yield* fail(failure("ECONNREFUSED", "connect"))
      case "unresolved":
        return yield* fail(failure("ENOTFOUND", "getaddrinfo"))
      case "connectTimeout":
        yield* Effect.sleep("10 seconds")
        return yield* fail(failure("UND_ERR_CONNECT_TIMEOUT"))
      case "noConnection":
        say(fault)
        return yield* Effect.never
    }
    if (transmission !== undefined) Transmission.written(transmission)
    const body = fault === "expiredHalfway" ? "" : yield* textOf(request)

    /** What the service does, sooner or later, whether or not anybody is still there. */
    const service = Effect.gen(function* () {
      if (fault === "slowRequest") yield* Effect.sleep(wait)
      if (fault === "expired" || fault === "expiredHalfway") isExpired = true
      const acts =
        !["resetBeforeRead", "lost", "throttled", "invalid", "noRoute", "stale", "expiredHalfway"].includes(fault) &&
        (happens || !["serverError", "redirect", "impatientProxy"].includes(fault))
      // What fails while it is carried out may come to its end after the failure was told.
      if (acts && isLate && (fault === "serverError" || fault === "impatientProxy")) {
        yield* Effect.forkIn(
          Effect.delay(
            Effect.sync(() => act(request, path, body)),
            wait
          ),
          scope
        )
      }
      const reply =
        acts && !(isLate && (fault === "serverError" || fault === "impatientProxy"))
          ? act(request, path, body)
          : undefined
      say(`${fault}${reply === undefined ? "" : `, ${reply.status}`}`)
      if (fault === "slowAnswer") yield* Effect.sleep(wait)
      return reply
    })
    const reply = yield* service.pipe(Effect.forkIn(scope), Effect.flatMap(Fiber.join))

    switch (fault) {
      case "resetBeforeRead":
      case "resetAfterRead":
        return yield* fail(failure("ECONNRESET", "read"))
      case "halfHeader":
        return yield* fail(failure("UND_ERR_SOCKET"))
      case "lost":
      case "silence":
        return yield* Effect.never
      case "halfBody": {
        const half = new TextEncoder().encode(reply!.body.slice(0, 10))
        const broken = new ReadableStream<Uint8Array>({
          start: (controller) => controller.enqueue(half),
          pull: (controller) => controller.error(failure("UND_ERR_SOCKET"))
        })
        return HttpClientResponse.fromWeb(request, new Response(broken, { status: reply!.status }))
      }
      case "garbage":
        return responseOf(request, { status: 201, body: random.pick(["<html></html>", "{}", '{"data":null}', ""]) })
      case "noContent":
        return responseOf(request, { status: 204, body: "" })
      case "serverError":
        return responseOf(
          request,
          random.chance(0.5)
            ? { status, body: "<html></html>" }
            : refusal(
                status,
                random.pick([undefined, "E40003"]),
                patience === undefined ? {} : { "retry-after": String(patience) }
              )
        )
      case "redirect":
        return responseOf(request, { status: 302, body: "", headers: { location: "/elsewhere" } })
      case "impatientProxy":
        return responseOf(request, { status: 408, body: "" })
      case "throttled":
        return responseOf(
          request,
          refusal(429, undefined, patience === undefined ? {} : { "retry-after": String(patience) })
        )
      case "stale":
        return responseOf(request, refusal(401, "E01401"))
      case "expiredHalfway":
        return responseOf(request, refusal(498, "E01403"))
      case "invalid":
        return responseOf(request, refusal(422, "E00402"))
      case "noRoute":
        return responseOf(request, { status: 404, body: "404 page not found" })
      default:
        return responseOf(request, reply!)
    }
  })

  const ledger: Ledger = { carriedOut, history, requests: () => requests }
  return { ledger, client: HttpClient.make((request, url) => exchange(request, url.pathname)) }
}
