/** Which input a call was made with, without keeping the input: what {@link OutcomeUnknown} carries. */
import * as Result from "effect/Result"
import type { Operation } from "./Operation.ts"
import { fingerprint } from "./internal/fingerprint.ts"
import type { RequestInvalid } from "./SdkError.ts"

/**
 * The fingerprint of an input of an operation: the same as in an `OutcomeUnknown` of a call with it. A file counts by its
 * name, type and size.
 *
 * @example
 * ```ts
 * import { Amount, Fingerprint } from "@effect-custody/core"
 * import { Transactions } from "@effect-custody/sdk"
 *
 * const payout = { clientId: "alice", assetId: "usdc", to: "0xabc", amount: Amount.fromString("12.50") }
 * const fingerprint = Fingerprint.of(Transactions.send, payout)
 * ```
 */
export const of = <I extends ReadonlyArray<any>>(
  operation: Operation<unknown, unknown> & ((...input: I) => unknown),
  ...input: I
): Result.Result<string, RequestInvalid> => Result.map(operation.encode(input[0]), fingerprint)
