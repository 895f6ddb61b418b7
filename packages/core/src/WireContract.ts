/**
 * What the operator, who has the service's own documentation, says of the endpoints whose wire is only assumed.
 *
 * Specification: "Other endpoints": methods, paths, parameters, bodies and responses not shown.
 */
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"

const Renames = Schema.Record(Schema.String, Schema.String)

/** How an endpoint's wire differs from what is assumed. Every part may be left out. */
export const Differences = Schema.Struct({
  method: Schema.optionalKey(Schema.Literals(["GET", "POST", "PUT", "PATCH", "DELETE"])),
  /** The path with the same parameter names, such as `/wallets/detail/:walletId`. */
  path: Schema.optionalKey(Schema.String),
  /** Query keys: ours to the service's. */
  query: Schema.optionalKey(Renames),
  /** Body keys: ours to the service's. */
  body: Schema.optionalKey(Renames),
  /** The envelope's key that holds the payload. Default: `data`. */
  payload: Schema.optionalKey(Schema.String),
  /** Keys of the payload, or of each item of a list: the service's to ours. */
  response: Schema.optionalKey(Renames)
})
export interface Differences extends Schema.Schema.Type<typeof Differences> {}

/** Per operation, such as `transactions.send`: `true` as assumed, or what differs. */
export type Confirmations = Readonly<Record<string, true | Differences>>

/** What has been confirmed. Nothing, unless a layer says otherwise. */
export interface WireContract {
  /** The differences of an operation if it was confirmed, `undefined` if it was not. */
  readonly confirmed: (operation: string) => Differences | undefined
}

/** The confirmations in force. */
export const WireContract = Context.Reference<WireContract>("@effect-custody/core/WireContract", {
  defaultValue: () => ({ confirmed: () => undefined })
})

const asAssumed: Differences = {}

/**
 * Confirms the operations that are named, and no others.
 *
 * @example
 * ```ts
 * import { WireContract } from "@effect-custody/core"
 *
 * const confirmed = WireContract.layer({
 *   "wallets.get": true,
 *   "clients.create": { payload: "client" },
 *   "transactions.list": { path: "/transactions/history", query: { clientId: "client_id" } }
 * })
 * ```
 */
export const layer = (confirmations: Confirmations): Layer.Layer<never> =>
  Layer.succeed(WireContract, {
    confirmed: (operation) => {
      const said = Object.hasOwn(confirmations, operation) ? confirmations[operation] : undefined
      return said === true ? asAssumed : said
    }
  })

/**
 * Confirms every operation as it is assumed, at once: an explicit choice, for whoever has compared them all.
 */
export const acceptAssumed: Layer.Layer<never> = Layer.succeed(WireContract, { confirmed: () => asAssumed })
