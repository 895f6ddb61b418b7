/** The record is deleted or restored: what a process has sent itself, and the session that it holds, it knows. */
import { Fault } from "@effect-custody/emulator"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { after, exchanges, inDoubt, meanwhile, refreshes, refused } from "../../support/worlds/secretsUnderWay.ts"
import { letTime, makeWorld, pass, tagOf } from "../../support/worlds/sessionWorld.ts"

type World = Effect.Success<ReturnType<typeof makeWorld>>

/** A process whose access token is about to expire has sent its refresh token in the background, and gets no answer. */
const inBackground = Effect.fnUntraced(function* (world: World, seconds: number) {
  const process = yield* world.started()
  yield* world.fault(after(seconds, Fault.answerLost()))
  while ((yield* refreshes(world)) === 0) yield* TestClock.adjust(500)
  return process
})

describe("the record is deleted or restored after an API key was sent", () => {
  for (const when of ["before its claim", "at its claim"] as const) {
    it.effect(`to the state ${when}: the process does not send the key again`, () =>
      Effect.gen(function* () {
        const world = yield* makeWorld()
        const { environment } = world.emulator
        const { read, tokens } = yield* world.boot({ apiKey: yield* world.emulator.issueApiKey() })
        yield* world.emulator.faults.next("authentication.generateTokens", inDoubt(1))
        const claim = Effect.suspend(() => {
          const [claimed] = world.place.records
          return world.place.put(
            when === "at its claim" && claimed !== undefined
              ? claimed
              : { environment: environment.baseUrl, spentKeys: [] }
          )
        })
        const exit = yield* meanwhile(tokens.current, claim)
        assert.strictEqual(yield* tagOf(exit), "NoSession")
        yield* world.place.put(world.place.records[0] ?? { environment: environment.baseUrl, spentKeys: [] })
        yield* pass(60_000, 500)
        assert.strictEqual(yield* tagOf(letTime(read)), "NoSession")
        assert.strictEqual(yield* exchanges(world), 1)
        assert.isFalse((yield* tokens.status).hasUnusedKey)
      })
    )
  }
})

describe("the record is deleted after a refresh token was sent, and its answer is lost", () => {
  it.effect("the store fails then: the token is not sent again while the access token works", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const { read, tokens } = yield* inBackground(world, 2)
      yield* world.place.put({ environment: world.emulator.environment.baseUrl, spentKeys: [] })
      yield* world.place.next("load", "before")
      yield* pass(15_000, 50)
      assert.strictEqual(yield* refreshes(world), 1)
      assert.strictEqual((yield* tokens.status).state, "ambiguous")
      yield* letTime(read)
    })
  )

  it.effect("another one claims the empty record: the same", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const { tokens } = yield* inBackground(world, 3)
      yield* world.place.put({ environment: world.emulator.environment.baseUrl, spentKeys: [] })
      const other = yield* world.boot({ apiKey: yield* world.emulator.issueApiKey() })
      yield* world.emulator.faults.next("authentication.generateTokens", refused(6, 400, "E00401"))
      yield* meanwhile(other.tokens.current, pass(6_000, 50))
      assert.strictEqual(yield* refreshes(world), 1)
      assert.strictEqual((yield* tokens.status).state, "ambiguous")
    })
  )

  it.effect("when the access token is dead, it is sent, and the loss says when the answer was lost", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const { tokens } = yield* inBackground(world, 2)
      yield* pass(6_000, 50)
      yield* world.place.put({ environment: world.emulator.environment.baseUrl, spentKeys: [] })
      yield* world.emulator.expireTokens
      const lost = yield* Effect.flip(letTime(tokens.rotate(0)))
      assert(lost._tag === "SessionLost")
      assert.isDefined(lost.answerLostAt)
    })
  )

  it.effect("the service no longer knows the access token: a call is told of the loss, not of a 401", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const { read } = yield* inBackground(world, 2)
      yield* pass(6_000, 50)
      yield* world.place.put({ environment: world.emulator.environment.baseUrl, spentKeys: [] })
      yield* world.emulator.revokeSessions
      const lost = yield* Effect.flip(letTime(read))
      assert(lost._tag === "SessionLost")
      assert.isDefined(lost.answerLostAt)
    })
  )

  it.effect("nor does it, while another process starts a session: that one is not written over", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      // By a clock that is behind.
      yield* world.started()
      const theirs = yield* world.place.record
      const empty = { environment: theirs.environment, spentKeys: [] }
      yield* world.place.put(empty)
      yield* TestClock.adjust("10 seconds")
      const { read } = yield* inBackground(world, 2)
      yield* pass(6_000, 50)
      yield* world.place.put({ ...empty, lease: { owner: "another", renewedAt: 1 }, lastStartAt: 1 })
      yield* world.emulator.faults.next("vaults.details", refused(0, 401, "E01401"))
      const reading = yield* Effect.forkChild(Effect.exit(read))
      yield* pass(500)
      yield* world.place.put(theirs)
      yield* letTime(Fiber.join(reading))
      const { end, session } = yield* world.place.record
      assert.deepStrictEqual([session?.startedAt, end], [theirs.session?.startedAt, undefined])
    })
  )

  it.effect("no new refresh token had come: the old one stays in doubt", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const { tokens } = yield* world.started()
      yield* world.fault(Fault.edited({ data: { refreshToken: null } }))
      yield* tokens.rotate(0)
      yield* world.place.put({ environment: world.emulator.environment.baseUrl, spentKeys: [] })
      yield* pass(890_000, 1_000)
      assert.strictEqual(yield* refreshes(world), 1)
    })
  )
})

describe("the outcome of two secrets is unknown, and the store has taken neither", () => {
  it.effect("the loss of the first still says when its answer was lost", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const { tokens } = yield* inBackground(world, 2)
      yield* world.place.broken("compareAndSwap")
      yield* pass(4_000, 50)
      yield* world.place.broken(undefined)
      yield* world.emulator.faults.next("authentication.generateTokens", refused(2, 400, "E00401"))
      const key = yield* world.emulator.issueApiKey()
      yield* meanwhile(tokens.start(key), world.place.broken("compareAndSwap"))
      yield* world.place.broken(undefined)
      yield* pass(6_000, 50)
      yield* world.emulator.expireTokens
      const lost = yield* Effect.flip(letTime(tokens.rotate(0)))
      assert(lost._tag === "SessionLost")
      assert.isDefined(lost.answerLostAt)
    })
  )
})
