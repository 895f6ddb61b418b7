/**
 * The whole API as one contract, and the table of its operations.
 *
 * Specification: "Endpoint categories".
 *
 * @since 0.1.0
 */
import { AssetsApi } from "@effect-custody/assets/AssetsApi"
import { AuthenticationApi } from "@effect-custody/authentication/AuthenticationApi"
import { ClientsApi } from "@effect-custody/clients/ClientsApi"
import type * as EndpointSpec from "@effect-custody/core/EndpointSpec"
import * as HttpContract from "@effect-custody/core/unstable/HttpContract"
import { FiatGatewayApi } from "@effect-custody/fiat-gateway/FiatGatewayApi"
import { NftsApi } from "@effect-custody/nfts/NftsApi"
import { PaymentOrdersApi } from "@effect-custody/payment-orders/PaymentOrdersApi"
import { TokensApi } from "@effect-custody/tokens/TokensApi"
import { TransactionsApi } from "@effect-custody/transactions/TransactionsApi"
import { VaultsApi } from "@effect-custody/vaults/VaultsApi"
import { WalletsApi } from "@effect-custody/wallets/WalletsApi"
import { annotations } from "./internal/openApi.ts"

/**
 * The facts of an operation apart from its schemas.
 *
 * @since 0.1.0
 * @category models
 */
export interface Operation {
  /** The name, such as `transactions.send`. */
  readonly name: string
  /** The category, such as `transactions`. */
  readonly category: string
  readonly method: string
  /** Relative to the base address. */
  readonly path: string
  readonly provenance: EndpointSpec.Provenance
  readonly safety: EndpointSpec.Safety
}

/** An endpoint of the ten groups. */
type Declared = EndpointSpec.Any & Pick<Operation, "method" | "path">

const groups = [
  AuthenticationApi,
  ClientsApi,
  WalletsApi,
  VaultsApi,
  TransactionsApi,
  AssetsApi,
  TokensApi,
  NftsApi,
  PaymentOrdersApi,
  FiatGatewayApi
] as const

/**
 * All ten categories as one `HttpApi`, in the order of the specification.
 *
 * @example
 * ```ts
 * import { CustodyApi } from "@effect-custody/sdk"
 * import { OpenApi } from "effect/http-api"
 *
 * const document = OpenApi.fromApi(CustodyApi)
 * const writes = CustodyApi.operations.filter(({ safety }) => safety === "write")
 * ```
 *
 * @since 0.1.0
 * @category contracts
 */
export class CustodyApi extends HttpContract.api("custody")
  .add(...groups)
  .annotateMerge(annotations(groups)) {
  /** Every operation of the API, in the order of the specification's categories. */
  static readonly operations: ReadonlyArray<Operation> = Object.values(CustodyApi.groups).flatMap((group) =>
    Object.values<Declared>(group.endpoints).map(({ identifier, method, path, provenance, safety }) => ({
      name: `${group.identifier}.${identifier}`,
      category: group.identifier,
      method,
      path,
      provenance,
      safety
    }))
  )
}
