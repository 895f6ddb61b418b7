/**
 * A blockchain network, to which wallets, assets, tokens and NFTs belong.
 *
 * Specification: "Endpoint categories"; fields not shown.
 */
import * as Schema from "effect/Schema"
import * as Id from "./Id.ts"
import * as Lenient from "./Lenient.ts"
import { OpenEnum } from "./OpenEnum.ts"

/** A blockchain network. Assumed beyond its `id`. */
export const Network = Lenient.struct(
  { id: Id.NetworkId },
  {
    name: Schema.String,
    symbol: Schema.String,
    type: OpenEnum("PUBLIC", "PRIVATE"),
    status: OpenEnum("ACTIVE", "INACTIVE")
  }
)
export type Network = typeof Network.Type
