/**
 * A blockchain network, to which wallets, assets, tokens and NFTs belong.
 *
 * Specification: "Endpoint categories"; fields not shown.
 */
import * as Schema from "effect/Schema"
import * as Id from "./Id.ts"
import * as Open from "./Open.ts"

/** A blockchain network. Assumed beyond its `id`. */
export const Network = Open.record(
  { id: Id.NetworkId },
  {
    name: Schema.String,
    symbol: Schema.String,
    type: Open.set("PUBLIC", "PRIVATE"),
    status: Open.set("ACTIVE", "INACTIVE")
  }
)
export type Network = typeof Network.Type
