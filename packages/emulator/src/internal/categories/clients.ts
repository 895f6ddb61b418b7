/**
 * The clients of a vault.
 *
 * Specification: "Endpoint categories", Clients: "Creating a client automatically creates a wallet on each integrated
 * blockchain network."
 */
import { ClientsApi } from "@effect-custody/clients/ClientsApi"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Answer from "../http/answer.ts"
import type { InventedCode } from "../http/inventedCodes.ts"
import { coinOf, networks } from "../state/catalogue.ts"
import * as Category from "./category.ts"
import * as WireFormat from "../http/wireFormat.ts"
import * as Ids from "../state/ids.ts"
import * as Ledger from "../state/ledger.ts"
import * as Listing from "./listing.ts"
import * as StateField from "../state/stateField.ts"
import type { Vault } from "../state/world.ts"

const Client = Schema.Struct({ id: Schema.String, externalId: Schema.String, createdAt: Schema.Finite })
type Client = typeof Client.Type

export const clientTable = StateField.make({
  name: "clients",
  schema: StateField.table(Client),
  initial: () => new Map()
})

/** Whether a vault has a client with this externalId. */
export const exists = (vault: Vault, externalId: string): boolean => vault.state(clientTable).has(externalId)

/** Refuses a client that the vault does not have. Undefined passes. */
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
  vault.state(clientTable).set(externalId, client)
  const ledger = Ledger.at(vault, now)
  for (const network of networks) ledger.open(externalId, coinOf(vault, network))
  return client
}

/** The client, which is created if the vault does not have it. */
export const ensure = (vault: Vault, externalId: string, now: number): void => {
  if (!exists(vault, externalId)) add(vault, externalId, now)
}

const columns: Listing.Columns<Client> = {
  externalId: ({ externalId }) => externalId,
  id: ({ id }) => Number(id),
  createdAt: ({ createdAt }) => createdAt
}

const shown = ({ world }: Vault, { createdAt, externalId, id }: Client) => ({
  externalId: Ids.client(externalId),
  id,
  createdAt: WireFormat.formatDate(world, createdAt),
  updatedAt: WireFormat.formatDate(world, createdAt)
})

const ownName = ({ world }: Vault, name: string) =>
  world.settings.quirks.createdClientsUnderOwnName ? { ownName: name } : undefined

/** As observed at similar services, duplicates and validation errors share a code. */
const codes = { create: "E50001", createMany: "E50002", unknown: "E50003" } as const satisfies Readonly<
  Record<string, InventedCode>
>

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
        rows: [...vault.state(clientTable).values()],
        columns,
        show: (client) => shown(vault, client)
      }),

    get: ({ params: { externalId }, vault }) => {
      const client = vault.state(clientTable).get(externalId)
      return client === undefined
        ? Answer.notFound(codes.unknown, "Client not found")
        : Answer.granted("Client", shown(vault, client))
    }
  },
  { validationCodes: { create: codes.create, createMany: codes.createMany } }
)
