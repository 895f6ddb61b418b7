/** Fungible and security tokens: create them, mint and burn them, say what they are. */
import * as Endpoint from "@effect-custody/core/Endpoint"
import * as Page from "@effect-custody/core/Page"
import { TokensApi } from "./TokensApi.ts"

// The records of this category, under its name.
export { SupplyChange } from "./SupplyChange.ts"
export { Token } from "./Token.ts"
export { TokenMetadata } from "./TokenMetadata.ts"

/**
 * A token. Fails with `NotFound` if there is none of that id.
 *
 * Specification: "Endpoint categories", Tokens. The wire is assumed: `GET /tokens/:tokenId`.
 *
 * @example
 * ```ts
 * import { Tokens } from "@effect-custody/sdk"
 *
 * const program = Tokens.get({ tokenId: "tok-1" })
 * ```
 */
export const get = Endpoint.make(TokensApi, "get")

/**
 * One page of the networks on which tokens can be created.
 *
 * Specification: "Endpoint categories", Tokens. The wire is assumed: `GET /tokens/networks`.
 *
 * @example
 * ```ts
 * import { Tokens } from "@effect-custody/sdk"
 * import { Effect } from "effect"
 *
 * const ids = Effect.map(Tokens.networks(), (page) => page.items.map((network) => network.id))
 * ```
 */
export const networks = Endpoint.list(TokensApi, "networks")

/**
 * All networks on which tokens can be created, read page after page as they are taken. Fails as {@link networks} does.
 *
 * @example
 * ```ts
 * import { Tokens } from "@effect-custody/sdk"
 * import { Stream } from "effect"
 *
 * const program = Tokens.streamNetworks().pipe(Stream.runCollect)
 * ```
 */
export const streamNetworks = (query: Parameters<typeof networks>[0] = {}) => Page.stream(networks, query)

/**
 * Creates a token on a network, with a logo if you like.
 *
 * `initialSupply` is in units of the token and above zero; `decimals` is how many decimals one unit has.
 *
 * Fails with `ValidationFailed` for what the service refuses, and **`OutcomeUnknown` if the token may exist**: never
 * create it again before you have looked for it.
 *
 * Specification: "Endpoint categories", Tokens; multipart by "Request headers". The rest of the wire is assumed:
 * `POST /tokens/create`.
 *
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
 *   initialSupply: Amount.fromString("1000000"),
 *   logo: Upload.fromBytes({
 *     name: "logo.svg",
 *     contentType: "image/svg+xml",
 *     bytes: new TextEncoder().encode("<svg/>")
 *   })
 * })
 * ```
 */
export const create = Endpoint.make(TokensApi, "create")

/**
 * Makes more of a token, for a wallet if you name one, with a document to go with it if you like.
 *
 * `amount` is in units of the token and above zero.
 *
 * Fails with `NotFound` if there is no such token, and **`OutcomeUnknown` if it may have been minted**: never mint again
 * before {@link get} has shown that the supply is as it was.
 *
 * Specification: "Endpoint categories", Tokens; multipart by "Request headers". The rest of the wire is assumed:
 * `POST /tokens/:tokenId/mint`.
 *
 * @example
 * ```ts
 * import { Amount } from "@effect-custody/core"
 * import { Tokens } from "@effect-custody/sdk"
 *
 * const program = Tokens.mint({ tokenId: "tok-1", amount: Amount.fromString("250"), toWalletId: "w-1" })
 * ```
 */
export const mint = Endpoint.make(TokensApi, "mint")

/**
 * Takes some of a token out of the world, from a wallet if you name one, with a document to go with it if you like.
 *
 * `amount` is in units of the token and above zero.
 *
 * Fails with `NotFound` if there is no such token, and **`OutcomeUnknown` if it may have been burned**: never burn again
 * before {@link get} has shown that the supply is as it was.
 *
 * Specification: "Endpoint categories", Tokens; multipart by "Request headers". The rest of the wire is assumed:
 * `POST /tokens/:tokenId/burn`.
 *
 * @example
 * ```ts
 * import { Amount } from "@effect-custody/core"
 * import { Tokens } from "@effect-custody/sdk"
 *
 * const program = Tokens.burn({ tokenId: "tok-1", amount: Amount.fromString("250"), fromWalletId: "w-1" })
 * ```
 */
export const burn = Endpoint.make(TokensApi, "burn")

/**
 * What a token's issuer says of it. Fails with `NotFound` if there is no token of that id.
 *
 * Specification: "Endpoint categories", Tokens. The wire is assumed: `GET /tokens/:tokenId/metadata`.
 *
 * @example
 * ```ts
 * import { Tokens } from "@effect-custody/sdk"
 *
 * const program = Tokens.metadata({ tokenId: "tok-1" })
 * ```
 */
export const metadata = Endpoint.make(TokensApi, "metadata")

/**
 * Replaces what a token's issuer says of it.
 *
 * Fails with `NotFound` if there is no such token, and `OutcomeUnknown` if it may have been replaced: {@link metadata}
 * tells.
 *
 * Specification: "Endpoint categories", Tokens. The wire is assumed: `PUT /tokens/:tokenId/metadata`.
 *
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
export const updateMetadata = Endpoint.make(TokensApi, "updateMetadata")
