/**
 * The one place where promises and Effect meet. What it gives to the rest of the program are plain functions: they take
 * plain values, and give promises of plain results that do not reject for anything that can be foreseen.
 */
import { NodeCustody } from "@effect-custody/node"
import { Amount, RetryPolicy, Transactions, Vaults } from "@effect-custody/sdk"
import { DateTime, Effect, ManagedRuntime, Option } from "effect"
import * as Sent from "./sent.ts"

/** One runtime for the whole program: one session, one pool of connections. */
const runtime = ManagedRuntime.make(NodeCustody.layerConfig())

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
  /** **It may have been done.** Ask again later under the same reference, which looks and never sends. */
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

interface Payout {
  readonly clientId: string
  readonly assetId: string
  readonly to: string
  /** A decimal, such as "12.50". */
  readonly amount: string
  /** A name of your own for this payout alone. It is the note of the transaction. */
  readonly reference: string
}

type Paid = Result<{ readonly transactionId: string }>

const unknown = (reference: string, message: string): Paid => ({ kind: "unknown", message, reference })

/** Sends, and gives the reference back if the payout was certainly not made. */
const send = (input: Transactions.SendInput, reference: string) =>
  Transactions.send(input).pipe(
    Effect.map(({ id }): Paid => done({ transactionId: id })),
    Effect.catchTag("OutcomeUnknown", ({ message }) => Effect.succeed(unknown(reference, message))),
    // Endpoints have codes of their own, such as one for too little money: those are an OtherApiError.
    Effect.catchTag(["BadRequest", "NotFound", "InputInvalid", "OtherApiError", "ValidationFailed"], ({ message }) =>
      Effect.succeed(refused(message))
    ),
    // The rest is about the session and the connection. All of it is certain not to have been sent.
    Effect.catch(({ message }) => Effect.succeed(notNow(message))),
    Effect.tap(({ kind }) =>
      kind === "refused" || kind === "not-now" ? Effect.sync(() => Sent.release(reference)) : Effect.void
    )
  )

/** Looks for a payout that may have been sent. A history that does not show it proves nothing. */
const look = (input: Transactions.SendInput, reference: string, since: string) =>
  Transactions.find(input, { since: DateTime.makeUnsafe(since) }).pipe(
    Effect.map((found) =>
      found._tag === "Found"
        ? done({ transactionId: found.transaction.id })
        : unknown(reference, `the history gives no certainty: ${found._tag}`)
    ),
    Effect.catch(({ message }) => Effect.succeed(unknown(reference, message)))
  )

/**
 * Pays out, and sends a reference again only if it was certainly not done before. One that was sent, or may have been,
 * is only looked for: `done` with its transaction, whatever the status of that, or else `unknown`, for good if the
 * history never shows it.
 *
 * A write takes no signal. To abort it would not undo it, and nobody would be left to receive the outcome.
 */
export const payOut = (payout: Payout): Promise<Paid> =>
  Effect.gen(function* () {
    const { amount, assetId, clientId, reference, to } = payout
    const sum = Amount.fromString(amount)
    if (Option.isNone(sum)) return refused(`amount: "${amount}" is not a decimal such as "12.50"`)
    const input = { clientId, assetId, to, amount: sum.value, note: reference }
    const written = [clientId, assetId, to, amount]
    const now = DateTime.formatIso(yield* DateTime.now)
    if (Sent.take(reference, written, now)) return yield* send(input, reference)
    const earlier = Sent.taken(reference, written)
    if (earlier === undefined) return notNow(`${reference} was just refused to another caller`)
    if (!earlier.isSame) return refused(`${reference} is the reference of another payout`)
    return yield* look(input, reference, earlier.since)
  }).pipe(RetryPolicy.within("15 seconds"), (program) => runtime.runPromise(program))
