/**
 * Clients: external entities in segregated and consolidated vaults. Their funds and transactions are kept separate, each
 * under your own identifier.
 */
import { NotFound } from "@effect-custody/core/ApiError"
import * as Endpoint from "@effect-custody/core/Endpoint"
import * as Id from "@effect-custody/core/Id"
import * as Page from "@effect-custody/core/Page"
import { UnexpectedResponse } from "@effect-custody/core/SdkError"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Client } from "./records.ts"

export * from "./records.ts"

const section = "Endpoint categories, Clients"

/** The externalId of a new client: not empty, at most 255 characters. */
const NewExternalId = Id.named("ClientId").pipe(
  Schema.check(Schema.isMaxLength(255, { message: "must not exceed 255 characters" }))
)

/**
 * Creates a client under your own identifier, and a wallet for it on each integrated network.
 *
 * `externalId` is your own identifier of the client: not empty, at most 255 characters, and usable in a path: neither `.`
 * nor `..`. The `id` of the record is the service's own.
 *
 * After an `OutcomeUnknown` look the client up with {@link find} before you create it again.
 *
 * @since 0.1.0
 * @category endpoints
 * @example
 * ```ts
 * import { Clients } from "@effect-custody/sdk"
 * import { Effect } from "effect"
 *
 * const program = Clients.create({ externalId: "alice" }).pipe(
 *   Effect.asSome,
 *   Effect.catchTag("OutcomeUnknown", () => Clients.find({ externalId: "alice" }))
 * )
 * ```
 */
export const create = Endpoint.keyed("clients.create", {
  route: "POST /clients/create",
  assumed: section,
  payload: { externalId: NewExternalId },
  success: Client,
  existing: { read: () => get, lookupInput: { externalId: "externalId" } }
})

/**
 * Creates several clients at once, each under your own identifier. Returns them in the order of `externalIds`. If the
 * answer does not show exactly these clients, looks up each client. `externalIds` are at least one, all different, each as
 * in {@link create}.
 *
 * After an `OutcomeUnknown` some of them may exist: look them up with {@link list}.
 *
 * @since 0.1.0
 * @category endpoints
 * @example
 * ```ts
 * import { Clients } from "@effect-custody/sdk"
 *
 * const program = Clients.createMany({ externalIds: ["alice", "bob", "carol"] })
 * ```
 */
export const createMany = Endpoint.keyed("clients.createMany", {
  route: "POST /clients/create-many",
  assumed: section,
  payload: {
    externalIds: Schema.Array(NewExternalId).pipe(
      Schema.check(Schema.isMinLength(1, { message: "should not be empty" }), Schema.isUnique())
    )
  },
  success: Schema.Array(Client),
  lookUp: () => list,
  existing: { read: () => get, lookupInput: { externalId: "externalIds" } }
})

/**
 * Reads one page of the vault's clients.
 *
 * @since 0.1.0
 * @category endpoints
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
export const list = Endpoint.list("clients.list", {
  route: "GET /clients",
  assumed: section,
  success: Client
})

/**
 * Streams all clients, page by page. Fails as {@link list} does, or with a `PagingError`.
 *
 * @since 0.1.0
 * @category streams
 */
export const stream = (query: Page.Query = {}) => Page.stream(list, query)

/**
 * Reads the client of an externalId. Fails with `NotFound` if there is none. `isCertain` is `true` if the service itself
 * says so, and not a gateway or a cache.
 *
 * @since 0.1.0
 * @category endpoints
 * @example
 * ```ts
 * import { Clients } from "@effect-custody/sdk"
 *
 * const program = Clients.get({ externalId: "alice" })
 * ```
 */
export const get = Endpoint.read("clients.get", {
  route: "GET /clients/:externalId",
  assumed: section,
  params: { externalId: Id.named("ClientId") },
  success: Client,
  errors: [NotFound],
  about: { parameter: "externalId", idFields: ["externalId"] }
})

const uncertain = ({ operation, requestIds, status, summary }: NotFound): UnexpectedResponse =>
  new UnexpectedResponse({
    operation,
    status,
    requestIds,
    reason: `nothing shows that it is the service's own, and not one that a cache has kept: ${summary}`
  })

/**
 * Reads the client of an externalId; `None` if there certainly is no such client. A 404 that may come from a gateway or a
 * cache (`NotFound` without `isCertain`) is an `UnexpectedResponse` here. Fails otherwise as {@link get} does, and never
 * with `NotFound`.
 *
 * @since 0.1.0
 * @category endpoints
 * @example
 * ```ts
 * import { Clients } from "@effect-custody/sdk"
 * import { Effect, Option } from "effect"
 *
 * const exists = Effect.map(Clients.find({ externalId: "alice" }), Option.isSome)
 * ```
 */
export const find = (input: Endpoint.Input<typeof get>) =>
  get(input).pipe(
    Effect.asSome,
    Effect.catchTag("NotFound", (error) => (error.isCertain ? Effect.succeedNone : Effect.fail(uncertain(error))))
  )

/**
 * The endpoints of this category, in the order of the specification.
 *
 * @since 0.1.0
 * @category constants
 */
export const endpoints = { create, createMany, list, get }
