/** Tokens: fungible and security tokens. Create them, mint and burn them, and manage their metadata. */
import { Positive } from "@effect-custody/core/Amount"
import { NotFound } from "@effect-custody/core/ApiError"
import * as Endpoint from "@effect-custody/core/Endpoint"
import * as Id from "@effect-custody/core/Id"
import { Network } from "@effect-custody/core/Lenient"
import * as Page from "@effect-custody/core/Page"
import type { UnconfirmedEndpoint } from "@effect-custody/core/SdkError"
import * as Upload from "@effect-custody/core/Upload"
import { NonBlank } from "@effect-custody/core/Text"
import * as Schema from "effect/Schema"
import { SupplyChange, Token, TokenMetadata, TokenType } from "./records.ts"

export * from "./records.ts"

const section = "Endpoint categories, Tokens"
const multipart = "Endpoint categories, Tokens; Request headers"

const ofToken = { tokenId: Id.named("TokenId") }

/**
 * Reads a token. Fails with `NotFound` if there is none with that id.
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
  assumed: section,
  params: ofToken,
  success: Token,
  errors: [NotFound],
  about: { parameter: "tokenId", idFields: ["id", "tokenId", "contractAddress"] }
})

/**
 * Reads one page of the networks on which tokens can be created.
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
  assumed: section,
  success: Network
})

/**
 * Streams all networks on which tokens can be created, page by page. Fails as {@link networks} does, or with a
 * `PagingError`.
 *
 * @since 0.1.0
 * @category streams
 */
export const streamNetworks = (query: Page.Query = {}) => Page.stream(networks, query)

const createFields = {
  /** Whether a fungible or a security token is created. */
  type: TokenType.input,
  name: NonBlank,
  symbol: NonBlank,
  networkId: Id.named("NetworkId"),
  /** The number of decimals of one unit: an integer, not negative. */
  decimals: Endpoint.exact(Schema.Int.pipe(Schema.check(Schema.isGreaterThanOrEqualTo(0)))),
  /** In units of the token; above zero. */
  initialSupply: Endpoint.exact(Positive),
  description: Schema.optionalKey(Schema.String),
  logo: Schema.optionalKey(Upload.File)
}

/**
 * The input of {@link create}.
 *
 * @since 0.1.0
 * @category inputs
 */
export interface CreateInput extends Endpoint.InputOf<typeof createFields> {}

/**
 * Creates a fungible or a security token on a network, optionally with a logo.
 *
 * Fails with **`OutcomeUnknown` if the token may exist**: never create it again before you have looked for it.
 *
 * @since 0.1.0
 * @category endpoints
 * @example
 * ```ts
 * import { Amount, Upload } from "@effect-custody/core"
 * import { Tokens } from "@effect-custody/sdk"
 *
 * const program = Tokens.create({
 *   type: "SECURITY",
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
export const create: Endpoint.Endpoint<CreateInput, Token, Endpoint.WriteError | NotFound | UnconfirmedEndpoint> =
  Endpoint.write("tokens.create", {
    route: "POST /tokens/create",
    assumed: multipart,
    payload: createFields,
    isMultipart: true,
    success: Token,
    errors: [NotFound],
    lookUp: () => ({ operation: "vaults.assets" })
  })

const mintFields = {
  /** In units of the token; above zero. */
  amount: Positive,
  toWalletId: Endpoint.exact(Id.named("WalletId")),
  note: Schema.optionalKey(Schema.String),
  document: Schema.optionalKey(Upload.File)
}

/**
 * The input of {@link mint}.
 *
 * @since 0.1.0
 * @category inputs
 */
export interface MintInput extends Endpoint.InputOf<typeof ofToken & typeof mintFields> {}

/**
 * Mints an amount of a token, optionally into a wallet and with a document.
 *
 * Fails with **`OutcomeUnknown` if the amount may have been minted**: never mint again before {@link get} has shown that
 * the supply is unchanged.
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
export const mint: Endpoint.Endpoint<MintInput, SupplyChange, Endpoint.WriteError | NotFound | UnconfirmedEndpoint> =
  Endpoint.write("tokens.mint", {
    route: "POST /tokens/:tokenId/mint",
    assumed: multipart,
    params: ofToken,
    payload: mintFields,
    isMultipart: true,
    success: SupplyChange,
    errors: [NotFound],
    lookUp: () => get
  })

const burnFields = {
  /** In units of the token; above zero. */
  amount: Positive,
  fromWalletId: Endpoint.exact(Id.named("WalletId")),
  note: Schema.optionalKey(Schema.String),
  document: Schema.optionalKey(Upload.File)
}

/**
 * The input of {@link burn}.
 *
 * @since 0.1.0
 * @category inputs
 */
export interface BurnInput extends Endpoint.InputOf<typeof ofToken & typeof burnFields> {}

/**
 * Burns an amount of a token, optionally from a wallet and with a document.
 *
 * Fails with **`OutcomeUnknown` if the amount may have been burned**: never burn again before {@link get} has shown that
 * the supply is unchanged.
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
export const burn: Endpoint.Endpoint<BurnInput, SupplyChange, Endpoint.WriteError | NotFound | UnconfirmedEndpoint> =
  Endpoint.write("tokens.burn", {
    route: "POST /tokens/:tokenId/burn",
    assumed: multipart,
    params: ofToken,
    payload: burnFields,
    isMultipart: true,
    success: SupplyChange,
    errors: [NotFound],
    lookUp: () => get
  })

/**
 * Reads the metadata of a token. Fails with `NotFound` if there is no token with that id.
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
  assumed: section,
  params: ofToken,
  success: TokenMetadata,
  errors: [NotFound]
})

const metadataFields = {
  /** The whole metadata, which replaces what is there. */
  metadata: Schema.Record(Schema.String, Schema.Json)
}

/**
 * The input of {@link updateMetadata}.
 *
 * @since 0.1.0
 * @category inputs
 */
export interface UpdateMetadataInput extends Endpoint.InputOf<typeof ofToken & typeof metadataFields> {}

/**
 * Replaces the metadata of a token.
 *
 * Fails with `OutcomeUnknown` if the metadata may have been replaced: check with {@link metadata}.
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
export const updateMetadata: Endpoint.Endpoint<
  UpdateMetadataInput,
  TokenMetadata,
  Endpoint.WriteError | NotFound | UnconfirmedEndpoint
> = Endpoint.write("tokens.updateMetadata", {
  route: "PUT /tokens/:tokenId/metadata",
  assumed: section,
  params: ofToken,
  payload: metadataFields,
  success: TokenMetadata,
  status: 200,
  errors: [NotFound],
  lookUp: () => metadata
})

/**
 * The endpoints of this category, in the order of the specification.
 *
 * @since 0.1.0
 * @category constants
 */
export const endpoints = { get, networks, create, mint, burn, metadata, updateMetadata }
