/** The API reference: the OpenAPI document as a page. */
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as OpenApi from "effect/http-api/OpenApi"
import * as Document from "./document.ts"
import { reference as style } from "./style.ts"

/** The part of JSON Schema that the contracts use. */
interface Shape {
  readonly $ref?: string
  readonly type?: string | ReadonlyArray<string>
  readonly format?: string
  readonly description?: string
  readonly enum?: ReadonlyArray<unknown>
  readonly properties?: Readonly<Record<string, Shape>>
  readonly required?: ReadonlyArray<string>
  readonly items?: Shape
  readonly anyOf?: ReadonlyArray<Shape>
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: Shape }>>
  readonly description?: string
}

interface Operation {
  readonly operationId: string
  readonly description?: string
  readonly tags: ReadonlyArray<string>
  readonly parameters: ReadonlyArray<{
    readonly name: string
    readonly in: string
    readonly required?: boolean
    readonly schema: Shape
  }>
  readonly requestBody?: Content
  readonly responses: Readonly<Record<string, Content>>
  readonly security?: ReadonlyArray<unknown>
  readonly "x-provenance"?: string
}

const { escaped } = Document

const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf("/") + 1)

/** A short name for a type. Its fields are listed below it. */
const typeName = ({ $ref, anyOf, enum: values, format, items, type }: Shape): string => {
  if ($ref !== undefined) return `<a href="#${escaped(nameOf($ref))}">${escaped(nameOf($ref))}</a>`
  if (values !== undefined) return values.map((value) => `<code>${escaped(JSON.stringify(value))}</code>`).join(" | ")
  if (anyOf !== undefined) return [...new Set(anyOf.map(typeName))].join(" | ")
  if (items !== undefined) return `list of ${typeName(items)}`
  return escaped(format ?? [type ?? "anything"].flat().join(" | "))
}

/** The fields of an object, a list's items or a union's members. */
const fieldsOf = (shape: Shape): string => {
  if (shape.items !== undefined) return fieldsOf(shape.items)
  if (shape.anyOf !== undefined) return shape.anyOf.map(fieldsOf).join("")
  const rows = Object.entries(shape.properties ?? {}).map(
    ([name, field]) =>
      `<li><code>${escaped(name)}</code>${shape.required?.includes(name) === true ? "" : `<span class="soft">?</span>`} ` +
      `<span class="type">${typeName(field)}</span>` +
      `${field.description === undefined ? "" : ` <span class="soft">${escaped(field.description)}</span>`}${fieldsOf(field)}</li>`
  )
  return rows.length === 0 ? "" : `<ul>${rows.join("")}</ul>`
}

const contentOf = ({ content = {} }: Content): string =>
  Object.entries(content)
    .map(
      ([type, { schema }]) =>
        `<p><span class="soft">${escaped(type)}</span> ${schema.properties === undefined ? typeName(schema) : ""}</p>${fieldsOf(schema)}`
    )
    .join("")

const parametersOf = ({ parameters }: Operation): string =>
  parameters.length === 0
    ? ""
    : `<h4>Parameters</h4><ul>${parameters
        .map(
          ({ in: place, name, required, schema }) =>
            `<li><code>${escaped(name)}</code>${required === true ? "" : `<span class="soft">?</span>`} ` +
            `<span class="type">${typeName(schema)}</span> <span class="soft">in the ${escaped(place)}. ` +
            `${escaped(schema.description ?? "")}</span></li>`
        )
        .join("")}</ul>`

const responsesOf = ({ responses }: Operation): string => {
  const entries = Object.entries(responses)
  const [successes, errors] = [
    entries.filter(([status]) => status.startsWith("2")),
    entries.filter(([status]) => !status.startsWith("2"))
  ]
  return (
    successes.map(([status, response]) => `<h4 class="good">${status}</h4>${contentOf(response)}`).join("") +
    `<h4>Errors</h4><ul>${errors
      .map(
        ([status, { content = {}, description = "" }]) =>
          `<li><code class="warn">${status}</code> ${escaped(description)} <span class="soft">` +
          `${Object.values(content)
            .map(({ schema }) => typeName(schema))
            .join(" | ")}</span></li>`
      )
      .join("")}</ul>`
  )
}

const articleOf = (method: string, path: string, operation: Operation): string => {
  const { operationId, requestBody } = operation
  const provenance = operation["x-provenance"] ?? ""
  return `<article id="${escaped(operationId)}"><details>
<summary><code class="method ${method}">${method.toUpperCase()}</code> <code>${escaped(path)}</code>
<span class="soft">${escaped(operationId)}</span> <span class="provenance ${escaped(provenance)}">${escaped(provenance)}</span></summary>
<p>${escaped(operation.description ?? "")}${operation.security?.length === 0 ? " Needs no access token." : ""}</p>
${parametersOf(operation)}
${requestBody === undefined ? "" : `<h4>Body</h4>${contentOf(requestBody)}`}
${responsesOf(operation)}
</details></article>`
}

/** Renders the reference, by category. */
export const reference = (
  document: OpenApi.OpenAPISpec & { readonly "x-emulator-codes"?: Readonly<Record<string, string>> },
  documentPath: string
): HttpServerResponse.HttpServerResponse => {
  const codes = Object.entries(document["x-emulator-codes"] ?? {})
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods as unknown as Record<string, Operation>).map(([method, operation]) => ({
      tag: operation.tags[0] ?? "",
      html: articleOf(method, path, operation)
    }))
  )
  const tags = [...new Set(operations.map(({ tag }) => tag))]
  const schemas = Object.entries((document.components.schemas ?? {}) as unknown as Readonly<Record<string, Shape>>)
  return Document.response({
    title: `${document.info.title}: reference`,
    style,
    body: `
<header><h1>${escaped(document.info.title)}</h1><p>${escaped(document.info.description ?? "")}
<a href="${escaped(documentPath)}">openapi.json</a> · <a href="/">the emulator</a></p>
<nav>${tags.map((tag) => `<a href="#${escaped(tag)}">${escaped(tag)}</a>`).join(" ")} <a href="#schemas">errors</a></nav></header>
<main>${tags
      .map(
        (tag) =>
          `<section class="card" id="${escaped(tag)}"><h2>${escaped(tag)}</h2>${operations
            .filter((operation) => operation.tag === tag)
            .map(({ html }) => html)
            .join("")}</section>`
      )
      .join("")}
<section class="card" id="schemas"><h2>errors</h2>${schemas
      .map(([name, schema]) => `<h3 id="${escaped(name)}">${escaped(name)}</h3>${fieldsOf(schema)}`)
      .join("")}${
      codes.length === 0
        ? ""
        : `<h3>The emulator's own codes</h3><ul>${codes
            .map(([code, meaning]) => `<li><code class="warn">${escaped(code)}</code> ${escaped(meaning)}</li>`)
            .join("")}</ul>`
    }</section></main>`
  })
}
