/**
 * Identifies the input of a call without keeping it.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import * as Operation from "./Operation.ts"
import type { RequestInvalid } from "../errors/SdkError.ts"

/**
 * Computes the fingerprint of an endpoint's input: SHA-256 in hexadecimal. The `OutcomeUnknown` of a call with the input has
 * the same fingerprint. A file counts by its name, type and size.
 *
 * Fails with {@link RequestInvalid} if the input does not fit the endpoint's schema.
 *
 * @example
 * ```ts
 * import { Amount, Fingerprint } from "@effect-custody/core"
 * import { Transactions } from "@effect-custody/sdk"
 *
 * const payout = { clientId: "alice", assetId: "usdc", to: "0xabc", amount: Amount.of("12.50") }
 * const fingerprint = Fingerprint.of(Transactions.send, payout)
 * ```
 *
 * @since 0.1.0
 * @category getters
 */
export const of = <I extends ReadonlyArray<any>>(
  endpoint: Operation.Holder<unknown, unknown> & ((...input: I) => unknown),
  ...input: I
): Result.Result<string, RequestInvalid> => Result.map(Operation.of(endpoint).encode(input[0]), Operation.fingerprint)
