/**
 * The status of a transaction, and of operations that become a transaction.
 *
 * @stability unstable
 */
import { OpenEnum } from "../values/OpenEnum.ts"
import * as Polling from "./Polling.ts"

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
export const isFinal: (status: string) => boolean = Polling.isOneOf("COMPLETED", "REJECTED", "ERROR")
