/**
 * Specification: "Endpoint categories", Tokens; "Request headers": create, mint and burn take multipart/form-data;
 * "Other endpoints": the rest of their wire is not shown, and is assumed here.
 */
import { Positive } from "@effect-custody/core/Amount"
import * as ApiError from "@effect-custody/core/ApiError"
import * as EndpointSpec from "@effect-custody/core/EndpointSpec"
import * as Id from "@effect-custody/core/Id"
import * as Upload from "@effect-custody/core/Upload"
import { Network } from "@effect-custody/core/Network"
import * as Page from "@effect-custody/core/Page"
import { NonBlank } from "@effect-custody/core/unstable/Text"
import * as HttpContract from "@effect-custody/core/unstable/HttpContract"
import * as Schema from "effect/Schema"
import { SupplyChange } from "./SupplyChange.ts"
import { Token } from "./Token.ts"
import { TokenMetadata } from "./TokenMetadata.ts"

const section = "Endpoint categories, Tokens"
const multipart = "Endpoint categories, Tokens; Request headers"

/**
 * Tokens: fungible and security tokens.
 *
 * @since 0.1.0
 * @category contracts
 */
export class TokensApi extends HttpContract.group("tokens").add(
  HttpContract.get("get", "/tokens/:tokenId", {
    params: { tokenId: Id.named("TokenId") },
    success: EndpointSpec.envelope(Token),
    error: ApiError.authenticatedResource
  }).pipe(
    EndpointSpec.assumed({
      safety: "read",
      section,
      about: { parameter: "tokenId", idFields: ["id", "tokenId", "contractAddress"] }
    })
  ),
  HttpContract.get("networks", "/tokens/networks", {
    query: Page.query,
    success: Page.envelope(Network),
    error: ApiError.authenticated
  }).pipe(EndpointSpec.assumed({ safety: "read", section })),
  HttpContract.post("create", "/tokens/create", {
    payload: Schema.Struct({
      name: NonBlank,
      symbol: NonBlank,
      networkId: Id.named("NetworkId"),
      decimals: EndpointSpec.optionalDefined(Schema.Int.pipe(Schema.check(Schema.isGreaterThanOrEqualTo(0)))),
      initialSupply: EndpointSpec.optionalDefined(Positive),
      description: Schema.optionalKey(Schema.String),
      logo: Schema.optionalKey(Upload.File)
    }).pipe(HttpContract.asMultipart()),
    success: EndpointSpec.envelope(Token).pipe(HttpContract.status(201)),
    error: ApiError.authenticatedResource
  }).pipe(EndpointSpec.assumed({ safety: "write", section: multipart, lookUp: "vaults.assets" })),
  HttpContract.post("mint", "/tokens/:tokenId/mint", {
    params: { tokenId: Id.named("TokenId") },
    payload: Schema.Struct({
      amount: Positive,
      toWalletId: EndpointSpec.optionalDefined(Id.named("WalletId")),
      note: Schema.optionalKey(Schema.String),
      document: Schema.optionalKey(Upload.File)
    }).pipe(HttpContract.asMultipart()),
    success: EndpointSpec.envelope(SupplyChange).pipe(HttpContract.status(201)),
    error: ApiError.authenticatedResource
  }).pipe(EndpointSpec.assumed({ safety: "write", section: multipart, lookUp: "tokens.get" })),
  HttpContract.post("burn", "/tokens/:tokenId/burn", {
    params: { tokenId: Id.named("TokenId") },
    payload: Schema.Struct({
      amount: Positive,
      fromWalletId: EndpointSpec.optionalDefined(Id.named("WalletId")),
      note: Schema.optionalKey(Schema.String),
      document: Schema.optionalKey(Upload.File)
    }).pipe(HttpContract.asMultipart()),
    success: EndpointSpec.envelope(SupplyChange).pipe(HttpContract.status(201)),
    error: ApiError.authenticatedResource
  }).pipe(EndpointSpec.assumed({ safety: "write", section: multipart, lookUp: "tokens.get" })),
  HttpContract.get("metadata", "/tokens/:tokenId/metadata", {
    params: { tokenId: Id.named("TokenId") },
    success: EndpointSpec.envelope(TokenMetadata),
    error: ApiError.authenticatedResource
  }).pipe(EndpointSpec.assumed({ safety: "read", section })),
  HttpContract.put("updateMetadata", "/tokens/:tokenId/metadata", {
    params: { tokenId: Id.named("TokenId") },
    payload: Schema.Struct({ metadata: Schema.Record(Schema.String, Schema.Json) }),
    success: EndpointSpec.envelope(TokenMetadata),
    error: ApiError.authenticatedResource
  }).pipe(EndpointSpec.assumed({ safety: "write", section, lookUp: "tokens.metadata" }))
) {}
