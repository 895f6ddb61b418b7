import type { SessionRecord } from "@effect-custody/authentication/Session"
import type { TokenStore } from "@effect-custody/authentication/TokenStore"
import * as TokenStoreSqlite from "@effect-custody/node/TokenStoreSqlite"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import { TestClock } from "effect/testing"
import { execFileSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { inside, sqlitePlace, temporaryDirectory } from "../../../test/support/servers/sqlitePlace.ts"
import {
  connect,
  recordOf,
  tokenStoreConformance,
  versionOf
} from "../../../test/support/worlds/tokenStoreConformance.ts"

tokenStoreConformance("SQLite", sqlitePlace, { outlives: true })

const fileMode = (path: string) => (Fs.statSync(path).mode & 0o777).toString(8)

/** Runs a program on the database in a process of its own. */
const outsideProcess = (path: string, program: string) =>
  execFileSync(
    process.execPath,
    [
      "--no-warnings",
      "-e",
      `const { DatabaseSync } = require("node:sqlite"); const database = new DatabaseSync(${JSON.stringify(path)}); ${program}`
    ],
    { encoding: "utf8" }
  )

/** The identities and versions that another process finds. */
const read = (path: string): unknown =>
  JSON.parse(
    outsideProcess(
      path,
      `console.log(JSON.stringify(database.prepare("SELECT identity, version FROM custody_sessions ORDER BY identity").all()))`
    )
  )

/** Swaps a record, and returns its version, which must be greater than the one before. */
const swapped = (store: TokenStore["Service"], identity: string, expectedVersion: number, next: SessionRecord) =>
  Effect.tap(store.compareAndSwap(identity, expectedVersion, next), (version) =>
    Effect.sync(() => assert.isAbove(version, expectedVersion))
  )

/** The reason why a store does not open. */
const refusal = (path: string) => Effect.flip(Effect.scoped(Layer.build(TokenStoreSqlite.layer({ filename: path }))))

/** A connection that keeps the file locked until the scope is closed, or `release` is called. */
const lock = (path: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const database = new DatabaseSync(path)
      database.exec("BEGIN IMMEDIATE")
      return { release: () => database.isOpen && database.close() }
    }),
    ({ release }) => Effect.sync(release)
  )

describe("a SQLite store and its file", () => {
  it.live("only the owner may read the store's file and SQLite's files beside it", () =>
    Effect.gen(function* () {
      const place = yield* sqlitePlace
      const store = yield* connect(place)
      assert.strictEqual(fileMode(place.path), "600")
      yield* store.compareAndSwap("alice", 0, recordOf(0))
      const names = Fs.readdirSync(place.directory)
      assert.sameMembers(names, ["session.db", "session.db-wal", "session.db-shm"])
      for (const name of names) assert.strictEqual(fileMode(Path.join(place.directory, name)), "600", name)
    })
  )

  it.live("a store closes a file that others could read, and warns once", () =>
    Effect.gen(function* () {
      const place = yield* sqlitePlace
      const warnings: Array<unknown> = []
      const logger = Logger.layer([Logger.make(({ logLevel, message }) => warnings.push([logLevel, String(message)]))])
      const visit = Effect.scoped(Effect.asVoid(connect(place))).pipe(Effect.provide(logger))
      yield* visit
      assert.deepStrictEqual(warnings, [])
      Fs.chmodSync(place.path, 0o644)
      yield* visit
      assert.strictEqual(fileMode(place.path), "600")
      assert.deepStrictEqual(warnings, [
        [
          "Warn",
          `The session file could be read by others; its mode is 0600 now. ${place.path}. To do: start a session with a new API key if somebody may have read it.`
        ]
      ])
      yield* visit
      assert.strictEqual(warnings.length, 1)
    })
  )

  // Only root may give a file to another user. Other users cannot open such a file at all.
  it.live.runIf(process.geteuid?.() === 0)("a store refuses a file of another user, even as root", () =>
    Effect.gen(function* () {
      for (const part of ["", "-wal", "-shm", "-journal"]) {
        const place = yield* sqlitePlace
        yield* Effect.scoped(Effect.asVoid(connect(place)))
        const name = place.path + part
        if (part !== "") Fs.writeFileSync(name, "", { mode: 0o600 })
        Fs.chownSync(name, 65_534, 65_534)
        const error = yield* refusal(place.path)
        assert.match(error.message, /belongs to user 65534, and this process is user 0/)
        assert.strictEqual(Fs.statSync(name).uid, 65_534)
      }
    })
  )

  it.live("an error does not repeat SQLite's message, into which a trigger may put a record", () =>
    Effect.gen(function* () {
      const place = yield* sqlitePlace
      const store = yield* connect(place)
      const first = yield* store.compareAndSwap("alice", 0, recordOf(0))
      inside(place.path, (database) =>
        database.exec(
          "CREATE TRIGGER tell BEFORE UPDATE ON custody_sessions BEGIN SELECT RAISE(ABORT, 'refused: ' || NEW.text); END"
        )
      )
      const error = yield* Effect.flip(store.compareAndSwap("alice", first, recordOf(1)))
      assert.strictEqual(error._tag, "TokenStoreError")
      assert.match(error.message, /a constraint or a trigger in it refuses the record/)
      assert.notInclude(error.message, "refused")
    })
  )

  it.live("a file name may hold characters that mean something to SQLite", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      for (const name of [":memory:", "file:x?mode=memory", "a%20b#c", "ünï 🔑"]) {
        const path = Path.join(directory, name)
        const store = yield* connect({ store: (options) => TokenStoreSqlite.layer({ ...options, filename: path }) })
        yield* store.compareAndSwap("alice", 0, recordOf(0))
        assert.isAbove(Fs.statSync(path).size, 0)
      }
    })
  )

  it.live("a link opens the store that it leads to", () =>
    Effect.gen(function* () {
      const place = yield* sqlitePlace
      const path = Path.join(place.directory, "link")
      yield* Effect.scoped(Effect.asVoid(connect(place)))
      Fs.chmodSync(place.path, 0o640)
      Fs.symlinkSync(place.path, path)
      const linked = yield* connect({ store: () => TokenStoreSqlite.layer({ filename: path }) })
      const direct = yield* connect(place)
      yield* linked.compareAndSwap("alice", 0, recordOf(0))
      assert.isTrue(Option.isSome(yield* direct.load("alice")))
      assert.strictEqual(fileMode(place.path), "600")
      assert.strictEqual(fileMode(`${place.path}-wal`), "600")
    }).pipe(Effect.provide(Logger.layer([])))
  )

  it.live("the end of the layer closes the file, and the store then says that it is closed", () =>
    Effect.gen(function* () {
      const place = yield* sqlitePlace
      const store = yield* Effect.scoped(connect(place))
      assert.deepStrictEqual(Fs.readdirSync(place.directory), ["session.db"])
      const load = yield* Effect.flip(store.load("alice"))
      assert.deepInclude(load, { _tag: "TokenStoreError", operation: "load" })
      const swap = yield* Effect.flip(store.compareAndSwap("alice", 0, recordOf(0)))
      assert.deepInclude(swap, { _tag: "TokenStoreError", operation: "compareAndSwap" })
    })
  )
})

describe("a SQLite store that cannot be opened", () => {
  it.live.each(["", "a\0b"])("a store refuses %j as a path", (path) =>
    Effect.map(refusal(path), (error) => {
      assert.deepInclude(error, { _tag: "ConfigurationInvalid", option: "filename" })
    })
  )

  it.live.each([
    ["none/session.db", /its directory does not exist/],
    ["file/session.db", /its directory is not a directory/],
    [".", /it is not a file/],
    ["loop", /it cannot be used \(ELOOP\)/]
  ] as const)("a store refuses the path %s, and makes no file", ([name, reason]) =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      Fs.writeFileSync(Path.join(directory, "file"), "")
      Fs.symlinkSync("loop", Path.join(directory, "loop"))
      const error = yield* refusal(Path.join(directory, name))
      assert.deepInclude(error, { _tag: "TokenStoreError", operation: "open" })
      assert.match(error.reason, reason)
      assert.sameMembers(Fs.readdirSync(directory), ["file", "loop"])
    })
  )

  const orders = "CREATE TABLE orders (id); INSERT INTO orders VALUES (1)"
  it.live.each<readonly [what: string, put: (path: string) => void, reason: RegExp]>([
    ["a text", (path) => Fs.writeFileSync(path, "to be, or not to be; ".repeat(1000)), /not a SQLite database/],
    [
      "a file that begins like a database",
      (path) => Fs.writeFileSync(path, Buffer.concat([Buffer.from("SQLite format 3\0"), Buffer.alloc(8000, 0xa5)])),
      /not a SQLite database|damaged/
    ],
    [
      "a database of another program",
      (path) => inside(path, (database) => database.exec(`PRAGMA journal_mode = WAL; ${orders}`)),
      /database of something else/
    ]
  ])("a store refuses %s, and changes no byte of it", ([, put, reason]) =>
    Effect.gen(function* () {
      const { directory, path } = yield* sqlitePlace
      put(path)
      Fs.chmodSync(path, 0o644)
      const before = Fs.readFileSync(path)
      const error = yield* refusal(path)
      assert.deepInclude(error, { _tag: "TokenStoreError", operation: "open" })
      assert.match(error.reason, reason)
      assert.isTrue(Fs.readFileSync(path).equals(before))
      assert.strictEqual(fileMode(path), "644")
      assert.deepStrictEqual(Fs.readdirSync(directory), ["session.db"])
    })
  )
})

describe("a SQLite store in trouble", () => {
  const warnings: Array<string> = []
  const logged = Logger.layer([Logger.make(({ message }) => warnings.push(String(message)))])
  const removals: ReadonlyArray<readonly [what: string, remove: (path: string) => void]> = [
    ["the file is deleted", (path) => Fs.rmSync(path)],
    ["the file is moved", (path) => Fs.renameSync(path, `${path}.old`)],
    ["all files are deleted", (path) => ["", "-wal", "-shm"].forEach((part) => Fs.rmSync(path + part))],
    ["an empty file takes its place", (path) => (Fs.rmSync(path), Fs.writeFileSync(path, ""))]
  ]
  for (const [what, remove] of removals) {
    it.live(`after ${what}, the next operation opens the file that the path names, and warns once`, () =>
      Effect.gen(function* () {
        const place = yield* sqlitePlace
        const store = yield* connect(place)
        const first = yield* store.compareAndSwap("alice", 0, recordOf(0))
        remove(place.path)
        warnings.length = 0
        assert.strictEqual(
          (yield* Effect.flip(store.compareAndSwap("alice", first, recordOf(1))))._tag,
          "VersionConflict"
        )
        assert.isTrue(Option.isNone(yield* store.load("alice")))
        const version = yield* store.compareAndSwap("alice", 0, recordOf(1))
        assert.strictEqual(warnings.length, 1)
        assert.match(warnings[0]!, /was moved, deleted or replaced while it was open; it was opened again/)
        assert.strictEqual(fileMode(place.path), "600")
        assert.deepStrictEqual(read(place.path), [{ identity: "alice", version }])
      }).pipe(Effect.provide(logged))
    )
  }

  it.live("a store reports a damaged file, and does not overwrite it", () =>
    Effect.gen(function* () {
      const place = yield* sqlitePlace
      const first = yield* Effect.scoped(
        Effect.flatMap(connect(place), (store) => store.compareAndSwap("alice", 0, recordOf(0)))
      )
      const bytes = Fs.readFileSync(place.path)
      bytes.fill(0xa5, 4096)
      Fs.writeFileSync(place.path, bytes)
      const error = yield* Effect.flip(
        Effect.scoped(Effect.flatMap(connect(place), (store) => store.compareAndSwap("alice", first, recordOf(1))))
      )
      assert.strictEqual(error._tag, "TokenStoreError")
      assert.match(error.message, /damaged/)
      assert.isTrue(Fs.readFileSync(place.path).subarray(4096).equals(bytes.subarray(4096)))
    })
  )

  it.live("a failed operation opens the file again, once, and restores a dropped table", () =>
    Effect.gen(function* () {
      const place = yield* sqlitePlace
      const store = yield* connect(place)
      yield* store.compareAndSwap("alice", 0, recordOf(0))
      inside(place.path, (database) => database.exec("DROP TABLE custody_sessions"))
      assert.isTrue(Option.isNone(yield* store.load("alice")))
      const version = yield* store.compareAndSwap("alice", 0, recordOf(1))
      assert.deepStrictEqual(read(place.path), [{ identity: "alice", version }])
    })
  )

  it.live("a swap waits for a writing process without blocking its own, and a load does not wait", () =>
    Effect.gen(function* () {
      const place = yield* sqlitePlace
      const store = yield* connect(place)
      const { release } = yield* lock(place.path)
      assert.isTrue(Option.isNone(yield* store.load("alice")))
      const swap = yield* Effect.forkChild(swapped(store, "alice", 0, recordOf(0)))
      yield* Effect.sleep("150 millis") // would not end if the swap kept the event loop
      assert.isUndefined(swap.pollUnsafe())
      release()
      const first = yield* Fiber.join(swap)
      assert.strictEqual(yield* versionOf(store, "alice"), first)
    })
  )

  it.effect("a swap gives up after five seconds on a locked file, and has written nothing", () =>
    Effect.gen(function* () {
      const place = yield* sqlitePlace
      const store = yield* connect(place)
      const first = yield* store.compareAndSwap("alice", 0, recordOf(0))
      const { release } = yield* lock(place.path)
      const swap = yield* Effect.forkChild(Effect.flip(store.compareAndSwap("alice", first, recordOf(1))))
      yield* TestClock.adjust("4 seconds")
      assert.isUndefined(swap.pollUnsafe())
      yield* TestClock.adjust("2 seconds")
      const error = yield* Fiber.join(swap)
      assert.deepInclude(error, { _tag: "TokenStoreError", operation: "compareAndSwap" })
      assert.match(error.message, /another process keeps it locked/)
      release()
      assert.strictEqual((yield* place.outside.row("alice")).version, first)
      const next = yield* swapped(store, "alice", first, recordOf(1))
      assert.strictEqual(yield* versionOf(store, "alice"), next)
    })
  )
})
