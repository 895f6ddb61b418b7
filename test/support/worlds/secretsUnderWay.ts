/** Secrets that are on their way while something happens to the record. */
import { Fault } from "@effect-custody/emulator"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { type makeWorld, pass } from "./sessionWorld.ts"

type World = Effect.Success<ReturnType<typeof makeWorld>>

/** How often an operation was asked for, whether or not the service has answered. */
const received = (wanted: string) => (world: World) =>
  Effect.map(world.emulator.received, (all) => all.filter(({ operation }) => operation === wanted).length)

/** How often an API key was sent. */
export const exchanges = received("authentication.generateTokens")

/** How often a refresh token was sent. */
export const refreshes = received("authentication.refreshToken")

export const after = (seconds: number, { ending, name, reach }: Fault.Fault): Fault.Fault => ({
  name,
  reach,
  ending,
  answersAfter: Duration.seconds(seconds)
})
export const inDoubt = (seconds: number) => after(seconds, Fault.serverError({ status: 502 }))
export const refused = (seconds: number, status: number, code: string) =>
  after(seconds, Fault.answered({ status, body: { status, code, message: "no", errors: {} } }))

/** Starts a call, lets something happen while its secret is on its way, and returns how the call ends. */
export const meanwhile = Effect.fnUntraced(function* <A, E>(
  call: Effect.Effect<A, E>,
  happens: Effect.Effect<unknown, unknown>
) {
  const fiber = yield* Effect.forkChild(Effect.exit(call))
  yield* pass(300)
  yield* happens
  yield* pass(6_000, 50)
  return yield* Fiber.join(fiber)
})
