/**
 * A process of its own on a SQLite store: `write` swaps as fast as it can until it is killed, and says each version
 * once it was acknowledged; `once` loads and swaps once, and says how both ended.
 */
import { type Stored, TokenStore } from "@effect-custody/authentication/TokenStore"
import * as TokenStoreSqlite from "@effect-custody/node/TokenStoreSqlite"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { writeSync } from "node:fs"

const [mode, path = "", key] = process.argv.slice(2)

/** Unbuffered, so that a report arrives even if the next instruction never runs. */
const say = (line: string) => writeSync(1, `${line}\n`)

/** A record of two pages, every part of which says its version. */
export const recordOfVersion = (version: number, owner: string) => ({
  environment: `version ${version}`,
  session: {
    generation: version,
    accessToken: Redacted.make(`access ${version}`),
    refreshToken: Redacted.make(`refresh ${version}`),
    obtainedAt: version
  },
  lease: { owner, renewedAt: version },
  spentKeys: Array.from({ length: 64 }, (_, index) => `${version} ${index}`.padEnd(128, "."))
})

const versionOf = Option.match({ onNone: () => 0, onSome: ({ version }: Stored) => version })

const write = Effect.gen(function* () {
  const store = yield* TokenStore
  let version = versionOf(yield* store.load("alice"))
  while (true) {
    const next = recordOfVersion(version + 1, `${process.pid}`)
    version = yield* store.compareAndSwap("alice", version, next).pipe(
      Effect.tap((stored) => Effect.sync(() => say(`${stored}`))),
      Effect.catchTag("VersionConflict", () => Effect.map(store.load("alice"), versionOf))
    )
    yield* Effect.yieldNow
  }
})

const once = Effect.gen(function* () {
  const store = yield* TokenStore
  const found = yield* store.load("alice")
  say(`loaded ${versionOf(found)}`)
  let version = versionOf(found)
  // A disk with little room takes some.
  for (let attempt = 0; attempt < 100; attempt++) {
    version = yield* store.compareAndSwap("alice", version, recordOfVersion(version + 1, `${process.pid}`))
    say(`swapped ${version}`)
  }
}).pipe(Effect.catch((error) => Effect.sync(() => say(`${error._tag} ${error.message}`))))

if (mode !== undefined) {
  await Effect.runPromise(
    (mode === "write" ? write : once).pipe(
      Effect.provide(TokenStoreSqlite.layer({ path, key: key === undefined ? undefined : Redacted.make(key) })),
      Effect.catch((error) => Effect.sync(() => say(`${error._tag} ${error.message}`)))
    )
  )
}
