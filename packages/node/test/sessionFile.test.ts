/** A session in a SQLite file that changes while the session rotates. */
import type { Row } from "@effect-custody/authentication/TokenStore"
import { type CustodyEmulator, Fault } from "@effect-custody/emulator"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import * as Fs from "node:fs"
import { makeWorld, tagOf } from "../../../test/support/worlds/sessionWorld.ts"
import { inside, sqlitePlace } from "../../../test/support/servers/sqlitePlace.ts"
import { connect, testKey } from "../../../test/support/worlds/tokenStoreConformance.ts"

const key = testKey(1)

/** A process with a session in an encrypted file. */
const started = Effect.gen(function* () {
  const place = yield* sqlitePlace
  const world = yield* makeWorld()
  const process = yield* world.started({ store: yield* connect(place, { key }) })
  return { place, world, ...process }
})

/** Waits for the file system, while the client's time stands still. */
const until = <E>(holds: Effect.Effect<boolean, E>) =>
  Effect.gen(function* () {
    while (!(yield* holds)) yield* TestClock.withLive(Effect.sleep("1 millis"))
  })

/** Waits while the time passes. */
const untilLater = <E>(holds: Effect.Effect<boolean, E>) =>
  until(Effect.tap(holds, (now) => (now ? Effect.void : TestClock.adjust("100 millis"))))

/** Waits until the service has received this many refreshes. */
const received = ({ emulator }: { readonly emulator: CustodyEmulator["Service"] }, count: number) =>
  until(Effect.map(emulator.counts, ({ refreshes }) => refreshes === count))

/** Changes by others to the row of a session. */
const changes: ReadonlyArray<readonly [number: string, (row: Row) => Row]> = [
  ["a row of a newer SDK", (row) => ({ ...row, text: '{"format":2,"sealed2":"x"}' })],
  ["a changed row", ({ text, version }) => ({ version, text: text.replace(/"sealed":".../, '"sealed":"AAA') })],
  ["a row under another key", (row) => ({ ...row, text: row.text.replace(/"keyId":"..../, '"keyId":"AAAA') })]
]

describe("the row of a session", () => {
  for (const [name, change] of changes) {
    it.effect(`${name} fails every process before the refresh token is spent, and stays as it is`, () =>
      Effect.gen(function* () {
        const { place, tokens, world } = yield* started
        yield* place.outside.put("default", change(yield* place.outside.row("default")))
        const before = yield* place.outside.row("default")
        assert.strictEqual(yield* tagOf(tokens.rotate(0)), "TokenStoreError")
        assert.strictEqual(yield* tagOf(world.boot({ store: yield* connect(place, { key }) })), "TokenStoreError")
        assert.strictEqual((yield* world.emulator.counts).refreshes, 0)
        assert.deepStrictEqual(yield* place.outside.row("default"), before)
      })
    )

    it.effect(`${name} during a refresh stays as it is, and the session goes on without being stored`, () =>
      Effect.gen(function* () {
        const { place, read, tokens, world } = yield* started
        yield* world.fault(Fault.delayed({ answer: "1 second" }))
        const rotating = yield* Effect.forkChild(tokens.rotate(0))
        yield* received(world, 1)
        const { text, version } = change(yield* place.outside.row("default"))
        yield* place.outside.put("default", { version: version + 1, text })
        yield* untilLater(Effect.sync(() => rotating.pollUnsafe() !== undefined))
        assert.strictEqual((yield* Fiber.join(rotating)).generation, 1)
        yield* read
        assert.strictEqual((yield* tokens.status).state, "unpersisted")
        yield* TestClock.adjust("400 millis")
        assert.deepStrictEqual(yield* place.outside.row("default"), { version: version + 1, text })
      })
    )
  }
})

describe("the file of a session", () => {
  it.effect("a file that is gone when the answer comes is made again, with the new tokens", () =>
    Effect.gen(function* () {
      const { events, place, read, tokens, world } = yield* started
      yield* world.fault(Fault.delayed({ answer: "1 second" }))
      const rotating = yield* Effect.forkChild(tokens.rotate(0))
      yield* received(world, 1)
      Fs.rmSync(place.path)
      yield* untilLater(Effect.sync(() => rotating.pollUnsafe() !== undefined))
      assert.strictEqual((yield* Fiber.join(rotating)).generation, 1)
      yield* read
      assert.strictEqual((yield* tokens.status).state, "serving")
      const next = yield* world.boot({ store: yield* connect(place, { key }) })
      yield* next.read
      assert.strictEqual((yield* next.tokens.current).generation, 1)
      assert.deepStrictEqual(
        events.map(({ _tag }) => _tag),
        ["Started", "Rotated"]
      )
    })
  )

  it.effect("an older file in its place is overwritten", () =>
    Effect.gen(function* () {
      const { place, tokens, world } = yield* started
      const copy = `${place.path}.copy`
      inside(place.path, (database) => database.exec(`VACUUM INTO '${copy}'`))
      yield* tokens.rotate(0)
      yield* tokens.rotate(1)
      for (const part of ["-wal", "-shm"]) Fs.rmSync(place.path + part)
      Fs.renameSync(copy, place.path)
      yield* tokens.rotate(2)
      const next = yield* world.boot({ store: yield* connect(place, { key }) })
      yield* next.read
      assert.strictEqual((yield* next.tokens.current).generation, 3)
    })
  )

  it.effect("calls go on while the directory of the file is gone, and the file is written when it is back", () =>
    Effect.gen(function* () {
      const { events, place, read, tokens, world } = yield* started
      yield* world.fault(Fault.delayed({ answer: "1 second" }))
      const rotating = yield* Effect.forkChild(tokens.rotate(0))
      yield* received(world, 1)
      const elsewhere = `${place.directory}.away`
      Fs.renameSync(place.directory, elsewhere)
      yield* untilLater(Effect.sync(() => rotating.pollUnsafe() !== undefined))
      assert.strictEqual((yield* Fiber.join(rotating)).generation, 1)
      yield* read
      assert.strictEqual((yield* tokens.status).state, "unpersisted")
      Fs.renameSync(elsewhere, place.directory)
      yield* untilLater(Effect.map(tokens.status, ({ state }) => state === "serving"))
      const next = yield* world.boot({ store: yield* connect(place, { key }) })
      yield* next.read
      assert.strictEqual((yield* next.tokens.current).generation, 1)
      assert.deepInclude(yield* world.emulator.counts, { refreshes: 1, rotations: 1 })
      assert.includeMembers(
        events.map(({ _tag }) => _tag),
        ["NotPersisted", "Persisted"]
      )
    })
  )
})
