/** The external entities whose funds and transactions are kept apart, each under an identifier of yours. */
import * as Endpoint from "@effect-custody/core/Endpoint"
import * as Page from "@effect-custody/core/Page"
import * as Effect from "effect/Effect"
import { ClientsApi } from "./ClientsApi.ts"

// The records of this category, under its name.
export { Client } from "./Client.ts"

/**
 * Creates a client under your own identifier, and with it a wallet on each integrated network.
 *
 * `id` is the client's externalId: not empty, at most 255 characters. After an `OutcomeUnknown` look it up with
 * {@link find} before you create it again.
 *
 * Specification: "Endpoint categories", Clients. The wire is assumed: `POST /clients/create`.
 *
 * @example
 * ```ts
 * import { Clients } from "@effect-custody/sdk"
 * import { Effect } from "effect"
 *
 * const program = Clients.create({ id: "alice" }).pipe(
 *   Effect.catchTag("OutcomeUnknown", () => Clients.get({ externalId: "alice" }))
 * )
 * ```
 */
export const create = Endpoint.make(ClientsApi, "create")

/**
 * Creates several clients at once, each under an identifier of yours.
 *
 * `ids` are externalIds: at least one, all different, each of at most 255 characters. After an `OutcomeUnknown` some may
 * exist: look them up with {@link list}.
 *
 * Specification: "Endpoint categories", Clients. The wire is assumed: `POST /clients/create-many`.
 *
 * @example
 * ```ts
 * import { Clients } from "@effect-custody/sdk"
 *
 * const program = Clients.createMany({ ids: ["alice", "bob", "carol"] })
 * ```
 */
export const createMany = Endpoint.make(ClientsApi, "createMany")

/**
 * One page of the vault's clients.
 *
 * Specification: "Endpoint categories", Clients. The wire is assumed: `GET /clients`.
 *
 * @example
 * ```ts
 * import { Clients } from "@effect-custody/sdk"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const page = yield* Clients.list({ page: 1, limit: 50, order: "asc" })
 *   return page.items.map((client) => client.externalId)
 * })
 * ```
 */
export const list = Endpoint.list(ClientsApi, "list")

/**
 * All clients, read page after page as they are taken. Fails as {@link list} does.
 *
 * @example
 * ```ts
 * import { Clients } from "@effect-custody/sdk"
 * import { Stream } from "effect"
 *
 * const program = Clients.stream({ limit: 100 }).pipe(Stream.runCount)
 * ```
 */
export const stream = (query: Parameters<typeof list>[0] = {}) => Page.stream(list, query)

/**
 * The client of an externalId. Fails with `NotFound` if there is none.
 *
 * Specification: "Endpoint categories", Clients. The wire is assumed: `GET /clients/:externalId`.
 *
 * @example
 * ```ts
 * import { Clients } from "@effect-custody/sdk"
 *
 * const program = Clients.get({ externalId: "alice" })
 * ```
 */
export const get = Endpoint.make(ClientsApi, "get")

/**
 * The client of an externalId, or none. Fails as {@link get} does, but never with `NotFound`.
 *
 * @example
 * ```ts
 * import { Clients } from "@effect-custody/sdk"
 * import { Effect, Option } from "effect"
 *
 * const exists = Effect.map(Clients.find({ externalId: "alice" }), Option.isSome)
 * ```
 */
export const find = (input: Parameters<typeof get>[0]) =>
  get(input).pipe(
    Effect.asSome,
    Effect.catchTag("NotFound", () => Effect.succeedNone)
  )
