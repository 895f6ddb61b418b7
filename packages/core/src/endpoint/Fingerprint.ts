/**
 * Identifies the input of a call without keeping it.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import * as Operation from "./Operation.ts"
import type { RequestInvalid } from "../errors/SdkError.ts"

/**
 * The fingerprint of an endpoint's input, as in the `OutcomeUnknown` of a call with it: SHA-256 in hexadecimal. A
 * file counts by its name, type and size.
 *
 * Returns a {@link RequestInvalid} if the input does not fit the endpoint's schema.
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
