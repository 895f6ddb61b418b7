/**
 * Specification: "Endpoint categories", NFTs; "Request headers": create takes multipart/form-data; "Other endpoints":
 * the rest of their wire is not shown, and is assumed here.
 */
import * as ApiError from "@effect-custody/core/ApiError"
import * as EndpointSpec from "@effect-custody/core/EndpointSpec"
import * as Id from "@effect-custody/core/Id"
import * as Upload from "@effect-custody/core/Upload"
import { Network } from "@effect-custody/core/Network"
import * as Page from "@effect-custody/core/Page"
import { NonBlank } from "@effect-custody/core/unstable/Text"
import * as HttpContract from "@effect-custody/core/unstable/HttpContract"
import * as Schema from "effect/Schema"
import { Nft } from "./Nft.ts"
import { NftTransfer } from "./NftTransfer.ts"

const section = "Endpoint categories, NFTs"

/**
 * NFTs: non-fungible tokens.
 *
 * @since 0.1.0
 * @category contracts
 */
export class NftsApi extends HttpContract.group("nfts").add(
  HttpContract.get("get", "/nfts/:nftId", {
    params: { nftId: Id.named("NftId") },
    success: EndpointSpec.envelope(Nft),
    error: ApiError.authenticatedResource
  }).pipe(
    EndpointSpec.assumed({
      safety: "read",
      section,
      about: { parameter: "nftId", idFields: ["id", "nftId", "tokenId"] }
    })
  ),
  HttpContract.get("networks", "/nfts/networks", {
    query: Page.query,
    success: Page.envelope(Network),
    error: ApiError.authenticated
  }).pipe(EndpointSpec.assumed({ safety: "read", section })),
  HttpContract.post("create", "/nfts/create", {
    payload: Schema.Struct({
      name: NonBlank,
      networkId: Id.named("NetworkId"),
      walletId: EndpointSpec.optionalDefined(Id.named("WalletId")),
      collection: Schema.optionalKey(Schema.String),
      description: Schema.optionalKey(Schema.String),
      file: Upload.File
    }).pipe(HttpContract.asMultipart()),
    success: EndpointSpec.envelope(Nft).pipe(HttpContract.status(201)),
    error: ApiError.authenticatedResource
    // No `lookUp`: the specification names no operation that lists NFTs.
  }).pipe(EndpointSpec.assumed({ safety: "write", section: "Endpoint categories, NFTs; Request headers" })),
  HttpContract.post("transfer", "/nfts/:nftId/transfer", {
    params: { nftId: Id.named("NftId") },
    payload: Schema.Struct({ fromWalletId: Id.named("WalletId"), toWalletId: Id.named("WalletId") }),
    success: EndpointSpec.envelope(NftTransfer).pipe(HttpContract.status(201)),
    error: ApiError.authenticatedResource
  }).pipe(EndpointSpec.assumed({ safety: "write", section, lookUp: "nfts.transfers" })),
  HttpContract.get("transfers", "/nfts/:nftId/transfers", {
    params: { nftId: Id.named("NftId") },
    query: Page.query,
    success: Page.envelope(NftTransfer),
    error: ApiError.authenticatedResource
  }).pipe(EndpointSpec.assumed({ safety: "read", section }))
) {}
