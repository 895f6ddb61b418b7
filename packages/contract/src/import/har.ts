/** Reads recorded traffic (HAR 1.2). Keeps only the names and types of fields, and no values, headers or addresses. */
import * as Result from "effect/Result"
import {
  type ApiDocument,
  type ApiOperation,
  type Field,
  fieldsOfExample,
  type Json,
  listOf,
  objectAt,
  formatRoute,
  textOf
} from "./model.ts"
import { singular } from "./OperationMatch.ts"

export const isHar = (value: Json): boolean => Array.isArray(objectAt(value, "log")["entries"])

/** `true` for a segment that contains a digit, except a version such as `v2`. */
const isIdentifier = (segment: string): boolean => /\d/.test(segment) && !/^v\d{1,4}$/.test(segment)

/** A path with a parameter in place of each identifier: `/wallets/17` becomes `/wallets/:walletId`. */
const parametrized = (pathname: string): string => {
  const segments = pathname.split("/").filter((segment) => segment !== "")
  return `/${segments
    .map((segment, index) => (isIdentifier(segment) ? `:${singular(segments[index - 1] ?? "")}Id` : segment))
    .join("/")}`
}

const exampleFields = (text: unknown): ReadonlyArray<Field> =>
  fieldsOfExample(Result.getOrUndefined(Result.try((): unknown => JSON.parse(textOf(text)))))

/**
 * Reads the operation from an exchange. Skips an exchange that the service refused, because its answer does not
 * describe the operation.
 */
const readExchange = (entry: unknown): ReadonlyArray<ApiOperation> => {
  const request = objectAt(entry, "request")
  const response = objectAt(entry, "response")
  const url = URL.parse(textOf(request["url"]))
  const status = Number(response["status"])
  const isJson = textOf(objectAt(response, "content")["mimeType"]).includes("json")
  if (url === null || !(status >= 200 && status < 300) || (!isJson && status !== 204)) return []
  const operation = { method: textOf(request["method"]).toUpperCase(), path: parametrized(url.pathname) }
  return [
    {
      ...operation,
      name: `${operation.method} ${operation.path}`,
      place: "",
      query: [...new Set(url.searchParams.keys())].map((path) => ({ path, type: "string" })),
      body: exampleFields(objectAt(request, "postData")["text"]),
      success: [status],
      answer: exampleFields(objectAt(response, "content")["text"])
    }
  ]
}

const union = (all: ReadonlyArray<ReadonlyArray<Field>>): ReadonlyArray<Field> => [
  ...new Map(all.flat().map((field) => [field.path, field])).values()
]

const merged = (exchanges: ReadonlyArray<ApiOperation>): ApiOperation => ({
  ...exchanges[0]!,
  place: `${exchanges.length} ${exchanges.length === 1 ? "exchange" : "exchanges"}`,
  query: union(exchanges.map(({ query }) => query)),
  body: union(exchanges.map(({ body }) => body)),
  success: [...new Set(exchanges.flatMap(({ success }) => success))],
  answer: union(exchanges.map(({ answer }) => answer))
})

export const read = (document: Json): ApiDocument => {
  const exchanges = listOf(objectAt(document, "log")["entries"]).flatMap(readExchange)
  return {
    kind: "HAR",
    title: "recorded traffic",
    authentication: [],
    operations: [...Map.groupBy(exchanges, formatRoute).values()].map(merged)
  }
}
