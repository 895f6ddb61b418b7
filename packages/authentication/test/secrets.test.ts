import { onDefect } from "@effect-custody/core"
import { Fault } from "@effect-custody/emulator"
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpClient from "effect/http/HttpClient"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { everythingSeen, printed } from "../../../test/support/worlds/observed.ts"
import { letTime, makeWorld, pass, tagOf } from "../../../test/support/worlds/sessionWorld.ts"

type World = Effect.Success<ReturnType<typeof makeWorld>>
type Process = Effect.Success<ReturnType<World["boot"]>>

interface Trouble {
  readonly name: string
  readonly act: (
    world: World,
    process: Process,
    issue: Effect.Effect<Redacted.Redacted>
  ) => Effect.Effect<unknown, { readonly _tag: string }>
}

const refused = (status: number, code: string) =>
  Fault.answered({ status, body: { status, code, message: "", errors: {} } })

/** A call after the token has expired, with a fault of the refresh. */
const rotated =
  (...faults: ReadonlyArray<Fault.Fault>) =>
  (world: World, { read }: Process) =>
    Effect.gen(function* () {
      yield* world.emulator.expireTokens
      for (const fault of faults) yield* world.fault(fault)
      yield* letTime(read, 500)
    })

const troubles: ReadonlyArray<Trouble> = [
  { name: "a plain rotation", act: rotated() },
  { name: "a lost answer", act: rotated(Fault.answerLost()) },
  { name: "no answer twice", act: rotated(Fault.serverError(), Fault.silence({ acts: false })) },
  { name: "a cut-off answer", act: rotated(Fault.truncated(20)) },
  { name: "half an answer", act: rotated(Fault.edited({ data: { refreshToken: null, expiresAt: "soon" } })) },
  { name: "a refusal", act: rotated(refused(401, "E01402")) },
  { name: "a malformed token", act: rotated(refused(422, "E00402")) },
  { name: "throttling", act: rotated(Fault.rateLimited("3 seconds")) },
  {
    name: "a store that cannot be written after the rotation",
    act: (world, { close, read }) =>
      Effect.gen(function* () {
        yield* world.emulator.expireTokens
        yield* world.place.next("compareAndSwap", undefined, ...Array.from({ length: 9 }, () => "before" as const))
        yield* letTime(read, 1)
        yield* letTime(close)
      })
  },
  {
    name: "a store that was restored",
    act: (world, { tokens }) =>
      Effect.gen(function* () {
        const backup = yield* world.place.record
        yield* tokens.rotate(0)
        yield* world.place.put(backup)
        yield* tokens.rotate(1)
      })
  },
  {
    name: "a record of another environment",
    act: (world, { tokens }) =>
      Effect.gen(function* () {
        const record = yield* world.place.record
        yield* world.place.put({ ...record, environment: "https://other.custody.example/api/integration" })
        yield* tokens.rotate(0)
      })
  },
  {
    name: "a defect of the store",
    act: (world, { tokens }) =>
      Effect.gen(function* () {
        yield* world.place.next("load", { instead: Effect.die({ cannotBeRead: yield* world.place.record }) })
        yield* tokens.rotate(0)
      })
  },
  {
    name: "a defect of the store that is called by its token",
    act: (world, { tokens }) =>
      Effect.gen(function* () {
        const { session } = yield* world.place.record
        const token = Redacted.value(session!.refreshToken)
        const defect = Object.assign(new Error(token, { cause: token }), { name: token, constructor: { name: token } })
        yield* world.place.next("load", { instead: Effect.die(defect) })
        yield* tokens.rotate(0)
      })
  },
  {
    name: "a key whose answer is lost",
    act: (world, { tokens }, issue) =>
      Effect.gen(function* () {
        yield* world.emulator.faults.next("authentication.generateTokens", Fault.answerLost())
        yield* letTime(tokens.start(yield* issue))
      })
  },
  {
    name: "a caller who gives up, and a layer that is closed",
    act: (world, { close, tokens }) =>
      Effect.gen(function* () {
        yield* world.fault(Fault.delayed({ answer: "2 seconds" }))
        const caller = yield* Effect.forkChild(tokens.rotate(0))
        yield* pass(100)
        yield* Fiber.interrupt(caller)
        yield* letTime(close)
      })
  }
]

/** An error of a store, a client or a source. Its message contains a token. */
// oxlint-disable-next-line effecttsgo/extends-native-error -- foreign code throws what it likes.
class ForeignError extends Error {}

describe("secrets", () => {
  it.effect("the log names a foreign defect by its class, and only onDefect gets the defect", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const reported: Array<string> = []
      const throws = (message: string) => Effect.die(new ForeignError(`${message} kept-to-itself`))
      let isBroken = false
      const http = HttpClient.make((request) => (isBroken ? throws("the client") : world.http.execute(request)))
      const { exit, text } = yield* everythingSeen(
        Effect.gen(function* () {
          const without = yield* world.boot({ source: { next: () => throws("the source") } })
          const { read, tokens } = yield* world.started({ http, identity: "other" })
          const ends = [yield* tagOf(without.read)]
          yield* world.place.next("load", { instead: throws("the store") })
          ends.push(yield* tagOf(tokens.rotate(0)))
          // A store that closes interrupts what it does, and nobody has to mend that.
          yield* pass(2_000)
          yield* world.place.next("load", { instead: Effect.interrupt })
          ends.push(yield* tagOf(tokens.rotate(0)))
          yield* pass(2_000)
          isBroken = true
          ends.push(yield* tagOf(letTime(read)), yield* tagOf(letTime(tokens.rotate(0))))
          return ends
        }).pipe(
          Effect.provideService(onDefect, ({ cause, during }) =>
            Effect.sync(() => void reported.push(`${during}: ${(Cause.squash(cause) as Error).message}`))
          )
        )
      )
      assert(exit._tag === "Success")
      assert.deepStrictEqual(exit.value, [
        "NoSession",
        "TokenStoreError",
        "TokenStoreError",
        "TransportError",
        "SessionAmbiguous"
      ])
      assert.notInclude(text, "kept-to-itself")
      const failed = [
        "default: the source of API keys failed",
        "the token store failed with a defect",
        "the HttpClient failed with a defect"
      ]
      assert.notInclude(text, "the token store failed with a defect: interruption")
      for (const during of failed) assert.include(text, `${during}: ForeignError`)
      assert.deepStrictEqual(
        [...new Set(reported)],
        failed.map((during, at) => `${during}: ${["the source", "the store", "the client"][at]} kept-to-itself`)
      )
    })
  )

  for (const { act, name } of troubles) {
    it.effect(`no token and no key is in a log, a span, an error, an event or a status after ${name}`, () =>
      Effect.gen(function* () {
        const world = yield* makeWorld()
        const keys: Array<Redacted.Redacted> = []
        const { observed, text } = yield* everythingSeen(
          Effect.gen(function* () {
            const issue = Effect.tap(world.emulator.issueApiKey(), (key) => Effect.sync(() => keys.push(key)))
            const process = yield* world.boot({ apiKey: yield* issue })
            yield* process.read
            const exit = yield* Effect.exit(act(world, process, issue))
            yield* TestClock.adjust("10 seconds")
            yield* Effect.log(process.tokens, yield* process.tokens.status, process.events, world.place.records)
            return yield* exit
          })
        )
        assert.isAbove(observed.spans.length, 1)
        const sessions = world.place.records.flatMap(({ session }) => session ?? [])
        const secrets = [
          ...keys,
          ...sessions.flatMap(({ accessToken, refreshToken }) => [accessToken, refreshToken])
        ].map(Redacted.value)
        assert.isAbove(new Set(secrets).size, 2)
        const said = `${text}\n${printed(world.place.records)}`
        for (const secret of new Set(secrets)) assert.notInclude(said, secret)
      })
    )
  }
})
