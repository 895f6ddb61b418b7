/**
 * The services of `CustodyTest.layer`, with the session already in a state, and an empty wire log.
 *
 * @since 0.1.0
 */
import { TokenService } from "@effect-custody/core/TokenService"
import { CustodyEmulator } from "@effect-custody/emulator/CustodyEmulator"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Kit, Options } from "./CustodyTest.ts"
import * as Faults from "./Faults.ts"
import { advanceWhile } from "./internal/advanceClock.ts"
import { kit } from "./internal/emulatedClient.ts"
import { WireLog } from "./WireLog.ts"

/** The services after a preparation. Its failure is ignored: it is the state that was asked for. */
const after = <E>(
  prepare: Effect.Effect<unknown, E, TokenService | CustodyEmulator>,
  options: Options = {},
  keyed = true
): Layer.Layer<Kit> =>
  kit(options, keyed).pipe(
    Layer.tap((context) =>
      Effect.ignore(prepare).pipe(Effect.andThen(WireLog.use(({ clear }) => clear)), Effect.provideContext(context))
    ),
    Layer.orDie
  )

const start = Effect.flatMap(TokenService, ({ current }) => current)

/** Rotates the current generation. */
const rotate = Effect.gen(function* () {
  const { current, rotate } = yield* TokenService
  const { generation } = yield* current
  return yield* rotate(generation)
})

/** Rotates, and lets the new session grow as old as one whose rejection is no surprise: five seconds. */
const agedRotation = Effect.andThen(rotate, advanceWhile(Effect.sleep("5 seconds"), "1 minute"))

/**
 * No session, and no API key to start one: calls fail with `NoSession`.
 *
 * @since 0.1.0
 * @category layers
 */
export const none: Layer.Layer<Kit> = after(Effect.void, {}, false)

/**
 * A new session, of generation 0.
 *
 * @since 0.1.0
 * @category layers
 */
export const fresh: Layer.Layer<Kit> = after(start)

/**
 * A session whose access tokens have this lifetime.
 *
 * @example
 * ```ts
 * import { CustodyTest, VirtualSession } from "@effect-custody/testing"
 * import { Vaults } from "@effect-custody/sdk"
 * import { it } from "@effect/vitest"
 * import { Effect } from "effect"
 *
 * it.effect("outlives a token of two seconds", () =>
 *   Effect.gen(function* () {
 *     yield* Effect.sleep("3 seconds")
 *     yield* Vaults.details()
 *   }).pipe(CustodyTest.fastForward(), Effect.provide(VirtualSession.expiresIn("2 seconds")))
 * )
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const expiresIn = (lifetime: Duration.Input): Layer.Layer<Kit> =>
  after(start, { emulator: { tokenLifetime: lifetime } })

/**
 * A session whose access token has expired: the next call rotates the session.
 *
 * @since 0.1.0
 * @category layers
 */
export const expired: Layer.Layer<Kit> = after(Effect.andThen(start, Faults.play(Faults.expireTokens)))

/**
 * A session that was rotated `g` times.
 *
 * @since 0.1.0
 * @category layers
 */
export const generation = (g: number): Layer.Layer<Kit> =>
  after(Effect.forEach(Array.from({ length: g }), () => agedRotation, { discard: true }).pipe(Effect.andThen(start)))

/**
 * A session that the service has revoked: calls fail with `SessionLost`.
 *
 * @since 0.1.0
 * @category layers
 */
export const lost: Layer.Layer<Kit> = after(
  Effect.gen(function* () {
    yield* start
    yield* Faults.play(Faults.revokeSessions)
    yield* rotate
  })
)

/**
 * The access token has expired, and the answer to a refresh was lost. Calls wait for 5 seconds, or fail with
 * `SessionAmbiguous` when their deadline allows no more. Then the session is lost: the service has rotated it.
 *
 * @since 0.1.0
 * @category layers
 */
export const ambiguous: Layer.Layer<Kit> = after(
  Effect.gen(function* () {
    yield* start
    // The client retries at once. That request must not reach the service, which would see the token twice.
    yield* Faults.play(
      Faults.expireTokens,
      Faults.next("authentication.refreshToken", Faults.answerLost),
      Faults.next("authentication.refreshToken", Faults.reset)
    )
    yield* rotate
  })
)

/**
 * The access token has expired, and every refresh gets a 429: calls wait, and fail with `RefreshUnavailable` when
 * their deadline allows no more, until `Faults.stop`.
 *
 * @since 0.1.0
 * @category layers
 */
export const unavailable: Layer.Layer<Kit> = after(
  Effect.gen(function* () {
    yield* start
    yield* Faults.play(
      Faults.expireTokens,
      Faults.always("authentication.refreshToken", Faults.rateLimited("1 second"))
    )
  })
)
