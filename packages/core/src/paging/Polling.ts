/** Waits until something has its final status, by reading it again and again. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { NotFound } from "../errors/ApiError.ts"

/**
 * The deadline passed, or the schedule ended, before the status was final. Waiting changed nothing at the service:
 * wait again with the same `id`.
 *
 * @since 0.1.0
 * @category errors
 */
export class StillPending extends Schema.TaggedError<StillPending>("@effect-custody/core/Polling/StillPending")(
  "StillPending",
  {
    operation: Schema.String,
    id: Schema.String,
    /** The status that was seen last; absent if none was seen before the deadline. */
    lastStatus: Schema.optionalKey(Schema.String)
  }
) {
  override get message(): string {
    const seen = this.lastStatus === undefined ? "no status was seen yet" : `its last status was ${this.lastStatus}`
    return `${this.operation}: ${this.id} is not final: ${seen}. Wait again with the same id.`
  }
}

/**
 * How often to look, and what counts as the end.
 *
 * @since 0.1.0
 * @category models
 */
export interface WatchOptions {
  /** The waits between two looks. Default: 1 second, longer by half each time, at most 15 seconds. */
  readonly schedule?: Schedule.Schedule<unknown> | undefined
  /** Which statuses are final, if the service's identifiers are not those that are assumed. */
  readonly isFinal?: ((status: string) => boolean) | undefined
}

/**
 * How often to look, what counts as the end, and how long to wait.
 *
 * @since 0.1.0
 * @category models
 */
export interface AwaitOptions extends WatchOptions {
  /** How long to wait at most. Default: 15 minutes. */
  readonly deadline?: Duration.Input | undefined
}

const schedule = Schedule.min([Schedule.exponential("1 second", 1.5), Schedule.spaced("15 seconds")])

/**
 * Whether a status, in any letter case, is one of the given identifiers, which are in upper case.
 *
 * @since 0.1.0
 * @category predicates
 */
export const isOneOf =
  (...statuses: ReadonlyArray<string>) =>
  (status: string): boolean =>
    statuses.includes(status.toUpperCase())

/** A replica of the service may not have a new record yet. */
const notShownFor = Duration.toNanosUnsafe(Duration.seconds(30))

/** By the class: an error of the caller's own may have the same tag. */
const isNotFound = Schema.is(NotFound)

/** A read that is `None` if it begins within {@link notShownFor} from now and fails with `NotFound`. */
const patient = <A, E, R>(look: Effect.Effect<A, E, R>): Effect.Effect<Effect.Effect<Option.Option<A>, E, R>> => {
  const shown = Effect.asSome(look)
  const orNotYet = Effect.catchIf(shown, isNotFound, () => Effect.succeedNone)
  return Effect.map(Clock.monotonicTimeNanos, (start) =>
    Effect.flatMap(Clock.monotonicTimeNanos, (now) => (now - start < notShownFor ? orNotYet : shown))
  )
}

/**
 * Repeats a read until its status is final, and returns the last result.
 *
 * Specification: "States and transitions".
 *
 * Fails with {@link StillPending} at the deadline or when the schedule ends, and with any failure of the read, except
 * `NotFound` in the first 30 seconds: a service may not show everywhere at once what was just made.
 *
 * @since 0.1.0
 * @category combinators
 */
export const awaitFinal = Effect.fnUntraced(function* <A extends { readonly status: string }, E, R>(
  look: Effect.Effect<A, E, R>,
  wait: AwaitOptions & {
    readonly operation: string
    readonly id: string
    readonly isFinal: (status: string) => boolean
  }
): Effect.fn.Return<A, E | StillPending, R> {
  const lastStatus = yield* Ref.make<string | undefined>(undefined)
  const stillPending = Effect.flatMap(Ref.get(lastStatus), (status) => {
    const { id, operation } = wait
    return new StillPending({ operation, id, ...(status === undefined ? {} : { lastStatus: status }) })
  })
  const final = Option.filter(({ status }: A) => wait.isFinal(status))
  const shown = yield* patient(look)
  const seen = yield* shown.pipe(
    Effect.tap((seen) => (Option.isSome(seen) ? Ref.set(lastStatus, seen.value.status) : Effect.void)),
    Effect.repeat({ schedule: wait.schedule ?? schedule, until: (seen) => Option.isSome(final(seen)) }),
    Effect.timeoutOrElse({ duration: wait.deadline ?? "15 minutes", orElse: () => stillPending })
  )
  const done = final(seen)
  return Option.isSome(done) ? done.value : yield* stillPending
})

/**
 * Streams what a read returns: now, and after each change of its status, until the status is final. It reads while the
 * stream is consumed, and has no deadline: it ends without a final status only if the schedule ends. Fails with any
 * failure of the read, except `NotFound` in the first 30 seconds.
 *
 * @example
 * ```ts
 * import { Polling } from "@effect-custody/core"
 * import { FiatGateway } from "@effect-custody/sdk"
 * import { Effect, Stream } from "effect"
 *
 * const look = FiatGateway.getPaymentLink({ linkId: "l-1" }).pipe(
 *   Effect.map((link) => ({ ...link, status: link.status ?? "PENDING" }))
 * )
 * const program = Polling.watch(look, { isFinal: Polling.isOneOf("COMPLETED", "EXPIRED", "ERROR") }).pipe(
 *   Stream.runForEach(({ status }) => Effect.log(status))
 * )
 * ```
 *
 * @since 0.1.0
 * @category combinators
 */
export const watch = <A extends { readonly status: string }, E, R>(
  look: Effect.Effect<A, E, R>,
  options: WatchOptions & { readonly isFinal: (status: string) => boolean }
): Stream.Stream<A, E, R> =>
  Stream.unwrap(
    Effect.map(patient(look), (shown) => Stream.fromEffectSchedule(shown, options.schedule ?? schedule))
  ).pipe(
    Stream.filter(Option.isSome),
    Stream.map(({ value }) => value),
    Stream.changesWith((before, now) => before.status === now.status),
    Stream.takeUntil(({ status }) => options.isFinal(status))
  )
