/**
 * Records everything that goes over the wire, without secrets: as data for assertions, and as a transcript to read when a
 * test fails.
 *
 * @since 0.1.0
 */
import * as Redaction from "@effect-custody/core/Redaction"
import { WireContract } from "@effect-custody/core/WireContract"
import * as ByteSize from "effect/ByteSize"
import * as Console from "effect/Console"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as Layer from "effect/Layer"
import * as UrlParams from "effect/http/UrlParams"
import * as Bodies from "./internal/bodies.ts"
import * as Recorder from "./internal/recorder.ts"
import * as Routes from "./internal/routes.ts"
import { type Logged, searchAgain } from "./internal/searchedAgain.ts"
import * as Secrets from "./internal/secretLabels.ts"
import { transcriptOf } from "./internal/transcript.ts"

/**
 * The answer of an exchange, or why there is none.
 *
 * @since 0.1.0
 * @category models
 */
export type Answer =
  /** No answer yet. */
  | { readonly _tag: "Pending" }
  | {
      readonly _tag: "Answered"
      readonly at: DateTime.Utc
      readonly status: number
      readonly headers: Readonly<Record<string, string>>
      /** The body as far as it was read, once it was. `undefined` if it was not read. */
      readonly body: string | undefined
      /** Why that is not the whole body: it broke off, or its reader had enough. */
      readonly brokenOff?: string
    }
  /** No answer, with the transport's reason. */
  | { readonly _tag: "NotAnswered"; readonly at: DateTime.Utc; readonly reason: string }
  /** The caller was interrupted, for example by a timeout. */
  | { readonly _tag: "GivenUp"; readonly at: DateTime.Utc }

/**
 * One exchange. Labels such as `<redacted accessToken 1>` replace secrets: equal secrets have equal numbers.
 *
 * @since 0.1.0
 * @category models
 */
export interface Entry {
  /** From 1, in the order of sending. */
  readonly sequence: number
  readonly sentAt: DateTime.Utc
  /** Such as `transactions.send`. Absent if the API has no such path. */
  readonly operation?: string
  readonly method: string
  /** Without host and query. */
  readonly path: string
  readonly query: ReadonlyArray<readonly [name: string, value: string]>
  /** By name, in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The text of the body, or an empty string. Of an upload: a line per part. */
  readonly body: string
  readonly answer: Answer
}

type Writable = { -readonly [K in keyof Entry]: Entry[K] }

type Exchange = Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>

const pathOf = (url: string): string => (URL.canParse(url) ? new URL(url).pathname : url.replace(/[?#].*$/s, ""))

/** The query parameters, from the URL and from the request. */
const queryOf = ({ url, urlParams }: HttpClientRequest.HttpClientRequest) => [
  ...(URL.canParse(url) ? new URL(url).searchParams : []),
  ...new URLSearchParams(UrlParams.toString(urlParams))
]

const redactedHeaders = (
  without: (text: string) => string,
  named: (name: string, value: string) => string,
  headers: Readonly<Record<string, string | undefined>>
) => Object.fromEntries(Object.entries(headers).map(([name, value]) => [without(name), named(name, value ?? "")]))

/** Headers that hold no secret, whatever the contract says. */
const plainHeaders = new Set([
  "accept",
  "b3",
  "content-length",
  "content-type",
  "traceparent",
  "tracestate",
  "user-agent"
])

/** How the parts of an exchange are shown. */
interface Shown {
  readonly body: (text: string) => string
  readonly header: (name: string, value: string) => string
  readonly query: (name: string, value: string) => string
  readonly answer: (text: string, status: number) => string
}

const ofCall = ({ named, text }: Secrets.Secrets): Shown => ({ body: text, header: named, query: named, answer: text })

/** The exchange of a one-time secret for tokens: a contract may give them any names and places. */
const ofSession = ({ exchanged, hidden, named, text }: Secrets.Secrets, isAssumed: boolean): Shown => ({
  body: (body) => exchanged(body, (kinds) => kinds.has("apiKey") || kinds.has("refreshToken")),
  header: (name, value) => (isAssumed || plainHeaders.has(name) ? named(name, value) : hidden(name, value)),
  query: isAssumed ? named : hidden,
  answer: (body, status) =>
    status < 300 ? exchanged(body, (kinds) => kinds.has("accessToken") && kinds.has("refreshToken")) : text(body)
})

const make = (inner: HttpClient.HttpClient, others: ReadonlyArray<string>, contract: WireContract) => {
  const routes = Routes.make(contract)
  let logged: Array<Logged<Writable>> = []
  let sequence = 0
  const secrets = Secrets.make(others)

  const without = (text: string): string => secrets.since(0)(text)

  const exchange = Effect.fnUntraced(function* (
    request: HttpClientRequest.HttpClientRequest,
    send: (request: HttpClientRequest.HttpClientRequest) => Exchange
  ) {
    const known = secrets.count()
    const path = pathOf(request.url)
    const operation = routes.operationOf(request.method, path)
    const isOfSession = Routes.isAuthentication(operation)
    const hasSecret = Redaction.isSecretBody(request.body) || request.headers["x-api-key"] !== undefined
    const shown =
      isOfSession || hasSecret
        ? ofSession(secrets, isOfSession && hasSecret && contract.wire(operation ?? "") === undefined)
        : ofCall(secrets)
    const entry: Writable = {
      sequence: ++sequence,
      sentAt: yield* DateTime.now,
      ...(operation === undefined ? {} : { operation }),
      method: request.method,
      path: secrets.text(path),
      query: queryOf(request).map(([name, value]) => [without(name), shown.query(name, value)]),
      headers: redactedHeaders(without, shown.header, request.headers),
      body: "",
      answer: { _tag: "Pending" }
    }
    logged.push({ entry, known })
    const outgoing = Recorder.ofRequest(request, (text) => {
      entry.body = shown.body(text)
    })
    const response = yield* send(outgoing).pipe(
      Effect.tapError((error) =>
        Effect.map(DateTime.now, (at) => {
          entry.answer = { _tag: "NotAnswered", at, reason: secrets.text(Recorder.reasonOf(error)) }
        })
      ),
      Effect.onInterrupt(() =>
        Effect.map(DateTime.now, (at) => {
          entry.answer = { _tag: "GivenUp", at }
        })
      )
    )
    const answered = {
      _tag: "Answered" as const,
      at: yield* DateTime.now,
      status: response.status,
      headers: redactedHeaders(without, secrets.named, response.headers),
      body: undefined
    }
    entry.answer = answered
    const limit = yield* HttpIncomingMessage.MaxBodySize
    return Recorder.ofResponse(
      response,
      limit === undefined ? Bodies.kept : ByteSize.toNumberUnsafe(limit),
      ({ brokenOff, text }) => {
        entry.answer = {
          ...answered,
          // They may have been searched again since.
          headers: entry.answer._tag === "Answered" ? entry.answer.headers : answered.headers,
          body: text === undefined ? undefined : shown.answer(text, response.status),
          ...(brokenOff === undefined ? {} : { brokenOff: secrets.text(brokenOff) })
        }
      }
    )
  })

  const client = HttpClient.makeWith(
    Effect.flatMap((request: HttpClientRequest.HttpClientRequest) =>
      exchange(request, (outgoing) => inner.postprocess(Effect.succeed(outgoing)))
    ),
    inner.preprocess
  )
  const all = Effect.sync((): ReadonlyArray<Entry> => {
    searchAgain(logged, secrets)
    return logged.map(({ entry }) => ({ ...entry }))
  })
  const transcript = Effect.map(all, transcriptOf)
  const log = WireLog.of({
    entries: all,
    transcript,
    clear: Effect.sync(() => {
      logged = []
    })
  })
  return Context.make(WireLog, log).pipe(Context.add(HttpClient.HttpClient, client))
}

interface Shape {
  /**
   * The exchanges so far, oldest first. Each time, they are without all secrets that are known by then: a token that an
   * answer shows before it is issued is gone once it is.
   */
  readonly entries: Effect.Effect<ReadonlyArray<Entry>>
  /** The exchanges as readable text, with times in milliseconds from the first one. */
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
 * import { CustodyTest, WireLog } from "@effect-custody/testing"
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
 *   }).pipe(WireLog.printOnFailure, Effect.provide(CustodyTest.layer))
 * )
 * ```
 */
export class WireLog extends Context.Service<WireLog, Shape>()("@effect-custody/testing/WireLog") {
  /**
   * Records what goes through an `HttpClient`, and provides the recording client. `redact`: further names of secrets, in
   * headers, queries and bodies. The secrets of the session are known under every name. The `WireContract` of this layer
   * says which request is which operation.
   */
  static readonly layerWith = (options: {
    readonly redact?: ReadonlyArray<string> | undefined
  }): Layer.Layer<WireLog | HttpClient.HttpClient, never, HttpClient.HttpClient> =>
    Layer.effectContext(
      Effect.gen(function* () {
        const contract = yield* WireContract
        return make(yield* HttpClient.HttpClient, options.redact ?? [], contract)
      })
    )

  /**
   * Records what goes through an `HttpClient`, and provides the recording client.
   *
   * @example
   * ```ts
   * import { WireLog } from "@effect-custody/testing"
   * import { Layer } from "effect"
   * import { FetchHttpClient } from "effect/http"
   *
   * const logged = WireLog.layer.pipe(Layer.provide(FetchHttpClient.layer))
   * ```
   */
  static readonly layer: Layer.Layer<WireLog | HttpClient.HttpClient, never, HttpClient.HttpClient> = this.layerWith({})

  /**
   * Prints the transcript on the real console if the effect fails. Apply it before the layers.
   *
   * @example
   * ```ts
   * import { CustodyTest, WireLog } from "@effect-custody/testing"
   * import { Vaults } from "@effect-custody/sdk"
   * import { it } from "@effect/vitest"
   * import { Effect } from "effect"
   *
   * it.effect("reads the vault", () =>
   *   Vaults.details().pipe(WireLog.printOnFailure, Effect.provide(CustodyTest.layer))
   * )
   * ```
   */
  static readonly printOnFailure = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | WireLog> =>
    Effect.onExit(self, (exit) => (Exit.isSuccess(exit) ? Effect.void : print))
}

/** Uses the default console: a test's own one may only record. */
const print: Effect.Effect<void, never, WireLog> = Effect.flatMap(WireLog, ({ transcript }) =>
  Effect.flatMap(transcript, (text) => Console.error(`What went over the wire:\n\n${text}\n`))
).pipe(Effect.provideService(Console.Console, Console.Console.defaultValue()))
