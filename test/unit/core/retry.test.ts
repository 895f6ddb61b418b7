/** What is sent again after which failure, how often, and what the caller is told. */
import { Clients } from "@effect-custody/clients"
import {
  Amount,
  Interrupted,
  Upload,
  onUncertain,
  Outcome,
  type OutcomeUnknown,
  RetryPolicy,
  type SendProgress
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
import * as CircuitBreaker from "effect/persistence/CircuitBreaker"
import * as Schedule from "effect/Schedule"
import * as Scheduler from "effect/Scheduler"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import type { Failed } from "@effect-custody/core/Classification"
import * as Budget from "../../../packages/core/src/internal/retryBudget.ts"
import * as CallState from "../../../packages/core/src/internal/callState.ts"
import * as Replay from "../../../packages/core/src/internal/replay.ts"
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
} from "../../support/clients/scripted.ts"

const payout = Transactions.send({
  clientId: "alice",
  assetId: "usdc",
  to: "0x52908400098527886E0F7030069857D2E4169EE7",
  amount: Amount.of("12.50")
})
const taken = succeeded({ id: "t-1" })

/** Expects an unknown outcome, and lets the same payout be sent again. */
const resolved = (exit: Exit.Exit<unknown, { readonly _tag: string }>) => {
  const error = failureOf(exit)
  assert.strictEqual(error._tag, "OutcomeUnknown")
  return Outcome.resolved(error as OutcomeUnknown)
}

/** Ends a program by letting an hour pass. */
const anHour = <A, E, R>(program: Effect.Effect<A, E, R>): Effect.Effect<Exit.Exit<A, E>, never, R> =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(program)
    yield* TestClock.adjust("1 hour")
    return yield* Fiber.await(fiber)
  })

const unknownOf = <A, E extends { readonly _tag: string }>(exit: Exit.Exit<A, E>): Extract<E, OutcomeUnknown> => {
  const error = failureOf(exit)
  assert.strictEqual(error._tag, "OutcomeUnknown")
  return error as Extract<E, OutcomeUnknown>
}

const failureOf = <A, E>(exit: Exit.Exit<A, E>): E => {
  assert.isTrue(Exit.isFailure(exit))
  const error = Exit.isFailure(exit) ? Cause.findErrorOption(exit.cause) : undefined
  assert.strictEqual(error?._tag, "Some")
  return (error as { readonly value: E }).value
}

describe("the table of what may follow", () => {
  const classes = ["read", "keyed", "write", "session"] as const
  const table: Record<
    Failed["_tag"],
    readonly [read: Replay.Next, keyed: Replay.Next, write: Replay.Next, session: Replay.Next]
  > = {
    NotSent: ["Resend", "Resend", "Resend", "Resend"],
    Expired: ["Rotate", "Rotate", "Rotate", "Rotate"],
    Unauthorized: ["Reload", "Reload", "Reload", "Reload"],
    Throttled: ["Resend", "Resend", "Resend", "Resend"],
    Rejected: ["Fail", "Fail", "Fail", "Fail"],
    InDoubt: ["Resend", "LookUp", "ReportUnknown", "ReportUnknown"]
  }

  it("is this one, whole", () => {
    for (const [outcome, row] of Object.entries(table)) {
      row.forEach((next, at) => {
        assert.strictEqual(Replay.next(classes[at]!, outcome as Failed["_tag"]), next, `${outcome}, ${classes[at]}`)
      })
    }
  })

  it("knows of a call that is cut short whether anything of it may have happened", () => {
    const begun = CallState.begun(0)
    const inFlight = (stage: SendProgress.Stage) => CallState.inFlight(1, { stage })
    const inDoubt: Failed = { _tag: "InDoubt", answer: reset, reason: "x", issue: undefined, retryAfter: undefined }
    const unsent: Failed = { _tag: "NotSent", answer: notSent as never, reason: "x", retryAfter: undefined }
    for (const safety of classes) {
      const doubtful = CallState.failed(safety, inDoubt)(inFlight("Written")(begun))
      const certain = CallState.failed(safety, unsent)(inFlight("Unknown")(begun))
      assert.isFalse(CallState.mayHaveHappened(begun))
      assert.isFalse(CallState.mayHaveHappened(inFlight("Waiting")(begun)))
      assert.isTrue(CallState.mayHaveHappened(inFlight("Unknown")(begun)))
      assert.isTrue(CallState.mayHaveHappened(inFlight("Written")(begun)))
      assert.isFalse(CallState.mayHaveHappened(CallState.backingOff(certain)))
      assert.isTrue(CallState.mayHaveHappened(CallState.rotating(doubtful)))
      assert.isTrue(CallState.mayHaveHappened(inFlight("Waiting")(doubtful)))
      // What is sent again in certainty settles the doubt of a read, which changes nothing, and of nothing else.
      const after = CallState.failed(safety, unsent)(inFlight("Unknown")(doubtful))
      assert.strictEqual(CallState.mayHaveHappened(after), safety !== "read")
    }
  })
})

describe("a write", () => {
  it.effect.each([
    ["a reset", reset],
    ["a 500", refused(500)],
    ["a 503 that asks to wait", answered(503, {}, "1 second")],
    ["a 500 with the code of an expired token", refused(500, "E40003")],
    ["a 408, which a proxy says", answered(408, "")],
    ["a 201 that cannot be read", answered(201, "<html>")],
    ["a 204", answered(204, "")],
    ["a redirect", answered(302, "")]
  ] as const)("is never sent again after %s: its outcome is unknown", ([, outcome]) =>
    Effect.gen(function* () {
      yield* script(outcome)
      const error = failureOf(yield* anHour(payout))
      assert.strictEqual(error._tag, "OutcomeUnknown")
      assert.lengthOf(yield* sent, 1)
    }).pipe(Effect.provide(layer({ retry: RetryPolicy.make({ write: { attempts: 9 } }) })))
  )

  it.effect("is sent again if it was certainly not sent, or throttled", () =>
    Effect.gen(function* () {
      yield* script(notSent, answered(429, "", "3 seconds"), taken)
      const exit = yield* anHour(payout)
      assert.isTrue(Exit.isSuccess(exit))
      assert.lengthOf(yield* sent, 3)
    }).pipe(Effect.provide(layer({ retry: RetryPolicy.make({ write: { attempts: 3 } }) })))
  )

  it.effect("41 · is sent exactly once more after a 498, and the replay's uncertain end is its own", () =>
    Effect.gen(function* () {
      yield* script(refused(498, "E01403"), taken)
      assert.isTrue(Exit.isSuccess(yield* anHour(payout)))
      assert.lengthOf(yield* sent, 2)
      yield* script(refused(498, "E01403"), reset)
      assert.strictEqual(failureOf(yield* anHour(payout))._tag, "OutcomeUnknown")
      assert.lengthOf(yield* sent, 4)
    }).pipe(Effect.provide(layer({ retry: RetryPolicy.make({ write: { attempts: 9 } }) })))
  )

  it.effect("rotates the session twice at most, with all its attempts", () =>
    Effect.gen(function* () {
      yield* script(refused(498), notSent, refused(498), notSent, refused(498), refused(498), refused(498))
      assert.strictEqual(failureOf(yield* anHour(payout))._tag, "TokenExpired")
      assert.strictEqual((yield* Scripted).rotations, 2)
      assert.lengthOf(yield* sent, 5)
    }).pipe(Effect.provide(layer({ retry: RetryPolicy.make({ write: { attempts: 9 } }) })))
  )

  it.effect("says when it was sent, and names its input without telling it", () =>
    Effect.gen(function* () {
      yield* script(notSent, reset)
      const error = unknownOf(yield* anHour(payout))
      assert.match(error.fingerprint, /^[0-9a-f]{64}$/)
      assert.strictEqual(error.lookUp, "transactions.list")
      // The second attempt, which came after the wait.
      assert.isAbove(DateTime.toEpochMillis(error.sentAt), 100)
      yield* script(reset)
      const again = unknownOf(yield* anHour(payout))
      assert.strictEqual(again.fingerprint, error.fingerprint)
    }).pipe(Effect.provide(layer()))
  )

  it.effect("that a defect of the transport cuts short has an unknown outcome", () =>
    Effect.gen(function* () {
      yield* script(Effect.die(new Error("a bug")))
      assert.strictEqual(failureOf(yield* anHour(payout))._tag, "OutcomeUnknown")
    }).pipe(Effect.provide(layer()))
  )
})

describe("a read", () => {
  it.effect("is sent three times at most, and fails with what it ended with", () =>
    Effect.gen(function* () {
      yield* script(reset, refused(500), refused(502))
      const error = failureOf(yield* anHour(Vaults.details()))
      assert.strictEqual(error._tag === "UnknownApiError" && error.status, 502)
      assert.lengthOf(yield* sent, 3)
    }).pipe(Effect.provide(layer()))
  )

  it.effect("waits as long as Retry-After says, and not at all if that is too long", () =>
    Effect.gen(function* () {
      yield* script(answered(429, "", "20 seconds"), succeeded({}))
      const fiber = yield* Effect.forkChild(Vaults.details())
      yield* TestClock.adjust("19 seconds")
      assert.lengthOf(yield* sent, 1)
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(fiber)
      assert.lengthOf(yield* sent, 2)

      yield* script(answered(429, "", "31 seconds"), succeeded({}))
      const error = failureOf(yield* Effect.exit(Vaults.details()))
      assert.strictEqual(error._tag === "RateLimited" && error.status, 429)
    }).pipe(Effect.provide(layer()))
  )

  it.effect("is sent once under a policy for one call", () =>
    Effect.gen(function* () {
      yield* script(reset)
      const once = RetryPolicy.provide(Vaults.details(), RetryPolicy.none)
      assert.strictEqual(failureOf(yield* Effect.exit(once))._tag, "TransportError")
      assert.lengthOf(yield* sent, 1)
    }).pipe(Effect.provide(layer()))
  )
})

describe("a deadline", () => {
  it.effect("that passes while a write is under way leaves its outcome unknown", () =>
    Effect.gen(function* () {
      yield* script(slowly("1 minute", taken))
      const error = failureOf(yield* anHour(payout.pipe(RetryPolicy.within("10 seconds"))))
      assert.strictEqual(error._tag, "OutcomeUnknown")
      assert.include(error.message, "the deadline of 10s passed")
    }).pipe(Effect.provide(layer()))
  )

  it.effect("that passes while a read is under way says that it may have been processed", () =>
    Effect.gen(function* () {
      yield* script(slowly("1 minute", succeeded({})))
      const error = failureOf(yield* anHour(Vaults.details().pipe(RetryPolicy.within("10 seconds"))))
      assert.strictEqual(error._tag === "TransportError" && error.phase, "MaybeProcessed")
    }).pipe(Effect.provide(layer()))
  )

  it.effect("that passes while a write waits for a connection says that it was not sent", () =>
    Effect.gen(function* () {
      yield* script(waiting)
      const error = failureOf(yield* anHour(payout.pipe(RetryPolicy.within("10 seconds"))))
      assert.strictEqual(error._tag === "TransportError" && error.phase, "NotSent")
    }).pipe(Effect.provide(layer()))
  )

  it.effect("44 · that passes while the session is rotated says that the call was not sent", () =>
    Effect.gen(function* () {
      yield* script(refused(498), taken)
      const scripted = yield* Scripted
      scripted.rotation = "1 minute"
      const error = failureOf(yield* anHour(payout.pipe(RetryPolicy.within("10 seconds"))))
      assert.strictEqual(error._tag === "TransportError" && error.phase, "NotSent")
      assert.include(error.message, "was not sent")
      assert.include(error.message, "rotat")
      assert.lengthOf(yield* sent, 1)
    }).pipe(Effect.provide(layer()))
  )

  it.effect("is not waited for: a wait that would pass it is not begun", () =>
    Effect.gen(function* () {
      yield* script(answered(429, "", "20 seconds"))
      const error = failureOf(yield* Effect.exit(payout.pipe(RetryPolicy.within("10 seconds"))))
      assert.strictEqual(error._tag === "RateLimited" && error.status, 429)
    }).pipe(Effect.provide(layer()))
  )

  it.effect("is the policy's own where none is given, and may be none", () =>
    Effect.gen(function* () {
      yield* script(slowly("30 minutes", taken))
      yield* resolved(yield* anHour(payout))
      const patient = RetryPolicy.make({ write: { deadline: Duration.infinity } })
      const exit = yield* anHour(payout.pipe(RetryPolicy.provide(patient)))
      assert.isTrue(Exit.isSuccess(exit))
    }).pipe(Effect.provide(layer()))
  )
})

describe("an interruption", () => {
  const told = Effect.sync(() => {
    const errors: Array<OutcomeUnknown> = []
    const tell = Effect.provideService(onUncertain, (error: OutcomeUnknown) =>
      Effect.sync(() => {
        errors.push(error)
      })
    )
    return { errors, tell }
  })

  it.effect("of a write that is under way is reported to onUncertain, and by its cause", () =>
    Effect.gen(function* () {
      const { errors, tell } = yield* told
      yield* script(Effect.never)
      const fiber = yield* payout.pipe(tell, Effect.forkChild)
      yield* Effect.yieldNow
      yield* Fiber.interrupt(fiber)
      assert.lengthOf(errors, 1)
      assert.strictEqual(errors[0]?.operation, "transactions.send")
      const exit = yield* Fiber.await(fiber)
      const annotations = Exit.isFailure(exit) ? Cause.annotations(exit.cause) : Context.empty()
      assert.strictEqual(Context.getOption(annotations as Context.Context<Interrupted>, Interrupted)._tag, "Some")
    }).pipe(Effect.provide(layer()))
  )

  it.effect("by a timeout of Effect's around a payout is reported as well", () =>
    Effect.gen(function* () {
      const { errors, tell } = yield* told
      yield* script(Effect.never)
      const error = failureOf(yield* anHour(payout.pipe(tell, Effect.timeout("10 seconds"))))
      assert.strictEqual(error._tag, "TimeoutError")
      assert.lengthOf(errors, 1)
    }).pipe(Effect.provide(layer()))
  )

  it.effect("is nothing to tell where nothing was sent, or of a read", () =>
    Effect.gen(function* () {
      const { errors, tell } = yield* told
      yield* script(waiting)
      yield* anHour(payout.pipe(tell, Effect.timeout("10 seconds")))
      yield* script(notSent)
      yield* anHour(payout.pipe(tell, Effect.timeout("100 millis")))
      yield* script(Effect.never)
      yield* anHour(Vaults.details().pipe(tell, Effect.timeout("10 seconds")))
      assert.lengthOf(errors, 0)
    }).pipe(Effect.provide(layer()))
  )

  it.effect("is reported even if the hook fails", () =>
    Effect.gen(function* () {
      yield* script(Effect.never)
      const broken = Effect.provideService(onUncertain, () => Effect.die("the hook is broken"))
      const error = failureOf(yield* anHour(payout.pipe(broken, Effect.timeout("10 seconds"))))
      assert.strictEqual(error._tag, "TimeoutError")
    }).pipe(Effect.provide(layer()))
  )
})

describe("an interruption at any moment", () => {
  /**
   * Runs a payout that lets others run after so many operations, and interrupts it when it has done so a number of times.
   */
  const interrupted = (operations: number, pauses: number, answer: Effect.Effect<void>) =>
    Effect.gen(function* () {
      let isTold = false
      let isPaid = false
      yield* script(
        Effect.sync(() => {
          isPaid = true
          return taken
        }).pipe(Effect.tap(answer))
      )
      const fiber = yield* payout.pipe(
        Effect.provideService(onUncertain, () =>
          Effect.sync(() => {
            isTold = true
          })
        ),
        Effect.provideService(Scheduler.MaxOpsBeforeYield, operations),
        Effect.forkChild
      )
      for (let pause = 0; pause < pauses; pause++) yield* Effect.yieldNow
      const wasRunning = fiber.pollUnsafe() === undefined
      yield* Fiber.interrupt(fiber)
      return { exit: yield* Fiber.await(fiber), isTold, isPaid, wasRunning }
    }).pipe(Effect.provide(layer()))

  it.live("leaves nobody in the dark: it was not sent, or it is reported, or it succeeds all the same", () =>
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
  const create = Clients.create({ id: "alice" })
  const alice = { externalId: "alice", id: 7 }
  const absent = refused(404, "E30001")

  it.effect("that ended uncertain succeeds with what is found", () =>
    Effect.gen(function* () {
      yield* script(reset, succeeded(alice, 200))
      const exit = yield* anHour(create)
      assert.strictEqual(Exit.isSuccess(exit) && String(exit.value.externalId), "alice")
      assert.deepStrictEqual(yield* sent, ["POST /clients/create", "GET /clients/alice"])
    }).pipe(Effect.provide(layer()))
  )

  it.effect("is sent again if it is certainly not there", () =>
    Effect.gen(function* () {
      yield* script(refused(502), absent, succeeded(alice))
      assert.isTrue(Exit.isSuccess(yield* anHour(create)))
      assert.deepStrictEqual(yield* sent, ["POST /clients/create", "GET /clients/alice", "POST /clients/create"])
    }).pipe(Effect.provide(layer()))
  )

  it.effect.each([
    ["fails", refused(500)],
    ["is refused", refused(401, "E40001")],
    ["gets a 404 that a proxy says", answered(404, "404 page not found")]
  ] as const)("has an unknown outcome if its look-up %s", ([, outcome]) =>
    Effect.gen(function* () {
      yield* script(reset, outcome)
      assert.strictEqual(failureOf(yield* anHour(create))._tag, "OutcomeUnknown")
      assert.strictEqual((yield* sent).filter((line) => line.startsWith("POST")).length, 1)
    }).pipe(Effect.provide(layer()))
  )

  it.effect("that is refused as a duplicate of its own first attempt succeeds with what is found", () =>
    Effect.gen(function* () {
      yield* script(reset, absent, refused(422, "E50001"), succeeded(alice, 200))
      assert.isTrue(Exit.isSuccess(yield* anHour(create)))
    }).pipe(Effect.provide(layer()))
  )

  it.effect("that is refused at once is refused, without a look-up", () =>
    Effect.gen(function* () {
      yield* script(refused(422, "E50001"))
      assert.strictEqual(failureOf(yield* anHour(create))._tag, "ValidationFailed")
      assert.lengthOf(yield* sent, 1)
    }).pipe(Effect.provide(layer()))
  )

  it.effect("stays unknown when its attempts are used up, whatever the last one says", () =>
    Effect.gen(function* () {
      yield* script(reset, absent, notSent)
      assert.strictEqual(failureOf(yield* anHour(create))._tag, "OutcomeUnknown")
    }).pipe(Effect.provide(layer()))
  )

  it.effect("stays unknown if the session turns out to be lost before it can be sent again", () =>
    Effect.gen(function* () {
      yield* script(reset, absent, refused(498, "E40003"))
      yield* Scripted.useSync((scripted) => {
        scripted.isLost = true
      })
      assert.strictEqual(failureOf(yield* anHour(create))._tag, "OutcomeUnknown")
      assert.deepStrictEqual(yield* sent, ["POST /clients/create", "GET /clients/alice", "POST /clients/create"])
    }).pipe(Effect.provide(layer()))
  )

  it.effect("whose look-up the deadline cuts short stays unknown", () =>
    Effect.gen(function* () {
      yield* script(reset, Effect.never)
      assert.strictEqual(failureOf(yield* anHour(create))._tag, "OutcomeUnknown")
    }).pipe(Effect.provide(layer()))
  )

  it.effect("whose second attempt still waits for a connection stays unknown", () =>
    Effect.gen(function* () {
      yield* script(refused(502), absent, waiting)
      assert.strictEqual(failureOf(yield* anHour(create))._tag, "OutcomeUnknown")
      yield* script(refused(502), absent, waiting)
      let isTold = false
      const interrupted = create.pipe(
        Effect.provideService(onUncertain, () =>
          Effect.sync(() => {
            isTold = true
          })
        ),
        Effect.timeout("10 seconds")
      )
      assert.strictEqual(failureOf(yield* anHour(interrupted))._tag, "TimeoutError")
      assert.isTrue(isTold)
    }).pipe(Effect.provide(layer()))
  )

  it.effect("of many looks each of them up, and gives them in their order", () =>
    Effect.gen(function* () {
      yield* script(reset, succeeded({ externalId: "alice" }, 200), succeeded({ externalId: "bob" }, 200))
      const exit = yield* anHour(Clients.createMany({ ids: ["alice", "bob"] }))
      assert.deepStrictEqual(Exit.isSuccess(exit) && exit.value.map(({ externalId }) => String(externalId)), [
        "alice",
        "bob"
      ])
      assert.deepStrictEqual(yield* sent, ["POST /clients/create-many", "GET /clients/alice", "GET /clients/bob"])
    }).pipe(Effect.provide(layer()))
  )

  it.effect("of many is sent again if none is there, and unknown if some are", () =>
    Effect.gen(function* () {
      const createMany = Clients.createMany({ ids: ["alice", "bob"] })
      yield* script(reset, absent, absent, succeeded([{ externalId: "alice" }, { externalId: "bob" }]))
      assert.isTrue(Exit.isSuccess(yield* anHour(createMany)))
      yield* script(reset, succeeded({ externalId: "alice" }, 200), absent)
      assert.strictEqual(failureOf(yield* anHour(createMany))._tag, "OutcomeUnknown")
      assert.strictEqual((yield* sent).filter((line) => line.startsWith("POST")).length, 3)
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

  it.effect("42 · is not replayed after a 498 if it was read: the session is rotated, and the error says so", () =>
    Effect.gen(function* () {
      const document = once()
      yield* script(Effect.as(Stream.runDrain(Stream.orDie(document.bytes)), refused(498)), succeeded({ id: "m-1" }))
      const mint = Tokens.mint({ tokenId: "gold", amount: Amount.of("1"), document })
      const error = failureOf(yield* anHour(mint))
      assert.strictEqual(error._tag === "TransportError" && error.phase, "NotSent")
      assert.include(error.message, "terms.pdf")
      assert.lengthOf(yield* sent, 1)
      assert.strictEqual((yield* Scripted).rotations, 1)
    }).pipe(Effect.provide(layer()))
  )

  it.effect("is sent again as long as nobody has read it", () =>
    Effect.gen(function* () {
      yield* script(notSent, refused(498), succeeded({ id: "m-1" }))
      const mint = Tokens.mint({ tokenId: "gold", amount: Amount.of("1"), document: once() })
      assert.isTrue(Exit.isSuccess(yield* anHour(mint)))
    }).pipe(Effect.provide(layer()))
  )
})

describe("the budget of a client", () => {
  it.effect("keeps an outage of 60 seconds under 20 calls per second within a tenth more requests than calls", () =>
    Effect.gen(function* () {
      yield* script(refused(503))
      const calls = yield* Effect.forkChild(
        Effect.gen(function* () {
          for (let tick = 0; tick < 60; tick++) {
            for (let call = 0; call < 20; call++) yield* Effect.forkChild(Effect.exit(Vaults.details()))
            yield* Effect.sleep("1 second")
          }
        })
      )
      yield* TestClock.adjust("2 minutes")
      yield* Fiber.join(calls)
      const requests = (yield* sent).length
      assert.isAtMost(requests, 1_320)
      assert.isAbove(requests, 1_280)
    }).pipe(Effect.provide(layer()))
  )

  it("allows a tenth of the calls of the last 10 seconds, at 1,000 calls per second too", () => {
    const bounds = { ratio: 0.1, windowSeconds: 10, floor: 10 }
    let budget = Budget.empty
    let taken = 0
    const take = (now: number) => {
      const [isTaken, next] = Budget.take(budget, now, bounds)
      budget = next
      if (isTaken) taken++
    }
    for (let call = 0; call < 60_000; call++) {
      budget = Budget.called(budget, call / 1_000)
      take(call / 1_000)
      take(call / 1_000)
    }
    assert.strictEqual(taken, 6_000)
    // Ten seconds after the last call only the floor is left, and it is used once.
    for (let extra = 0; extra < 20; extra++) take(70)
    assert.strictEqual(taken, 6_010)
    // A minute later the window is empty again.
    for (let extra = 0; extra < 20; extra++) take(130)
    assert.strictEqual(taken, 6_020)
  })

  it.effect("lets a few be sent again however few calls there are", () =>
    Effect.gen(function* () {
      yield* script(reset)
      for (let call = 0; call < 10; call++) yield* Effect.forkChild(Effect.exit(Vaults.details()))
      yield* TestClock.adjust("5 seconds")
      assert.lengthOf(yield* sent, 20)
    }).pipe(Effect.provide(layer()))
  )

  it.effect("counts the look-ups too", () =>
    Effect.gen(function* () {
      yield* script(reset)
      const none = RetryPolicy.make({ budget: { floor: 0, ratio: 0 } })
      const create = Clients.create({ id: "alice" }).pipe(RetryPolicy.provide(none))
      assert.strictEqual(failureOf(yield* anHour(create))._tag, "OutcomeUnknown")
      assert.lengthOf(yield* sent, 1)
    }).pipe(Effect.provide(layer()))
  )
})

describe("a circuit breaker", () => {
  const breaker = RetryPolicy.layerCircuitBreaker({
    tripPolicy: CircuitBreaker.consecutive(3),
    openDuration: "10 seconds"
  })

  it.effect("that is open lets nothing be sent, says so, and closes again", () =>
    Effect.gen(function* () {
      const once = payout.pipe(RetryPolicy.provide(RetryPolicy.none))
      yield* script(refused(500))
      for (let call = 0; call < 3; call++) yield* resolved(yield* Effect.exit(once))
      const error = failureOf(yield* Effect.exit(once))
      assert.strictEqual(error._tag === "TransportError" && error.phase, "NotSent")
      assert.lengthOf(yield* sent, 3)
      yield* script(taken)
      yield* TestClock.adjust("10 seconds")
      assert.isTrue(Exit.isSuccess(yield* Effect.exit(once)))
    }).pipe(Effect.provide([breaker, layer()]))
  )
})

describe("a schedule of the user's own", () => {
  const sentAt = Effect.gen(function* () {
    const at: Array<number> = []
    yield* script(Effect.map(Clock.currentTimeMillis, (now) => (at.push(now), refused(503))))
    return at
  })

  it.effect("says when a read is sent again, and when no more", () =>
    Effect.gen(function* () {
      const at = yield* sentAt
      const own = RetryPolicy.make({ read: Schedule.spaced("7 seconds").pipe(Schedule.upTo({ times: 3 })) })
      yield* anHour(Vaults.details().pipe(RetryPolicy.provide(own)))
      assert.deepStrictEqual(at, [0, 7_000, 14_000, 21_000])
    }).pipe(Effect.provide(layer()))
  )

  it.effect("is the client's where the call brings none", () =>
    Effect.gen(function* () {
      const at = yield* sentAt
      yield* anHour(Vaults.details())
      assert.deepStrictEqual(at, [0, 1_000, 2_000])
      yield* anHour(RetryPolicy.provide(Vaults.details(), RetryPolicy.none))
      assert.lengthOf(at, 4)
      yield* anHour(Vaults.details().pipe(Effect.provide(RetryPolicy.layer(RetryPolicy.none))))
      assert.lengthOf(at, 5)
    }).pipe(
      Effect.provide(
        layer({ retry: RetryPolicy.make({ read: Schedule.spaced("1 second").pipe(Schedule.upTo({ times: 2 })) }) })
      )
    )
  )

  it.effect("is stopped by the deadline, if it has no end", () =>
    Effect.gen(function* () {
      const at = yield* sentAt
      const endless = RetryPolicy.make({
        read: { schedule: Schedule.spaced("10 seconds"), deadline: Duration.seconds(35) }
      })
      const error = failureOf(yield* anHour(Vaults.details().pipe(RetryPolicy.provide(endless))))
      // A wait that the deadline would cut short is not begun: the answer at hand says more.
      assert.strictEqual(error._tag === "UnknownApiError" && error.status, 503)
      assert.deepStrictEqual(at, [0, 10_000, 20_000, 30_000])
    }).pipe(Effect.provide(layer()))
  )

  it.effect("is stopped by the budget, if it has no end", () =>
    Effect.gen(function* () {
      const at = yield* sentAt
      const endless = RetryPolicy.make({ read: Schedule.forever, budget: { floor: 4, ratio: 0 } })
      assert.strictEqual(
        failureOf(yield* anHour(Vaults.details().pipe(RetryPolicy.provide(endless))))._tag,
        "UnknownApiError"
      )
      assert.deepStrictEqual(at, [0, 0, 0, 0, 0])
    }).pipe(Effect.provide(layer()))
  )

  it.effect("waits for as long as Retry-After says, and no longer than the policy allows", () =>
    Effect.gen(function* () {
      const own = RetryPolicy.make({
        read: { schedule: Schedule.spaced("1 second"), maxRetryAfter: Duration.seconds(5) }
      })
      const at: Array<number> = []
      const after = (wait: Duration.Input) =>
        Effect.map(Clock.currentTimeMillis, (now) => (at.push(now), answered(429, "", wait)))
      yield* script(after("5 seconds"), after("100 millis"), after("6 seconds"), succeeded({ id: "v" }))
      const error = failureOf(yield* anHour(Vaults.details().pipe(RetryPolicy.provide(own))))
      assert.strictEqual(error._tag === "RateLimited" && error.status, 429)
      assert.deepStrictEqual(at, [0, 5_000, 6_000])
    }).pipe(Effect.provide(layer()))
  )

  it.effect("sees the failure, and may decide by it", () =>
    Effect.gen(function* () {
      const at = yield* sentAt
      const never503 = RetryPolicy.make({
        read: Schedule.spaced("1 second").pipe(
          Schedule.setInputType<RetryPolicy.Failure>(),
          Schedule.while(({ input: { error } }) => !("status" in error && error.status === 503))
        )
      })
      yield* anHour(Vaults.details().pipe(RetryPolicy.provide(never503)))
      assert.lengthOf(at, 1)
    }).pipe(Effect.provide(layer()))
  )

  it.effect("never sends a write again that may have happened", () =>
    Effect.gen(function* () {
      yield* script(reset)
      const eager = RetryPolicy.make({ write: Schedule.forever })
      assert.strictEqual(failureOf(yield* anHour(RetryPolicy.provide(payout, eager)))._tag, "OutcomeUnknown")
      assert.lengthOf(yield* sent, 1)
    }).pipe(Effect.provide(layer()))
  )
})

describe("a policy", () => {
  it("can be printed", () => {
    assert.strictEqual(
      RetryPolicy.format(RetryPolicy.make({ session: { attempts: 1 } })),
      [
        "read: sent at most 3 times, 200ms to 5s apart, a Retry-After of up to 30s heeded, the whole call within 2m",
        "keyed: sent at most 3 times, 200ms to 5s apart, a Retry-After of up to 30s heeded, the whole call within 2m",
        "write: sent at most 2 times, 200ms to 5s apart, a Retry-After of up to 30s heeded, the whole call within 2m",
        "session: sent once, the whole call within 2m",
        "budget: 10 % of the calls of 10s, or 10"
      ].join("\n")
    )
    const own = RetryPolicy.format(
      RetryPolicy.make({ read: Schedule.spaced("1 second"), write: RetryPolicy.backoff() })
    )
    assert.include(own, "read: sent again by a custom schedule, a Retry-After of up to 30s heeded")
    assert.include(own, "write: sent at most 3 times, 200ms to 5s apart")
  })

  it("with a setting out of range is refused", () => {
    assert.throws(() => RetryPolicy.make({ read: { attempts: 0 } }), /retry/)
    assert.throws(() => RetryPolicy.make({ budget: { ratio: 2 } }), /retry/)
    assert.throws(() => RetryPolicy.make({ budget: { window: Duration.minutes(5) } }), /60 seconds/)
  })
})
