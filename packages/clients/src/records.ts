/**
 * The record of a client.
 *
 * Specification: "Other resources": "Client: identified by externalId […]. Other fields: not shown."
 */
import * as Id from "@effect-custody/core/Id"
import * as Lenient from "@effect-custody/core/Lenient"
import { Timestamp } from "@effect-custody/core/Timestamp"

/**
 * An external entity whose funds and transactions are kept separate from other clients. Its `externalId` is the
 * caller's own. Every other field is assumed; dates are strings, as the service writes them.
 *
 * @since 0.1.0
 * @category models
 */
export class Client extends Lenient.Opaque<Client>()(
  { externalId: Id.ClientId },
  {
    /** The service's own identifier. */
    id: Id.Unnamed,
    createdAt: Timestamp,
    updatedAt: Timestamp
  }
) {}
