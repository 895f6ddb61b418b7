/**
 * The one place where promises and Effect meet. What it gives to the rest of the program are plain functions: they take
 * plain values, and give promises of plain results that do not reject for anything that can be foreseen.
 */
import { NodeCustody } from "@effect-custody/node"
import { Amount, RetryPolicy, Transactions, Vaults } from "@effect-custody/sdk"
import { Effect, ManagedRuntime, Option, Stream } from "effect"

/** One runtime for the whole program: one session, one pool of connections. */
const runtime = ManagedRuntime.make(NodeCustody.layerConfig)

/** Resolves when the layers are built: a wrong configuration rejects here, and not at the first payout. */
export const ready = (): Promise<void> => runtime.runPromise(Effect.void)

/** Waits for a rotation that is under way, then closes the session's file and the connections. */
export const dispose = (): Promise<void> => runtime.dispose()

export type Result<A> =
  | { readonly kind: "done"; readonly value: A }
  /** It was not done, and trying again will not help. */
  | { readonly kind: "refused"; readonly message: string }
  /** It was not done, and may be tried again. */
  | { readonly kind: "not-now"; readonly message: string }
  /** **It may have been done.** Ask again later under the same reference, which looks before it sends. */
  | { readonly kind: "unknown"; readonly message: string; readonly reference: string }

const done = <A>(value: A): Result<A> => ({ kind: "done", value })
const refused = (message: string): Result<never> => ({ kind: "refused", message })
const notNow = (message: string): Result<never> => ({ kind: "not-now", message })

/** A read: the signal of whoever waits for it ends it. */
export const vaultName = (signal: AbortSignal): Promise<Result<string>> =>
  Vaults.details().pipe(
    Effect.map((vault) => done(vault.name ?? "without a name")),
    Effect.catch(({ message }) => Effect.succeed(notNow(message))),
    (program) => runtime.runPromise(program, { signal })
  )

/** The transaction of a payout that was sent before: its note is the payout's reference. */
const find = (clientId: string, reference: string) =>
  Transactions.stream({ clientId, type: "OUTGOING" }).pipe(
    Stream.filter(({ note }) => note === reference),
    Stream.runHead
  )

/**
 * Pays out, once for each reference: one that was paid before gives the transaction that it was paid with.
 *
 * A write takes no signal. To abort it would not undo it, and nobody would be left to receive the outcome.
 */
export const payOut = (order: {
  readonly clientId: string
  readonly assetId: string
  readonly to: string
  /** A decimal, such as "12.50". */
  readonly amount: string
  /** A name of your own, to find the payout by. */
  readonly reference: string
}): Promise<Result<{ readonly transactionId: string }>> =>
  Effect.gen(function* () {
    const { amount, reference, ...rest } = order
    const sum = Amount.fromString(amount)
    if (Option.isNone(sum)) return refused(`amount: "${amount}" is not a decimal such as "12.50"`)
    const earlier = yield* find(rest.clientId, reference)
    if (Option.isSome(earlier)) return done({ transactionId: earlier.value.id })
    const { id } = yield* Transactions.send({ ...rest, amount: sum.value, note: reference })
    return done({ transactionId: id })
  }).pipe(
    RetryPolicy.within("15 seconds"),
    Effect.catchTag("OutcomeUnknown", ({ message }) =>
      Effect.succeed<Result<never>>({ kind: "unknown", message, reference: order.reference })
    ),
    // Endpoints have codes of their own, such as one for too little money: those are an UnknownApiError.
    Effect.catchTag(
      ["BadRequest", "NotFound", "RequestInvalid", "UnknownApiError", "ValidationFailed"],
      ({ message }) => Effect.succeed(refused(message))
    ),
    // The rest is about the session and the connection. All of it is certain not to have been sent.
    Effect.catch(({ message }) => Effect.succeed(notNow(message))),
    (program) => runtime.runPromise(program)
  )
