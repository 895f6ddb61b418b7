/** Secrets of every kind, size and part; calls and failures in turn; every sink. */
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { everythingSeen } from "../support/worlds/observed.ts"
import { detector } from "./detector.ts"
import { failures } from "./failures.ts"
import { kinds, sizes, spellings } from "./secrets.ts"
import { type Case, calls, type Role, roles, run, secretsWith } from "./world.ts"

/** Which secrets a call has access to when it fails. */
const held = (call: string): ReadonlyArray<Role> => {
  if (call === "a start" || call === "authentication.generateTokens") return ["apiKey", "option"]
  return call === "authentication.refreshToken" ? ["refresh", "apiKey", "option"] : roles
}

/** A log of what goes over the wire knows the secrets that went over it by their names. */
const isKnownTo = (sink: string, role: Role, call: string): boolean =>
  !sink.startsWith("WireLog") || (role !== "option" && !(role === "apiKey" && call === "authentication.refreshToken"))

/** How many calls are made with each secret: other ones each time. */
const perSecret = 5

const secrets = Object.entries(kinds).flatMap(([kind, make], nth) =>
  sizes.flatMap((size) => roles.map((role) => ({ kind, role, secret: make(size, size + nth) })))
)

/** Every call and every failure has its turn; steps that divide neither number meet all pairs in the end. */
const cases = secrets.flatMap(({ kind, role, secret }, nth) => {
  const able = calls.filter((call) => held(call).includes(role))
  return Array.from({ length: perSecret }, (_, at) => {
    const turn = nth * perSecret + at
    const one: Case = {
      call: able[turn % able.length]!,
      failure: failures[(turn * 61) % failures.length]!,
      secrets: secretsWith(role, secret),
      secret
    }
    return { ...one, role, name: `${kind}, ${secret.length} characters, as ${role}: ${one.call}, ${one.failure.name}` }
  })
})

describe("the secrets of a call", () => {
  it.live.each(cases)("no sink shows the secret: $name", ({ call, failure, role, secret, secrets }) =>
    Effect.gen(function* () {
      const sinks = yield* run({ call, failure, secrets, secret })
      const find = detector(Object.values(secrets))
      const leaks = Object.entries(sinks).flatMap(([sink, text]) => {
        const excerpt = isKnownTo(sink, role, call) ? find(text) : undefined
        return excerpt === undefined ? [] : [`${sink}: ${excerpt}`]
      })
      assert.deepStrictEqual(leaks, [])
    })
  )
})

const plantedSecret = kinds["plain"]!(60, 4_711)

class Note extends Context.Service<Note, string>()("test/secrets/Note") {}

/** Programs that reveal a text. */
const programs: Readonly<Record<string, (text: string) => Effect.Effect<unknown, unknown>>> = {
  // @effect-diagnostics-next-line globalErrorInEffectFailure:off
  "an error": (text) => Effect.fail(new Error(text, { cause: text })),
  "an error that is an object": (text) => Effect.fail({ _tag: "Failed", text }),
  "an annotated cause": (text) => Effect.failCause(Cause.annotate(Cause.fail("no"), Context.make(Note, text))),
  "a log": (text) => Effect.logWarning("it went wrong", { text }),
  "an attribute": (text) => Effect.annotateCurrentSpan("note", text),
  "the end of a span": (text) => Effect.ignore(Effect.withSpan(Effect.fail(text), "inner")),
  "a result": (text) => Effect.succeed({ text }),
  "the name of a span": (text) => Effect.withSpan(Effect.void, text)
}

describe("a planted leak", () => {
  it.live.each(Object.entries(programs))("the detector finds a planted leak in %s", ([, program]) =>
    Effect.gen(function* () {
      const { text } = yield* everythingSeen(Effect.withSpan(program(plantedSecret), "program"))
      assert.isDefined(detector([plantedSecret])(text))
    })
  )

  it("the detector finds a secret in every spelling, and no part of it", () => {
    const find = detector([plantedSecret])
    for (const [how, spell] of Object.entries(spellings))
      assert.isDefined(find(`no: ${spell(plantedSecret)} here`), how)
    assert.isUndefined(find(`no: ${plantedSecret.slice(0, 11)} here`))
  })
})
