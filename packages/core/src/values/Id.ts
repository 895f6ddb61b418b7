/**
 * Identifiers. The service's identifiers are branded, so that the compiler refuses a wallet's id where a vault's id is
 * expected. A caller may also write a plain string.
 *
 * Specification: "Other resources". It shows no formats. The service may send an id as a number or as a string.
 *
 * @since 0.1.0
 */
import type * as Brand from "effect/Brand"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import * as FastDecoder from "./fastDecoder.ts"
import { NonBlank } from "./Text.ts"

const Wire = Schema.Union([Schema.String, Schema.Finite])

/** Refuses an empty id, because a path with an empty id names the collection, not a member. */
const NonEmpty = Schema.String.pipe(Schema.check(Schema.isNonEmpty({ message: "should not be empty" })))

/**
 * The codec of an identifier that the service assigns. Decodes a string that is not empty, or a JSON number, which
 * becomes a string of its digits. Encodes to a string.
 *
 * @since 0.1.0
 * @category codecs
 */
export interface Id<Name extends string> extends Schema.Codec<string & Brand.Brand<Name>, string | number> {}

const id = <Name extends string>(branded: Schema.brand<typeof NonEmpty, Name>): Id<Name> =>
  FastDecoder.annotate(
    Wire.pipe(
      Schema.decodeTo(
        branded,
        SchemaTransformation.transform<string, string | number>({ decode: String, encode: (id) => id })
      )
    ),
    FastDecoder.decodeSomeText
  )

/**
 * The identifier that the caller gives to a client (a customer in a vault): the specification's `externalId`.
 *
 * @since 0.1.0
 * @category models
 */
export const ClientId = id(NonEmpty.pipe(Schema.brand("ClientId")))
export type ClientId = typeof ClientId.Type

/**
 * The identifier of a wallet.
 *
 * @since 0.1.0
 * @category models
 */
export const WalletId = id(NonEmpty.pipe(Schema.brand("WalletId")))
export type WalletId = typeof WalletId.Type

/**
 * The identifier of a vault.
 *
 * @since 0.1.0
 * @category models
 */
export const VaultId = id(NonEmpty.pipe(Schema.brand("VaultId")))
export type VaultId = typeof VaultId.Type

/**
 * The identifier of an approval in a vault.
 *
 * @since 0.1.0
 * @category models
 */
export const ApprovalId = id(NonEmpty.pipe(Schema.brand("ApprovalId")))
export type ApprovalId = typeof ApprovalId.Type

/**
 * The identifier of a transaction.
 *
 * @since 0.1.0
 * @category models
 */
export const TransactionId = id(NonEmpty.pipe(Schema.brand("TransactionId")))
export type TransactionId = typeof TransactionId.Type

/**
 * The identifier of an asset: a cryptocurrency or a token on one network.
 *
 * @since 0.1.0
 * @category models
 */
export const AssetId = id(NonEmpty.pipe(Schema.brand("AssetId")))
export type AssetId = typeof AssetId.Type

/**
 * The identifier of a blockchain network.
 *
 * @since 0.1.0
 * @category models
 */
export const NetworkId = id(NonEmpty.pipe(Schema.brand("NetworkId")))
export type NetworkId = typeof NetworkId.Type

/**
 * The identifier of a fungible or security token.
 *
 * @since 0.1.0
 * @category models
 */
export const TokenId = id(NonEmpty.pipe(Schema.brand("TokenId")))
export type TokenId = typeof TokenId.Type

/**
 * The identifier of a non-fungible token.
 *
 * @since 0.1.0
 * @category models
 */
export const NftId = id(NonEmpty.pipe(Schema.brand("NftId")))
export type NftId = typeof NftId.Type

/**
 * The identifier of a payment order.
 *
 * @since 0.1.0
 * @category models
 */
export const OrderId = id(NonEmpty.pipe(Schema.brand("OrderId")))
export type OrderId = typeof OrderId.Type

/**
 * The identifier of a fiat payment link.
 *
 * @since 0.1.0
 * @category models
 */
export const LinkId = id(NonEmpty.pipe(Schema.brand("LinkId")))
export type LinkId = typeof LinkId.Type

/**
 * An identifier that a caller writes: a plain string, or a string with the brand `Name`, but with no other brand.
 *
 * @since 0.1.0
 * @category models
 */
export type Named<Name extends string> = string & Partial<Brand.Brand<Name>>

/**
 * The codec of an identifier in an endpoint's input: a string that is not empty.
 *
 * @since 0.1.0
 * @category constructors
 */
export const named = <const Name extends string>(name: Name): named<Name> => NonBlank.annotate({ title: name })
export interface named<Name extends string> extends Schema.Codec<Named<Name>, string> {}

/**
 * The codec of an identifier without a brand: a string, or a number, which is kept.
 *
 * @since 0.1.0
 * @category codecs
 */
export const Unnamed: Schema.Codec<string | number> = Wire
