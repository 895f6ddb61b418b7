/** The contract of each service. */
import { type ContractFile, Wire, ServiceContract } from "@effect-custody/contract"
import * as Declaration from "@effect-custody/core/Declaration"
import * as Shape from "@effect-custody/core/Shape"
import { Amount, CustodyApi, FiatGateway, PaymentOrders, Transactions } from "@effect-custody/sdk"
import { BigDecimal, Predicate, Schema } from "effect"
import { bare } from "./bare.ts"
import type { Dialect } from "./dialect.ts"
import { flagged } from "./flagged.ts"
import { jsonApi } from "./jsonApi.ts"
import { moved } from "./moved.ts"
import { numbers } from "./numbers.ts"
import { perAsset } from "./perAsset.ts"
import { perAssetCode } from "./perAssetCode.ts"
import { snakeCase } from "./snakeCase.ts"

type Operations = NonNullable<ContractFile.File["operations"]>

/** Every operation: the assumed wire, except for the given ones. */
const all = (others: Operations = {}): Operations => ({
  ...Object.fromEntries(CustodyApi.operations.map(({ operation }) => [operation, true as const])),
  ...others
})

const silent = { success: [204] }

const states = { PENDING: "waiting", BROADCASTING: "sent", COMPLETED: "done", REJECTED: "refused", ERROR: "failed" }
const status = { values: "status" } as const
const type = { values: "type" } as const
const asNumber = { as: "number" } as const

const negated = (amount: Amount.Amount): Amount.Amount => Amount.fromBigDecimalUnsafe(BigDecimal.negate(amount))

/** A price with its currency in one text. */
const createOrder = Wire.make(PaymentOrders.create, {
  route: "POST /orders",
  payload: "order",
  request: {
    body: {
      price: Schema.String,
      asset: Schema.optionalKey(Schema.String),
      client: Schema.optionalKey(Schema.String),
      memo: Schema.optionalKey(Schema.String)
    },
    write: ({ amount, assetId, clientId, currency, note }) => ({
      body: {
        price: [Amount.format(amount), currency].filter(Predicate.isNotUndefined).join(" "),
        asset: assetId,
        client: clientId,
        memo: note
      }
    }),
    read: ({ body: { asset, client, memo, price } }) => {
      const [amount = "", currency] = price.split(" ")
      return { amount: Amount.fromStringUnsafe(amount), currency, assetId: asset, clientId: client, note: memo }
    }
  },
  response: { id: "no" }
})

/** The network is in the query, and the kind is constant. */
const send = Wire.make(Transactions.send, {
  route: "POST /clients/:client/payouts",
  success: [202],
  payload: "job",
  response: { id: "transaction", status: "state" },
  request: {
    params: { client: Schema.String },
    query: { network: Schema.optionalKey(Schema.String) },
    body: {
      kind: Schema.Literal("EXTERNAL"),
      destination: Schema.Struct({ address: Schema.String }),
      asset: Schema.String,
      amount: Amount.Amount,
      memo: Schema.optionalKey(Schema.String)
    },
    write: ({ amount, assetId, clientId, networkId, note, to }) => ({
      params: { client: clientId },
      query: { network: networkId },
      body: { kind: "EXTERNAL" as const, destination: { address: to }, asset: assetId, amount, memo: note }
    }),
    read: ({ body: { amount, asset, destination, memo }, params, query }) => ({
      clientId: params.client,
      networkId: query.network,
      assetId: asset,
      to: destination.address,
      amount,
      note: memo
    })
  }
})

/** The id is in the query. */
const get = Wire.make(Transactions.get, {
  route: "GET /transaction",
  request: {
    query: { id: Schema.String },
    write: ({ transactionId }) => ({ query: { id: transactionId } }),
    read: ({ query }) => ({ transactionId: query.id })
  }
})

const memo = { "x-memo": Schema.optionalKey(Schema.String) }

const payout = { assetId: Schema.String, amount: Wire.Decimal }

/** The note is in a header. */
const sendWithMemo = Wire.make(Transactions.send, {
  request: {
    headers: memo,
    body: { ...payout, clientId: Schema.String, to: Schema.String, networkId: Schema.optionalKey(Schema.String) },
    write: ({ note, ...body }) => ({ headers: { "x-memo": note }, body }),
    read: ({ body, headers }) => ({ networkId: undefined, ...body, note: headers["x-memo"] })
  }
})

const transferWithMemo = Wire.make(Transactions.transfer, {
  request: {
    headers: memo,
    body: { ...payout, fromClientId: Schema.String, toClientId: Schema.String },
    write: ({ note, ...body }) => ({ headers: { "x-memo": note }, body }),
    read: ({ body, headers }) => ({ ...body, note: headers["x-memo"] })
  }
})

/** A returned amount is negative. */
const refund = Wire.make(FiatGateway.refund, {
  route: "POST /refunds",
  payload: "refunded",
  request: {
    body: {
      of: Schema.String,
      value: Schema.optionalKey(Amount.Amount),
      why: Schema.optionalKey(Schema.String)
    },
    write: ({ amount, reason, transactionId }) => ({
      body: { of: transactionId, value: amount && negated(amount), why: reason }
    }),
    read: ({ body: { of, value, why } }) => ({ transactionId: of, amount: value && negated(value), reason: why })
  }
})

const attributes = (names: Iterable<string>, at: string): Readonly<Record<string, string>> =>
  Object.fromEntries([...names].map((name) => [name, `${at}.${name}`]))

/** The id of a record is beside its attributes. */
const idOf = (declaration: Declaration.Declaration) => (Shape.fieldNames(declaration).has("id") ? { id: "id" } : {})

/** The entries of JSON:API: each field of a record or of a body is an attribute. Tokens and uploads are plain. */
const inAttributes: Operations = Object.fromEntries(
  CustodyApi.operations.map((each) => {
    const { isMultipart, operation, payload, safety } = each
    const isPlain = safety === "session"
    const hasBody = payload !== undefined && !isPlain && !isMultipart
    return [
      operation,
      {
        response: isPlain ? {} : { ...attributes(Shape.fieldNames(each).keys(), "attributes"), ...idOf(each) },
        ...(hasBody
          ? {
              constants: { "data.type": "request" },
              fields: attributes(Object.keys(Declaration.payloadFields(each)), "data.attributes")
            }
          : {})
      }
    ]
  })
)

export interface Service {
  readonly dialect: Dialect
  readonly contract: ContractFile.File
  /** The operations that data cannot express. */
  readonly code?: Readonly<Record<string, Wire.Code>>
  /** The lists that come whole, whatever page is requested. */
  readonly whole?: ReadonlyArray<string>
  /** The fields of incomplete answers. */
  readonly fewer?: Readonly<Record<string, ReadonlyArray<string>>>
}

export const services: ReadonlyArray<Service> = [
  {
    dialect: snakeCase,
    contract: {
      note: "The snake_case service",
      defaults: {
        casing: "snake_case",
        payload: "result",
        items: "result.items",
        paging: { style: "cursor", cursor: "after", size: "page_size", next: "page.next_cursor" },
        total: "page.total",
        errors: {
          code: "error.code",
          message: "error.message",
          fields: "error.details",
          tags: {
            invalid_api_key: "InvalidApiKey",
            validation_failed: "ValidationFailed",
            invalid_token: "InvalidAccessToken",
            invalid_refresh_token: "InvalidRefreshToken",
            token_expired: "TokenExpired",
            bad_request: "BadRequest"
          }
        }
      },
      operations: all()
    }
  },
  {
    dialect: bare,
    contract: {
      defaults: {
        success: [200],
        payload: null,
        paging: { style: "page", page: "p", size: "n", first: 0 },
        errors: { code: "err", message: "msg", fields: "invalid" }
      },
      operations: all({
        "paymentOrders.selectAsset": silent,
        "paymentOrders.cancel": silent,
        "tokens.updateMetadata": silent
      })
    },
    fewer: { "paymentOrders.selectAsset": [], "paymentOrders.cancel": [], "tokens.updateMetadata": [] }
  },
  {
    dialect: numbers,
    contract: {
      defaults: {
        amounts: { minor: 8 },
        times: "seconds",
        values: {
          status: states,
          type: { INCOMING: "in", OUTGOING: "out", FUNGIBLE: "FUNGIBLE", SECURITY: "SECURITY" }
        },
        fields: {
          status,
          type,
          orderId: asNumber,
          transactionId: asNumber,
          walletId: asNumber
        },
        response: { status, type },
        errors: {
          tags: {
            401: "InvalidApiKey",
            402: "ValidationFailed",
            1401: "InvalidAccessToken",
            40001: "InvalidAccessToken",
            1402: "InvalidRefreshToken",
            40002: "InvalidRefreshToken",
            1403: "TokenExpired",
            40003: "TokenExpired",
            40000: "BadRequest"
          }
        }
      },
      operations: all()
    }
  },
  {
    dialect: moved,
    contract: {
      defaults: {
        prefix: "/v2",
        items: "rows",
        paging: { style: "offset", offset: "offset", size: "size" },
        total: "total"
      },
      operations: all({
        "transactions.transfer": {
          route: "/clients/:fromClientId/payouts",
          fields: { toClientId: "destination.client", assetId: "asset", note: "memo" },
          constants: { kind: "INTERNAL" },
          success: [202],
          payload: "job",
          response: { id: "transaction", status: "state" }
        }
      })
    },
    code: {
      "paymentOrders.create": createOrder,
      "fiatGateway.refund": refund,
      "transactions.get": get,
      "transactions.send": send
    },
    fewer: { "transactions.send": ["id", "status"], "transactions.transfer": ["id", "status"] }
  },
  {
    dialect: flagged,
    contract: {
      defaults: {
        payload: "payload",
        total: "pagination.total",
        paging: { style: "page", page: "pageNumber", size: "pageSize" },
        amounts: "number",
        times: "milliseconds",
        values: {
          status: {
            PENDING: "awaiting_approval",
            BROADCASTING: "broadcast",
            COMPLETED: "settled",
            REJECTED: "declined",
            ERROR: "broken"
          }
        },
        fields: { status, sortKey: "sortKey" },
        response: { status },
        errors: {
          code: "error.reason",
          message: "error.text",
          fields: "error.violations",
          when: { at: "success", success: [true] },
          doubtful: [409]
        }
      },
      operations: all({
        "assets.list": { paging: "none" },
        "vaults.networks": { paging: "none" }
      })
    },
    code: { "transactions.send": sendWithMemo, "transactions.transfer": transferWithMemo },
    whole: ["assets.list", "vaults.networks"]
  },
  {
    dialect: jsonApi,
    contract: {
      defaults: {
        mediaType: "application/vnd.api+json",
        paging: { style: "link", size: "page[size]", next: "links.next" },
        total: "meta.total",
        errors: { code: "errors.0.code", message: "errors.0.title", fields: "errors.0.meta" }
      },
      operations: inAttributes
    }
  },
  { dialect: perAsset, contract: { operations: all() }, code: perAssetCode }
]

/** Puts the contract of a service in force. */
export const layerOf = ({ code, contract }: Service) =>
  ServiceContract.layer(
    Object.assign({}, contract, { operations: Object.assign({}, contract.operations, code) }),
    CustodyApi
  )
