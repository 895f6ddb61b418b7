/** The buttons of the page, as data: the control request that each one sends. */
import * as ApiError from "@effect-custody/core/ApiError"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Fault from "../../Fault.ts"

export interface Action {
  readonly id: string
  readonly label: string
  readonly title: string
  readonly method: "POST" | "DELETE"
  readonly path: string
  readonly body?: object
}

const encoded = (fault: Fault.Fault): unknown => Result.getOrThrow(Schema.encodeResult(Fault.Fault)(fault))

const action = (id: string, label: string, title: string, path: string, body: object = {}): Action => ({
  id,
  label,
  title,
  method: "POST",
  path,
  body
})

/** Buttons for the whole service. */
export const serviceActions: ReadonlyArray<Action> = [
  action("expire", "Expire tokens", "Expires every access token now", "/emulator/expire"),
  action(
    "refresh-lost",
    "Drop answer of next refresh",
    "The session rotates, and the answer is lost",
    "/emulator/faults",
    {
      operation: "authentication.refreshToken",
      fault: encoded(Fault.answerLost())
    }
  ),
  action("reject", "Reject next transaction", "The next send or transfer ends as REJECTED", "/emulator/fail-next"),
  action("revoke", "Revoke sessions", "Every token is refused from now on", "/emulator/revoke"),
  { ...action("clear", "Clear faults", "Removes every pending fault", "/emulator/faults"), method: "DELETE" }
]

const reset: Fault.Fault = { name: "reset", reach: "Received", ending: { _tag: "Break", code: "ECONNRESET" } }

const answer = (status: number, message: string, code: string): Fault.Fault => {
  const { ending, reach } = Fault.answered({ status, body: { status, message, errors: { message }, code } })
  return { name: `answered ${code}`, reach, ending }
}

/** Buttons for the next call of an operation. The page adds the operation to the body. */
export const callActions: ReadonlyArray<Action> = [
  action("reset", "Reset", "The connection breaks after the request; the service does nothing", "/emulator/faults", {
    fault: encoded(reset)
  }),
  action("lost", "Drop answer", "The service acts; the connection breaks before the answer", "/emulator/faults", {
    fault: encoded(Fault.answerLost())
  }),
  action("throttle", "429", "Too many requests, Retry-After: 1", "/emulator/faults", {
    fault: encoded(Fault.rateLimited("1 second"))
  }),
  action("unavailable", "503", "The service fails and does nothing", "/emulator/faults", {
    fault: encoded(Fault.serverError({ status: 503 }))
  }),
  action("slow", "Slow", "The answer takes 5 seconds", "/emulator/faults", {
    fault: encoded(Fault.delayed({ answer: "5 seconds" }))
  })
]

/** The codes that a call can be answered with, each with its fault. */
export const codes: ReadonlyArray<{ readonly code: string; readonly label: string; readonly fault: unknown }> = (
  ["E40000", "E40001", "E40002", "E40003", "E00401", "E00402", "E01401", "E01402", "E01403"] as const
).map((code) => {
  const { message, status } = ApiError.answers[code]
  return {
    code,
    label: `${code} · ${status} ${message}`,
    fault: encoded(answer(status, message, code))
  }
})
