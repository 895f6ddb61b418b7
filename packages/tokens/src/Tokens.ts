/** Tokens: create fungible and security tokens, mint and burn them, manage their metadata. */
import { type Amount, Positive } from "@effect-custody/core/Amount"
import { NotFound } from "@effect-custody/core/ApiError"
import type { CustodyClient } from "@effect-custody/core/CustodyClient"
import * as Endpoint from "@effect-custody/core/Endpoint"
import * as Id from "@effect-custody/core/Id"
import { Network } from "@effect-custody/core/Network"
import * as Page from "@effect-custody/core/Page"
import type { RequestInvalid, UnconfirmedEndpoint } from "@effect-custody/core/SdkError"
import * as Upload from "@effect-custody/core/Upload"
import { NonBlank } from "@effect-custody/core/unstable/Text"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import { SupplyChange } from "./SupplyChange.ts"
import { Token } from "./Token.ts"
import { TokenMetadata } from "./TokenMetadata.ts"

export { SupplyChange } from "./SupplyChange.ts"
export { Token } from "./Token.ts"
export { TokenMetadata } from "./TokenMetadata.ts"

const section = "Endpoint categories, Tokens"
const multipart = "Endpoint categories, Tokens; Request headers"

/**
 * Reads a token. Fails with `NotFound` if there is none with that id.
 *
 * Specification: "Endpoint categories", Tokens. The wire is assumed: `GET /tokens/:tokenId`.
 *
 * @since 0.1.0
 * @category endpoints
 * @example
 * ```ts
 * import { Tokens } from "@effect-custody/sdk"
 *
 * const program = Tokens.get({ tokenId: "tok-1" })
 * ```
 */
export const get = Endpoint.read("tokens.get", {
  route: "GET /tokens/:tokenId",
  provenance: "assumed",
  section,
  params: { tokenId: Id.named("TokenId") },
  success: Token,
  errors: [NotFound],
  about: { parameter: "tokenId", idFields: ["id", "tokenId", "contractAddress"] }
})

/**
 * The errors of {@link networks}.
 *
 * @since 0.1.0
 * @category errors
 */
export type NetworksError = Endpoint.ReadError | RequestInvalid | UnconfirmedEndpoint

/**
 * Reads one page of the networks on which tokens can be created.
 *
 * Specification: "Endpoint categories", Tokens. The wire is assumed: `GET /tokens/networks`.
 *
 * @since 0.1.0
 * @category endpoints
 * @example
 * ```ts
 * import { Tokens } from "@effect-custody/sdk"
 * import { Effect } from "effect"
 *
 * const ids = Effect.map(Tokens.networks(), (page) => page.items.map((network) => network.id))
 * ```
 */
export const networks = Endpoint.list("tokens.networks", {
  route: "GET /tokens/networks",
  provenance: "assumed",
  section,
  success: Network
})

/**
 * The errors of {@link streamNetworks}.
 *
 * @since 0.1.0
 * @category errors
 */
export type StreamNetworksError = NetworksError | Page.PagingError

/**
 * Streams all networks on which tokens can be created, page by page. Fails as {@link networks} does, or with a
 * `PagingError`.
 *
 * @since 0.1.0
 * @category streams
 */
export const streamNetworks = (query: Page.Query = {}): Stream.Stream<Network, StreamNetworksError, CustodyClient> =>
  Page.stream(networks, query)

/**
 * The input of {@link create}.
 *
 * @since 0.1.0
 * @category inputs
 */
export interface CreateInput {
  readonly name: string
  readonly symbol: string
  readonly networkId: Id.Named<"NetworkId">
  /** The number of decimals of one unit: an integer, not negative. */
  readonly decimals?: number
  /** In units of the token; above zero. */
  readonly initialSupply?: Amount
  readonly description?: string | undefined
  readonly logo?: Upload.File | undefined
}

/**
 * Creates a token on a network, optionally with a logo.
 *
 * Fails with **`OutcomeUnknown` if the token may exist**: never create it again before you have looked for it.
 *
 * Specification: "Endpoint categories", Tokens. The wire is assumed: `POST /tokens/create`, multipart.
 *
 * @since 0.1.0
 * @category endpoints
 * @example
 * ```ts
 * import { Amount, Upload } from "@effect-custody/core"
 * import { Tokens } from "@effect-custody/sdk"
 *
 * const program = Tokens.create({
 *   name: "Acme Bond 2030",
 *   symbol: "ACME30",
 *   networkId: "ethereum",
 *   decimals: 6,
 *   initialSupply: Amount.of("1000000"),
 *   logo: Upload.fromBytes({
 *     name: "logo.svg",
 *     contentType: "image/svg+xml",
 *     bytes: new TextEncoder().encode("<svg/>")
 *   })
 * })
 * ```
 */
export const create = Endpoint.write("tokens.create", {
  route: "POST /tokens/create",
  provenance: "assumed",
  section: multipart,
  payload: {
    name: NonBlank,
    symbol: NonBlank,
    networkId: Id.named("NetworkId"),
    decimals: Endpoint.exact(Schema.Int.pipe(Schema.check(Schema.isGreaterThanOrEqualTo(0)))),
    initialSupply: Endpoint.exact(Positive),
    description: Schema.optionalKey(Schema.String),
    logo: Schema.optionalKey(Upload.File)
  },
  isMultipart: true,
  success: Token,
  errors: [NotFound],
  lookUp: "vaults.assets"
})

/**
 * The input of {@link mint}.
 *
 * @since 0.1.0
 * @category inputs
 */
export interface MintInput {
  readonly tokenId: Id.Named<"TokenId">
  /** In units of the token; above zero. */
  readonly amount: Amount
  readonly toWalletId?: Id.Named<"WalletId">
  readonly note?: string | undefined
  readonly document?: Upload.File | undefined
}

/**
 * Mints an amount of a token, optionally into a wallet and with a document.
 *
 * Fails with **`OutcomeUnknown` if the amount may have been minted**: never mint again before {@link get} has shown that
 * the supply is unchanged.
 *
 * Specification: "Endpoint categories", Tokens. The wire is assumed: `POST /tokens/:tokenId/mint`, multipart.
 *
 * @since 0.1.0
 * @category endpoints
 * @example
 * ```ts
 * import { Amount } from "@effect-custody/core"
 * import { Tokens } from "@effect-custody/sdk"
 *
 * const program = Tokens.mint({ tokenId: "tok-1", amount: Amount.of("250"), toWalletId: "w-1" })
 * ```
 */
export const mint = Endpoint.write("tokens.mint", {
  route: "POST /tokens/:tokenId/mint",
  provenance: "assumed",
  section: multipart,
  params: { tokenId: Id.named("TokenId") },
  payload: {
    amount: Positive,
    toWalletId: Endpoint.exact(Id.named("WalletId")),
    note: Schema.optionalKey(Schema.String),
    document: Schema.optionalKey(Upload.File)
  },
  isMultipart: true,
  success: SupplyChange,
  errors: [NotFound],
  lookUp: "tokens.get"
})

/**
 * The input of {@link burn}.
 *
 * @since 0.1.0
 * @category inputs
 */
export interface BurnInput {
  readonly tokenId: Id.Named<"TokenId">
  /** In units of the token; above zero. */
  readonly amount: Amount
  readonly fromWalletId?: Id.Named<"WalletId">
  readonly note?: string | undefined
  readonly document?: Upload.File | undefined
}

/**
 * Burns an amount of a token, optionally from a wallet and with a document.
 *
 * Fails with **`OutcomeUnknown` if the amount may have been burned**: never burn again before {@link get} has shown that
 * the supply is unchanged.
 *
 * Specification: "Endpoint categories", Tokens. The wire is assumed: `POST /tokens/:tokenId/burn`, multipart.
 *
 * @since 0.1.0
 * @category endpoints
 * @example
 * ```ts
 * import { Amount } from "@effect-custody/core"
 * import { Tokens } from "@effect-custody/sdk"
 *
 * const program = Tokens.burn({ tokenId: "tok-1", amount: Amount.of("250"), fromWalletId: "w-1" })
 * ```
 */
export const burn = Endpoint.write("tokens.burn", {
  route: "POST /tokens/:tokenId/burn",
  provenance: "assumed",
  section: multipart,
  params: { tokenId: Id.named("TokenId") },
  payload: {
    amount: Positive,
    fromWalletId: Endpoint.exact(Id.named("WalletId")),
    note: Schema.optionalKey(Schema.String),
    document: Schema.optionalKey(Upload.File)
  },
  isMultipart: true,
  success: SupplyChange,
  errors: [NotFound],
  lookUp: "tokens.get"
})

/**
 * Reads the metadata of a token. Fails with `NotFound` if there is no token with that id.
 *
 * Specification: "Endpoint categories", Tokens. The wire is assumed: `GET /tokens/:tokenId/metadata`.
 *
 * @since 0.1.0
 * @category endpoints
 * @example
 * ```ts
 * import { Tokens } from "@effect-custody/sdk"
 *
 * const program = Tokens.metadata({ tokenId: "tok-1" })
 * ```
 */
export const metadata = Endpoint.read("tokens.metadata", {
  route: "GET /tokens/:tokenId/metadata",
  provenance: "assumed",
  section,
  params: { tokenId: Id.named("TokenId") },
  success: TokenMetadata,
  errors: [NotFound]
})

/**
 * The input of {@link updateMetadata}.
 *
 * @since 0.1.0
 * @category inputs
 */
export interface UpdateMetadataInput {
  readonly tokenId: Id.Named<"TokenId">
  /** The whole metadata, which replaces what is there. */
  readonly metadata: { readonly [name: string]: Schema.Json }
}

/**
 * Replaces the metadata of a token.
 *
 * Fails with `OutcomeUnknown` if the metadata may have been replaced: check with {@link metadata}.
 *
 * Specification: "Endpoint categories", Tokens. The wire is assumed: `PUT /tokens/:tokenId/metadata`.
 *
 * @since 0.1.0
 * @category endpoints
 * @example
 * ```ts
 * import { Tokens } from "@effect-custody/sdk"
 *
 * const program = Tokens.updateMetadata({
 *   tokenId: "tok-1",
 *   metadata: { description: "A bond of Acme", website: "https://acme.example" }
 * })
 * ```
 */
export const updateMetadata = Endpoint.write("tokens.updateMetadata", {
  route: "PUT /tokens/:tokenId/metadata",
  provenance: "assumed",
  section,
  params: { tokenId: Id.named("TokenId") },
  payload: { metadata: Schema.Record(Schema.String, Schema.Json) },
  success: TokenMetadata,
  status: 200,
  errors: [NotFound],
  lookUp: "tokens.metadata"
})
