import * as TokenStoreSqlite from "@effect-custody/node/TokenStoreSqlite"
import * as Session from "@effect-custody/authentication/Session"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { execFileSync, spawn } from "node:child_process"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { createInterface } from "node:readline"
import { sqlitePlace, temporaryDirectory } from "../support/servers/sqlitePlace.ts"
import { numberedRecord } from "../support/worlds/sqliteWorker.ts"
import { connect, recordOf, testKey, versionOf } from "../support/worlds/tokenStoreConformance.ts"

const worker = Path.resolve(import.meta.dirname, "../support/worlds/sqliteWorker.ts")
const key = testKey(1)

/** A writing process, and every version that it was told is stored, with the number of its record. */
const writer = (path: string) => {
  const child = spawn(process.execPath, [worker, "write", path, Redacted.value(key)], {
    stdio: ["ignore", "pipe", "inherit"]
  })
  const acknowledged: Array<{ readonly version: number; readonly number: number }> = []
  const lines = createInterface(child.stdout)
  const first = new Promise<void>((resolve) => lines.once("line", () => resolve()))
  lines.on("line", (line) => {
    const [version, number] = line.split(" ").map(Number)
    acknowledged.push({ version: version!, number: number! })
  })
  const ended = new Promise<void>((resolve) => lines.once("close", resolve))
  return {
    acknowledged,
    first: Effect.promise(() => first),
    /** Ends it on the spot, and waits for the last of what it said. */
    kill: Effect.promise(() => {
      child.kill("SIGKILL")
      return ended
    })
  }
}

/** What a process of its own says that loads and swaps, as far as it comes. */
const once = (path: string, options: { readonly nobody?: boolean } = {}) => {
  const user = options.nobody === true ? { uid: nobody, gid: nobody } : {}
  const said = execFileSync(process.execPath, [worker, "once", path], user)
  return said.toString().trimEnd().split("\n")
}

/** Writes until nothing more is taken. */
const fill = (path: string) => {
  try {
    for (;;) Fs.appendFileSync(path, Buffer.alloc(4096))
  } catch {
    // It is full.
  }
}

const shown = Schema.encodeSync(Schema.toCodecJson(Session.SessionRecord))

const isRoot = process.getuid?.() === 0
const nobody = 65_534

describe("a SQLite store with killed processes", () => {
  it.live("every acknowledged write is complete after two writing processes are killed 25 times", () =>
    Effect.gen(function* () {
      const place = yield* sqlitePlace
      let newest = { version: 0, number: 0 }
      for (let round = 0; round < 25; round++) {
        const writers = [writer(place.path), writer(place.path)]
        yield* Effect.forEach(writers, ({ first }) => first, { concurrency: "unbounded" })
        yield* Effect.sleep(round)
        yield* Effect.forEach(writers, ({ kill }) => kill, { concurrency: "unbounded" })

        const acknowledged = writers
          .flatMap((each) => each.acknowledged)
          .toSorted((one, other) => one.version - other.version)
        for (const [index, { number, version }] of acknowledged.entries()) {
          const before = acknowledged[index - 1] ?? newest
          assert.isAbove(version, before.version, "no version was given twice, nor again")
          assert.isAbove(number, before.number, "each was written over all before it")
        }
        const { record, version } = yield* Effect.scoped(
          Effect.flatMap(connect(place, { key }), (store) => Effect.flatMap(store.load("alice"), Effect.fromOption))
        )
        const number = record.session!.generation
        const last = acknowledged.at(-1)!
        // Each process may have had one swap on its way.
        assert.isTrue(
          number >= last.number && number <= last.number + 2,
          `acknowledged ${last.number}, found ${number}`
        )
        if (number === last.number) assert.strictEqual(version, last.version)
        else assert.isAbove(version, last.version)
        assert.deepStrictEqual(shown(record), shown(numberedRecord(number, record.lease!.owner)))
        newest = { version, number }
      }
      assert.isAbove(newest.number, 50)
    })
  )
})

describe("a SQLite store with limited rights and space", () => {
  /** A directory of 256 kilobytes; nothing where this may not be mounted. */
  const mounted = Effect.flatMap(temporaryDirectory, (directory) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        try {
          execFileSync("mount", ["-t", "tmpfs", "-o", "size=256k", "tmpfs", directory], { stdio: "ignore" })
          return directory
        } catch {
          return undefined
        }
      }),
      (found) => Effect.sync(() => found !== undefined && execFileSync("umount", ["-l", found]))
    )
  )

  it.live("a store reports a full disk, and continues when there is space again", (context) =>
    Effect.gen(function* () {
      const directory = yield* mounted
      if (directory === undefined) return context.skip("a file system of its own needs root")
      const path = Path.join(directory, "session.db")
      const store = yield* connect({ store: () => TokenStoreSqlite.layer({ filename: path }) })
      const first = yield* store.compareAndSwap("alice", 0, recordOf(0))
      const ballast = Path.join(directory, "ballast")
      fill(ballast)
      const error = yield* Effect.flip(store.compareAndSwap("alice", first, recordOf(1, ["x".repeat(10_000)])))
      assert.deepInclude(error, { _tag: "TokenStoreError", operation: "compareAndSwap" })
      assert.match(error.message, /the disk is full/)
      const stored = yield* Effect.flatMap(store.load("alice"), Effect.fromOption)
      assert.deepStrictEqual([stored.version, stored.record.session?.generation], [first, 0])

      const full = yield* Effect.flip(
        Effect.scoped(connect({ store: () => TokenStoreSqlite.layer({ filename: `${path}.new` }) }))
      )
      assert.match(full.message, /the disk is full/)

      Fs.rmSync(ballast)
      const next = yield* store.compareAndSwap("alice", first, recordOf(1))
      assert.isAbove(next, first)
      assert.strictEqual(yield* versionOf(store, "alice"), next)
    })
  )

  /** A store with one record, of the user that `once` runs as. */
  const owned = Effect.gen(function* () {
    const place = yield* sqlitePlace
    const version = yield* Effect.scoped(
      Effect.flatMap(connect(place), (store) => store.compareAndSwap("alice", 0, recordOf(0)))
    )
    if (isRoot) for (const name of [place.directory, place.path]) Fs.chownSync(name, nobody, nobody)
    return { ...place, version, once: () => once(place.path, { nobody: isRoot }) }
  })

  it.live("a store reports a file or directory without rights before it has anything to lose", () =>
    Effect.gen(function* () {
      const place = yield* owned
      const modes = [
        [place.path, 0o400],
        [place.path, 0o000],
        [place.directory, 0o500]
      ] as const
      for (const [path, mode] of modes) {
        const { mode: before } = Fs.statSync(path)
        Fs.chmodSync(path, mode)
        const said = place.once()
        Fs.chmodSync(path, before)
        assert.strictEqual(said.length, 1)
        assert.match(said[0]!, /^TokenStoreError the token store failed to open: .*(read-only|may not read and write)/)
      }
      assert.strictEqual(place.once()[0], `loaded ${place.version} 0`)
    })
  )

  it.live("a store refuses a file of another user with any mode", (context) =>
    Effect.gen(function* () {
      if (!isRoot) return context.skip("another user's file needs root")
      const place = yield* owned
      Fs.chownSync(place.path, 0, 0)
      Fs.chmodSync(place.path, 0o666)
      const said = place.once()
      assert.strictEqual(said.length, 1)
      assert.match(said[0]!, /^TokenStoreError .*it belongs to user 0, and this process is user \d+/)
    })
  )
})
