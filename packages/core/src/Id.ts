/**
 * Identifiers. The service's identifiers are branded: the compiler refuses the id of a wallet where that of a client
 * is expected. Where a caller writes an identifier, a plain string is accepted too.
 *
 * Specification: "Other resources": formats not shown. On the wire an id may be a number or a string.
 *
 * @since 0.1.0
 */
import type * as Brand from "effect/Brand"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import * as Quick from "./internal/quickDecoder.ts"
import { NonBlank } from "./Text.ts"

const Wire = Schema.Union([Schema.String, Schema.Finite])

/** An empty id would name the collection instead of one of its members. */
const NonEmpty = Schema.String.pipe(Schema.check(Schema.isNonEmpty({ message: "should not be empty" })))

/**
 * The codec of an identifier that the service assigns. Decodes a string or a JSON number; encodes a string.
 *
 * @since 0.1.0
 * @category codecs
 */
export interface Id<Name extends string> extends Schema.Codec<string & Brand.Brand<Name>, string | number> {}

const id = <Name extends string>(branded: Schema.brand<typeof NonEmpty, Name>): Id<Name> =>
  Quick.annotated(
    Wire.pipe(
      Schema.decodeTo(
        branded,
        SchemaTransformation.transform<string, string | number>({ decode: String, encode: (written) => written })
      )
    ),
    (value) => (typeof value === "string" && value !== "" ? value : Quick.none)
  )

/**
 * The codec of a {@link ClientId}: a string that is not empty. A JSON number is read as its digits.
 *
 * @since 0.1.0
 * @category codecs
 */
export const ClientId = id(NonEmpty.pipe(Schema.brand("ClientId")))
/**
 * The caller's own identifier of a client: the specification's `externalId`.
 *
 * @since 0.1.0
 * @category models
 */
export type ClientId = typeof ClientId.Type

/**
 * The codec of a {@link WalletId}: a string that is not empty. A JSON number is read as its digits.
 *
 * @since 0.1.0
 * @category codecs
 */
export const WalletId = id(NonEmpty.pipe(Schema.brand("WalletId")))
/**
 * The identifier of a wallet.
 *
 * @since 0.1.0
 * @category models
 */
export type WalletId = typeof WalletId.Type

/**
 * The codec of a {@link VaultId}: a string that is not empty. A JSON number is read as its digits.
 *
 * @since 0.1.0
 * @category codecs
 */
export const VaultId = id(NonEmpty.pipe(Schema.brand("VaultId")))
/**
 * The identifier of a vault.
 *
 * @since 0.1.0
 * @category models
 */
export type VaultId = typeof VaultId.Type

/**
 * The codec of a {@link ApprovalId}: a string that is not empty. A JSON number is read as its digits.
 *
 * @since 0.1.0
 * @category codecs
 */
export const ApprovalId = id(NonEmpty.pipe(Schema.brand("ApprovalId")))
/**
 * The identifier of an approval in a vault.
 *
 * @since 0.1.0
 * @category models
 */
export type ApprovalId = typeof ApprovalId.Type

/**
 * The codec of a {@link TransactionId}: a string that is not empty. A JSON number is read as its digits.
 *
 * @since 0.1.0
 * @category codecs
 */
export const TransactionId = id(NonEmpty.pipe(Schema.brand("TransactionId")))
/**
 * The identifier of a transaction.
 *
 * @since 0.1.0
 * @category models
 */
export type TransactionId = typeof TransactionId.Type

/**
 * The codec of a {@link AssetId}: a string that is not empty. A JSON number is read as its digits.
 *
 * @since 0.1.0
 * @category codecs
 */
export const AssetId = id(NonEmpty.pipe(Schema.brand("AssetId")))
/**
 * The identifier of an asset: a cryptocurrency or a token on one network.
 *
 * @since 0.1.0
 * @category models
 */
export type AssetId = typeof AssetId.Type

/**
 * The codec of a {@link NetworkId}: a string that is not empty. A JSON number is read as its digits.
 *
 * @since 0.1.0
 * @category codecs
 */
export const NetworkId = id(NonEmpty.pipe(Schema.brand("NetworkId")))
/**
 * The identifier of a blockchain network.
 *
 * @since 0.1.0
 * @category models
 */
export type NetworkId = typeof NetworkId.Type

/**
 * The codec of a {@link TokenId}: a string that is not empty. A JSON number is read as its digits.
 *
 * @since 0.1.0
 * @category codecs
 */
export const TokenId = id(NonEmpty.pipe(Schema.brand("TokenId")))
/**
 * The identifier of a fungible or security token.
 *
 * @since 0.1.0
 * @category models
 */
export type TokenId = typeof TokenId.Type

/**
 * The codec of a {@link NftId}: a string that is not empty. A JSON number is read as its digits.
 *
 * @since 0.1.0
 * @category codecs
 */
export const NftId = id(NonEmpty.pipe(Schema.brand("NftId")))
/**
 * The identifier of a non-fungible token.
 *
 * @since 0.1.0
 * @category models
 */
export type NftId = typeof NftId.Type

/**
 * The codec of a {@link OrderId}: a string that is not empty. A JSON number is read as its digits.
 *
 * @since 0.1.0
 * @category codecs
 */
export const OrderId = id(NonEmpty.pipe(Schema.brand("OrderId")))
/**
 * The identifier of a payment order.
 *
 * @since 0.1.0
 * @category models
 */
export type OrderId = typeof OrderId.Type

/**
 * The codec of a {@link LinkId}: a string that is not empty. A JSON number is read as its digits.
 *
 * @since 0.1.0
 * @category codecs
 */
export const LinkId = id(NonEmpty.pipe(Schema.brand("LinkId")))
/**
 * The identifier of a fiat payment link.
 *
 * @since 0.1.0
 * @category models
 */
export type LinkId = typeof LinkId.Type

/**
 * An identifier as a caller writes it: a plain string, or the brand `Name`, but no other brand.
 *
 * @since 0.1.0
 * @category models
 */
export type Named<Name extends string> = string & Partial<Brand.Brand<Name>>

/**
 * The codec of a {@link Named}.
 *
 * @since 0.1.0
 * @category codecs
 */
export interface named<Name extends string> extends Schema.Codec<Named<Name>, string> {}

/**
 * The codec of an identifier in an endpoint's input: a string that is not empty.
 *
 * @since 0.1.0
 * @category constructors
 */
export const named = <const Name extends string>(name: Name): named<Name> => NonBlank.annotate({ title: name })
