/** Clients: external entities whose funds and transactions are kept separate, each under your own identifier. */
import { NotFound } from "@effect-custody/core/ApiError"
import type { CustodyClient } from "@effect-custody/core/CustodyClient"
import * as Endpoint from "@effect-custody/core/Endpoint"
import * as Id from "@effect-custody/core/Id"
import * as Page from "@effect-custody/core/Page"
import { type RequestInvalid, type UnconfirmedEndpoint, UnexpectedResponse } from "@effect-custody/core/SdkError"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import { Client } from "./Client.ts"

export { Client } from "./Client.ts"

const section = "Endpoint categories, Clients"

/** The externalId of a new client: not empty, at most 255 characters. */
const NewClientId = Id.named("ClientId").pipe(
  Schema.check(Schema.isMaxLength(255, { message: "must not exceed 255 characters" }))
)

/**
 * The input of {@link create}.
 *
 * @since 0.1.0
 * @category inputs
 */
export interface CreateInput {
  /** The client's externalId: not empty, at most 255 characters, and usable in a path: neither `.` nor `..`. */
  readonly id: Id.Named<"ClientId">
}

/**
 * The errors of {@link create} and {@link createMany}.
 *
 * @since 0.1.0
 * @category errors
 */
export type CreateError = Endpoint.WriteError | UnconfirmedEndpoint

/**
 * Creates a client under your own identifier, and a wallet for it on each integrated network.
 *
 * After an `OutcomeUnknown` look the client up with {@link find} before you create it again.
 *
 * Specification: "Endpoint categories", Clients. The wire is assumed: `POST /clients/create`.
 *
 * @since 0.1.0
 * @category endpoints
 * @example
 * ```ts
 * import { Clients } from "@effect-custody/sdk"
 * import { Effect } from "effect"
 *
 * const program = Clients.create({ id: "alice" }).pipe(
 *   Effect.asSome,
 *   Effect.catchTag("OutcomeUnknown", () => Clients.find({ externalId: "alice" }))
 * )
 * ```
 */
export const create = Endpoint.keyed("clients.create", {
  route: "POST /clients/create",
  provenance: "assumed",
  section,
  payload: { id: NewClientId },
  success: Client,
  lookUp: "clients.get",
  existing: { read: () => get, lookupInput: { externalId: "id" } }
})

/**
 * The input of {@link createMany}.
 *
 * @since 0.1.0
 * @category inputs
 */
export interface CreateManyInput {
  /** The externalIds: at least one, all different, each as in {@link CreateInput}. */
  readonly ids: ReadonlyArray<Id.Named<"ClientId">>
}

/**
 * Creates several clients at once, each under your own identifier. Returns them in the order of `ids`. If the answer does
 * not show exactly these externalIds, looks up each client.
 *
 * After an `OutcomeUnknown` some of them may exist: look them up with {@link list}.
 *
 * Specification: "Endpoint categories", Clients. The wire is assumed: `POST /clients/create-many`.
 *
 * @since 0.1.0
 * @category endpoints
 * @example
 * ```ts
 * import { Clients } from "@effect-custody/sdk"
 *
 * const program = Clients.createMany({ ids: ["alice", "bob", "carol"] })
 * ```
 */
export const createMany = Endpoint.keyed("clients.createMany", {
  route: "POST /clients/create-many",
  provenance: "assumed",
  section,
  payload: {
    ids: Schema.Array(NewClientId).pipe(
      Schema.check(Schema.isMinLength(1, { message: "should not be empty" }), Schema.isUnique())
    )
  },
  success: Schema.Array(Client),
  lookUp: "clients.list",
  existing: { read: () => get, lookupInput: { externalId: "ids" } }
})

/**
 * The errors of {@link list}.
 *
 * @since 0.1.0
 * @category errors
 */
export type ListError = Endpoint.ReadError | RequestInvalid | UnconfirmedEndpoint

/**
 * Reads one page of the vault's clients.
 *
 * Specification: "Endpoint categories", Clients. The wire is assumed: `GET /clients`.
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
  provenance: "assumed",
  section,
  success: Client
})

/**
 * The errors of {@link stream}.
 *
 * @since 0.1.0
 * @category errors
 */
export type StreamError = ListError | Page.PagingError

/**
 * Streams all clients, page by page. Fails as {@link list} does, or with a `PagingError`.
 *
 * @since 0.1.0
 * @category streams
 */
export const stream = (query: Page.Query = {}): Stream.Stream<Client, StreamError, CustodyClient> =>
  Page.stream(list, query)

/**
 * The input of {@link get}.
 *
 * @since 0.1.0
 * @category inputs
 */
export interface GetInput {
  readonly externalId: Id.Named<"ClientId">
}

/**
 * The errors of {@link get}.
 *
 * @since 0.1.0
 * @category errors
 */
export type GetError = Endpoint.ReadError | NotFound | RequestInvalid | UnconfirmedEndpoint

/**
 * Reads the client of an externalId. Fails with `NotFound` if there is none. `isCertain` is `true` if the service itself
 * says so, and not a gateway or a cache.
 *
 * Specification: "Endpoint categories", Clients. The wire is assumed: `GET /clients/:externalId`.
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
  provenance: "assumed",
  section,
  params: { externalId: Id.named("ClientId") },
  success: Client,
  errors: [NotFound],
  about: { parameter: "externalId", idFields: ["externalId"] }
})

/**
 * The errors of {@link find}.
 *
 * @since 0.1.0
 * @category errors
 */
export type FindError = Exclude<GetError, NotFound>

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
export const find = (input: GetInput): Effect.Effect<Option.Option<Client>, FindError, CustodyClient> =>
  get(input).pipe(
    Effect.asSome,
    Effect.catchTag("NotFound", (error) => (error.isCertain ? Effect.succeedNone : Effect.fail(uncertain(error))))
  )
