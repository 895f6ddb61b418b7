/** Requests of a plain HTTP client, without the SDK. */
import { CustodyEmulator } from "@effect-custody/emulator"
import { Effect, Redacted } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import type { HttpMethod } from "effect/http"

export interface Answer {
  readonly status: number
  readonly contentType: string | undefined
  readonly text: string
  readonly json: any
}

export interface Sent {
  readonly method?: HttpMethod.HttpMethod
  readonly token?: string | undefined
  /** A string is sent unchanged, any other value as JSON. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

const parseJson = (text: string): any => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Sends a request to a path below the emulator's base address. */
export const send = Effect.fnUntraced(function* (path: string, { body, headers = {}, method, token }: Sent = {}) {
  const { baseUrl } = yield* CustodyEmulator
  const client = yield* HttpClient.HttpClient
  const request = HttpClientRequest.make(method ?? (body === undefined ? "GET" : "POST"))(`${baseUrl}${path}`, {
    headers: { ...headers, ...(token === undefined ? {} : { "x-access-token": token }) }
  })
  const response = yield* client.execute(
    body === undefined
      ? request
      : typeof body === "string"
        ? HttpClientRequest.bodyText(request, body, "application/json")
        : HttpClientRequest.bodyJsonUnsafe(request, body)
  )
  const text = yield* response.text
  const answer: Answer = {
    status: response.status,
    contentType: response.headers["content-type"],
    text,
    json: parseJson(text)
  }
  return answer
})

export const generate = (apiKey: string) => send("/auth/generate-tokens", { body: { apiKey } })
export const refresh = (refreshToken: string) => send("/auth/refresh-token", { body: { refreshToken } })
export const details = (token?: string) => send("/vaults/details", { token })

export interface Pair {
  readonly accessToken: string
  readonly refreshToken: string
  readonly expiresAt: number
}

/** The tokens of a new session. */
export const session = Effect.fnUntraced(function* (options?: { readonly vaultId?: number }) {
  const emulator = yield* CustodyEmulator
  const apiKey = yield* emulator.issueApiKey(options)
  const { json } = yield* generate(Redacted.value(apiKey))
  return json.data as Pair
})
