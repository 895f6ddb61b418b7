/** An empty directory, and a SQLite store in it. */
import * as TokenStoreSqlite from "@effect-custody/node/TokenStoreSqlite"
import * as Effect from "effect/Effect"
import { execFileSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { DatabaseSync } from "node:sqlite"
import type { Row } from "@effect-custody/authentication/TokenStore"
import type { Place } from "../worlds/tokenStoreConformance.ts"

/** Makes a directory until the scope ends. */
export const temporaryDirectory = Effect.acquireRelease(
  Effect.sync(() => Fs.mkdtempSync(Path.join(Os.tmpdir(), "custody-"))),
  (directory) => Effect.sync(() => Fs.rmSync(directory, { recursive: true, force: true }))
)

/** Reads a database through a separate connection. */
export const inside = <A>(path: string, look: (database: DatabaseSync) => A): A => {
  const database = new DatabaseSync(path, { timeout: 1000 })
  try {
    return look(database)
  } finally {
    database.close()
  }
}

export const sqlitePlace = Effect.map(temporaryDirectory, (directory) => {
  const path = Path.join(directory, "session.db")
  return {
    directory,
    path,
    store: (options) => TokenStoreSqlite.layer({ ...options, filename: path }),
    outside: {
      // Another process reads the files, because closing them here would drop SQLite's locks.
      bytes: Effect.sync(() =>
        execFileSync(
          "cat",
          Fs.readdirSync(directory).map((name) => Path.join(directory, name))
        ).toString("latin1")
      ),
      row: (identity) =>
        Effect.sync(() =>
          inside(path, (database) => ({
            ...(database
              .prepare("SELECT version, text FROM custody_sessions WHERE identity = ?")
              .get(identity) as unknown as Row)
          }))
        ),
      put: (identity, { text, version }) =>
        Effect.sync(() =>
          inside(path, (database) =>
            database.prepare("REPLACE INTO custody_sessions VALUES (?, ?, ?)").run(identity, version, text)
          )
        )
    }
  } satisfies Place & { readonly directory: string; readonly path: string }
})
