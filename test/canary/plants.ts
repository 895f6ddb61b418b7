/** Deliberate leaks, one for each sink. If the matrix does not find them, it proves nothing. */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import { failures } from "./failures.ts"
import { kinds, spellings } from "./secrets.ts"
import { printed, seen, type Sinks } from "./sinks.ts"
import { run, secretsWith } from "./world.ts"

/** What is planted: no part of the SDK knows that it is a secret. */
export const planted = kinds["plain"]!(60, 4_711)

class Note extends Context.Service<Note, string>()("test/canary/Note") {}

const spelt = Object.values(spellings).map((spell) => spell(planted))

/** Programs that reveal the secret, in each of its spellings. */
const programs: Readonly<Record<string, (text: string) => Effect.Effect<unknown, unknown>>> = {
  // @effect-diagnostics-next-line globalErrorInEffectFailure:off
  "an error": (text) => Effect.fail(new Error(text, { cause: text })),
  "an error that is an object": (text) => Effect.fail({ _tag: "Failed", text }),
  "an annotated cause": (text) => Effect.failCause(Cause.annotate(Cause.fail("no"), Context.make(Note, text))),
  "a log": (text) => Effect.logWarning("it went wrong", { text }),
  "an attribute": (text) => Effect.annotateCurrentSpan("note", text),
  "the end of a span": (text) => Effect.ignore(Effect.withSpan(Effect.fail(text), "inner")),
  "a result": (text) => Effect.succeed({ text }),
  "a metric": (text) => Metric.update(Metric.counter("calls", { attributes: { text } }), 1),
  stdout: (text) => Effect.sync(() => process.stdout.write(text)),
  stderr: (text) => Effect.sync(() => process.stderr.write(`oops: ${text}`))
}

const failing = (name: string) => failures.find((failure) => failure.name === name)!

/** Calls of the SDK that reveal a text that the SDK does not know to be a secret. */
const calls: ReadonlyArray<readonly [call: string, failure: string]> = [
  ["vaults.details", "400 with the secret plain in message"],
  ["transactions.send", "201 with the secret plain in a payload's fields"],
  ["transactions.send", "a transport error whose cause tells the secret"]
]

/** Sinks that never contain text of the service or of a program: the leak is planted where they are read. */
const bySelf = [
  "what a client of the user keeps",
  "an HttpClientError that is kept",
  "what an emulator received",
  "the console line of an emulator",
  "TokenService.status",
  "the services printed",
  "secrets printed",
  "session events",
  "onUncertain"
]

/** Everything that can be seen of each planted leak. */
export const plants: Effect.Effect<ReadonlyArray<Sinks>> = Effect.gen(function* () {
  const sinks: Array<Sinks> = []
  for (const program of Object.values(programs)) {
    for (const text of spelt) sinks.push((yield* seen(() => program(text))).sinks)
  }
  const secrets = secretsWith("option", kinds["plain"]!(40, 1))
  for (const [call, name] of calls) {
    sinks.push((yield* run({ call, failure: failing(name), secrets, secret: planted })).sinks)
  }
  for (const sink of bySelf) {
    sinks.push((yield* seen((add) => Effect.sync(() => add(sink, printed({ text: planted }))))).sinks)
  }
  return sinks
})
