/** What may go wrong with a request of the ledger's schedules, on its way and at the service. */
import { Fault } from "@effect-custody/emulator"
import type { Source } from "../../support/random.ts"

/** How often each happens. */
const weights = {
  none: 30,
  // Never written: nothing is carried out, and who watches the connection knows it.
  refused: 5,
  unresolved: 1,
  connectTimeout: 2,
  noConnection: 2,
  // Lost on the way there.
  resetBeforeRead: 5,
  lost: 3,
  // It arrives, and the client does not get to know what came of it.
  resetAfterRead: 6,
  halfHeader: 3,
  silence: 4,
  garbage: 2,
  noContent: 1,
  // It takes its time.
  slowRequest: 5,
  slowAnswer: 5,
  // Something in between answers for the service, which gets the request before, after or not at all.
  gateway: 4,
  redirect: 1,
  impatientProxy: 1,
  // Something in between refuses it.
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

/** What goes wrong with a refresh: less, or no call would come to its end. A session always begins. */
const ofRefresh = {
  none: 60,
  refused: 3,
  resetBeforeRead: 1,
  silence: 1,
  slowAnswer: 3,
  throttled: 1,
  serverError: 1
} satisfies Partial<Record<Mishap, number>>

/** What happens to the next request of a path. */
export const mishapOf = (random: Source, path: string): Mishap => {
  if (path.endsWith("/auth/generate-tokens")) return "none"
  return path.endsWith("/auth/refresh-token") ? random.weighted(ofRefresh) : random.weighted(weights)
}

const refusal = (status: number, code: string | undefined, headers?: Readonly<Record<string, string>>) => ({
  status,
  body: { status, message: "No", errors: { message: "No" }, ...(code === undefined ? {} : { code }) },
  headers
})

/** How a refusal asks to wait, if it does. */
const patience = (random: Source): Readonly<Record<string, string>> => {
  const seconds = random.pick([undefined, 1, 5, 20, 120])
  return seconds === undefined ? {} : { "retry-after": String(seconds) }
}

/** What the emulator is told to do with the request that comes next; nothing, where the service is as it should be. */
export const faultOf = (mishap: Mishap, random: Source): Fault.Fault | undefined => {
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
        : Fault.answered({ ...refusal(status, random.pick([undefined, "E40003"]), patience(random)), acts })
    }
    case "throttled":
      return Fault.answered(refusal(429, undefined, patience(random)))
    case "stale":
      return Fault.answered(refusal(401, "E01401"))
    case "invalid":
      return Fault.answered(refusal(422, "E00402"))
    default:
      return undefined
  }
}

/** An answer that is not the service's. */
export interface Reply {
  readonly status: number
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

/** What something in between says in place of the service; nothing, where the service is heard. */
export const replyOf = (mishap: Mishap, random: Source): Reply | undefined => {
  switch (mishap) {
    case "garbage":
      // Nothing that the service itself says of what it has done.
      return { status: 201, body: random.pick(["<html></html>", "{}", ""]) }
    case "noContent":
      return { status: 204, body: "" }
    case "gateway":
      return { status: random.pick([502, 503, 504]), body: "<html></html>", headers: patience(random) }
    case "redirect":
      return { status: 302, body: "", headers: { location: "/elsewhere" } }
    case "impatientProxy":
      return { status: random.pick([408, 499]), body: "" }
    case "uploadRefused":
      return { status: 498, body: JSON.stringify(refusal(498, "E01403").body) }
    case "noRoute":
      return { status: 404, body: "404 page not found" }
    default:
      return undefined
  }
}
