/**
 * The SDK's log lines for the events that a person has to act on. Each line says what to do.
 *
 * @stability unstable
 */
import * as Effect from "effect/Effect"
import { escapeInvisible } from "../values/Text.ts"

/** The log lines by their annotation `custody.event`. No line has a token, a key, an input or an answer. */
export const lines = {
  "session.lost": {
    level: "Error",
    event: "The session has ended",
    action:
      "find out what else used its tokens, then start a process with a new API key; the others adopt the new session"
  },
  "session.refused": {
    level: "Warn",
    event: "The service refuses the access token of the stored session, which has not expired",
    action:
      "if it was revoked, or the service is a new one, start another session with an unused API key: TokenService.start or, for a session file, custody session start --replace"
  },
  "session.not_started": {
    level: "Warn",
    event: "A session could not be started; the start is repeated",
    action: "check the address and whether the service can be reached; the API key was not used"
  },
  "session.not_stored": {
    level: "Warn",
    event: "New tokens could not be stored, and are used from memory",
    action: "fix the store (disk space, permissions, database) before the process ends; the write is repeated"
  },
  "session.dropped": {
    level: "Error",
    event: "The process ends, and the newest tokens are not stored",
    action: "fix the store; if the session does not continue, start a process with a new API key"
  },
  "session.not_released": {
    level: "Warn",
    event: "The end of a refresh could not be written to the store",
    action: "fix the store; until the lease has expired, no process refreshes"
  },
  "store.readable": {
    level: "Warn",
    event: "The session file could be read by others; its mode is 0600 now",
    action: "start a session with a new API key if somebody may have read it"
  },
  "store.replaced": {
    level: "Warn",
    event: "The session file was moved, deleted or replaced while it was open; it was opened again",
    action: "find out who did, and leave the file alone while processes run"
  },
  "call.uncertain": {
    level: "Warn",
    event: "A call was interrupted after it may have taken effect, and nobody receives its error",
    action: "look it up before it is sent again; provide `onUncertain` to keep a record of each"
  },
  "call.unconfirmed": {
    level: "Warn",
    event:
      "A read is sent to the sandbox over a wire that the specification does not show, and that nobody has confirmed",
    action: "compare its answer with the service's documentation: custody contract probe; then confirm it in a contract"
  },
  "payouts.stopped": {
    level: "Error",
    event: "The ledger sends nothing until a person has looked at payouts",
    action: "custody payouts status names them; then Payouts.decide, cancel or acknowledge"
  },
  "payouts.needs_person": {
    level: "Error",
    event: "A person has to look at a payout, which the annotation custody.reference names",
    action: "custody payouts status says what is known; then Payouts.decide, cancel or acknowledge"
  },
  "payouts.unconfirmed": {
    level: "Warn",
    event: "A first payout is shown, and the others of its asset wait until a person confirms it",
    action: "compare the request with the transaction: custody payouts confirm, or Payouts.confirm"
  },
  "payouts.database_changed": {
    level: "Warn",
    event:
      "The ledger's database is another one, and may have lost payouts that were sent; nothing is sent until it is compared",
    action: "wait; if no server took over, and no backup was restored, find out which database this is"
  },
  "payouts.repeated": {
    level: "Warn",
    event: "A step of a worker failed, and is repeated",
    action: "if it goes on, mend what it names: the database, the service or the session"
  },
  "payouts.waits": {
    level: "Warn",
    event: "A `pay` has waited for 5 seconds in one state",
    action: "what it waits for stands in the line: a worker, a person or the service"
  },
  "feed.repeated": {
    level: "Warn",
    event: "A feed failed, and reads again",
    action: "if it goes on, mend what it names: the database, the service or the session"
  },
  "answer.dropped": {
    level: "Debug",
    event: "Fields of an answer are not of the type that is assumed; they are kept under extra",
    action: "compare them with the service's documentation, and say in the contract how they are written"
  },
  "code.defect": {
    level: "Error",
    event: "Code outside the SDK has thrown",
    action: "fix it; provide `onDefect` to see the cause, which is not logged because it may hold secrets"
  }
} as const

/** Names a log line that says itself what to do. */
export const named = (name: keyof typeof lines) => Effect.annotateLogs("custody.event", name)

/** Writes a log line. `details` names the session, the call or the reason. */
export const report = (name: keyof typeof lines, details: string): Effect.Effect<void> => {
  const { action, event, level } = lines[name]
  const shown = escapeInvisible(details)
  const about = shown.endsWith(".") ? shown : `${shown}.`
  return named(name)(Effect.logWithLevel(level)(`${event}. ${about} To do: ${action}.`))
}
