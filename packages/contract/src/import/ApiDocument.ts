/** Reads the API that a document describes: an OpenAPI 3 document or a Postman collection 2.1. */
import { type ApiDocument, isObject } from "./model.ts"
import * as OpenApi from "./openApi.ts"
import * as Postman from "./postman.ts"

export { type ApiDocument, type ApiOperation, type Field, formatRoute, isParameter } from "./model.ts"

const formats = [
  [OpenApi.isOpenApi, OpenApi.read],
  [Postman.isPostman, Postman.read]
] as const

/** Reads a parsed document. `undefined` if its format is unknown. Throws if a `$ref` is not a valid URI fragment. */
export const read = (json: unknown): ApiDocument | undefined =>
  isObject(json) ? formats.find(([isFormat]) => isFormat(json))?.[1](json) : undefined
