/**
 * The log lines of the SDK: one for each event that a person has to act on, with what to do. Nothing else is logged.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"

/**
 * What a log line says.
 *
 * @since 0.1.0
 * @category models
 */
export interface Line {
  readonly level: "Warn" | "Error"
  /** What happened. */
  readonly event: string
  readonly action: string
}

/**
 * Every log line, by the name that it carries as the annotation `custody.event`. No line holds a token, a key, an input
 * or an answer.
 *
 * @since 0.1.0
 * @category constants
 */
export const lines = {
  "session.lost": {
    level: "Error",
    event: "The session has ended",
    action:
      "find out what else used its tokens, then start a process with a new API key; the others adopt the new session"
  },
  "session.not_started": {
    level: "Warn",
    event: "A session could not be started; it is tried again",
    action: "see whether the address is right and the service can be reached; the API key was not used"
  },
  "session.not_stored": {
    level: "Warn",
    event: "New tokens could not be stored, and serve from memory",
    action: "mend the store before the process ends: a full disk, permissions, the database; writing is tried again"
  },
  "session.dropped": {
    level: "Error",
    event: "The process ends, and the newest tokens are not stored",
    action: "mend the store, then start a process with a new API key if the session does not go on"
  },
  "session.not_released": {
    level: "Warn",
    event: "The end of a refresh could not be written to the store",
    action: "mend the store; until its lease has passed, no process refreshes"
  },
  "session.store_behind": {
    level: "Warn",
    event: "The store holds an older session than this process",
    action: "find out who restored or copied it; read from the primary"
  },
  "session.unsendable": {
    level: "Warn",
    event: "The service gave an access token that no header can carry",
    action: "tell the operator of the service; another token is asked for"
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
  "limit.not_kept": {
    level: "Warn",
    event: "The store of the rate limit does not answer, so the limit is not kept",
    action: "mend the store; until then the service may answer with 429"
  },
  "call.uncertain": {
    level: "Warn",
    event: "A call was interrupted after it may have taken effect, and nobody receives its error",
    action: "look it up before it is sent again; provide `onUncertain` to keep a record of each"
  },
  "code.defect": {
    level: "Error",
    event: "Code that is not the SDK's has thrown",
    action: "mend it; provide `onDefect` to see the cause, which is not logged because it may hold secrets"
  }
} as const satisfies Readonly<Record<string, Line>>

/**
 * Writes one of the lines. `details` says whom it is about, or why.
 *
 * @since 0.1.0
 * @category reporting
 */
export const report = (name: keyof typeof lines, details: string): Effect.Effect<void> => {
  const { action, event, level } = lines[name]
  const about = details.endsWith(".") ? details : `${details}.`
  return Effect.logWithLevel(level)(`${event}. ${about} To do: ${action}.`).pipe(
    Effect.annotateLogs("custody.event", name)
  )
}
