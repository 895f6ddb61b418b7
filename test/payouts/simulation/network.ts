/**
 * An unreliable network between the processes of a ledger and an emulator, and the history as the service shows it. A
 * request in flight lives in the world, not in its sender.
 */
import * as Sender from "@effect-custody/core/siblings/Sender"
import type { CustodyEmulator } from "@effect-custody/emulator"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientRequests from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import type * as Scope from "effect/Scope"
import type { Source } from "../../support/random.ts"
import { drawMishap, falseRefusal, makeFault, makeReply } from "../../money/simulation/faults.ts"
import { failed, failure, loseAnswer, makeResponse, outcomeOf } from "../../money/simulation/network.ts"
import type { Process } from "./process.ts"
import { carriedOut, lies, type Oddity, type Row, shownRow } from "./oddity.ts"

/** How the service shows its history. */
export interface Showing {
  readonly pageSize: number
  /** What becomes of a note: shown, dropped, or shown in a different case. */
  readonly note: "shown" | "hidden" | "upper"
  /** The service misreads the time of a filter, so that it matches no row. */
  readonly hidesFiltered: boolean
  /** Pages are counted from the newest row, so that rows move while pages are read. */
  readonly moves: boolean
  /** How long after its arrival a transaction is shown, in milliseconds. */
  readonly lag: number
}

export const drawShowing = (random: Source): Showing => ({
  pageSize: random.pick([2, 5, 100]),
  note: random.pick(["shown", "shown", "hidden", "upper"]),
  hidesFiltered: random.chance(0.2),
  moves: random.chance(0.3),
  lag: random.pick([0, 0, 20_000, 90_000])
})

/** How late a request may arrive, in milliseconds. */
export const maxDelay = 95_000

export interface World {
  readonly service: HttpClient.HttpClient
  readonly emulator: CustodyEmulator["Service"]
  readonly random: Source
  readonly scope: Scope.Scope
  /** The clock of the service. */
  readonly clock: Clock.Clock
  readonly showing: Showing
  readonly oddity: Oddity
  /** Rows that outsiders have added to the history. */
  readonly deposits: ReadonlyArray<Row>
  readonly history: Array<string>
  isCalm: boolean
}

/** Shows one page of the history. */
const showPage = (world: World, request: HttpClientRequest.HttpClientRequest, url: URL) =>
  Effect.gen(function* () {
    const { clock, random, service, showing } = world
    const filtered = url.searchParams.has("from")
    const whole = HttpClientRequests.setUrlParams(request, { page: 1, limit: 10_000 })
    const response = yield* service.execute(whole)
    const text = yield* response.text
    if (response.status !== 200) return HttpClientResponse.fromWeb(request, new Response(text, response))
    const body: { readonly data: { readonly items: ReadonlyArray<Row> } } = JSON.parse(text)
    const now = clock.currentTimeMillisUnsafe()
    const visible = [...world.deposits, ...body.data.items.map((row) => shownRow(world, row))].filter(
      ({ createdAt }) => createdAt === undefined || Date.parse(createdAt) + showing.lag <= now
    )
    const rows = visible.map(({ note, ...row }) =>
      note === undefined || showing.note === "hidden"
        ? row
        : { ...row, note: showing.note === "upper" ? note.toUpperCase() : note }
    )
    if (showing.moves && rows.length > 1 && random.chance(0.3)) rows.unshift(rows.pop()!)
    const page = Number(url.searchParams.get("page") ?? 1)
    const data =
      filtered && showing.hidesFiltered ? [] : rows.slice((page - 1) * showing.pageSize, page * showing.pageSize)
    const shown = JSON.stringify({ ...body, data: { items: data } })
    return HttpClientResponse.fromWeb(request, new Response(shown, response))
  })

/** Shows one transaction. */
const showOne = (world: World, request: HttpClientRequest.HttpClientRequest) =>
  Effect.gen(function* () {
    const response = yield* world.service.execute(request)
    const text = yield* response.text
    if (response.status !== 200) return HttpClientResponse.fromWeb(request, new Response(text, response))
    const body: { readonly data: Row } = JSON.parse(text)
    const shown = JSON.stringify({ ...body, data: shownRow(world, body.data) })
    return HttpClientResponse.fromWeb(request, new Response(shown, response))
  })

/** The client of a process. */
export const clientOf = (world: World, process: () => Process): HttpClient.HttpClient => {
  const { clock, emulator, history, random, scope, service } = world
  const exchange = Effect.fnUntraced(function* (request: HttpClientRequest.HttpClientRequest, url: URL) {
    const sender = process()
    const isSend = url.pathname.endsWith("/transactions/send")
    const isSession = url.pathname.includes("/auth/")
    const isList = request.method === "GET" && url.pathname.endsWith("/transactions")
    const isOne = request.method === "GET" && /\/transactions\/[^/]+$/.test(url.pathname)
    // A read that fails is only read again: most of them succeed, so that a schedule consists of sends.
    const isSpared = world.isCalm || isSession || (!isSend && random.chance(0.85))
    const mishap = isSpared ? "none" : drawMishap(random, url.pathname)
    // After a freeze, its sockets or its timers come first.
    const socketsFirst = random.chance(0.5)
    const fault = makeFault(mishap, random)
    const reply = makeReply(mishap, random)
    const fate = random.pick(["never", "now", "later"] as const)
    const wait = 50 + random.below(random.pick([3_000, 90_000]))
    const progress = yield* Sender.SendProgress
    const note =
      isSend && request.body._tag === "Uint8Array" ? JSON.parse(new TextDecoder().decode(request.body.body)).note : ""
    const say = (what: string) =>
      isSend ? history.push(`${clock.currentTimeMillisUnsafe()} ms: ${sender.name} ${note}: ${what}`) : 0
    if (progress !== undefined) Sender.waiting(progress)
    yield* Effect.sleep(1 + random.below(5))
    // Between its intent and the first byte, a process may die or stand still.
    // The session has a simulation of its own.
    const reached = isSession ? Effect.void : sender.reaches(isSend ? "first byte" : "read")
    const arrival = Effect.gen(function* () {
      if (mishap === "expired") yield* emulator.expireTokens
      if (fault !== undefined) yield* emulator.faults.next("*", fault)
      if (isList) return yield* showPage(world, request, url)
      if (isOne) return yield* showOne(world, request)
      if (isSend && fault === undefined && lies(world)) yield* emulator.faults.next("transactions.send", falseRefusal)
      const response = yield* service.execute(isSend ? carriedOut(world, request) : request)
      say(`${mishap}, answered ${response.status}`)
      return response
    })
    const outcome = Effect.provideService(
      outcomeOf(mishap, { fate, scope, wait }, arrival),
      Sender.SendProgress,
      undefined
    )
    const begin = Effect.gen(function* () {
      yield* reached
      switch (mishap) {
        case "refused":
          return yield* failed(request, failure("ECONNREFUSED"))
        case "unresolved":
          return yield* failed(request, failure("ENOTFOUND"))
        case "connectTimeout":
          yield* Effect.interruptible(Effect.sleep("10 seconds"))
          return yield* failed(request, failure("UND_ERR_CONNECT_TIMEOUT"))
        case "noConnection":
          return yield* Effect.interruptible(Effect.never)
      }
      if (progress?.mayStart?.() === false) {
        say("too late")
        return yield* failed(request, Sender.tooLate)
      }
      if (progress !== undefined) progress.stage = "Written"
      say(mishap)
      return yield* Effect.forkIn(outcome, scope)
    })
    const answer = yield* Fiber.join(yield* socketsFirst ? Effect.uninterruptible(begin) : begin)
    if (!isSession) yield* sender.reaches(isSend ? "answer" : "read")
    yield* loseAnswer(mishap, request)
    return reply === undefined ? answer! : makeResponse(request, reply)
  })
  return HttpClient.make((request, url) => Effect.provideService(exchange(request, url), Clock.Clock, clock))
}
