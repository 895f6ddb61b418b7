/**
 * The clients of a vault.
 *
 * Specification: "Endpoint categories", Clients: "Creating a client automatically creates a wallet on each integrated
 * blockchain network."
 */
import * as ClientsSdk from "@effect-custody/clients/Clients"
import * as DateTime from "effect/DateTime"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Answer from "../http/answer.ts"
import type { InventedCode } from "../http/inventedCodes.ts"
import { findCoin, networks } from "../state/catalogue.ts"
import * as Category from "./category.ts"
import { found } from "./checks.ts"
import * as Ledger from "../state/ledger.ts"
import * as Listing from "./listing.ts"
import * as StateField from "../state/stateField.ts"
import type { Vault } from "../state/world.ts"

const Client = Schema.Struct({ id: Schema.String, externalId: Schema.String, createdAt: Schema.Finite })
type Client = typeof Client.Type

export const clientTable = StateField.table("clients", Client)

const exists = (vault: Vault, externalId: string): boolean => vault.state(clientTable).has(externalId)

/** Refuses a client that the vault does not have. `undefined` passes. */
export const known = (
  vault: Vault,
  externalId: string | undefined,
  unknown: InventedCode
): Result.Result<void, Answer.Refused> =>
  externalId === undefined || exists(vault, externalId)
    ? Result.succeed(undefined)
    : Result.fail(Answer.notFound(unknown))

const add = (vault: Vault, externalId: string, now: number): Client => {
  const client: Client = { id: vault.world.nextId(), externalId, createdAt: now }
  vault.state(clientTable).set(externalId, client)
  const ledger = Ledger.at(vault, now)
  for (const network of networks) ledger.open(externalId, findCoin(vault, network))
  return client
}

/** Creates the client if the vault does not have it. */
export const ensure = (vault: Vault, externalId: string, now: number): void => {
  if (!exists(vault, externalId)) add(vault, externalId, now)
}

const view = ({ createdAt, externalId, id }: Client) => {
  const at = DateTime.makeUnsafe(createdAt)
  return { externalId, id, createdAt: at, updatedAt: at }
}

export const clients = Category.define(
  ClientsSdk.endpoints,
  {
    create: ({ now, input: { externalId }, vault }) =>
      exists(vault, externalId)
        ? Answer.notNow("E50001", { externalId: ["already exists"] })
        : Answer.granted("Client created", view(add(vault, externalId, now))),

    createMany: ({ now, input: { externalIds }, vault }) => {
      const duplicates = externalIds.filter((id) => exists(vault, id))
      if (duplicates.length > 0) {
        return Answer.notNow("E50002", { externalIds: duplicates.map((id) => `${id} already exists`) })
      }
      const created = externalIds.map((id) => view(add(vault, id, now)))
      return Answer.granted("Clients created", created)
    },

    list: (call) => Listing.page(call, "Clients", { rows: call.vault.state(clientTable).values(), show: view }),

    *get({ input: { externalId }, vault }) {
      return Answer.granted("Client", view(yield* found(vault.state(clientTable).get(externalId), "E50003")))
    }
  },
  // Invalid input has the same error code as a client that already exists, as in similar services.
  { create: "E50001", createMany: "E50002" }
)
