/** The buttons of the page, as data: the control request that each one sends. */
import * as ApiError from "@effect-custody/core/ApiError"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Fault from "../model/Fault.ts"

export interface Action {
  readonly id: string
  readonly label: string
  readonly title: string
  readonly path: string
  readonly body?: object
}

const encoded = (fault: Fault.Fault): unknown => Result.getOrThrow(Schema.encodeResult(Fault.Fault)(fault))

const path = "/emulator/faults"

/** Buttons for the whole service. */
export const serviceActions: ReadonlyArray<Action> = [
  {
    id: "refresh-lost",
    label: "Drop answer of next refresh",
    title: "The session rotates, and the answer is lost",
    path,
    body: { operation: "authentication.refreshToken", fault: encoded(Fault.answerLost()) }
  },
  {
    id: "reject",
    label: "Reject next transaction",
    title: "The next send or transfer ends as REJECTED",
    path: "/emulator/fail-next"
  },
  { id: "expire", label: "Expire tokens", title: "Expires every access token now", path: "/emulator/expire" },
  { id: "revoke", label: "Revoke sessions", title: "Every token is refused from now on", path: "/emulator/revoke" }
]

const nextCall = (id: string, label: string, title: string, fault: Fault.Fault): Action => ({
  id,
  label,
  title,
  path,
  body: { fault: encoded(fault) }
})

/** Buttons for the next call of an operation. The page adds the operation to the body. */
export const callActions: ReadonlyArray<Action> = [
  nextCall("reset", "Reset", "The connection breaks after the request; the service does nothing", Fault.reset()),
  nextCall("lost", "Drop answer", "The service acts; the connection breaks before the answer", Fault.answerLost()),
  nextCall("throttle", "429", "Too many requests, Retry-After: 1", Fault.rateLimited("1 second")),
  nextCall("unavailable", "503", "The service fails and does nothing", Fault.serverError({ status: 503 })),
  nextCall("slow", "Slow", "The answer takes 5 seconds", Fault.delayed({ answer: "5 seconds" }))
]

/** The error codes that the page can answer a call with, and the fault for each. */
export const codes: ReadonlyArray<{ readonly code: string; readonly label: string; readonly fault: unknown }> = (
  ["E40000", "E40001", "E40002", "E40003", "E00401", "E00402", "E01401", "E01402", "E01403"] as const
).map((code) => {
  const { message, status } = ApiError.answers[code]
  const { ending, reach } = Fault.answered({ status, body: { status, message, errors: { message }, code } })
  return { code, label: `${code} · ${status} ${message}`, fault: encoded({ name: `answered ${code}`, reach, ending }) }
})
