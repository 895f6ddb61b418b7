/** Reads recorded traffic (HAR 1.2). Only names and types of fields are kept: no value, no header, no address. */
import * as Result from "effect/Result"
import { singular } from "../match/words.ts"
import {
  type ApiDocument,
  type ApiOperation,
  type Field,
  fieldsOfExample,
  type Json,
  listOf,
  objectAt,
  textOf
} from "./model.ts"

export const isHar = (value: Json): boolean => Array.isArray(objectAt(value, "log")["entries"])

const isVersion = /^v\d{1,4}$/
const digit = /\d/

/** Whether a segment is an identifier: it has a digit, and is not a version such as `v2`. */
const namesOne = (segment: string): boolean => digit.test(segment) && !isVersion.test(segment)

/** A path with a parameter in place of each identifier: `/wallets/17` becomes `/wallets/:walletId`. */
const templateOf = (pathname: string): string => {
  const segments = pathname.split("/").filter((segment) => segment !== "")
  return `/${segments
    .map((segment, index) => (namesOne(segment) ? `:${singular(segments[index - 1] ?? "")}Id` : segment))
    .join("/")}`
}

const json = (text: string): unknown => Result.getOrUndefined(Result.try((): unknown => JSON.parse(text)))

/** Fields that are in any of several examples. */
const union = (all: ReadonlyArray<ReadonlyArray<Field>>): ReadonlyArray<Field> => [
  ...new Map(all.flat().map((field) => [field.path, field])).values()
]

interface Exchange {
  readonly method: string
  readonly path: string
  readonly query: ReadonlyArray<Field>
  readonly body: ReadonlyArray<Field>
  readonly status: number
  readonly answer: ReadonlyArray<Field>
}

const exchangeOf = (entry: unknown): ReadonlyArray<Exchange> => {
  const request = objectAt(entry, "request")
  const response = objectAt(entry, "response")
  const url = URL.parse(textOf(request["url"]))
  const status = Number(response["status"])
  const isJson = textOf(objectAt(response, "content")["mimeType"]).includes("json")
  if (url === null || !(status >= 200 && status < 300) || (!isJson && status !== 204)) return []
  return [
    {
      method: textOf(request["method"]).toUpperCase(),
      path: templateOf(url.pathname),
      query: [...new Set(url.searchParams.keys())].map((path) => ({ path, type: "string" })),
      body: fieldsOfExample(json(textOf(objectAt(request, "postData")["text"]))),
      status,
      answer: fieldsOfExample(json(textOf(objectAt(response, "content")["text"])))
    }
  ]
}

const operationOf = (exchanges: ReadonlyArray<Exchange>): ApiOperation => {
  const { method, path } = exchanges[0]!
  return {
    name: `${method} ${path}`,
    method,
    path,
    place: `${exchanges.length} ${exchanges.length === 1 ? "exchange" : "exchanges"}`,
    query: union(exchanges.map(({ query }) => query)),
    body: union(exchanges.map(({ body }) => body)),
    success: [...new Set(exchanges.map(({ status }) => status))],
    answer: union(exchanges.map(({ answer }) => answer))
  }
}

export const read = (document: Json): ApiDocument => {
  const exchanges = listOf(objectAt(document, "log")["entries"]).flatMap(exchangeOf)
  const grouped = Map.groupBy(exchanges, ({ method, path }) => `${method} ${path}`)
  return { kind: "HAR", title: "recorded traffic", operations: [...grouped.values()].map(operationOf) }
}
