/** Reads a Postman collection (format 2.1). Keeps only the names and types of the fields of example answers. */
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

/** Reads the fields of a JSON text that may have `{{variables}}` in place of values. */
const exampleFields = (text: unknown): ReadonlyArray<Field> => {
  const parse = (json: string) => Result.try((): unknown => JSON.parse(json))
  const plain = parse(textOf(text))
  const quoted = Result.isSuccess(plain) ? plain : parse(textOf(text).replaceAll("{{", `"`).replaceAll("}}", `"`))
  return fieldsOfExample(Result.getOrUndefined(quoted))
}

const readSegments = (url: unknown): ReadonlyArray<string> => {
  const path = listOf(objectAt(url)["path"]).map(textOf)
  if (path.length > 0) return path
  const raw = isObject(url) ? textOf(url["raw"]) : textOf(url)
  return raw
    .replace(/\?.*/s, "")
    .replace(/^[^/]*:\/\//, "")
    .split("/")
    .slice(1)
    .filter((segment) => segment !== "")
}

const readPath = (url: unknown): string =>
  `/${readSegments(url)
    .map((segment) => (segment.startsWith("{{") ? `:${segment.replaceAll(/[{}]/g, "")}` : segment))
    .join("/")}`

const named = (fields: unknown): ReadonlyArray<Field> =>
  listOf(fields)
    .map((field) => textOf(objectAt(field)["key"]))
    .filter((name) => name !== "")
    .map((path) => ({ path, type: "string" }))

/** Reads the fields of a request body. The fields of a form are under the key that `mode` names: `urlencoded`. */
const readBody = (body: Json): ReadonlyArray<Field> =>
  body["mode"] === "raw" ? exampleFields(body["raw"]) : named(body[textOf(body["mode"])])

const readOperation = (folders: ReadonlyArray<string>, item: Json): ApiOperation => {
  const request = objectAt(item, "request")
  const name = textOf(item["name"])
  const successes = listOf(item["response"])
    .map((answer) => objectAt(answer))
    .filter(({ code }) => typeof code === "number" && code >= 200 && code < 300)
  return {
    name,
    method: textOf(request["method"]).toUpperCase(),
    path: readPath(request["url"]),
    place: [...folders, name].join(" → "),
    query: named(objectAt(request["url"])["query"]),
    body: readBody(objectAt(request, "body")),
    success: [...new Set(successes.map(({ code }) => Number(code)))],
    answer: exampleFields(successes[0]?.["body"])
  }
}

const readOperations = (folders: ReadonlyArray<string>, items: unknown): ReadonlyArray<ApiOperation> =>
  listOf(items).flatMap((value) => {
    const item = objectAt(value)
    if ("request" in item) return [readOperation(folders, item)]
    return folders.length > 16 ? [] : readOperations([...folders, textOf(item["name"])], item["item"])
  })

export const read = (document: Json): ApiDocument => ({
  kind: "Postman collection",
  title: textOf(objectAt(document, "info")["name"]),
  authentication: [],
  serverPaths: [],
  operations: readOperations([], document["item"])
})
