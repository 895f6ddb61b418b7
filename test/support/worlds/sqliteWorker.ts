/**
 * A process on a SQLite store. `write` swaps as fast as possible until the process is killed, and reports each acknowledged
 * version with the number of its record. `once` loads once, swaps up to a hundred times, and reports each result.
 */
import { type Stored, TokenStore } from "@effect-custody/authentication/TokenStore"
import * as TokenStoreSqlite from "@effect-custody/node/TokenStoreSqlite"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { writeSync } from "node:fs"

const [mode, path = "", key] = process.argv.slice(2)

/** Writes unbuffered, so that a report arrives even if the process is killed next. */
const say = (line: string) => writeSync(1, `${line}\n`)

/** A record of two pages with its number in every part. The first record has the number 1. */
export const numberedRecord = (number: number, owner: string) => ({
  environment: `record ${number}`,
  session: {
    generation: number,
    accessToken: Redacted.make(`access ${number}`),
    refreshToken: Redacted.make(`refresh ${number}`),
    obtainedAt: number
  },
  lease: { owner, renewedAt: number },
  spentKeys: Array.from({ length: 64 }, (_, index) => `${number} ${index}`.padEnd(128, "."))
})

/** Reads the stored version and the number of its record. */
const seenOf = Option.match({
  onNone: () => ({ version: 0, number: 0 }),
  onSome: ({ record, version }: Stored) => ({ version, number: record.session?.generation ?? 0 })
})

/** Writes the next record over the last read version. */
const writeOver = (store: TokenStore["Service"], seen: ReturnType<typeof seenOf>) => {
  const number = seen.number + 1
  return Effect.map(
    store.compareAndSwap("alice", seen.version, numberedRecord(number, `${process.pid}`)),
    (version) => ({ version, number })
  )
}

const write = Effect.gen(function* () {
  const store = yield* TokenStore
  let seen = seenOf(yield* store.load("alice"))
  while (true) {
    seen = yield* writeOver(store, seen).pipe(
      Effect.tap(({ number, version }) => Effect.sync(() => say(`${version} ${number}`))),
      Effect.catchTag("VersionConflict", () => Effect.map(store.load("alice"), seenOf))
    )
    yield* Effect.yieldNow
  }
})

const once = Effect.gen(function* () {
  const store = yield* TokenStore
  let seen = seenOf(yield* store.load("alice"))
  say(`loaded ${seen.version} ${seen.number}`)
  // A disk with little space accepts some writes.
  for (let attempt = 0; attempt < 100; attempt++) {
    seen = yield* writeOver(store, seen)
    say(`swapped ${seen.version} ${seen.number}`)
  }
}).pipe(Effect.catch((error) => Effect.sync(() => say(`${error._tag} ${error.message}`))))

if (mode !== undefined) {
  await Effect.runPromise(
    (mode === "write" ? write : once).pipe(
      Effect.provide(
        TokenStoreSqlite.layer({ filename: path, key: key === undefined ? undefined : Redacted.make(key) })
      ),
      Effect.catch((error) => Effect.sync(() => say(`${error._tag} ${error.message}`)))
    )
  )
}
