/**
 * Records everything that goes over the wire, without secrets: as data for assertions, and as a transcript to read when a
 * test fails.
 *
 * @since 0.1.0
 */
import type { CustodyClient } from "@effect-custody/core/CustodyClient"
import { isSecret, redacted } from "@effect-custody/core/siblings/Secrets"
import type { TokenService } from "@effect-custody/core/TokenService"
import { CustodyEmulator } from "@effect-custody/emulator/CustodyEmulator"
import { functions } from "@effect-custody/sdk/Operations"
import * as Console from "effect/Console"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import * as Secrets from "./internal/logSecrets.ts"
import * as Recorder from "./internal/recorder.ts"
import { formatTranscript } from "./internal/transcript.ts"
import type { Answer, Entry } from "./internal/wireEntry.ts"

// The operation of a method and a path, under any base path, by the assumed routes.

/** `true` if a path ends with the segments of a route. */
const endsWith = (path: ReadonlyArray<string>, segments: ReadonlyArray<string>): boolean => {
  const before = path.length - segments.length
  // The text before the first slash is not a segment.
  if (before < 1) return false
  return segments.every((segment, at) => (segment === ":" ? path[before + at] !== "" : path[before + at] === segment))
}

const routes = [...functions.values()]
  .map(({ operation, route: { method, path } }) => {
    const segments = path
      .split("/")
      .slice(1)
      .map((segment) => (segment.startsWith(":") ? ":" : segment))
    return { method, name: operation, segments, fixed: segments.filter((segment) => segment !== ":").length }
  })
  // `/vaults/assets` before `/assets`, `/tokens/networks` before `/tokens/:tokenId`.
  .sort((a, b) => b.segments.length - a.segments.length || b.fixed - a.fixed)

/** Finds the operation of a request, and the part of the path that belongs to it. */
const findOperation = (
  method: string,
  path: string
): { readonly operation: string | undefined; readonly path: string } => {
  const given = path.split("/")
  const found = routes.find((route) => route.method === method && endsWith(given, route.segments))
  return found === undefined
    ? { operation: undefined, path }
    : { operation: found.name, path: `/${given.slice(-found.segments.length).join("/")}` }
}

// An exchange, without its secrets.

const readPath = (url: string): string => (URL.canParse(url) ? new URL(url).pathname : url.replace(/[?#].*$/s, ""))

/** Headers that hold no secret. */
const plainHeaders = new Set([
  "accept",
  "accept-encoding",
  "b3",
  "content-length",
  "content-type",
  "traceparent",
  "tracestate",
  "user-agent"
])

type Texts = Readonly<Record<string, string>>

const answerWith = (answer: Answer, shown: (text: string) => string): Answer => {
  if (answer._tag === "NotAnswered") return { ...answer, reason: shown(answer.reason) }
  if (answer._tag !== "Answered") return answer
  const { body, brokenOff, headers } = answer
  return {
    ...answer,
    headers: textsWith(headers, shown),
    body: body === undefined ? undefined : shown(body),
    ...(brokenOff === undefined ? {} : { brokenOff: shown(brokenOff) })
  }
}

const textsWith = (texts: Texts, shown: (text: string) => string): Texts =>
  Object.fromEntries(Object.entries(texts).map(([name, value]) => [shown(name), shown(value)]))

/** Redacts the known secrets of an entry. */
const entryWith = (entry: Entry, shown: (text: string) => string): Entry => ({
  ...entry,
  path: shown(entry.path),
  query: entry.query.map(([name, value]) => [shown(name), shown(value)] as const),
  headers: textsWith(entry.headers, shown),
  body: shown(entry.body),
  answer: answerWith(entry.answer, shown)
})

const make = (inner: HttpClient.HttpClient) => {
  const secrets = Secrets.make()
  /** The entries with their secrets. */
  let logged: Array<Entry & { answer: Answer }> = []
  let sequence = 0

  const redactBody = (text: string, isExchange: boolean): string =>
    secrets.learnBody(text, isExchange) ? text : redacted

  const logEntry = (request: HttpClientRequest.HttpClientRequest, sentAt: DateTime.Utc) => {
    const { body, headers, method, url } = request
    const path = readPath(url)
    const { operation } = findOperation(method, path)
    // An adapter may put the secrets under any names and places.
    const isExchange = operation?.startsWith("authentication.") === true || isSecret(request)
    const query = Recorder.readQuery(request)
    for (const [name, value] of query) secrets.learnValue(name, value, isExchange)
    for (const [name, value] of Object.entries(headers)) {
      secrets.learnValue(name, value, isExchange && !plainHeaders.has(name))
    }
    const entry = {
      sequence: ++sequence,
      sentAt,
      ...(operation === undefined ? {} : { operation }),
      method,
      path,
      query,
      headers: { ...headers },
      body: redactBody(Recorder.readText(body), isExchange),
      answer: { _tag: "Pending" } as Answer
    }
    logged.push(entry)
    return { entry, isExchange }
  }

  const exchange = Effect.fnUntraced(function* (request: HttpClientRequest.HttpClientRequest) {
    const { entry, isExchange } = logEntry(request, yield* DateTime.now)
    const ended = (answer: (at: DateTime.Utc) => Answer) =>
      Effect.map(DateTime.now, (at) => {
        entry.answer = answer(at)
      })
    const response = yield* inner.postprocess(Effect.succeed(request)).pipe(
      Effect.tapError((error) => ended((at) => ({ _tag: "NotAnswered", at, reason: Recorder.formatReason(error) }))),
      Effect.onInterrupt(() => ended((at) => ({ _tag: "GivenUp", at })))
    )
    const { headers, status } = response
    for (const [name, value] of Object.entries(headers)) secrets.learnValue(name, value ?? "", false)
    const answered = { _tag: "Answered" as const, at: yield* DateTime.now, status, headers: { ...headers } as Texts }
    entry.answer = { ...answered, body: undefined }
    return Recorder.recordResponse(response, ({ brokenOff, text }) => {
      entry.answer = {
        ...answered,
        body: redactBody(text, isExchange && status < 400),
        ...(brokenOff === undefined ? {} : { brokenOff })
      }
    })
  })

  const client = HttpClient.makeWith(Effect.flatMap(exchange), inner.preprocess)
  const entries = Effect.sync((): ReadonlyArray<Entry> => logged.map((entry) => entryWith(entry, secrets.shown)))
  const log = WireLog.of({
    entries,
    transcript: Effect.map(entries, formatTranscript),
    clear: Effect.sync(() => {
      logged = []
    })
  })
  return Context.make(WireLog, log).pipe(Context.add(HttpClient.HttpClient, client))
}

interface Shape {
  /** The exchanges so far, oldest first. All secrets known at the time of reading are redacted. */
  readonly entries: Effect.Effect<ReadonlyArray<Entry>>
  /** The entries as readable text, with times in milliseconds from the first exchange. */
  readonly transcript: Effect.Effect<string>
  /** Removes the exchanges so far. */
  readonly clear: Effect.Effect<void>
}

/**
 * The log of the wire.
 *
 * @since 0.1.0
 * @category services
 * @example
 * ```ts
 * import { WireLog } from "@effect-custody/testing"
 * import { Vaults } from "@effect-custody/sdk"
 * import { assert, it } from "@effect/vitest"
 * import { Effect } from "effect"
 *
 * it.effect("one key is exchanged, then one call is made", () =>
 *   Effect.gen(function* () {
 *     yield* Vaults.details()
 *     const entries = yield* (yield* WireLog).entries
 *     assert.deepStrictEqual(
 *       entries.map(({ operation }) => operation),
 *       ["authentication.generateTokens", "vaults.details"]
 *     )
 *   }).pipe(WireLog.printOnFailure, Effect.provide(WireLog.layerEmulator))
 * )
 * ```
 */
export class WireLog extends Context.Service<WireLog, Shape>()("@effect-custody/testing/WireLog") {
  /**
   * Records the traffic of an `HttpClient`, and provides the recording client. The assumed routes map requests to
   * operations: a request that an adapter sends elsewhere has no operation.
   */
  static readonly layer: Layer.Layer<WireLog | HttpClient.HttpClient, never, HttpClient.HttpClient> =
    Layer.effectContext(Effect.map(HttpClient.HttpClient, make))

  /**
   * `CustodyEmulator.layer` with a log between the client and the emulator. Also provides the recording `HttpClient`.
   */
  static readonly layerEmulator: Layer.Layer<
    CustodyClient | CustodyEmulator | HttpClient.HttpClient | TokenService | WireLog
  > = CustodyEmulator.layerClient().pipe(
    Layer.provideMerge(Layer.suspend(() => WireLog.layer)),
    Layer.provideMerge(CustodyEmulator.layerHttpClient)
  )

  /**
   * Prints the transcript on the real console if the effect fails. Apply it before the layers.
   */
  static readonly printOnFailure = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | WireLog> =>
    Effect.onExit(self, (exit) => (Exit.isSuccess(exit) ? Effect.void : print))
}

/** Uses the default console, because the console of a test may only record. */
const print: Effect.Effect<void, never, WireLog> = Effect.flatMap(WireLog, ({ transcript }) =>
  Effect.flatMap(transcript, (text) => Console.error(`What went over the wire:\n\n${text}\n`))
).pipe(Effect.provideService(Console.Console, Console.Console.defaultValue()))
