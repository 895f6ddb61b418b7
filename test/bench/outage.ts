/**
 * `pnpm bench:outage`: ten calls a second whose access token has expired, while refreshes fail for a moment, or for ten
 * minutes, in virtual time. How many calls fail, and how often the refresh endpoint is asked. Ends with 1 if a moment
 * fails a call, or if ten minutes cost more requests than they did when calls failed instead of waiting.
 */
import { RetryPolicy } from "@effect-custody/core"
import { Fault } from "@effect-custody/emulator"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as HttpClient from "effect/http/HttpClient"
import * as TestClock from "effect/testing/TestClock"
import { makeWorld, pass } from "../support/worlds/sessionWorld.ts"

/** What ten minutes cost when one failed refresh failed all calls for a cool-down. */
const asBefore = 116

const runs = [
  { name: "one refused connection, 10 seconds", fault: Fault.neverArrived(), times: 1, seconds: 10 },
  { name: "a 429 with Retry-After: 1, 10 seconds", fault: Fault.rateLimited("1 second"), times: 1, seconds: 10 },
  { name: "an outage of ten minutes", fault: Fault.neverArrived(), times: Infinity, seconds: 600 }
]

const measure = Effect.fnUntraced(function* ({ fault, seconds, times }: (typeof runs)[number]) {
  const world = yield* makeWorld({ tokenLifetime: "2 hours" })
  let refreshes = 0
  const http = HttpClient.tapRequest(world.http, ({ url }) =>
    Effect.sync(() => {
      if (url.endsWith("/auth/refresh-token")) refreshes++
    })
  )
  const { read } = yield* world.started({ retry: RetryPolicy.standard, http })
  yield* world.emulator.expireTokens
  yield* world.emulator.faults.next("authentication.refreshToken", fault, { times })
  const calls = yield* Effect.forEach(Array.from({ length: seconds * 10 }), () =>
    Effect.tap(Effect.forkChild(Effect.exit(read)), () => TestClock.adjust(100))
  )
  const asked = refreshes
  // The outage is over: what still waits succeeds, or fails.
  yield* world.emulator.faults.clear
  yield* pass(150_000, 500)
  const failed = (yield* Effect.forEach(calls, Fiber.join)).filter(Exit.isFailure).length
  return { calls: calls.length, failed, refreshes: asked }
})

const measured = await Effect.runPromise(
  Effect.forEach(runs, (run) =>
    Effect.map(Effect.scoped(Effect.provide(measure(run), TestClock.layer())), (counts) => ({ ...run, ...counts }))
  )
)
console.log("| refreshes meet | calls | failed | refresh requests |\n| --- | ---: | ---: | ---: |")
for (const { calls, failed, name, refreshes } of measured) {
  console.log(`| ${name} | ${calls} | ${failed} | ${refreshes} |`)
}
const wrong = measured.filter(({ failed, refreshes, times }) => (times === 1 ? failed > 0 : refreshes > asBefore))
for (const { name } of wrong) console.error(`✗ ${name}`)
if (wrong.length > 0) process.exitCode = 1
