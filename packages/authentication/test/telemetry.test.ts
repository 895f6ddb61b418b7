import { Telemetry } from "@effect-custody/core"
import { Fault } from "@effect-custody/emulator"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Metric from "effect/Metric"
import { PrometheusMetrics } from "effect/observability"
import * as References from "effect/References"
import * as TestClock from "effect/testing/TestClock"
import { observe } from "../../../test/support/worlds/observed.ts"
import { letTime, makeWorld, pass } from "../../../test/support/worlds/sessionWorld.ts"

/** The metrics so far, by name and labels. */
const metrics = Effect.map(
  PrometheusMetrics.format(),
  (text) =>
    new Map(
      text
        .split("\n")
        .filter((line) => line !== "" && !line.startsWith("#"))
        .map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ") + 1))])
    )
)

/** Gives an effect its own metrics. */
const measured = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.provide(
    effect,
    Layer.provideMerge(
      Telemetry.layer(),
      Layer.sync(Metric.MetricRegistry, () => new Map())
    )
  )

const refused = { status: 401, code: "E01402", message: "what the service said", errors: {} }

describe("metrics of a session", () => {
  it.effect("metrics show the generation of a session, the age of its tokens, and the duration of each rotation", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const { read, close } = yield* world.started()
      yield* TestClock.adjust("30 seconds")
      const before = yield* metrics
      assert.strictEqual(before.get(`custody_session_age_seconds`), 30)
      assert.strictEqual(before.get(`custody_session_generation`), 0)
      assert.strictEqual(before.get(`custody_sessions{state="serving"}`), 1)
      assert.strictEqual(before.get(`custody_session_events_total{event="Lost"}`), 0)

      yield* world.emulator.expireTokens
      yield* world.fault(Fault.delayed({ answer: "2 seconds" }))
      yield* letTime(read)
      const after = yield* metrics
      assert.strictEqual(after.get(`custody_session_generation`), 1)
      assert.strictEqual(after.get(`custody_session_events_total{event="Rotated"}`), 1)
      assert.strictEqual(after.get(`custody_rotation_duration_seconds_count{outcome="started"}`), 1)
      assert.strictEqual(after.get(`custody_rotation_duration_seconds_bucket{outcome="rotated",le="1"}`), 0)
      assert.strictEqual(after.get(`custody_rotation_duration_seconds_bucket{outcome="rotated",le="2.5"}`), 1)
      const refresh = `operation="authentication.refreshToken",outcome="succeeded"`
      assert.strictEqual(after.get(`custody_attempts_total{${refresh}}`), 1)

      yield* close
      assert.isFalse((yield* metrics).has("custody_session_age_seconds"), "a session that is closed is not shown")
    }).pipe(measured)
  )

  it.effect("the metric of a refresh request has the outcome that the rotation acts on", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const { read } = yield* world.started()
      yield* world.emulator.expireTokens
      yield* world.fault(Fault.serverError({ status: 408 }))
      yield* letTime(read)
      const attempts = yield* metrics
      const refresh = (outcome: string) =>
        attempts.get(`custody_attempts_total{operation="authentication.refreshToken",outcome="${outcome}"}`)
      assert.deepStrictEqual([refresh("in_doubt"), refresh("rejected"), refresh("succeeded")], [1, undefined, 1])
    }).pipe(measured)
  )

  it.effect("a metric counts the callers that wait for a rotation", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const { read } = yield* world.started()
      yield* world.emulator.expireTokens
      yield* world.fault(Fault.delayed({ answer: "2 seconds" }))
      const calls = yield* Effect.forkChild(Effect.all([read, read, read], { concurrency: "unbounded" }))
      yield* pass(500)
      const during = yield* metrics
      assert.strictEqual(during.get("custody_session_waiters"), 3)
      assert.strictEqual(during.get(`custody_sessions{state="rotating"}`), 1)
      yield* letTime(Fiber.join(calls))
      assert.strictEqual((yield* metrics).get("custody_session_waiters"), 0)
    }).pipe(measured)
  )

  it.effect("a metric shows the longest time that a session's new tokens have been unstored", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const one = yield* world.started()
      yield* world.started({ identity: "another" })
      yield* world.emulator.expireTokens
      // The claim is written; the session is not.
      yield* world.place.next("compareAndSwap", undefined, ...Array.from({ length: 6 }, () => "before" as const))
      yield* letTime(one.read, 1)
      const obtained = (yield* metrics).get("custody_session_unpersisted_seconds")!
      yield* TestClock.adjust("0.5 seconds")
      const during = yield* metrics
      assert.closeTo(during.get("custody_session_unpersisted_seconds")! - obtained, 0.5, 0.001)
      assert.strictEqual(during.get(`custody_sessions{state="unpersisted"}`), 1)
      assert.strictEqual(during.get(`custody_sessions{state="serving"}`), 1)
      assert.strictEqual(during.get(`custody_session_events_total{event="NotPersisted"}`), 1)
      yield* pass(60_000, 1_000)
      assert.strictEqual((yield* metrics).get("custody_session_unpersisted_seconds"), 0)
    }).pipe(measured)
  )
})

describe("spans of a session", () => {
  it.effect("a rotation has a span around its request, and a failed span does not contain the service's message", () =>
    Effect.gen(function* () {
      const [{ spans }, layer] = observe()
      yield* Effect.gen(function* () {
        const world = yield* makeWorld()
        const { read } = yield* world.started()
        yield* world.emulator.expireTokens
        yield* letTime(read)
        yield* world.emulator.expireTokens
        yield* world.fault(Fault.answered({ status: 401, body: refused }))
        yield* letTime(Effect.exit(read))
      }).pipe(Effect.provide(layer))
      const rotations = spans.filter(({ name }) => name.startsWith("custody.session."))
      assert.deepStrictEqual(
        rotations.map(({ attributes, name }) => [
          name,
          attributes.get("custody.session.identity"),
          attributes.get("custody.generation.before"),
          attributes.get("custody.generation"),
          attributes.get("custody.outcome")
        ]),
        [
          ["custody.session.start", "default", undefined, 0, "started"],
          ["custody.session.rotate", "default", 0, 1, "rotated"],
          ["custody.session.rotate", "default", 1, undefined, "lost"],
          ["custody.session.start", "default", undefined, undefined, "not_sent"]
        ]
      )
      for (const { attributes, name } of spans) assert.notInclude([...attributes.values()], undefined, name)
      const requests = spans.filter(({ name }) => name === "POST /auth/refresh-token")
      assert.deepStrictEqual(
        requests.map(({ attributes }) => attributes.get("http.response.status_code")),
        [201, 401]
      )
      const { status } = rotations[2]!
      assert(status._tag === "Ended" && Exit.isFailure(status.exit))
      assert.notInclude(JSON.stringify([...rotations[2]!.attributes]) + String(status.exit.cause), "the service said")
    })
  )
})

/** The log lines of a program: level, event, and text. */
const linesOf = <A, E, R>(program: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const lines: Array<readonly [string, unknown, string]> = []
    const logger = Logger.make(({ fiber, logLevel, message }) => {
      lines.push([logLevel, fiber.getRef(References.CurrentLogAnnotations)["custody.event"], String(message)])
    })
    yield* Effect.exit(Effect.provide(program, Logger.layer([logger])))
    return lines
  })

describe("log lines of a session", () => {
  it.effect("the end of a session writes one log line, with the remedy", () =>
    Effect.gen(function* () {
      const lines = yield* linesOf(
        Effect.gen(function* () {
          const world = yield* makeWorld()
          const { read } = yield* world.started()
          yield* world.emulator.expireTokens
          yield* world.fault(Fault.answered({ status: 401, body: refused }))
          yield* letTime(Effect.exit(read))
          yield* letTime(Effect.exit(read))
        })
      )
      assert.deepStrictEqual(
        lines.map(([level, event]) => [level, event]),
        [["Error", "session.lost"]]
      )
      assert.match(lines[0]![2], /^The session has ended\. default: .*\. To do: find out/)
    })
  )

  it.effect("unstored tokens write one log line, and another one if the process ends before they are stored", () =>
    Effect.gen(function* () {
      const lines = yield* linesOf(
        Effect.gen(function* () {
          const world = yield* makeWorld()
          const { close, read } = yield* world.started()
          yield* world.emulator.expireTokens
          yield* world.place.next("compareAndSwap", undefined, ...Array.from({ length: 99 }, () => "before" as const))
          yield* letTime(read, 1)
          yield* letTime(close)
        })
      )
      assert.deepStrictEqual(
        lines.map(([level, event]) => [level, event]),
        [
          ["Warn", "session.not_stored"],
          ["Error", "session.dropped"]
        ]
      )
    })
  )
})
