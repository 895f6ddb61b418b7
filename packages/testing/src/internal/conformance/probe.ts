/**
 * Sends the requests of a run in order: first requests without a session, so that an unreachable server costs no key; then
 * the session and its rotation; last the requests that may revoke the session.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import { type Exchange, makeSender, type Request } from "./exchange.ts"
import type { Sent } from "./exchange.ts"
import { at, isRecord } from "./values.ts"

/** The descriptions of the requests. */
export const questions = {
  noToken: "GET /vaults/details without X-ACCESS-TOKEN",
  strangeToken: "GET /vaults/details with an unknown token",
  notJson: "POST /auth/generate-tokens with a body that is not JSON",
  keyMissing: "POST /auth/generate-tokens without apiKey",
  keyEmpty: "POST /auth/generate-tokens with an empty apiKey",
  keyTooLong: "POST /auth/generate-tokens with an apiKey of 256 characters",
  keyNumber: "POST /auth/generate-tokens with a number for an apiKey",
  keyUnknown: "POST /auth/generate-tokens with an unknown apiKey of 255 characters",
  refreshMissing: "POST /auth/refresh-token without refreshToken",
  refreshNumber: "POST /auth/refresh-token with a number for a refreshToken",
  refreshUnknown: "POST /auth/refresh-token with an unknown refreshToken",
  start: "POST /auth/generate-tokens with the API key",
  read: "GET /vaults/details with the raw access token",
  readPrefixed: `GET /vaults/details with "Bearer " before the access token`,
  readAuthorized: "GET /vaults/details with the access token in Authorization instead",
  refresh: "POST /auth/refresh-token with the refresh token",
  readNew: "GET /vaults/details with the new access token",
  readOld: "GET /vaults/details with the old access token",
  startAgain: "POST /auth/generate-tokens with the API key a second time",
  readExpired: "GET /vaults/details after expiresAt",
  refreshAgain: "POST /auth/refresh-token with the refresh token of the first refresh",
  readAgain: "GET /vaults/details with the access token of the second refresh",
  reuse: "POST /auth/refresh-token with the refresh token that the second refresh has spent",
  readAfterReuse: "GET /vaults/details after that",
  refreshAfterReuse: "POST /auth/refresh-token with the latest refresh token after that"
} as const

export type Question = keyof typeof questions

/** The answer to each request, or the reason for its absence. */
export type Evidence = Readonly<Record<Question, Exchange>>

export interface Plan {
  readonly baseUrl: string
  readonly apiKey: Redacted.Redacted
  /** The maximum wait for the access token to expire. */
  readonly awaitExpiry: Duration.Duration
}

export interface Probed {
  readonly evidence: Evidence
  /** The API key, and every token of an answer. */
  readonly secrets: ReadonlyArray<string>
  /** The reason if the run ended early. */
  readonly cutShort: string | undefined
}

const generateTokens = "authentication.generateTokens"
const refreshToken = "authentication.refreshToken"
const details = "vaults.details"

/** The extra wait after `expiresAt`, because clocks differ. */
const margin = Duration.seconds(1)

export const isSuccess = (exchange: Exchange): boolean => exchange._tag === "Answered" && exchange.isSuccess

const outcome = (exchange: Exchange): string => {
  if (exchange._tag === "Unanswered") return exchange.reason
  const code = at(exchange.body, "code")
  return `HTTP ${exchange.status}${typeof code === "string" && /^E\d{5}$/.test(code) ? ` ${code}` : ""}`
}

/** The expiry of an answer's access token, if it is in the specified format. */
export const expiryIn = (exchange: Exchange): number | undefined => {
  const expiresAt = exchange._tag === "Answered" ? at(exchange.body, "data", "expiresAt") : undefined
  return Number.isInteger(expiresAt) && String(expiresAt).length === 13 ? (expiresAt as number) : undefined
}

const tokenIn = (exchange: Exchange, name: "accessToken" | "refreshToken"): Redacted.Redacted | undefined => {
  const token = exchange._tag === "Answered" ? at(exchange.body, "data", name) : undefined
  return typeof token === "string" && token !== "" ? Redacted.make(token, { label: name }) : undefined
}

/** Sends every request that it can. */
export const probe = Effect.fnUntraced(function* (plan: Plan): Effect.fn.Return<Probed, never, HttpClient.HttpClient> {
  const send = yield* makeSender(plan.baseUrl)
  const exchanges = new Map<Question, Exchange>()
  const secrets = [Redacted.value(plan.apiKey)]

  const ask = Effect.fnUntraced(function* (question: Question, request: Omit<Request, "asked">) {
    const exchange = yield* send({ asked: questions[question], ...request })
    exchanges.set(question, exchange)
    const brought = { accessToken: tokenIn(exchange, "accessToken"), refreshToken: tokenIn(exchange, "refreshToken") }
    for (const token of Object.values(brought)) if (token !== undefined) secrets.push(Redacted.value(token))
    return { exchange, ...brought }
  })
  const leave = (question: Question, reason: string) =>
    exchanges.set(question, { _tag: "Unanswered", asked: questions[question], reason })

  const generate = (question: Question, body: Sent) => ask(question, { endpoint: generateTokens, body })
  const refresh = (question: Question, token: Redacted.Redacted) =>
    ask(question, { endpoint: refreshToken, body: { refreshToken: Redacted.value(token) } })

  /** A prefix of the access token, for a service that needs one. */
  let prefix = ""
  const read = (question: Question, token: Redacted.Redacted) =>
    ask(question, { endpoint: details, headers: { "x-access-token": `${prefix}${Redacted.value(token)}` } })

  const withoutSession = Effect.fnUntraced(function* () {
    const { exchange: first } = yield* ask("noToken", { endpoint: details })
    if (first._tag === "Unanswered") return `the service cannot be reached: ${first.reason}; the API key was not sent`
    const strange = `conformance-${yield* Random.nextIntBetween(1_000_000_000, 9_999_999_999)}`
    yield* ask("strangeToken", { endpoint: details, headers: { "x-access-token": strange } })
    yield* generate("notJson", `{"apiKey":`)
    yield* generate("keyMissing", {})
    yield* generate("keyEmpty", { apiKey: "" })
    yield* generate("keyTooLong", { apiKey: strange.padEnd(256, "-") })
    yield* generate("keyNumber", { apiKey: 12_345 })
    yield* generate("keyUnknown", { apiKey: strange.padEnd(255, "-") })
    yield* ask("refreshMissing", { endpoint: refreshToken, body: {} })
    yield* ask("refreshNumber", { endpoint: refreshToken, body: { refreshToken: 12_345 } })
    yield* refresh("refreshUnknown", Redacted.make(strange))
    return undefined
  })

  const expiry = Effect.fnUntraced(function* (tokens: Exchange, token: Redacted.Redacted) {
    const expiresAt = expiryIn(tokens)
    if (expiresAt === undefined) return leave("readExpired", "the service did not say when the token expires")
    const left = Duration.millis(Math.max(0, expiresAt - (yield* Clock.currentTimeMillis)))
    if (Duration.isGreaterThan(left, plan.awaitExpiry)) {
      const seconds = Duration.format(Duration.seconds(Math.round(Duration.toSeconds(left))))
      return leave("readExpired", `the access token lives for ${seconds} more: --await-expiry waits for it`)
    }
    yield* Effect.sleep(Duration.sum(left, margin))
    return yield* read("readExpired", token)
  })

  const inSession = Effect.fnUntraced(function* () {
    const first = yield* generate("start", { apiKey: Redacted.value(plan.apiKey) })
    if (!isSuccess(first.exchange)) return `the API key started no session: ${outcome(first.exchange)}`
    if (first.accessToken === undefined || first.refreshToken === undefined) return missing("generate-tokens", first)

    const raw = yield* read("read", first.accessToken)
    const bearer = `Bearer ${Redacted.value(first.accessToken)}`
    const prefixed = yield* ask("readPrefixed", { endpoint: details, headers: { "x-access-token": bearer } })
    yield* ask("readAuthorized", { endpoint: details, headers: { authorization: bearer } })
    // Later requests use the form that this service accepts, so that a deviation is reported once.
    if (!isSuccess(raw.exchange) && isSuccess(prefixed.exchange)) prefix = "Bearer "

    const second = yield* refresh("refresh", first.refreshToken)
    if (!isSuccess(second.exchange)) return `the refresh token was refused: ${outcome(second.exchange)}`
    if (second.accessToken === undefined || second.refreshToken === undefined) return missing("refresh-token", second)
    yield* read("readNew", second.accessToken)
    yield* read("readOld", first.accessToken)
    yield* generate("startAgain", { apiKey: Redacted.value(plan.apiKey) })
    yield* expiry(second.exchange, second.accessToken)

    const third = yield* refresh("refreshAgain", second.refreshToken)
    if (!isSuccess(third.exchange)) return `the second refresh token was refused: ${outcome(third.exchange)}`
    if (third.accessToken === undefined || third.refreshToken === undefined) return missing("refresh-token", third)
    yield* read("readAgain", third.accessToken)

    yield* refresh("reuse", second.refreshToken)
    yield* read("readAfterReuse", third.accessToken)
    yield* refresh("refreshAfterReuse", third.refreshToken)
    return undefined
  })

  const cutShort = (yield* withoutSession()) ?? (yield* inSession())
  for (const question of Object.keys(questions) as ReadonlyArray<Question>) {
    if (!exchanges.has(question)) leave(question, `not asked: ${cutShort}`)
  }
  return { evidence: Object.fromEntries(exchanges) as Evidence, cutShort, secrets }
})

interface Brought {
  readonly exchange: Exchange
  readonly accessToken: Redacted.Redacted | undefined
  readonly refreshToken: Redacted.Redacted | undefined
}

const missing = (endpoint: string, { accessToken, exchange }: Brought): string => {
  const data = exchange._tag === "Answered" && isRecord(at(exchange.body, "data"))
  return `${endpoint} returned no ${data ? (accessToken === undefined ? "accessToken" : "refreshToken") : "data"}`
}
