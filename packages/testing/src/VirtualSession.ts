/**
 * The services of `CustodyTest.layer`, with the session already in a state, and an empty wire log.
 *
 * @since 0.1.0
 */
import { TokenService } from "@effect-custody/core/TokenService"
import { CustodyEmulator } from "@effect-custody/emulator/CustodyEmulator"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Kit } from "./CustodyTest.ts"
import * as Faults from "./Faults.ts"
import { kit } from "./internal/emulatedClient.ts"
import { WireLog } from "./WireLog.ts"

/** The services after a preparation. Ignores its failure, because the failure is part of the wanted state. */
const after = <E>(prepare: Effect.Effect<unknown, E, TokenService | CustodyEmulator>, keyed = true): Layer.Layer<Kit> =>
  kit({}, keyed).pipe(
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

/**
 * No session, and no API key to start one: calls fail with `NoSession`.
 *
 * @since 0.1.0
 * @category layers
 */
export const none: Layer.Layer<Kit> = after(Effect.void, false)

/**
 * A session whose access token has expired: the next call rotates the session.
 *
 * @example
 * ```ts
 * import { VirtualSession } from "@effect-custody/testing"
 * import { Vaults } from "@effect-custody/sdk"
 * import { it } from "@effect/vitest"
 * import { Effect } from "effect"
 *
 * it.effect("a call succeeds after its token expires", () => Vaults.details().pipe(Effect.provide(VirtualSession.expired)))
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const expired: Layer.Layer<Kit> = after(Effect.andThen(start, Faults.play(Faults.expireTokens)))

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
    // The client retries at once. The retry must not reach the service, which would see the token twice.
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
