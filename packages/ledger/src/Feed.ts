/**
 * What happens in the vault, forwards from a durable cursor: incoming money, and changes of status.
 *
 * Specification: "Endpoint categories", Transactions. The service reports nothing by itself, so a feed reads the history.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type { Handler } from "./feed/pass.ts"
import type { Options, Service } from "./feed/read.ts"

export type { Change, Handler } from "./feed/pass.ts"
export type { Options, ReadError, Service } from "./feed/read.ts"

/**
 * The feeds of a ledger, which `Payouts.layer` makes.
 *
 * @since 0.1.0
 * @category services
 * @effect-expect-leaking CustodyClient
 */
export class Feed extends Context.Service<Feed, Service>()("@effect-custody/ledger/Feed") {}

/**
 * Reads the whole overlap once, and what is newer, and returns the number of changes: for a program that a clock starts.
 * Returns 0 if another process reads this feed.
 *
 * @since 0.1.0
 * @category feeds
 */
export const readOnce = <E, R>(name: string, handler: Handler<E, R>, options?: Options) =>
  Feed.use((feed) => feed.readOnce(name, handler, options))

/**
 * Calls the handler for every transaction of the vault, and again each time its status has changed: **at least once**, in
 * the order of the history, also for what appears late. The name keeps the place, across restarts; of the processes with
 * one name, one reads.
 *
 * A handler that writes through the same `SqlClient` commits together with the place: **exactly once**. It runs in a
 * transaction of the database, so it should do nothing else that takes long.
 *
 * Fails with the handler's error, after which the change comes again, and with an error of the session or the contract
 * that a person has to mend. All other failures are retried. After a 429 it reads more slowly.
 *
 * @example
 * ```ts
 * import { Feed } from "@effect-custody/ledger"
 * import { Amount } from "@effect-custody/core"
 * import { Effect } from "effect"
 * import * as SqlClient from "effect/sql/SqlClient"
 *
 * const deposits = Feed.run("deposits", ({ transaction: { amount, clientId, id, status, type } }) =>
 *   Effect.gen(function* () {
 *     if (type !== "INCOMING" || status !== "COMPLETED" || amount === undefined) return
 *     const sql = yield* SqlClient.SqlClient
 *     yield* sql`INSERT INTO bookings (id, client, amount) VALUES (${id}, ${clientId}, ${Amount.format(amount)})`
 *   })
 * )
 * ```
 *
 * @since 0.1.0
 * @category feeds
 */
export const run = <E, R>(name: string, handler: Handler<E, R>, options?: Options) =>
  Feed.use((feed) => feed.run(name, handler, options))
