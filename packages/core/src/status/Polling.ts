/** The status of a record, and how to read the record again and again until its status is final. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { NotFound } from "../errors/ApiError.ts"
import { OpenEnum } from "../values/Lenient.ts"

/**
 * The deadline passed, or the schedule ended, before the status was final. The wait changed nothing at the service: wait
 * again with the same `id`.
 *
 * @since 0.1.0
 * @category errors
 */
export class StillPending extends Schema.TaggedError<StillPending>("@effect-custody/core/Polling/StillPending")(
  "StillPending",
  {
    operation: Schema.String,
    id: Schema.String,
    /** The last status; absent if no read returned a status before the deadline. */
    lastStatus: Schema.optionalKey(Schema.String),
    /** The returned statuses that the SDK does not know, because no adapter maps them. */
    unmapped: Schema.optionalKey(Schema.Array(Schema.String))
  }
) {
  override get message(): string {
    const seen = this.lastStatus === undefined ? "no status was seen yet" : `its last status was ${this.lastStatus}`
    const unmapped =
      this.unmapped === undefined ? "" : ` The contract maps no value to the service's ${this.unmapped.join(", ")}.`
    return `${this.operation}: ${this.id} is not final: ${seen}.${unmapped} Wait again with the same id.`
  }
}

/**
 * The options that say when to read, and which status ends the reads.
 *
 * @since 0.1.0
 * @category models
 */
export interface WatchOptions {
  /** The waits between reads. Default: 1 second, then 1.5 times as long each time, up to 15 seconds. */
  readonly schedule?: Schedule.Schedule<unknown> | undefined
  /** `true` for a final status. Set `isFinal` if the service names its statuses differently. */
  readonly isFinal?: ((status: string) => boolean) | undefined
}

/**
 * The options that say when to read, and when to stop: at a final status, or at the deadline.
 *
 * @since 0.1.0
 * @category models
 */
export interface AwaitOptions extends WatchOptions {
  /** The maximum duration of the whole wait. Default: 15 minutes. */
  readonly deadline?: Duration.Input | undefined
}

const schedule = Schedule.min([Schedule.exponential("1 second", 1.5), Schedule.spaced("15 seconds")])

/**
 * Makes a predicate: `true` for a status that is one of the identifiers, in any letter case. Pass upper-case
 * identifiers.
 *
 * @since 0.1.0
 * @category predicates
 */
export const isOneOf =
  (...statuses: ReadonlyArray<string>) =>
  (status: string): boolean =>
    statuses.includes(status.toUpperCase())

/**
 * The status of a transaction, and of operations that become a transaction: a refund, a mint, a transfer of an NFT.
 *
 * Specification: "States and transitions": statuses run from pending to completed, rejected or error. The specification
 * does not show their identifiers, so the identifiers below are assumed.
 *
 * @since 0.1.0
 * @category models
 */
export type Status = OpenEnum<"PENDING" | "BROADCASTING" | "COMPLETED" | "REJECTED" | "ERROR">

export const Status = OpenEnum("PENDING", "BROADCASTING", "COMPLETED", "REJECTED", "ERROR")

/**
 * `true` for a final status of a transaction: `COMPLETED`, `REJECTED` or `ERROR`, in any letter case. An unknown status is
 * not final.
 *
 * @since 0.1.0
 * @category predicates
 */
export const isFinal: (status: string) => boolean = isOneOf("COMPLETED", "REJECTED", "ERROR")

/** The time for which a replica of the service may lack a new record. */
const replicationDelay = Duration.toNanosUnsafe(Duration.seconds(30))

/** Checks the class, because an error of the caller may have the same tag. */
const isNotFound = Schema.is(NotFound)

/**
 * Makes a version of a read that returns `None` instead of failing with `NotFound` during the first
 * {@link replicationDelay}.
 */
const tolerateAbsence = <A, E, R>(
  read: Effect.Effect<A, E, R>
): Effect.Effect<Effect.Effect<Option.Option<A>, E, R>> => {
  const found = Effect.asSome(read)
  const orNotYet = Effect.catchIf(found, isNotFound, () => Effect.succeedNone)
  return Effect.map(Clock.monotonicTimeNanos, (start) =>
    Effect.flatMap(Clock.monotonicTimeNanos, (now) => (now - start < replicationDelay ? orNotYet : found))
  )
}

/**
 * Repeats a read until its status is final, and returns the last result.
 *
 * Specification: "States and transitions".
 *
 * Fails with {@link StillPending} at the deadline or when the schedule ends. Fails with any failure of the read, except
 * `NotFound` in the first 30 seconds, because a replica of the service may lack a new record.
 *
 * @since 0.1.0
 * @category combinators
 */
export const awaitFinal = Effect.fnUntraced(function* <A extends { readonly status: string }, E, R>(
  read: Effect.Effect<A, E, R>,
  wait: AwaitOptions & {
    readonly operation: string
    readonly id: string
    readonly isFinal: (status: string) => boolean
    /** The statuses that the SDK knows. Default: all. */
    readonly known?: ReadonlyArray<string> | undefined
  }
): Effect.fn.Return<A, E | StillPending, R> {
  const statuses = yield* Ref.make<ReadonlySet<string>>(new Set())
  const stillPending = Effect.flatMap(Ref.get(statuses), (seen) => {
    const { id, known, operation } = wait
    const lastStatus = [...seen].at(-1)
    const unmapped = known === undefined ? [] : [...seen].filter((status) => !known.includes(status.toUpperCase()))
    return new StillPending({
      operation,
      id,
      ...(lastStatus === undefined ? {} : { lastStatus }),
      ...(unmapped.length === 0 ? {} : { unmapped })
    })
  })
  // Move a repeated status to the end, because the last member is the last status.
  const addStatus = (status: string) =>
    Ref.update(statuses, (seen) => new Set([...[...seen].filter((each) => each !== status), status]))
  const final = Option.filter(({ status }: A) => wait.isFinal(status))
  const readOption = yield* tolerateAbsence(read)
  const last = yield* readOption.pipe(
    Effect.tap((record) => (Option.isSome(record) ? addStatus(record.value.status) : Effect.void)),
    Effect.repeat({ schedule: wait.schedule ?? schedule, until: (record) => Option.isSome(final(record)) }),
    Effect.timeoutOrElse({ duration: wait.deadline ?? "15 minutes", orElse: () => stillPending })
  )
  const done = final(last)
  return Option.isSome(done) ? done.value : yield* stillPending
})

/**
 * Streams the first result of a read, and each result with a changed status, until the status is final. Reads while the
 * stream is consumed, without a deadline. The stream ends without a final status only if the schedule ends. Fails with
 * any failure of the read, except `NotFound` in the first 30 seconds.
 *
 * @example
 * ```ts
 * import { Polling } from "@effect-custody/core"
 * import { FiatGateway } from "@effect-custody/sdk"
 * import { Effect, Stream } from "effect"
 *
 * const read = FiatGateway.getPaymentLink({ linkId: "l-1" }).pipe(
 *   Effect.map((link) => ({ ...link, status: link.status ?? "PENDING" }))
 * )
 * const program = Polling.watch(read, { isFinal: Polling.isOneOf("COMPLETED", "EXPIRED", "ERROR") }).pipe(
 *   Stream.runForEach(({ status }) => Effect.log(status))
 * )
 * ```
 *
 * @since 0.1.0
 * @category combinators
 */
export const watch = <A extends { readonly status: string }, E, R>(
  read: Effect.Effect<A, E, R>,
  options: WatchOptions & { readonly isFinal: (status: string) => boolean }
): Stream.Stream<A, E, R> =>
  Stream.unwrap(
    Effect.map(tolerateAbsence(read), (readOption) =>
      Stream.fromEffectSchedule(readOption, options.schedule ?? schedule)
    )
  ).pipe(
    Stream.filter(Option.isSome),
    Stream.map(({ value }) => value),
    Stream.changesWith((before, now) => before.status === now.status),
    Stream.takeUntil(({ status }) => options.isFinal(status))
  )
