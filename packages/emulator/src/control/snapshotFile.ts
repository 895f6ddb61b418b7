/** Saves snapshots to a file atomically, so that after a crash the file has the whole old or the whole new snapshot. */
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { ConfigurationInvalid } from "@effect-custody/core/SdkError"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import * as Snapshot from "../model/Snapshot.ts"

/** Saves a snapshot of the current state. Returns the file's path. */
export type Save = Effect.Effect<{ readonly file: string }, ConfigurationInvalid>

const invalid = (file: string, reason: string) =>
  new ConfigurationInvalid({ option: "snapshot", reason: `${file}: ${reason}` })

const toReason = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

const isMissing = (cause: unknown): boolean => cause instanceof Error && "code" in cause && cause.code === "ENOENT"

/** Reads a snapshot from a file. Returns `undefined` if the file does not exist. */
export const load = Effect.fnUntraced(function* (
  file: string
): Effect.fn.Return<Snapshot.Snapshot | undefined, ConfigurationInvalid> {
  const text = yield* Effect.tryPromise({
    try: () =>
      Fs.readFile(file, "utf8").catch((cause: unknown) => (isMissing(cause) ? undefined : Promise.reject(cause))),
    catch: (cause) => invalid(file, toReason(cause))
  })
  if (text === undefined) return undefined
  return yield* Effect.mapError(Snapshot.fromText(text), ({ reason }) => invalid(file, reason))
})

const attempt = <A>(file: string, act: () => Promise<A>): Effect.Effect<A, ConfigurationInvalid> =>
  Effect.tryPromise({ try: act, catch: (cause) => invalid(file, toReason(cause)) })

const write = (file: string, text: string): Effect.Effect<void, ConfigurationInvalid> => {
  const temporary = Path.join(Path.dirname(file), `.${Path.basename(file)}.${process.pid}.tmp`)
  return Effect.gen(function* () {
    // Remove a temporary file that a killed process with the same id left, because its permissions are unknown.
    yield* attempt(file, () => Fs.rm(temporary, { force: true }))
    yield* Effect.acquireUseRelease(
      // Only the owner may read the file, because it holds keys and tokens.
      attempt(file, () => Fs.open(temporary, "wx", 0o600)),
      (handle) => attempt(file, () => handle.writeFile(text).then(() => handle.sync())),
      (handle) => Effect.promise(() => handle.close())
    )
    yield* attempt(file, () => Fs.rename(temporary, file))
  }).pipe(Effect.tapError(() => Effect.ignore(attempt(file, () => Fs.rm(temporary, { force: true })))))
}

/** Saves snapshots to a file, one at a time. */
export const save = (file: string, snapshot: Effect.Effect<Snapshot.Snapshot>): Save => {
  const path = Path.resolve(file)
  const one = Semaphore.makeUnsafe(1)
  const saved = Effect.flatMap(snapshot, (snapshot) => write(path, Snapshot.toText(snapshot)))
  return one.withPermit(Effect.uninterruptible(Effect.as(saved, { file: path })))
}
