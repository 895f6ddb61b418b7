/** Reads a Postman collection, format 2.1. Of example answers only the names and types of fields are kept. */
import * as Result from "effect/Result"
import {
  type ApiDocument,
  type ApiOperation,
  type Field,
  fieldsOfExample,
  isObject,
  type Json,
  listOf,
  objectAt,
  textOf
} from "./model.ts"

export const isPostman = (value: Json): boolean => textOf(objectAt(value, "info")["schema"]).includes("/collection/v2")

/** Parses JSON in which `{{variables}}` may stand for values. */
const jsonOf = (text: string): unknown => {
  const parse = (json: string) => Result.try((): unknown => JSON.parse(json))
  const plain = parse(text)
  return Result.getOrUndefined(
    Result.isSuccess(plain) ? plain : parse(text.replaceAll("{{", `"`).replaceAll("}}", `"`))
  )
}

/** `:id` and `{{id}}` are parameters; everything before the first real segment is the base address. */
const pathOf = (segments: ReadonlyArray<string>): string =>
  `/${segments
    .map((segment) => (segment.startsWith("{{") ? `:${segment.replaceAll("{", "").replaceAll("}", "")}` : segment))
    .join("/")}`

const segmentsOf = (url: unknown): ReadonlyArray<string> => {
  const path = listOf(objectAt(url)["path"]).map(textOf)
  if (path.length > 0) return path
  const raw = isObject(url) ? textOf(url["raw"]) : textOf(url)
  const [beforeQuery = ""] = raw.split("?")
  const withoutOrigin = beforeQuery.includes("://") ? beforeQuery.split("/").slice(3) : beforeQuery.split("/").slice(1)
  return withoutOrigin.filter((segment) => segment !== "")
}

const named = (fields: unknown): ReadonlyArray<Field> =>
  listOf(fields)
    .map((field) => textOf(objectAt(field)["key"]))
    .filter((name) => name !== "")
    .map((path) => ({ path, type: "string" }))

const bodyOf = (body: Json): Pick<ApiOperation, "body" | "contentType"> => {
  switch (body["mode"]) {
    case "raw":
      return { body: fieldsOfExample(jsonOf(textOf(body["raw"]))), contentType: "application/json" }
    case "formdata":
      return { body: named(body["formdata"]), contentType: "multipart/form-data" }
    case "urlencoded":
      return { body: named(body["urlencoded"]), contentType: "application/x-www-form-urlencoded" }
    default:
      return { body: [] }
  }
}

const operationOf = (folders: ReadonlyArray<string>, item: Json): ApiOperation => {
  const request = objectAt(item, "request")
  const examples = listOf(item["response"]).map((answer) => objectAt(answer))
  const successes = examples.filter(({ code }) => typeof code === "number" && code >= 200 && code < 300)
  const name = textOf(item["name"])
  return {
    name,
    method: textOf(request["method"]).toUpperCase(),
    path: pathOf(segmentsOf(request["url"])),
    place: [...folders, name].join(" → "),
    query: named(objectAt(request["url"])["query"]),
    ...bodyOf(objectAt(request, "body")),
    success: [...new Set(successes.map(({ code }) => Number(code)))],
    answer: fieldsOfExample(jsonOf(textOf(successes[0]?.["body"])))
  }
}

const operationsOf = (folders: ReadonlyArray<string>, items: unknown): ReadonlyArray<ApiOperation> =>
  listOf(items).flatMap((value) => {
    const item = objectAt(value)
    if ("request" in item) return [operationOf(folders, item)]
    return folders.length > 16 ? [] : operationsOf([...folders, textOf(item["name"])], item["item"])
  })

export const read = (document: Json): ApiDocument => ({
  kind: "Postman collection",
  title: textOf(objectAt(document, "info")["name"]),
  operations: operationsOf([], document["item"])
})
