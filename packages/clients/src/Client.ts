/**
 * The record of a client.
 *
 * Specification: "Other resources": "Client: identified by externalId […]. Other fields: not shown."
 */
import * as Id from "@effect-custody/core/Id"
import * as Lenient from "@effect-custody/core/Lenient"
import * as Schema from "effect/Schema"

/**
 * An external entity whose funds and transactions are kept apart from those of others. Its `externalId` is the
 * caller's own; every other field is assumed, and dates are as the service writes them.
 */
export const Client = Lenient.struct(
  { externalId: Id.ClientId },
  {
    /** The service's own identifier. */
    id: Schema.Union([Schema.String, Schema.Finite]),
    createdAt: Schema.String,
    updatedAt: Schema.String
  }
)
export type Client = typeof Client.Type
