/** Reads recorded traffic (HAR 1.2). Only names and types of fields are kept: no value, no header, no address. */
import * as Result from "effect/Result"
import { singular } from "../match/operations.ts"
import {
  type ApiDocument,
  type ApiOperation,
  type Field,
  fieldsOfExample,
  type Json,
  listOf,
  objectAt,
  routeOf,
  textOf
} from "./model.ts"

export const isHar = (value: Json): boolean => Array.isArray(objectAt(value, "log")["entries"])

/** Whether a segment is an identifier: it has a digit, and is not a version such as `v2`. */
const namesOne = (segment: string): boolean => /\d/.test(segment) && !/^v\d{1,4}$/.test(segment)

/** A path with a parameter in place of each identifier: `/wallets/17` becomes `/wallets/:walletId`. */
const templateOf = (pathname: string): string => {
  const segments = pathname.split("/").filter((segment) => segment !== "")
  return `/${segments
    .map((segment, index) => (namesOne(segment) ? `:${singular(segments[index - 1] ?? "")}Id` : segment))
    .join("/")}`
}

const examplesIn = (text: unknown): ReadonlyArray<Field> =>
  fieldsOfExample(Result.getOrUndefined(Result.try((): unknown => JSON.parse(textOf(text)))))

/** One exchange as an operation. A refusal says nothing about the operation. */
const exchangeOf = (entry: unknown): ReadonlyArray<ApiOperation> => {
  const request = objectAt(entry, "request")
  const response = objectAt(entry, "response")
  const url = URL.parse(textOf(request["url"]))
  const status = Number(response["status"])
  const isJson = textOf(objectAt(response, "content")["mimeType"]).includes("json")
  if (url === null || !(status >= 200 && status < 300) || (!isJson && status !== 204)) return []
  const operation = { method: textOf(request["method"]).toUpperCase(), path: templateOf(url.pathname) }
  return [
    {
      ...operation,
      name: `${operation.method} ${operation.path}`,
      place: "",
      query: [...new Set(url.searchParams.keys())].map((path) => ({ path, type: "string" })),
      body: examplesIn(objectAt(request, "postData")["text"]),
      success: [status],
      answer: examplesIn(objectAt(response, "content")["text"])
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
  const exchanges = listOf(objectAt(document, "log")["entries"]).flatMap(exchangeOf)
  return {
    kind: "HAR",
    title: "recorded traffic",
    authentication: [],
    operations: [...Map.groupBy(exchanges, routeOf).values()].map(merged)
  }
}
