/**
 * Blockchain networks. Each wallet, asset, token and NFT belongs to one.
 *
 * Specification: "Endpoint categories". It shows no fields.
 */
import * as Schema from "effect/Schema"
import * as Id from "./Id.ts"
import * as Lenient from "./Lenient.ts"
import { OpenEnum } from "./OpenEnum.ts"

/**
 * A blockchain network. Only its `id` is required. Its other fields are assumed: the specification does not show them.
 *
 * @since 0.1.0
 * @category models
 */
export class Network extends Lenient.Opaque<Network>()(
  { id: Id.NetworkId },
  {
    name: Schema.String,
    symbol: Schema.String,
    type: OpenEnum("PUBLIC", "PRIVATE"),
    status: OpenEnum("ACTIVE", "INACTIVE")
  }
) {}
