/**
 * Checks the request and the answer of every exchange against an OpenAPI document with ajv. It knows only the document.
 */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import { bytesOf } from "./front.ts"

type Json = Readonly<Record<string, any>>

interface Operation {
  readonly pointer: string
  readonly operation: Json
}

const escaped = (segment: string): string => segment.replaceAll("~", "~0").replaceAll("/", "~1")

/** Whether a path is one of a template; how many of its segments are fixed. */
const fixedIn = (template: string, path: string): number | undefined => {
  const [wanted, given] = [template.split("/"), path.split("/")]
  if (wanted.length !== given.length) return undefined
  const fixed = wanted.filter((segment, at) => segment === given[at]).length
  return wanted.every((segment, at) => segment === given[at] || (segment.startsWith("{") && given[at] !== ""))
    ? fixed
    : undefined
}

/** Converts a text of a query or a form to the type of its schema. */
const coerced = (text: string, schema: Json): unknown =>
  ["integer", "number"].includes(schema["type"]) && text.trim() !== "" ? Number(text) : text

const typeOf = (header: string | undefined): string => (header ?? "").split(";")[0]!.trim()

/** The objections to the exchanges so far, and the seen operations. */
export const makeJudge = (document: Json) => {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true })
  ajv.addFormat("date-time", (text: string) => !Number.isNaN(Date.parse(text)) && text.includes("T"))
  ajv.addFormat("decimal", true)
  ajv.addFormat("binary", true)
  ajv.addSchema(document, "document")
  const compiled = new Map<string, ValidateFunction>()
  const objections: Array<string> = []
  const seen = new Set<string>()

  const check = (what: string, pointer: string, value: unknown): void => {
    const validate = compiled.get(pointer) ?? ajv.compile({ $ref: `document#${encodeURI(pointer)}` })
    compiled.set(pointer, validate)
    if (!validate(value)) objections.push(`${what}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(value)}`)
  }

  const find = (method: string, path: string): Operation | undefined => {
    const [found] = Object.entries<Json>(document["paths"])
      .flatMap(([template, methods]) => {
        const fixed = fixedIn(template, path)
        const operation: Json | undefined = methods[method.toLowerCase()]
        const pointer = `/paths/${escaped(template)}/${method.toLowerCase()}`
        return fixed === undefined || operation === undefined ? [] : [{ fixed, pointer, operation }]
      })
      .toSorted((a, b) => b.fixed - a.fixed)
    return found
  }

  const checkHeaders = (what: string, { operation }: Operation, headers: Json): void => {
    for (const { in: place, name, required, schema } of operation["parameters"] as ReadonlyArray<Json>) {
      if (place !== "header") continue
      const value: string | undefined = headers[name.toLowerCase()]
      if (value === undefined && required) objections.push(`${what}: without the header ${name}`)
      if (value !== undefined && schema.enum?.includes(value) === false) objections.push(`${what}: ${name} is ${value}`)
    }
  }

  const checkQuery = (what: string, { operation, pointer }: Operation, query: URLSearchParams): void => {
    const parameters: ReadonlyArray<Json> = operation["parameters"]
    const named = new Set(parameters.filter((each) => each["in"] === "query").map(({ name }) => name))
    for (const name of query.keys()) if (!named.has(name)) objections.push(`${what}: no query parameter ${name}`)
    for (const [index, { in: place, name, required, schema }] of parameters.entries()) {
      if (place !== "query") continue
      const values = query.getAll(name)
      if (values.length === 0 && required) objections.push(`${what}: without the query parameter ${name}`)
      if (values.length === 0) continue
      const value = schema.type === "array" ? values : coerced(values[0]!, schema)
      check(`${what}, ${name}`, `${pointer}/parameters/${index}/schema`, value)
    }
  }

  const checkRequest = async (
    what: string,
    { operation, pointer }: Operation,
    type: string | undefined,
    body: Buffer
  ): Promise<void> => {
    const said: Json | undefined = operation["requestBody"]
    if (said === undefined) {
      if (body.length > 0) objections.push(`${what}: has a body`)
      return
    }
    const media: Json | undefined = said["content"][typeOf(type)]
    if (media === undefined) return void objections.push(`${what}: no request of type ${type}`)
    const at = `${pointer}/requestBody/content/${escaped(typeOf(type))}/schema`
    if (typeOf(type) !== "multipart/form-data") return check(what, at, JSON.parse(body.toString()))
    const form = await new Response(new Uint8Array(body), { headers: { "content-type": type! } }).formData()
    const { properties } = media["schema"]
    check(
      what,
      at,
      Object.fromEntries(
        [...form].map(([name, value]) => [
          name,
          typeof value === "string" ? coerced(value, properties[name] ?? {}) : ""
        ])
      )
    )
  }

  const checkAnswer = (
    what: string,
    { operation, pointer }: Operation,
    status: number,
    type: string | undefined,
    text: string
  ): void => {
    const said: Json | undefined = operation["responses"][status]
    if (said === undefined) return void objections.push(`${what}: no answer of ${status}`)
    if (said["content"] === undefined) {
      if (text !== "") objections.push(`${what}: ${status} has a body`)
      return
    }
    if (said["content"][typeOf(type)] === undefined) {
      return void objections.push(`${what}: ${status} with the type ${type}`)
    }
    const at = `${pointer}/responses/${status}/content/${escaped(typeOf(type))}/schema`
    check(`${what}, ${status}`, at, JSON.parse(text))
  }

  /** Makes a client that judges the exchanges with a service at this base path. */
  const between =
    (base: string) =>
    (inner: HttpClient.HttpClient): HttpClient.HttpClient =>
      HttpClient.make((request, url) =>
        Effect.gen(function* () {
          const path = url.pathname.slice(base.length)
          const what = `${request.method} ${path}`
          const operation = find(request.method, path)
          if (operation === undefined) objections.push(`${what}: is not in the document`)
          else {
            seen.add(operation.operation["operationId"])
            const type = request.body._tag === "Empty" ? undefined : request.body.contentType
            checkHeaders(what, operation, request.headers)
            checkQuery(what, operation, url.searchParams)
            const body = yield* bytesOf(request)
            yield* Effect.promise(() => checkRequest(what, operation, type, body))
          }
          const answer = yield* inner.execute(request)
          const text = yield* answer.text
          if (operation !== undefined) {
            checkAnswer(what, operation, answer.status, answer.headers["content-type"], text)
          }
          const { headers, status } = answer
          return HttpClientResponse.fromWeb(request, new Response(text === "" ? null : text, { status, headers }))
        })
      )

  return { between, objections, seen }
}
