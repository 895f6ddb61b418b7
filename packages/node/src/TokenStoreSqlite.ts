/**
 * Stores sessions in a SQLite file, through Node's own `node:sqlite`. The sessions are durable. All processes of one
 * host share them.
 *
 * Specification: "Persist the newest refresh token immediately after each refresh."
 *
 * @since 0.1.0
 */
import * as RowStore from "@effect-custody/authentication/RowStore"
import { type Row, type StoreOptions, TokenStore } from "@effect-custody/authentication/TokenStore"
import { ConfigurationInvalid } from "@effect-custody/core/SdkError"
import type { TokenStoreError } from "@effect-custody/core/SessionError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Path from "node:path"
import { Unusable } from "./internal/sqliteConnection.ts"
import * as SqliteFile from "./internal/sqliteFile.ts"

/**
 * The file of the sessions, and their encryption.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options extends StoreOptions {
  /**
   * The file, in a directory that exists, on a local disk (SQLite's shared memory does not work over a network). If the
   * file does not exist, the store creates it with mode 0600.
   */
  readonly filename: string
}

/**
 * A store in one SQLite file, for any number of processes on this host.
 *
 * - A record is on the disk (WAL, `synchronous = FULL`) before `compareAndSwap` returns.
 * - Only the owner of the file may read it. If others can read the file when the store opens it, the store changes the
 *   mode and logs a warning.
 * - The store refuses a file that it did not create as a store, and leaves the file as it is.
 * - The store refuses a file of another user, even if this process is root.
 * - If the file or its directory is deleted, moved or replaced, the next operation opens the file that is at the path
 *   then, or creates it. Each process then writes the session that it has in memory. Records that no running client
 *   knows are lost.
 * - While a process has the file open, do not empty it, and do not delete or change `-wal` and `-shm` alone, because
 *   records may be lost. Before you replace the file by another, stop the processes and remove `-wal` and `-shm`,
 *   because SQLite would apply the old log to the new file.
 * - Start a new file when you add a key, because the bytes of the old file may still hold tokens in clear text.
 * - The store holds one connection until the layer's scope is closed. Until then, do not open the file by other means
 *   in this process, because closing it would drop SQLite's locks. Copy the file with `sqlite3 <file> .backup`, not
 *   with `cp`.
 *
 * Fails with `ConfigurationInvalid` if an option is wrong, and with `TokenStoreError` if the file cannot be opened. The
 * operations fail with `TokenStoreError` if the file is damaged, belongs to another user, is busy for more than five
 * seconds or cannot be opened again, or if the disk is full.
 *
 * @example
 * ```ts
 * import { TokenStoreSqlite } from "@effect-custody/node"
 * import { Redacted } from "effect"
 *
 * const store = TokenStoreSqlite.layer({
 *   filename: "/var/lib/payouts/session.db",
 *   key: Redacted.make(process.env.CUSTODY_SESSION_KEY!)
 * })
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options): Layer.Layer<TokenStore, TokenStoreError | ConfigurationInvalid> =>
  Layer.effect(
    TokenStore,
    Effect.gen(function* () {
      const { filename } = options
      if (!SqliteFile.isPath(filename)) {
        return yield* new ConfigurationInvalid({ option: "filename", reason: "must be the path of a file" })
      }
      // In an absolute path, `:memory:` and `file:…` are ordinary names.
      const file = yield* SqliteFile.open(Path.resolve(filename))
      if (file.wasOpenToOthers) yield* SqliteFile.report("store.readable", filename)
      return yield* RowStore.make(rows(file), options)
    })
  )

const decodeRow = Schema.decodeUnknownOption(Schema.Struct({ version: Schema.Int, text: Schema.String }))

const rows = (file: SqliteFile.SqliteFile) => ({
  load: (identity: string) =>
    file.use("load", ({ select }) => {
      const row = select.get(identity)
      if (row === undefined) return Option.none()
      const decoded = decodeRow(row)
      if (Option.isNone(decoded)) throw new Unusable({ reason: "a row cannot be read" })
      return decoded
    }),
  compareAndSwap: (identity: string, expectedVersion: number, { text, version }: Row) =>
    file.use("compareAndSwap", ({ insert, update }) => {
      const { changes } =
        expectedVersion === 0
          ? insert.run(identity, version, text)
          : update.run(version, text, identity, expectedVersion)
      return changes === 1
    })
})
