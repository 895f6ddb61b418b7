/**
 * The names of things. Where you name something, a plain string will do; what the service names comes branded, and a
 * brand is not taken for another: a wallet's id is refused, by the compiler, where a client's is asked for.
 *
 * Specification: "Other resources": formats not shown. On the wire an id may be a number or a string.
 */
import type * as Brand from "effect/Brand"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"

const Wire = Schema.Union([Schema.String, Schema.Finite])

/** An empty id would name the collection instead of one of its members. */
const NonEmpty = Schema.String.pipe(Schema.check(Schema.isNonEmpty({ message: "should not be empty" })))

/** The codec of an id that the service names. */
export interface Id<Name extends string> extends Schema.Codec<string & Brand.Brand<Name>, string | number> {}

const id = <Name extends string>(branded: Schema.brand<typeof NonEmpty, Name>): Id<Name> =>
  Wire.pipe(
    Schema.decodeTo(
      branded,
      SchemaTransformation.transform<string, string | number>({ decode: String, encode: (written) => written })
    )
  )

/** The caller's own identifier of a client: the specification's externalId. */
export const ClientId = id(NonEmpty.pipe(Schema.brand("ClientId")))
export type ClientId = typeof ClientId.Type

/** A wallet. */
export const WalletId = id(NonEmpty.pipe(Schema.brand("WalletId")))
export type WalletId = typeof WalletId.Type

/** A vault. */
export const VaultId = id(NonEmpty.pipe(Schema.brand("VaultId")))
export type VaultId = typeof VaultId.Type

/** An approval in a vault. */
export const ApprovalId = id(NonEmpty.pipe(Schema.brand("ApprovalId")))
export type ApprovalId = typeof ApprovalId.Type

/** A transaction. */
export const TransactionId = id(NonEmpty.pipe(Schema.brand("TransactionId")))
export type TransactionId = typeof TransactionId.Type

/** An asset: a cryptocurrency or token on one network. */
export const AssetId = id(NonEmpty.pipe(Schema.brand("AssetId")))
export type AssetId = typeof AssetId.Type

/** A blockchain network. */
export const NetworkId = id(NonEmpty.pipe(Schema.brand("NetworkId")))
export type NetworkId = typeof NetworkId.Type

/** A fungible or security token. */
export const TokenId = id(NonEmpty.pipe(Schema.brand("TokenId")))
export type TokenId = typeof TokenId.Type

/** A non-fungible token. */
export const NftId = id(NonEmpty.pipe(Schema.brand("NftId")))
export type NftId = typeof NftId.Type

/** A payment order. */
export const OrderId = id(NonEmpty.pipe(Schema.brand("OrderId")))
export type OrderId = typeof OrderId.Type

/** A fiat payment link. */
export const LinkId = id(NonEmpty.pipe(Schema.brand("LinkId")))
export type LinkId = typeof LinkId.Type

/** The id of a thing as a caller writes it: a plain string, or its brand, but not the brand of something else. */
export type Named<Name extends string> = string & Partial<Brand.Brand<Name>>

/** The schema of an id that a caller writes. */
export interface named<Name extends string> extends Schema.Codec<Named<Name>, string> {}

/** An id in an endpoint's input: a string that is not empty. */
export const named = <const Name extends string>(name: Name): named<Name> => NonEmpty.annotate({ title: name })
