/** An operation of an OpenAPI document under a contract: describes a {@link Plan} for other tools. Pure. */
import type { Defaults, Differences, Paging } from "../../ContractFile.ts"
import * as Errors from "./documentErrors.ts"
import { type Json, ofInput, ofPayload, placed } from "./documentSchema.ts"
import type { Plan } from "./plan.ts"
import * as WithDefaults from "./withDefaults.ts"

/** What is known about an operation under a contract. */
export interface Context {
  readonly plan: Plan
  readonly said: Differences
  readonly defaults: Defaults
  readonly isConfirmed: boolean
  /** Whether request and answer are defined in code, which cannot be described. */
  readonly isCode: boolean
  /** The schemas of the assumed error bodies. */
  readonly components: Json
}

/** A field of the input, as it is assumed. */
interface Input {
  readonly schema: Json
  readonly isRequired: boolean
}

const bodySchema = (operation: Json): Json =>
  Object.values<Json>(operation["requestBody"]?.content ?? {})[0]?.["schema"] ?? {}

const inputsOf = (operation: Json): ReadonlyMap<string, Input> => {
  const { properties = {}, required = [] } = bodySchema(operation)
  return new Map([
    ...operation["parameters"].map(({ name, required: isRequired, schema }: Json) => [name, { schema, isRequired }]),
    ...Object.entries(properties).map(([name, schema]) => [name, { schema, isRequired: required.includes(name) }])
  ])
}

const count = { type: "integer", minimum: 0 }
const text = { type: "string" }

/** The schemas of the two query parameters of paging: the one that selects a page, and the size. */
const pageSchemas = ({ style, ...paging }: Paging): readonly [page: Json, size: Json] => {
  const size = { type: "integer", minimum: 1 }
  switch (style) {
    case "none":
    case "page":
      return [{ type: "integer", minimum: ("first" in paging ? paging.first : undefined) ?? 1 }, size]
    case "offset":
      return [count, size]
    case "cursor":
    case "link":
      return [text, size]
  }
}

const parameter = (place: string, name: string, schema: Json, isRequired: boolean): Json => ({
  name,
  in: place,
  schema,
  required: isRequired
})

const pagingOf = ({ plan: { paging }, said, defaults }: Context): ReadonlyArray<Json> => {
  const how = said.paging ?? defaults.paging
  if (paging === undefined || how === undefined) return []
  const schemas = pageSchemas(how)
  return paging.names.map((name, index) => parameter("query", name, schemas[index]!, false))
}

/** The parameters and the body of a request. */
interface Request {
  readonly parameters: ReadonlyArray<Json>
  readonly body: Json
}

const requestOf = (operation: Json, context: Context): Request => {
  const { defaults, plan, said } = context
  const { additionalProperties } = bodySchema(operation)
  const container: Json = additionalProperties === undefined ? {} : { additionalProperties }
  const inputs = inputsOf(operation)
  let body: Json = { type: "object", ...container }
  const parameters: Array<Json> = []
  const put = (target: WithDefaults.Target, schema: Json, isRequired: boolean): void => {
    if (target.in === "body") body = placed(body, target.path, schema, isRequired, container)
    else parameters.push(parameter(target.in, target.name, schema, isRequired || target.in === "path"))
  }
  for (const { name, target } of plan.fields.values()) {
    const input = inputs.get(name)
    if (input === undefined || (plan.paging !== undefined && (name === "page" || name === "limit"))) continue
    const place = WithDefaults.placeOf(name, said, defaults)
    const { shape } = plan.shape.input.get(name)!
    put(target, ofInput(input.schema, shape, typeof place === "string" ? {} : place, defaults), input.isRequired)
  }
  for (const { target, value } of plan.constants) {
    put(target, { enum: [target.in === "body" ? value : String(value)] }, true)
  }
  return { parameters: [...parameters, ...pagingOf(context)], body }
}

/** What is known about a request that is made by code. */
const codeRequest = ({ plan }: Context): Request => ({
  parameters: WithDefaults.parametersOf(plan.route.path).map((name) => parameter("path", name, text, true)),
  body: {}
})

const nullable = (schema: Json): Json => ({ anyOf: [schema, { type: "null" }] })

/** The schema of the body of a success. */
const successSchema = (envelope: Json, { defaults, plan, said }: Context): Json => {
  const { data, message, meta, status } = envelope["properties"]
  const payload = ofPayload(data, plan.shape.payload, plan.record, defaults)
  if (plan.payloadAt === undefined) return payload
  const { paging, payloadAt } = plan
  const isEnvelope = payloadAt.length === 1 && payloadAt[0] === "data"
  let body: Json = placed(
    isEnvelope ? { type: "object", properties: { message, status } } : {},
    payloadAt,
    payload,
    true
  )
  if (plan.sign !== undefined) body = placed(body, plan.sign.at, { enum: plan.sign.success }, true)
  if (plan.shape.payload._tag !== "List") return body
  const isSaid = (said.meta ?? defaults.meta) !== undefined
  for (const [name, path] of meta === undefined ? [] : plan.meta.paths) {
    const schema: Json = meta.properties[name]
    body = placed(body, path, isSaid ? nullable(schema) : schema, false)
  }
  const how = said.paging ?? defaults.paging
  if (paging !== undefined && how !== undefined && "next" in how) {
    const next = how.style === "cursor" ? { type: ["string", "integer", "null"] } : { type: ["string", "null"] }
    body = placed(body, how.next.split("."), next, false)
  }
  return body
}

const isSuccess = (status: string): boolean => status.startsWith("2")

const hasNoBody = (status: string): boolean => status === "204" || status === "205"

const successesOf = (
  responses: Json,
  context: Context,
  contentType: string
): ReadonlyArray<readonly [string, Json]> => {
  const [assumed] = Object.entries<Json>(responses).filter(([status]) => isSuccess(status))
  if (assumed === undefined) return []
  const [assumedStatus, answer] = assumed
  const { content, ...about } = answer
  const envelope = Object.values<Json>(content ?? {})[0]?.["schema"]
  const schema = context.isCode || envelope === undefined ? {} : successSchema(envelope, context)
  const statuses = [...(context.plan.success ?? [assumedStatus])].map(String)
  return statuses.map((status) => [
    status,
    hasNoBody(status) ? about : { ...about, content: { [contentType]: { schema } } }
  ])
}

const responsesOf = (operation: Json, context: Context, contentType: string): Json => {
  const { components, plan, said } = context
  const responses: Json = operation["responses"]
  const own = said.errors === undefined ? undefined : WithDefaults.errorsOf(said, context.defaults)
  const written: Errors.Written = { wire: plan.errors, contentType, own, components }
  const failures = Object.entries<Json>(responses)
    .filter(([status]) => !isSuccess(status))
    .map(([status, answer]) => [status, Errors.answer(answer, written)] as const)
  const doubtful = [...plan.doubtful]
    .filter((status) => !Object.hasOwn(responses, String(status)))
    .map((status) => [String(status), { description: "The service may or may not have acted." }] as const)
  return Object.fromEntries([...successesOf(responses, context, contentType), ...failures, ...doubtful])
}

const confirmed = (assumed: Json, { isCode, said: { note } }: Context): string =>
  [
    "Its wire follows the contract.",
    ...(isCode ? ["Request and answer are defined in code and not shown."] : []),
    ...(note === undefined ? [] : [note.endsWith(".") ? note : `${note}.`]),
    `Specification: ${assumed["x-specification"]}.`
  ].join(" ")

const multipart = "multipart/form-data"

/** An operation under the contract. */
export const operation = (assumed: Json, context: Context): Json => {
  const { isCode, plan } = context
  const { requestBody, ...rest } = assumed
  const contentType = plan.contentType ?? "application/json"
  const { body, parameters } = isCode ? codeRequest(context) : requestOf(assumed, context)
  const hasBody = isCode ? plan.route.method !== "GET" : plan.body !== "None"
  const type = plan.shape.body === "Multipart" ? multipart : contentType
  const isRequired = requestBody?.required === true || (body["required"] ?? []).length > 0
  return {
    ...rest,
    description: context.isConfirmed ? confirmed(assumed, context) : assumed["description"],
    parameters,
    ...(hasBody ? { requestBody: { content: { [type]: { schema: body } }, required: isRequired } } : {}),
    responses: responsesOf(assumed, context, contentType)
  }
}

const unique = (values: ReadonlyArray<Json>): ReadonlyArray<Json> => [
  ...new Map(values.map((value) => [JSON.stringify(value), value])).values()
]

const either = (a: Json, b: Json): Json => {
  const all = unique([a, b])
  return all.length === 1 ? a : { anyOf: all }
}

const union = (a: Json, b: Json, both: (a: Json, b: Json) => Json): Json =>
  Object.fromEntries(
    [...new Set([...Object.keys(a), ...Object.keys(b)])].map((key) => [
      key,
      a[key] === undefined ? b[key] : b[key] === undefined ? a[key] : both(a[key], b[key])
    ])
  )

const eitherMedia = (a: Json, b: Json): Json => ({
  ...a,
  schema: either(a["schema"], b["schema"]),
  ...(a["examples"] === undefined && b["examples"] === undefined
    ? {}
    : { examples: { ...a["examples"], ...b["examples"] } })
})

const eitherContent = (a: Json, b: Json): Json =>
  a["content"] === undefined || b["content"] === undefined
    ? { ...a, ...b }
    : { ...a, content: union(a["content"], b["content"], eitherMedia) }

/** Two operations at the same method and path, merged into one: OpenAPI has no other way to describe them. */
export const merged = (a: Json, b: Json): Json => {
  const named = (parameters: ReadonlyArray<Json>): Json =>
    Object.fromEntries(
      parameters.filter((each) => each["in"] !== "path").map((each) => [`${each["in"]} ${each["name"]}`, each])
    )
  const [ofA, ofB] = [named(a["parameters"]), named(b["parameters"])]
  const inPath = a["parameters"].filter((each: Json) => each["in"] === "path")
  const inBoth = (key: string): boolean => ofA[key]?.required === true && ofB[key]?.required === true
  const parameters = union(ofA, ofB, (x, y) => ({ ...x, schema: either(x["schema"], y["schema"]) }))
  const bodies = [a["requestBody"], b["requestBody"]].filter((body) => body !== undefined)
  return {
    ...a,
    tags: [...new Set([...a["tags"], ...b["tags"]])],
    operationId: `${a["operationId"]}+${b["operationId"]}`,
    summary: [a["summary"], b["summary"]].join(", or: "),
    description: [...new Set([a["description"], b["description"]])].join(" "),
    parameters: [
      ...inPath,
      ...Object.entries<Json>(parameters).map(([key, each]) => ({ ...each, required: inBoth(key) }))
    ],
    ...(bodies.length === 0
      ? {}
      : {
          requestBody: {
            ...bodies.reduce(eitherContent),
            required: bodies.length === 2 && bodies.every(({ required }) => required === true)
          }
        }),
    responses: union(a["responses"], b["responses"], eitherContent)
  }
}
