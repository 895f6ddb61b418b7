/** The mishaps of a request of a schedule, in the network and at the service. */
import { Fault } from "@effect-custody/emulator"
import type { Source } from "../../support/random.ts"

/** The weight of each mishap. */
const weights = {
  none: 30,
  // Never written. Nothing is carried out, and a client that watches the connection knows it.
  refused: 5,
  unresolved: 1,
  connectTimeout: 2,
  noConnection: 2,
  // Refused by HTTP/2 after it was written: not processed, and a client that watches the connection knows it.
  streamRefused: 4,
  // Lost before the service.
  resetBeforeRead: 5,
  lost: 3,
  // It arrives, and the client learns no outcome.
  resetAfterRead: 6,
  halfHeader: 3,
  silence: 4,
  garbage: 2,
  noContent: 1,
  // Slow.
  slowRequest: 5,
  slowAnswer: 5,
  // A proxy answers for the service, which gets the request before, after or never.
  gateway: 4,
  redirect: 1,
  impatientProxy: 1,
  blocked: 3,
  // A proxy refuses it.
  uploadRefused: 2,
  noRoute: 1,
  // The service itself.
  expired: 8,
  brokenOff: 3,
  withoutData: 2,
  serverError: 4,
  throttled: 5,
  stale: 2,
  invalid: 2
} as const
export type Mishap = keyof typeof weights

/** The weights for a refresh: fewer mishaps, so that calls end. A session always begins. */
const refreshWeights = {
  none: 60,
  refused: 3,
  streamRefused: 2,
  resetBeforeRead: 1,
  silence: 1,
  slowAnswer: 3,
  throttled: 1,
  serverError: 1
} satisfies Partial<Record<Mishap, number>>

/** Draws the mishap of the next request of a path. */
export const drawMishap = (random: Source, path: string): Mishap => {
  if (path.endsWith("/auth/generate-tokens")) return "none"
  return path.endsWith("/auth/refresh-token") ? random.weighted(refreshWeights) : random.weighted(weights)
}

const refusal = (status: number, code: string | undefined, headers?: Readonly<Record<string, string>>) => ({
  status,
  body: { status, message: "No", errors: { message: "No" }, ...(code === undefined ? {} : { code }) },
  headers
})

/** The service refuses what it does. */
export const falseRefusal: Fault.Fault = Fault.answered({ ...refusal(422, "E00402"), acts: true })

/** Draws the `Retry-After` of a refusal, if it has one. */
const drawRetryAfter = (random: Source): Readonly<Record<string, string>> => {
  const seconds = random.pick([undefined, 1, 5, 20, 120])
  return seconds === undefined ? {} : { "retry-after": String(seconds) }
}

/** Makes the emulator's fault for a mishap. `undefined` if the service works. */
export const makeFault = (mishap: Mishap, random: Source): Fault.Fault | undefined => {
  switch (mishap) {
    case "brokenOff":
      return Fault.truncated(10)
    case "withoutData":
      return Fault.edited({ data: null })
    case "serverError": {
      const status = random.pick([500, 502, 503, 504])
      const acts = random.chance(0.5)
      return random.chance(0.5)
        ? Fault.html({ status, acts })
        : Fault.answered({ ...refusal(status, random.pick([undefined, "E40003"]), drawRetryAfter(random)), acts })
    }
    case "throttled":
      return Fault.answered(refusal(429, undefined, drawRetryAfter(random)))
    case "stale":
      return Fault.answered(refusal(401, "E01401"))
    case "invalid":
      return Fault.answered(refusal(422, "E00402"))
    default:
      return undefined
  }
}

/** An answer of a proxy. */
export interface Reply {
  readonly status: number
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

/** What a proxy puts in place of the service's answer: a page, nothing, or JSON of its own. */
const pages = ["<html><h1>Access denied</h1></html>", "", `{"message":"Forbidden"}`, `{"statusCode":403,"error":"No"}`]

/** Makes the reply of a proxy for a mishap. `undefined` if the service answers. */
export const makeReply = (mishap: Mishap, random: Source): Reply | undefined => {
  switch (mishap) {
    case "garbage":
      // The service itself never answers a write like this.
      return { status: 201, body: random.pick(["<html></html>", "{}", ""]) }
    case "noContent":
      return { status: 204, body: "" }
    case "gateway":
      return { status: random.pick([502, 503, 504]), body: "<html></html>", headers: drawRetryAfter(random) }
    case "redirect":
      return { status: 302, body: "", headers: { location: "/elsewhere" } }
    case "impatientProxy":
      return { status: random.pick([408, 499]), body: "" }
    case "blocked":
      return { status: random.pick([400, 401, 403, 404, 422]), body: random.pick(pages) }
    case "uploadRefused":
      return { status: 498, body: JSON.stringify(refusal(498, "E01403").body) }
    case "noRoute":
      return { status: 404, body: "404 page not found" }
    default:
      return undefined
  }
}
