/**
 * The SQLite file of a store. Opens the file, and reopens it if an operation fails or a different file is at the path.
 * Calls block the process, as SQLite's own calls do.
 */
import { TokenStoreError } from "@effect-custody/core/SessionError"
import * as OperatorLog from "@effect-custody/core/siblings/OperatorLog"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { connect, type Connection, fileIdentity, isFileFailure, type Statements, Unusable } from "./sqliteConnection.ts"

/** The log lines of a session file. */
export const lines = {
  "store.readable": {
    level: "Warn",
    event: "The session file could be read by others; its mode is 0600 now",
    action: "start a session with a new API key if somebody may have read it"
  },
  "store.replaced": {
    level: "Warn",
    event: "The session file was moved, deleted or replaced while it was open; it was opened again",
    action: "find out who did, and leave the file alone while processes run"
  }
} as const satisfies Record<string, OperatorLog.Line>

export const report = OperatorLog.reporter(lines)

/** The pauses between attempts while another process has locked the file. The pauses do not block this process. */
const whileBusy = Schedule.min([Schedule.exponential("5 millis"), Schedule.spaced("100 millis")]).pipe(
  Schedule.jittered,
  Schedule.upTo({ duration: "5 seconds" })
)

/** SQLite's primary result codes, in words for the operator. Codes 5, 6 and 15 are temporary. */
const sqliteReasons: Readonly<Record<number, string>> = {
  1: "its table is missing, or was changed",
  3: "this process may not read and write it",
  5: "another process keeps it locked",
  6: "another connection keeps it locked",
  8: "it is read-only for this process",
  10: "the disk does not read or write it",
  11: "it is damaged",
  13: "the disk is full",
  14: "this process may not read and write it and its directory",
  15: "another process keeps it locked",
  19: "a constraint or a trigger in it refuses the record",
  26: "it is not a SQLite database, and was left as it is"
}

const fileReasons: Readonly<Record<string, string>> = {
  ENOENT: "its directory does not exist",
  ENOTDIR: "its directory is not a directory",
  EACCES: "this process may not read and write it",
  EPERM: "this process may not read and write it",
  EROFS: "its file system is read-only",
  ENOSPC: "the disk is full"
}

const isSqliteFailure = Schema.is(Schema.Struct({ errcode: Schema.Int }))

/** Turns an error into a reason. Drops SQLite's own message, because a trigger may put a record into it. */
const unusable = (cause: unknown): Unusable => {
  if (cause instanceof Unusable) return cause
  if (isSqliteFailure(cause)) {
    const code = cause.errcode & 0xff
    const reason = sqliteReasons[code] ?? `SQLite's result code is ${cause.errcode}`
    return new Unusable({ reason, busy: code === 5 || code === 6 || code === 15, full: code === 13 })
  }
  const code = isFileFailure(cause) ? cause.code : undefined
  return new Unusable({
    reason: code === undefined ? "it cannot be used" : (fileReasons[code] ?? `it cannot be used (${code})`)
  })
}

/** `true` for a path that is not empty and contains no NUL, because SQLite would cut the path at a NUL. */
export const isPath = Schema.is(Schema.String.check(Schema.isNonEmpty(), Schema.isPattern(/^[^\0]*$/)))

/** Runs blocking calls on the file, and repeats them while the file is busy. */
const attempt = <A>(operation: TokenStoreError["operation"], path: string, calls: () => A) =>
  Effect.try({ try: calls, catch: unusable }).pipe(
    Effect.retry({ schedule: whileBusy, while: (failure) => failure.busy === true }),
    Effect.mapError(({ reason }) => new TokenStoreError({ operation, reason: `${path}: ${reason}` }))
  )

export interface SqliteFile extends Effect.Success<ReturnType<typeof open>> {}

/** Opens the file, and closes it with the scope. */
export const open = Effect.fnUntraced(function* (path: string) {
  let current: Connection | undefined
  let isClosed = false
  /** `true` if the file at the path was replaced by another, and this has not been logged yet. */
  let wasReplaced = false

  const disconnect = () => {
    const before = current
    current = undefined
    before?.database.close()
  }

  const close = () => {
    isClosed = true
    disconnect()
  }

  const isMoved = ({ file }: Connection) => fileIdentity(path) !== file

  /** Returns the connection to the file at the path. Opens a connection if none is open. */
  const openConnection = (): Connection => {
    if (isClosed) throw new Unusable({ reason: "the store is closed" })
    if (current !== undefined && !isMoved(current)) return current
    if (current !== undefined) {
      wasReplaced = true
      disconnect()
    }
    current = connect(path)
    return current
  }

  /**
   * Runs calls. If they fail, or a different file is at the path afterwards, reopens the file and repeats the calls
   * once.
   */
  const run = <A>(calls: (statements: Statements) => A): A => {
    const connection = openConnection()
    try {
      const result = calls(connection)
      if (!isMoved(connection)) return result
    } catch (cause) {
      const { busy, full } = unusable(cause)
      if (busy === true || full === true) throw cause
      disconnect()
    }
    return calls(openConnection())
  }

  const first = yield* Effect.acquireRelease(
    attempt("open", path, openConnection),
    () => Effect.ignore(Effect.try({ try: close, catch: unusable })),
    { interruptible: true }
  )

  return {
    wasOpenToOthers: first.wasOpenToOthers,
    use: <A>(operation: TokenStoreError["operation"], calls: (statements: Statements) => A) =>
      Effect.tap(
        attempt(operation, path, () => run(calls)),
        () => {
          if (!wasReplaced) return Effect.void
          wasReplaced = false
          return report("store.replaced", path)
        }
      )
  }
})
