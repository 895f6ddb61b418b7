/** What the contract file of each service says. */
import type { ContractFile } from "@effect-custody/core"
import { CustodyApi } from "@effect-custody/sdk"
import { bare } from "./bare.ts"
import type { Dialect } from "./dialect.ts"
import { jsonApi } from "./jsonApi.ts"
import { snakeCase } from "./snakeCase.ts"

type Operations = NonNullable<ContractFile.File["operations"]>

/** Everything as assumed, but for what is said. */
const all = (said: Operations = {}): Operations => ({
  ...Object.fromEntries(CustodyApi.operations.map(({ name }) => [name, true as const])),
  ...said
})

const silent = { success: [204] }

export const services: ReadonlyArray<{ readonly dialect: Dialect; readonly contract: ContractFile.File }> = [
  {
    dialect: snakeCase,
    contract: {
      source: { document: "The snake_case service", date: "2026-11-21" },
      defaults: {
        casing: "snake_case",
        payload: "result",
        items: "result.items",
        paging: { style: "cursor", cursor: "after", size: "page_size", next: "page.next_cursor" },
        meta: { totalItems: "page.total" },
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
    dialect: jsonApi,
    contract: {
      defaults: {
        contentType: "application/vnd.api+json",
        body: "data.attributes",
        record: "attributes",
        paging: { style: "link", page: "page[number]", size: "page[size]", next: "links.next" },
        meta: { totalItems: "meta.total" },
        errors: { code: "errors.0.code", message: "errors.0.detail", fields: "errors.0.meta.fields" }
      },
      operations: all({ "transactions.send": { constants: { "body.data.type": "transactions" } } })
    }
  },
  {
    dialect: bare,
    contract: {
      defaults: {
        payload: null,
        paging: { style: "page", page: "p", size: "n", first: 0 },
        meta: {},
        errors: { code: "err", message: "msg", fields: "invalid" }
      },
      operations: all({
        "paymentOrders.selectAsset": silent,
        "paymentOrders.cancel": silent,
        "tokens.updateMetadata": silent
      })
    }
  }
]
