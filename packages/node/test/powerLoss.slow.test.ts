/** After a power loss, the disk has the synced bytes, and perhaps a part of the last write. */
import * as Session from "@effect-custody/authentication/Session"
import * as TokenStoreSqlite from "@effect-custody/node/TokenStoreSqlite"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { spawnSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { sqlitePlace, temporaryDirectory } from "../../../test/support/servers/sqlitePlace.ts"
import { numberedRecord } from "../../../test/support/worlds/sqliteWorker.ts"
import { connect, testKey, versionOf, write } from "../../../test/support/worlds/tokenStoreConformance.ts"

const key = testKey(1)
const writes = 6
const shown = Schema.encodeSync(Schema.toCodecJson(Session.SessionRecord))

/** A frame of the log: its head, and a page. */
const frame = 24 + 4096
const head = 32

describe("a SQLite store and the power", () => {
  it.live(
    "after a power loss at any moment of a write, the file has a whole record, never older than the synced one",
    () =>
      Effect.gen(function* () {
        const place = yield* sqlitePlace
        const store = yield* connect(place, { key })
        const versions: Array<number> = []
        const synced: Array<number> = []
        for (let number = 1; number <= writes; number++) {
          versions.push(yield* write(store, "alice", numberedRecord(number, "alice")))
          synced.push(Fs.statSync(`${place.path}-wal`).size)
        }
        const database = Fs.readFileSync(place.path)
        const log = Fs.readFileSync(`${place.path}-wal`)

        /**
         * The number of the record that is found when the log was written so far; `torn`: the rest is there, but was never
         * written whole.
         */
        const found = (length: number, torn: boolean) =>
          Effect.gen(function* () {
            const directory = yield* temporaryDirectory
            const path = Path.join(directory, "session.db")
            Fs.writeFileSync(path, database, { mode: 0o600 })
            const rest = torn ? Buffer.alloc(Math.min(log.length - length, frame), 0xa5) : Buffer.alloc(0)
            Fs.writeFileSync(`${path}-wal`, Buffer.concat([log.subarray(0, length), rest]), { mode: 0o600 })
            const again = yield* connect(
              { store: (options) => TokenStoreSqlite.layer({ ...options, filename: path }) },
              { key }
            )
            const stored = yield* again.load("alice")
            if (Option.isNone(stored)) return 0
            const { record, version } = stored.value
            const number = versions.indexOf(version) + 1
            assert.deepStrictEqual(shown(record), shown(numberedRecord(number, "alice")))
            const next = yield* again.compareAndSwap("alice", version, record)
            assert.isAbove(next, version)
            assert.strictEqual(yield* versionOf(again, "alice"), next)
            return number
          }).pipe(Effect.scoped)

        const lengths = [0, 1, head]
        for (let at = head; at < log.length; at += frame) lengths.push(at + 24, at + frame / 2, at + frame)
        for (const length of lengths.filter((length) => length <= log.length)) {
          for (const torn of [false, true]) {
            const number = yield* found(length, torn)
            const least = synced.filter((size) => size <= length).length
            assert.strictEqual(number, least, `${length} bytes of the log${torn ? ", and a torn frame" : ""}`)
          }
        }
        assert.strictEqual(yield* found(log.length, false), writes)
      })
  )

  it.live("the store syncs a write before it acknowledges it", (context) =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const worker = Path.resolve(import.meta.dirname, "../../../test/support/worlds/sqliteWorker.ts")
      const trace = Path.join(directory, "trace")
      const calls = "trace=pwrite64,write,fsync,fdatasync"
      const { error, status } = spawnSync("strace", [
        "-f",
        "-y",
        "-s",
        "16",
        "-e",
        calls,
        "-o",
        trace,
        process.execPath,
        worker,
        "once",
        `${directory}/session.db`
      ])
      if (error !== undefined || status !== 0) return context.skip("there is no strace here, or it may not trace")
      let unsynced = 0
      let acknowledged = 0
      for (const line of Fs.readFileSync(trace, "utf8").split("\n")) {
        if (/pwrite64\(\d+<[^>]*session\.db-wal>/.test(line)) unsynced++
        if (/f(data)?sync\(\d+<[^>]*session\.db-wal>/.test(line)) unsynced = 0
        if (!/write\(1<[^>]*>, "swapped/.test(line)) continue
        acknowledged++
        assert.strictEqual(unsynced, 0, line)
      }
      assert.isAbove(acknowledged, 50)
    })
  )
})
