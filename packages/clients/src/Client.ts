/** Specification: "Other resources": "Client: identified by externalId […]. Other fields: not shown." */
import * as Id from "@effect-custody/core/Id"
import * as Lenient from "@effect-custody/core/Lenient"
import { Timestamp } from "@effect-custody/core/Timestamp"
import type * as DateTime from "effect/DateTime"
import * as Schema from "effect/Schema"

/**
 * An external entity whose funds and transactions are kept separate from other clients. Its `externalId` is the
 * caller's own. Every other field is assumed; dates are strings, as the service writes them.
 *
 * @since 0.1.0
 * @category models
 */
export interface Client extends Lenient.Fields {
  readonly externalId: Id.ClientId
  /** The service's own identifier. */
  readonly id?: string | number
  readonly createdAt?: DateTime.Utc
  readonly updatedAt?: DateTime.Utc
}

/**
 * The codec of a {@link Client}.
 *
 * @since 0.1.0
 * @category codecs
 */
export const Client = Lenient.struct<Client>(
  { externalId: Id.ClientId },
  { id: Schema.Union([Schema.String, Schema.Finite]), createdAt: Timestamp, updatedAt: Timestamp }
)
