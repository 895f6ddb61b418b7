/** What is sent again after which failure, how often, and what the caller is told. */
import { Clients } from "@effect-custody/clients"
import {
  Amount,
  Interrupted,
  isRetryable,
  Upload,
  onUncertain,
  Outcome,
  type OutcomeUnknown,
  RetryPolicy
} from "@effect-custody/core"
import { Tokens } from "@effect-custody/tokens"
import { Transactions } from "@effect-custody/transactions"
import { Vaults } from "@effect-custody/vaults"
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import * as Scheduler from "effect/Scheduler"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import {
  answered,
  layer,
  notSent,
  refused,
  reset,
  script,
  Scripted,
  sent,
  slowly,
  succeeded,
  waiting
} from "../../../test/support/clients/scriptedTransport.ts"

const payout = Transactions.send({
  clientId: "alice",
  assetId: "usdc",
  to: "0x52908400098527886E0F7030069857D2E4169EE7",
  amount: Amount.of("12.50")
})
const taken = succeeded({ id: "t-1" })
const details = Vaults.details()

/** Ends a program by letting an hour pass. */
const anHour = <A, E, R>(program: Effect.Effect<A, E, R>): Effect.Effect<Exit.Exit<A, E>, never, R> =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(program)
    yield* TestClock.adjust("1 hour")
    return yield* Fiber.await(fiber)
  })

const failureOf = <A, E>(exit: Exit.Exit<A, E>): E => {
  const error = Exit.isFailure(exit) ? Cause.findErrorOption(exit.cause) : undefined
  assert.strictEqual(error?._tag, "Some")
  return (error as { readonly value: E }).value
}

const unknownOf = (exit: Exit.Exit<unknown, { readonly _tag: string }>): OutcomeUnknown => {
  const error = failureOf(exit)
  assert.strictEqual(error._tag, "OutcomeUnknown")
  return error as OutcomeUnknown
}

/** How a program ends within an hour: `Success`, or the tag of its error, and the phase if it has one. */
const endOf = <A, E extends { readonly _tag: string; readonly phase?: string }, R>(program: Effect.Effect<A, E, R>) =>
  Effect.map(anHour(program), (exit) => {
    if (Exit.isSuccess(exit)) return "Success"
    const { _tag, phase } = failureOf(exit)
    return phase === undefined ? _tag : `${_tag} ${phase}`
  })

const eager = layer({ retry: RetryPolicy.makeUnsafe({ write: { attempts: 9 } }) })

describe("a write", () => {
  it.effect.each([
    ["a reset", reset],
    ["a 500", refused(500)],
    ["a 503 that asks to wait", answered(503, {}, "1 second")],
    ["a 500 with the code of an expired token", refused(500, "E40003")],
    ["a 408, which a proxy says", answered(408, "")],
    ["a 201 that cannot be read", answered(201, "<html>")],
    ["a 204", answered(204, "")],
    ["a redirect", answered(302, "")],
    ["a 403 with the page of a proxy", answered(403, "<html>Forbidden</html>")],
    ["a 401 with the page of a proxy", answered(401, "<html>Sign in</html>")],
    ["an empty 404", answered(404, "")],
    ["a 422 with another JSON", answered(422, { message: "Unprocessable" })],
    ["a defect of the transport", Effect.die(new Error("a bug"))]
  ] as const)("a write is never sent again after %s, and ends with OutcomeUnknown", ([, outcome]) =>
    Effect.gen(function* () {
      yield* script(outcome)
      assert.strictEqual(yield* endOf(payout), "OutcomeUnknown")
      assert.lengthOf(yield* sent, 1)
    }).pipe(Effect.provide(eager))
  )

  it.effect("a write is sent again if it was certainly not sent, or throttled", () =>
    Effect.gen(function* () {
      yield* script(notSent, answered(429, "", "3 seconds"), taken)
      assert.strictEqual(yield* endOf(payout), "Success")
      assert.lengthOf(yield* sent, 3)
    }).pipe(Effect.provide(eager))
  )

  it.effect("a 498 and a 429 with the page of a proxy rotate and wait like the service's own", () =>
    Effect.gen(function* () {
      yield* script(answered(498, "<html>"), answered(429, "<html>", "3 seconds"), taken)
      assert.strictEqual(yield* endOf(payout), "Success")
      assert.strictEqual((yield* Scripted).rotations, 1)
      assert.lengthOf(yield* sent, 3)
    }).pipe(Effect.provide(eager))
  )

  it.effect("a write is sent exactly once more after a 498, and is unknown if its replay is", () =>
    Effect.gen(function* () {
      yield* script(refused(498, "E01403"), taken)
      assert.strictEqual(yield* endOf(payout), "Success")
      assert.lengthOf(yield* sent, 2)
      yield* script(refused(498, "E01403"), reset)
      assert.strictEqual(yield* endOf(payout), "OutcomeUnknown")
      assert.lengthOf(yield* sent, 4)
    }).pipe(Effect.provide(eager))
  )

  it.effect("a write rotates the session at most twice in all its attempts", () =>
    Effect.gen(function* () {
      yield* script(refused(498), notSent, refused(498), notSent, refused(498), refused(498), refused(498))
      assert.strictEqual(yield* endOf(payout), "TokenExpired")
      assert.strictEqual((yield* Scripted).rotations, 2)
      assert.lengthOf(yield* sent, 5)
    }).pipe(Effect.provide(eager))
  )

  it.effect("OutcomeUnknown says when the write was sent, and has a fingerprint of its input", () =>
    Effect.gen(function* () {
      yield* script(notSent, reset)
      const error = unknownOf(yield* anHour(payout))
      assert.match(error.fingerprint, /^[0-9a-f]{64}$/)
      assert.strictEqual(error.lookUp, "transactions.list")
      // The second attempt, which came after the wait.
      assert.isAbove(DateTime.toEpochMillis(error.sentAt), 100)
    }).pipe(Effect.provide(layer()))
  )
})

describe("a read", () => {
  it.effect("a read is sent at most three times, and fails with the last error", () =>
    Effect.gen(function* () {
      yield* script(reset, refused(500), refused(502))
      assert.deepInclude<object>(failureOf(yield* anHour(details)), { _tag: "OtherApiError", status: 502 })
      assert.lengthOf(yield* sent, 3)
    }).pipe(Effect.provide(layer()))
  )

  it.effect("a read waits as long as Retry-After says, and fails at once if that is too long", () =>
    Effect.gen(function* () {
      yield* script(answered(429, "", "20 seconds"), succeeded({}))
      const fiber = yield* Effect.forkChild(details)
      yield* TestClock.adjust("19 seconds")
      assert.lengthOf(yield* sent, 1)
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(fiber)
      yield* script(answered(429, "", "31 seconds"), succeeded({}))
      assert.deepInclude<object>(yield* Effect.flip(details), { _tag: "RateLimited", status: 429 })
    }).pipe(Effect.provide(layer()))
  )
})

describe("an answer that is not the service's own", () => {
  it.effect("a read ends at once with an OtherApiError that names the answer, and a 401 asks for no other token", () =>
    Effect.gen(function* () {
      for (const status of [401, 403, 404, 422]) {
        yield* script(answered(status, { message: "Forbidden" }))
        const error = yield* Effect.flip(details)
        assert.deepInclude<object>(error, { _tag: "OtherApiError", status, isForeign: true })
        assert.strictEqual(
          error.message,
          `vaults.details: HTTP ${status}: not the service's own answer (no content type, "Forbidden"): ` +
            `a gateway, a proxy or a wrong base address usually sends it`
        )
        assert.strictEqual(Outcome.httpStatus(error), 502)
        assert.isFalse(isRetryable(error))
      }
      assert.lengthOf(yield* sent, 4)
    }).pipe(Effect.provide(layer()))
  )

  it.effect("a write and its Outcome are unknown, and the error names the answer", () =>
    Effect.gen(function* () {
      yield* script(answered(403, ""))
      const outcome = yield* Outcome.of(payout)
      assert(outcome._tag === "Unknown" && outcome.error._tag === "OutcomeUnknown")
      assert.deepInclude<object>(outcome.error, { reason: "HTTP 403", status: 403 })
      assert.include(outcome.error.issue, "not the service's own answer (no body)")
    }).pipe(Effect.provide(layer()))
  )

  it.effect("a keyed creation is looked up, and is unknown unless the look-up shows exactly its record", () =>
    Effect.gen(function* () {
      yield* script(answered(403, "<html>"), succeeded({ externalId: "alice" }))
      assert.strictEqual(yield* endOf(Clients.create({ externalId: "alice" })), "Success")
      yield* script(answered(403, "<html>"), refused(404, "E40400"))
      assert.strictEqual(yield* endOf(Clients.create({ externalId: "alice" })), "OutcomeUnknown")
      assert.lengthOf(yield* sent, 4)
    }).pipe(Effect.provide(layer()))
  )
})

describe("a deadline", () => {
  const soon = RetryPolicy.within("10 seconds")

  it.effect.each([
    [
      "a write is under way leaves its outcome unknown",
      slowly("1 minute", taken),
      endOf(soon(payout)),
      "OutcomeUnknown"
    ],
    ["a read is under way", slowly("1 minute", taken), endOf(soon(details)), "TransportError MaybeProcessed"],
    ["a write waits for a connection", waiting, endOf(soon(payout)), "NotSent"]
  ] as const)("a deadline that passes while %s", ([, outcome, ended, end]) =>
    Effect.gen(function* () {
      yield* script(outcome)
      assert.strictEqual(yield* ended, end)
    }).pipe(Effect.provide(layer()))
  )

  it.effect("a deadline that passes while the session is rotated says that the call was not sent", () =>
    Effect.gen(function* () {
      yield* script(refused(498), refused(498), taken)
      const scripted = yield* Scripted
      scripted.rotation = "1 minute"
      const [error, patient] = yield* Effect.all([Effect.map(anHour(soon(payout)), failureOf), endOf(payout)], {
        concurrency: "unbounded"
      })
      assert.deepInclude<object>(error, { _tag: "NotSent" })
      assert.include(error.message, "the deadline of 10s passed while the session was being rotated")
      assert.strictEqual(patient, "Success")
    }).pipe(Effect.provide(layer()))
  )

  it.effect("a call does not begin a wait that would pass its deadline", () =>
    Effect.gen(function* () {
      yield* script(answered(429, "", "20 seconds"))
      assert.strictEqual((yield* Effect.flip(soon(payout)))._tag, "RateLimited")
    }).pipe(Effect.provide(layer()))
  )

  it.effect("the policy's deadline applies if the caller sets none, and it may be infinite", () =>
    Effect.gen(function* () {
      yield* script(notSent, slowly("30 minutes", taken))
      const unknown = unknownOf(yield* anHour(payout))
      // The client remembers it, and sends it no second time.
      assert.strictEqual(unknownOf(yield* anHour(payout)), unknown)
      assert.lengthOf(yield* sent, 2)
      yield* Outcome.resolved(unknown)
      const patient = RetryPolicy.makeUnsafe({ write: { deadline: Duration.infinity } })
      assert.strictEqual(yield* endOf(payout.pipe(RetryPolicy.provide(patient))), "Success")
    }).pipe(Effect.provide(layer()))
  )
})

describe("an interruption", () => {
  const receiver = () => {
    const errors: Array<OutcomeUnknown> = []
    const tell = Effect.provideService(onUncertain, (error: OutcomeUnknown) =>
      Effect.sync(() => {
        errors.push(error)
      })
    )
    return { errors, tell }
  }
  const timeout = Effect.timeout("10 seconds")

  it.effect("the interruption of a write under way is reported to onUncertain and in the cause", () =>
    Effect.gen(function* () {
      const { errors, tell } = receiver()
      yield* script(Effect.never)
      const fiber = yield* payout.pipe(tell, Effect.forkChild)
      yield* Effect.yieldNow
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(
        errors.map(({ operation }) => operation),
        ["transactions.send"]
      )
      const exit = yield* Fiber.await(fiber)
      const annotations = Exit.isFailure(exit) ? Cause.annotations(exit.cause) : Context.empty()
      assert.strictEqual(Context.getOption(annotations as Context.Context<Interrupted>, Interrupted)._tag, "Some")
    }).pipe(Effect.provide(layer()))
  )

  it.effect(
    "an Effect.timeout of a write under way is reported; of a read, or of a call that was not sent, it is not",
    () =>
      Effect.gen(function* () {
        const { errors, tell } = receiver()
        yield* script(Effect.never)
        assert.strictEqual(yield* endOf(payout.pipe(tell, timeout)), "TimeoutError")
        assert.lengthOf(errors, 1)
        yield* Outcome.resolved(errors[0]!)
        yield* script(waiting)
        yield* anHour(payout.pipe(tell, timeout))
        yield* script(notSent)
        yield* anHour(payout.pipe(tell, Effect.timeout("100 millis")))
        yield* script(Effect.never)
        yield* anHour(details.pipe(tell, timeout))
        assert.lengthOf(errors, 1)
      }).pipe(Effect.provide(layer()))
  )

  it.effect("an interruption stays an interruption even if onUncertain fails", () =>
    Effect.gen(function* () {
      yield* script(Effect.never)
      const broken = Effect.provideService(onUncertain, () => Effect.die("the hook is broken"))
      assert.strictEqual(yield* endOf(payout.pipe(broken, timeout)), "TimeoutError")
    }).pipe(Effect.provide(layer()))
  )

  /**
   * Runs a payout that lets others run after so many operations, and interrupts it when it has done so a number of times.
   */
  const interrupted = (operations: number, pauses: number, answer: Effect.Effect<void>) =>
    Effect.gen(function* () {
      const { errors, tell } = receiver()
      let isPaid = false
      yield* script(
        Effect.sync(() => {
          isPaid = true
          return taken
        }).pipe(Effect.tap(answer))
      )
      const fiber = yield* payout.pipe(
        tell,
        Effect.provideService(Scheduler.MaxOpsBeforeYield, operations),
        Effect.forkChild
      )
      for (let pause = 0; pause < pauses; pause++) yield* Effect.yieldNow
      const wasRunning = fiber.pollUnsafe() === undefined
      yield* Fiber.interrupt(fiber)
      return { exit: yield* Fiber.await(fiber), isTold: errors.length > 0, isPaid, wasRunning }
    }).pipe(Effect.provide(layer()))

  it.live("a write that is interrupted at any moment was not sent, is reported, or succeeds", () =>
    Effect.gen(function* () {
      let told = 0
      for (const answer of [Effect.void, Effect.yieldNow]) {
        for (let operations = 16; operations < 160; operations++) {
          for (let pauses = 0; ; pauses++) {
            const { exit, isPaid, isTold, wasRunning } = yield* interrupted(operations, pauses, answer)
            if (!wasRunning) break
            if (isTold) told++
            assert.isTrue(Exit.isSuccess(exit) || !isPaid || isTold, `${pauses} pauses of ${operations}`)
          }
        }
      }
      assert.isAbove(told, 256)
    })
  )
})

describe("a creation by the caller's own key", () => {
  const create = Clients.create({ externalId: "alice" })
  const alice = succeeded({ externalId: "alice", id: 7 }, 200)
  const absent = refused(404, "E30001")
  const created = succeeded({ externalId: "alice" })
  const [post, get] = ["POST /clients/create", "GET /clients/alice"]

  it.effect.each([
    ["that is in doubt succeeds with the record that its look-up finds", [reset, alice], "Success", [post, get]],
    [
      "is sent again if its record certainly does not exist",
      [refused(502), absent, created],
      "Success",
      [post, get, post]
    ],
    ["is unknown if its look-up is refused", [reset, refused(401, "E40001")], "OutcomeUnknown", undefined],
    ["is unknown if the deadline cuts its look-up short", [reset, Effect.never], "OutcomeUnknown", [post, get]],
    [
      "that is refused as a duplicate of its own first attempt succeeds",
      [reset, absent, refused(422, "E50001"), alice],
      "Success",
      [post, get, post, get]
    ],
    ["that is refused at once is refused, without a look-up", [refused(422, "E50001")], "OtherApiError", [post]],
    ["stays unknown when its attempts are used up", [reset, absent, notSent], "OutcomeUnknown", undefined],
    [
      "stays unknown while its second attempt waits for a connection",
      [refused(502), absent, waiting],
      "OutcomeUnknown",
      [post, get, post]
    ]
  ] as const)("a creation %s", ([, answers, end, requests]) =>
    Effect.gen(function* () {
      yield* script(...answers)
      assert.strictEqual(yield* endOf(create), end)
      if (requests !== undefined) assert.deepStrictEqual<ReadonlyArray<string>>(yield* sent, requests)
    }).pipe(Effect.provide(layer()))
  )

  it.effect("a creation in doubt stays unknown if the session is lost before the next attempt", () =>
    Effect.gen(function* () {
      yield* script(reset, absent, refused(498, "E40003"))
      yield* Scripted.useSync((scripted) => {
        scripted.isLost = true
      })
      assert.strictEqual(yield* endOf(create), "OutcomeUnknown")
      assert.deepStrictEqual(yield* sent, [post, get, post])
    }).pipe(Effect.provide(layer()))
  )
})

describe("an upload that can be read once", () => {
  const once = () =>
    Upload.fromStreamOnce({
      name: "terms.pdf",
      contentType: "application/pdf",
      bytes: Stream.make(new TextEncoder().encode("terms"))
    })

  it.effect("an upload that was read is not replayed after a 498: the session is rotated, and the error says so", () =>
    Effect.gen(function* () {
      const document = once()
      yield* script(Effect.as(Stream.runDrain(Stream.orDie(document.bytes)), refused(498)), succeeded({ id: "m-1" }))
      const mint = Tokens.mint({ tokenId: "gold", amount: Amount.of("1"), document })
      const error = failureOf(yield* anHour(mint))
      assert.deepInclude<object>(error, { _tag: "NotSent" })
      assert.include(error.message, "terms.pdf")
      assert.lengthOf(yield* sent, 1)
      assert.strictEqual((yield* Scripted).rotations, 1)
    }).pipe(Effect.provide(layer()))
  )

  it.effect("an upload that can be read once is sent again if it has not been read", () =>
    Effect.gen(function* () {
      yield* script(notSent, refused(498), succeeded({ id: "m-1" }))
      const mint = Tokens.mint({ tokenId: "gold", amount: Amount.of("1"), document: once() })
      assert.strictEqual(yield* endOf(mint), "Success")
    }).pipe(Effect.provide(layer()))
  )
})

describe("the budget of a client", () => {
  it.effect(
    "the budget bounds the requests of a 60-second outage at 20 calls per second to a tenth more than the calls",
    () =>
      Effect.gen(function* () {
        yield* script(refused(503))
        const calls = yield* Effect.forkChild(
          Effect.gen(function* () {
            for (let tick = 0; tick < 60; tick++) {
              for (let call = 0; call < 20; call++) yield* Effect.forkChild(Effect.exit(details))
              yield* Effect.sleep("1 second")
            }
          })
        )
        yield* TestClock.adjust("2 minutes")
        yield* Fiber.join(calls)
        const requests = (yield* sent).length
        assert.isAtMost(requests, 1_330)
        assert.isAbove(requests, 1_280)
      }).pipe(Effect.provide(layer()))
  )

  it.effect("the budget allows a few retries however few calls there are, and more after some time", () =>
    Effect.gen(function* () {
      yield* script(reset)
      const tenReads = Effect.forEach(Array.from({ length: 10 }), () => Effect.forkChild(Effect.exit(details)))
      yield* tenReads
      yield* TestClock.adjust("1 second")
      assert.lengthOf(yield* sent, 20)
      yield* TestClock.adjust("2 minutes")
      yield* tenReads
      yield* TestClock.adjust("1 second")
      assert.lengthOf(yield* sent, 40)
    }).pipe(Effect.provide(layer()))
  )

  it.effect("the budget counts look-ups too", () =>
    Effect.gen(function* () {
      yield* script(reset)
      const none = RetryPolicy.makeUnsafe({ budget: { floor: 0, ratio: 0 } })
      assert.strictEqual(
        yield* endOf(Clients.create({ externalId: "alice" }).pipe(RetryPolicy.provide(none))),
        "OutcomeUnknown"
      )
      assert.lengthOf(yield* sent, 1)
    }).pipe(Effect.provide(layer()))
  )
})

describe("a policy", () => {
  /** When each request is sent, in milliseconds. The answer is a 503. */
  const sentAt = Effect.gen(function* () {
    const at: Array<number> = []
    yield* script(Effect.map(Clock.currentTimeMillis, (now) => (at.push(now), refused(503))))
    return at
  })

  it.effect("a policy doubles its waits, varies them by a fifth, and never passes maxDelay", () =>
    Effect.gen(function* () {
      const at = yield* sentAt
      const patient = RetryPolicy.makeUnsafe({
        read: { attempts: 9, initialDelay: Duration.millis(100), maxDelay: Duration.seconds(2) }
      })
      yield* anHour(RetryPolicy.provide(details, patient))
      const waits = at.slice(1).map((time, index) => time - at[index]!)
      assert.lengthOf(waits, 8)
      waits.forEach((wait, index) => {
        const planned = Math.min(100 * 2 ** index, 2_000)
        assert.isAtLeast(wait, Math.floor(planned * 0.8))
        assert.isAtMost(Math.floor(wait), Math.min(planned * 1.2, 2_000))
      })
      assert.isAbove(new Set(waits.map((wait, index) => wait / 2 ** index)).size, 4)
    }).pipe(Effect.provide(layer()))
  )

  it.effect.each([
    [
      "any finite schedule",
      { schedule: Schedule.spaced("7 seconds").pipe(Schedule.upTo({ times: 3 })) },
      [0, 7, 14, 21]
    ],
    [
      "an endless schedule, which the deadline stops",
      { schedule: Schedule.spaced("10 seconds"), deadline: Duration.seconds(35) },
      [0, 10, 20, 30]
    ],
    ["an endless schedule, which the budget stops", { schedule: Schedule.forever }, [0, 0, 0, 0, 0]],
    [
      "a schedule that decides by the failure",
      {
        schedule: Schedule.spaced("1 second").pipe(
          Schedule.setInputType<RetryPolicy.Failure>(),
          Schedule.while(({ input: { error } }) => !("status" in error && error.status === 503))
        )
      },
      [0]
    ]
  ] as const)("a policy may have %s", ([, read, seconds]) =>
    Effect.gen(function* () {
      const at = yield* sentAt
      const policy = RetryPolicy.makeUnsafe({ read, budget: { floor: 4, ratio: 0 } })
      assert.deepInclude<object>(failureOf(yield* anHour(RetryPolicy.provide(details, policy))), { status: 503 })
      assert.deepStrictEqual(
        at,
        seconds.map((second) => second * 1_000)
      )
    }).pipe(Effect.provide(layer()))
  )

  it.effect("a policy waits as long as Retry-After says, up to maxRetryAfter", () =>
    Effect.gen(function* () {
      const own = RetryPolicy.makeUnsafe({
        read: { schedule: Schedule.spaced("1 second"), maxRetryAfter: Duration.seconds(5) }
      })
      const at: Array<number> = []
      const after = (wait: Duration.Input) =>
        Effect.map(Clock.currentTimeMillis, (now) => (at.push(now), answered(429, "", wait)))
      yield* script(after("5 seconds"), after("100 millis"), after("6 seconds"), succeeded({ id: "v" }))
      assert.strictEqual(yield* endOf(details.pipe(RetryPolicy.provide(own))), "RateLimited")
      assert.deepStrictEqual(at, [0, 5_000, 6_000])
    }).pipe(Effect.provide(layer()))
  )

  it.effect("a policy never sends a write again that may have happened, whatever its schedule says", () =>
    Effect.gen(function* () {
      yield* script(reset)
      const endless = RetryPolicy.makeUnsafe({ write: { schedule: Schedule.forever } })
      assert.strictEqual(yield* endOf(RetryPolicy.provide(payout, endless)), "OutcomeUnknown")
      assert.lengthOf(yield* sent, 1)
    }).pipe(Effect.provide(layer()))
  )

  it.effect("RetryPolicy.make fails, and makeUnsafe throws, if a setting is out of range", () =>
    Effect.gen(function* () {
      const rows: ReadonlyArray<readonly [options: RetryPolicy.Options, setting: string]> = [
        ...[0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY].map(
          (attempts) => [{ read: { attempts } }, "read.attempts"] as const
        ),
        [{ write: { maxDelay: Duration.seconds(-1) } }, "write.maxDelay"],
        [{ write: { initialDelay: "Infinity" } }, "write.initialDelay"],
        [{ keyed: { maxRetryAfter: "soon" as never } }, "keyed.maxRetryAfter"],
        [{ read: { deadline: 0 } }, "read.deadline"],
        [{ read: { schedule: "1 second" as never } }, "read.schedule"],
        [{ budget: { ratio: 2 } }, "budget.ratio"],
        [{ budget: { floor: -1 } }, "budget.floor"]
      ]
      for (const [options, setting] of rows) {
        const error = yield* Effect.flip(RetryPolicy.make(options))
        assert.strictEqual(error.option, `retry.${setting}`)
        assert.throws(() => RetryPolicy.makeUnsafe(options), error.message)
      }
    })
  )

  it.effect(
    "a policy takes durations as texts, numbers of milliseconds, or Durations, and undefined for a default",
    () =>
      Effect.gen(function* () {
        const options: RetryPolicy.ClassOptions = {
          deadline: "1 minute",
          maxRetryAfter: 5_000,
          maxDelay: Duration.seconds(1),
          attempts: undefined
        }
        const { read, write } = yield* RetryPolicy.make({ read: options, write: undefined })
        assert.strictEqual(Duration.toMillis(read.deadline), 60_000)
        assert.strictEqual(Duration.toMillis(read.maxRetryAfter), 5_000)
        assert.strictEqual(Duration.toMillis(write.deadline), 120_000)
      })
  )

  it.effect("yield* RetryPolicy gives the policy in force", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* RetryPolicy.RetryPolicy, RetryPolicy.standard)
      assert.strictEqual(
        yield* RetryPolicy.RetryPolicy.pipe(Effect.provide(layer({ retry: RetryPolicy.none }))),
        RetryPolicy.none
      )
      const inner = RetryPolicy.RetryPolicy.pipe(RetryPolicy.provide(RetryPolicy.standard))
      assert.strictEqual(yield* inner.pipe(Effect.provide(layer({ retry: RetryPolicy.none }))), RetryPolicy.standard)
    })
  )
})
