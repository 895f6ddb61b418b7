/**
 * An unreliable network between the SDK and an emulator in the same process. It is an `HttpClient`, so that the whole SDK
 * is between it and the caller.
 */
import * as SendProgress from "@effect-custody/core/siblings/Sender"
import type { CustodyEmulator } from "@effect-custody/emulator"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { makeFault, type Mishap, drawMishap, type Reply, makeReply } from "./faults.ts"
import type { Source } from "../../support/random.ts"

/** The logical write of a request. */
export interface Sender {
  readonly name: string
  /** `true` if one of its requests was sent and not certainly refused, so it may have been carried out. */
  isInDoubt: boolean
  /** The number of its requests that were sent in doubt. */
  sentInDoubt: number
}

/** The logical write of the fiber. `undefined` for requests of the client itself. */
export const Sender = Context.Reference<Sender | undefined>("test/Sender", { defaultValue: () => undefined })

export interface Network {
  readonly client: HttpClient.HttpClient
  /** The events in order, for a report. */
  readonly history: ReadonlyArray<string>
  /** Ends all mishaps. */
  readonly calm: Effect.Effect<void>
}

export const failure = (code: string, syscall?: string) => Object.assign(new Error(code), { code, syscall })

export const failed = (request: HttpClientRequest.HttpClientRequest, cause: unknown) =>
  Effect.fail(new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request, cause }) }))

/** Reads the whole body. A body that is given up halfway does not arrive. */
const readBody = (request: HttpClientRequest.HttpClientRequest): Effect.Effect<HttpClientRequest.HttpClientRequest> => {
  const { body } = request
  if (body._tag !== "Stream") return Effect.succeed(request)
  return Stream.runCollect(Stream.orDie(body.stream)).pipe(
    Effect.map((chunks) => HttpClientRequest.bodyUint8Array(request, Buffer.concat(chunks), body.contentType))
  )
}

export const makeResponse = (request: HttpClientRequest.HttpClientRequest, { body, headers = {}, status }: Reply) =>
  HttpClientResponse.fromWeb(request, new Response(status === 204 ? null : body, { status, headers: { ...headers } }))

/** The outcome of a request that was written, sooner or later, with or without a waiting caller. */
export const outcomeOf = Effect.fnUntraced(function* <A, E>(
  mishap: Mishap,
  given: { readonly fate: "never" | "now" | "later"; readonly scope: Scope.Scope; readonly wait: number },
  arrival: Effect.Effect<A, E>
): Effect.fn.Return<A | undefined, E> {
  const { fate, scope, wait } = given
  switch (mishap) {
    case "resetBeforeRead":
    case "lost":
    case "uploadRefused":
    case "noRoute":
      return undefined
    case "gateway":
    case "redirect":
    case "impatientProxy":
    case "blocked":
      if (fate === "later") yield* Effect.forkIn(Effect.delay(arrival, wait), scope)
      return fate === "now" ? yield* arrival : undefined
    case "slowRequest":
      yield* Effect.sleep(wait)
      return yield* arrival
    case "slowAnswer":
      return yield* Effect.tap(arrival, Effect.sleep(wait))
    default:
      return yield* arrival
  }
})

/** Loses the answer, if the mishap does. */
export const loseAnswer = (
  mishap: Mishap,
  request: HttpClientRequest.HttpClientRequest
): Effect.Effect<void, HttpClientError.HttpClientError> => {
  switch (mishap) {
    case "resetBeforeRead":
    case "resetAfterRead":
      return failed(request, failure("ECONNRESET", "read"))
    case "halfHeader":
      return failed(request, failure("UND_ERR_SOCKET"))
    case "lost":
    case "silence":
      return Effect.never
    default:
      return Effect.void
  }
}

/** `true` for an answer that proves that nothing was done. The answer of a proxy proves nothing about the service. */
const refuses = (mishap: Mishap, status: number) =>
  mishap !== "blocked" && status >= 400 && status < 500 && status !== 408 && status !== 499

/** Makes the network. A request in flight lives in the scope, not in its sender. */
export const unreliable = (options: {
  readonly service: HttpClient.HttpClient
  readonly emulator: CustodyEmulator["Service"]
  readonly random: Source
  readonly scope: Scope.Scope
  readonly clock: Clock.Clock
}): Network => {
  const { clock, emulator, random, scope, service } = options
  const history: Array<string> = []
  let isCalm = false
  /** `true` if the transport reports the progress of a request. */
  const isWatched = random.chance(0.5)

  const exchange = Effect.fnUntraced(function* (
    request: HttpClientRequest.HttpClientRequest,
    path: string
  ): Effect.fn.Return<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError> {
    const sender = path.includes("/auth/") || request.method === "GET" ? undefined : yield* Sender
    const mishap: Mishap = isCalm ? "none" : drawMishap(random, path)
    const fault = makeFault(mishap, random)
    const reply = makeReply(mishap, random)
    const fate = random.pick(["never", "now", "later"] as const)
    // A moment, so that it meets the next request, or longer than any caller waits.
    const wait = 50 + random.below(random.pick([3_000, 90_000]))
    const progress = isWatched ? yield* SendProgress.SendProgress : undefined
    const sentAt = yield* Clock.currentTimeMillis
    const said = history.push("") - 1
    const say = (what: string) => {
      const name = sender === undefined ? "" : ` for ${sender.name}`
      history[said] = `${sentAt} ms: ${request.method} ${path.replace("/api/integration", "")}${name}: ${what}`
    }
    say(mishap)

    if (progress !== undefined) SendProgress.waiting(progress)
    yield* Effect.sleep(1 + random.below(5))
    switch (mishap) {
      case "refused":
        return yield* failed(request, failure("ECONNREFUSED", "connect"))
      case "unresolved":
        return yield* failed(request, failure("ENOTFOUND", "getaddrinfo"))
      case "connectTimeout":
        yield* Effect.sleep("10 seconds")
        return yield* failed(request, failure("UND_ERR_CONNECT_TIMEOUT"))
      case "noConnection":
        return yield* Effect.never
    }
    if (progress !== undefined) progress.stage = "Written"
    const wasInDoubt = sender?.isInDoubt === true
    if (sender !== undefined) {
      if (sender.isInDoubt) sender.sentInDoubt++
      sender.isInDoubt = true
    }
    // A request that is refused before it is complete was not read: a file that can be read once is still unread.
    const whole = mishap === "uploadRefused" ? request : yield* readBody(request)

    if (mishap === "streamRefused") {
      yield* Effect.sleep(random.below(50))
      if (progress !== undefined) {
        progress.stage = "Refused"
        if (sender !== undefined) sender.isInDoubt = wasInDoubt
      }
      return yield* failed(request, failure("HTTP2_REFUSED_STREAM"))
    }

    /** The request arrives, and the service answers. */
    const arrival = Effect.gen(function* () {
      if (mishap === "expired") yield* emulator.expireTokens
      if (fault !== undefined) yield* emulator.faults.next("*", fault)
      const response = yield* service.execute(whole)
      say(`${mishap}, ${response.status} at ${yield* Clock.currentTimeMillis} ms`)
      return response
    })
    const outcome = outcomeOf(mishap, { fate, scope, wait }, arrival)
    const answer = yield* outcome.pipe(Effect.forkIn(scope), Effect.flatMap(Fiber.join))
    yield* loseAnswer(mishap, request)
    const response = reply === undefined ? answer! : makeResponse(request, reply)
    if (sender !== undefined && refuses(mishap, response.status)) sender.isInDoubt = false
    return response
  })

  return {
    history,
    // The network and the service have their own clock.
    client: HttpClient.make((request, url) =>
      Effect.provideService(exchange(request, url.pathname), Clock.Clock, clock)
    ),
    calm: Effect.sync(() => {
      isCalm = true
    })
  }
}
