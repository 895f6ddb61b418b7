/** The OpenAPI document of the API. */
import { CustodyApi } from "@effect-custody/sdk/CustodyApi"
import * as OpenApi from "effect/http-api/OpenApi"

let made: OpenApi.OpenAPISpec | undefined

export const document = (): OpenApi.OpenAPISpec => (made ??= OpenApi.fromApi(CustodyApi))
