/**
 * The clients of a vault.
 *
 * Specification: "Endpoint categories", Clients: "Creating a client automatically creates a wallet on each integrated
 * blockchain network."
 */
import { ClientsApi } from "@effect-custody/clients/ClientsApi"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Answer from "./answer.ts"
import { coinOf, networks } from "./catalogue.ts"
import * as Category from "./category.ts"
import * as Dialect from "./dialect.ts"
import * as Ids from "./ids.ts"
import * as Ledger from "./ledger.ts"
import * as Listing from "./listing.ts"
import * as Slice from "./slice.ts"
import type { Vault } from "./world.ts"

const Client = Schema.Struct({ id: Schema.String, externalId: Schema.String, createdAt: Schema.Finite })
type Client = typeof Client.Type

export const slice = Slice.make({ name: "clients", schema: Slice.table(Client), initial: () => new Map() })

/** Whether a vault has a client of this externalId. */
export const exists = (vault: Vault, externalId: string): boolean => vault.state(slice).has(externalId)

/** That a client is one of the vault's. */
export const known = (
  vault: Vault,
  externalId: string | undefined,
  unknownCode: string
): Result.Result<void, Answer.Refused> =>
  externalId === undefined || exists(vault, externalId)
    ? Result.succeed(undefined)
    : Result.fail(Answer.notFound(unknownCode, "Client not found"))

const add = (vault: Vault, externalId: string, now: number): Client => {
  const client: Client = { id: vault.world.nextId(), externalId, createdAt: now }
  vault.state(slice).set(externalId, client)
  const ledger = Ledger.at(vault, now)
  for (const network of networks) ledger.open(externalId, coinOf(vault, network))
  return client
}

const columns: Listing.Columns<Client> = {
  externalId: ({ externalId }) => externalId,
  id: ({ id }) => Number(id),
  createdAt: ({ createdAt }) => createdAt
}

const shown = ({ world }: Vault, { createdAt, externalId, id }: Client) => ({
  externalId: Ids.client(externalId),
  id,
  createdAt: Dialect.date(world, createdAt),
  updatedAt: Dialect.date(world, createdAt)
})

const ownName = ({ world }: Vault, name: string) =>
  world.settings.quirks.createdClientsUnderOwnName ? { ownName: name } : undefined

/** Seen at such services: the code of a duplicate is that of a validation error, too. */
const codes = { create: "E50001", createMany: "E50002", unknown: "E50003" }

export const clients = Category.define(
  ClientsApi,
  {
    create: ({ now, payload: { id }, vault }) =>
      exists(vault, id)
        ? Answer.notNow(codes.create, "Client already exists", { id: ["already exists"] })
        : Answer.granted("Client created", shown(vault, add(vault, id, now)), ownName(vault, "client")),

    createMany: ({ now, payload: { ids }, vault }) => {
      const duplicates = ids.filter((id) => exists(vault, id))
      if (duplicates.length > 0) {
        const fields = { ids: duplicates.map((id) => `${id} already exists`) }
        return Answer.notNow(codes.createMany, "Some clients already exist", fields)
      }
      const created = ids.map((id) => shown(vault, add(vault, id, now)))
      return Answer.granted("Clients created", created, ownName(vault, "clients"))
    },

    list: ({ query, vault, world }) =>
      Listing.page(world, query, {
        message: "Clients",
        rows: [...vault.state(slice).values()],
        columns,
        show: (client) => shown(vault, client)
      }),

    get: ({ params: { externalId }, vault }) => {
      const client = vault.state(slice).get(externalId)
      return client === undefined
        ? Answer.notFound(codes.unknown, "Client not found")
        : Answer.granted("Client", shown(vault, client))
    }
  },
  { validationCodes: { create: codes.create, createMany: codes.createMany } }
)
