/**
 * A client in each state that a session can be in, to put a workflow in one line there: everything that
 * `CustodyTest.layer` gives, with the session already so when the test begins, and an empty wire log.
 *
 * Specification: "Authentication", rules a client must observe.
 */
import { TokenService } from "@effect-custody/core/TokenService"
import { CustodyEmulator } from "@effect-custody/emulator/CustodyEmulator"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Kit, Options } from "./CustodyTest.ts"
import * as Faults from "./Faults.ts"
import { kit } from "./internal/kit.ts"
import { WireLog } from "./WireLog.ts"

/** The kit after something was done with it. What it fails with is what it was done for. */
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

/** Rotates from the generation that is current. */
const rotate = Effect.gen(function* () {
  const { current, rotate } = yield* TokenService
  const { generation } = yield* current
  return yield* rotate(generation)
})

/** No session, and no API key to start one with: calls fail with `NoSession`. */
export const none: Layer.Layer<Kit> = after(Effect.void, {}, false)

/** A session that has just begun, of generation 0. */
export const fresh: Layer.Layer<Kit> = after(start)

/**
 * A session whose access tokens expire a while after they were given: the first one that long from now. The client
 * replaces one that lives longer than 5 seconds in the background, before it expires.
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
 */
export const expiresIn = (lifetime: Duration.Input): Layer.Layer<Kit> =>
  after(start, { emulator: { tokenLifetime: lifetime } })

/** A session whose access token has expired: the next call rotates it. */
export const expired: Layer.Layer<Kit> = after(Effect.andThen(start, Faults.play(Faults.expireTokens)))

/** A session that was rotated so many times. */
export const generation = (g: number): Layer.Layer<Kit> =>
  after(Effect.forEach(Array.from({ length: g }), () => rotate, { discard: true }).pipe(Effect.andThen(start)))

/** The service accepts neither token any more: calls fail with `SessionLost`. */
export const lost: Layer.Layer<Kit> = after(
  Effect.gen(function* () {
    yield* start
    yield* Faults.play(Faults.revokeSessions)
    yield* rotate
  })
)

/**
 * The access token has expired, a rotation was sent, and no answer came: calls fail with `SessionAmbiguous`, until the
 * pause after it is over (5 seconds). What comes of the next attempt depends on what had become of the first: `rotated`,
 * and the session is lost; not, and it goes on as if nothing had happened. Default: it was rotated.
 */
export const ambiguous = (options?: { readonly rotated?: boolean | undefined }): Layer.Layer<Kit> =>
  after(
    Effect.gen(function* () {
      yield* start
      // The client tries once more at once, of which the service knows nothing: it has seen no token twice.
      yield* Faults.play(
        Faults.expireTokens,
        Faults.next("authentication.refreshToken", options?.rotated === false ? Faults.reset : Faults.answerLost),
        Faults.next("authentication.refreshToken", Faults.reset)
      )
      yield* rotate
    })
  )

/**
 * The access token has expired, and refreshes are answered with a 429, for ever: calls fail with `RefreshUnavailable`.
 * `Faults.stop` ends it.
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
