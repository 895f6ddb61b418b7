/** Describes an operation under a contract for an OpenAPI document. Pure. */
import { type Json, inputSchema, payloadSchema, placeSchema } from "./openApiSchema.ts"
import { changesBody } from "../plan/errors.ts"
import { isList, pathParameters, type Plan, type Target } from "../plan/plan.ts"

export interface Context {
  readonly plan: Plan
  readonly isConfirmed: boolean
  /** `true` if code defines the request and the answer, so that OpenAPI cannot describe them. */
  readonly isCode: boolean
}

const jsonType = "application/json"

const contentSchema = ({ content = {} }: Json): Json => Object.values<Json>(content)[0]?.["schema"] ?? {}

const parameter = (place: string, name: string, schema: Json, isRequired: boolean): Json => ({
  name,
  in: place,
  schema,
  required: isRequired
})

const pagingParameters = ({ paging }: Plan): ReadonlyArray<Json> =>
  (paging?.names ?? []).map((name, index) => {
    const page = paging?.nextAt === undefined ? { type: "integer", minimum: 0 } : { type: "string" }
    return parameter("query", name, index === 0 ? page : { type: "integer", minimum: 1 }, false)
  })

interface Request {
  readonly parameters: ReadonlyArray<Json>
  readonly body: Json
}

const describeRequest = (operation: Json, plan: Plan): Request => {
  const { additionalProperties, properties = {}, required = [] } = contentSchema(operation["requestBody"] ?? {})
  const container: Json = additionalProperties === undefined ? {} : { additionalProperties }
  const inputs = new Map<string, Json>([
    ...operation["parameters"].map((each: Json) => [each["name"], each]),
    ...Object.entries(properties).map(([name, schema]) => [name, { schema, required: required.includes(name) }])
  ])
  let body: Json = { type: "object", ...container }
  const parameters: Array<Json> = []
  const put = (target: Target, schema: Json, isRequired: boolean): void => {
    if (target.in === "body") body = placeSchema(body, target.path, schema, isRequired, container)
    else parameters.push(parameter(target.in, target.name, schema, isRequired || target.in === "path"))
  }
  for (const { name, place, shape, target } of plan.fields.values()) {
    const input = inputs.get(name)
    const isPage = plan.paging !== undefined && (name === "page" || name === "limit")
    if (input === undefined || target === undefined || isPage) continue
    put(target, inputSchema(input["schema"], shape, place, plan.defaults), input["required"] === true)
  }
  for (const { path, value } of plan.constants) put({ in: "body", path }, { enum: [value] }, true)
  return { parameters: [...parameters, ...pagingParameters(plan)], body }
}

const describeCodeRequest = ({ route }: Plan): Request => ({
  parameters: pathParameters(route.path).map((name) => parameter("path", name, { type: "string" }, true)),
  body: {}
})

const successSchema = (envelope: Json, plan: Plan): Json => {
  const { data, message, meta, status } = envelope["properties"]
  const { defaults, origins, paging, payloadAt, differences, shape, sign } = plan
  const payload = payloadSchema(data, shape.payload, origins, defaults)
  if (payloadAt.length === 0) return payload
  const around: Json = payloadAt.join(".") === "data" ? { type: "object", properties: { message, status } } : {}
  let body = placeSchema(around, payloadAt, payload, true)
  if (sign !== undefined) body = placeSchema(body, sign.at, { enum: sign.success }, true)
  if (!isList(shape)) return body
  const namesMeta = (differences.meta ?? defaults.meta) !== undefined
  for (const [name, path] of meta === undefined ? [] : plan.meta.paths) {
    const schema: Json = meta.properties[name]
    body = placeSchema(body, path, namesMeta ? { anyOf: [schema, { type: "null" }] } : schema, false)
  }
  const next = paging?.nextAt ?? []
  return next.length === 0 ? body : placeSchema(body, next, { type: ["string", "integer", "null"] }, false)
}

const isSuccess = (status: string): boolean => status.startsWith("2")

const describeSuccesses = (responses: Json, { isCode, plan }: Context): ReadonlyArray<readonly [string, Json]> => {
  const [assumed] = Object.entries<Json>(responses).filter(([status]) => isSuccess(status))
  if (assumed === undefined) return []
  const [assumedStatus, { content, ...about }] = assumed
  const schema = isCode || content === undefined ? {} : successSchema(contentSchema({ content }), plan)
  return [...(plan.success ?? [assumedStatus])]
    .map(String)
    .map((status) => [
      status,
      ["204", "205"].includes(status) ? about : { ...about, content: { [jsonType]: { schema } } }
    ])
}

/** Describes an error answer. Leaves the body open if the contract changes error bodies. */
const describeError = (assumed: Json, { defaults, differences }: Plan): Json =>
  assumed["content"] === undefined || !changesBody({ ...defaults.errors, ...differences.errors })
    ? assumed
    : { ...assumed, content: { [jsonType]: { schema: {} } } }

const describeResponses = (operation: Json, context: Context): Json => {
  const responses: Json = operation["responses"]
  const failures = Object.entries<Json>(responses)
    .filter(([status]) => !isSuccess(status))
    .map(([status, answer]) => [status, describeError(answer, context.plan)] as const)
  const doubtful = [...context.plan.doubtful]
    .filter((status) => !Object.hasOwn(responses, String(status)))
    .map((status) => [String(status), { description: "The service may or may not have acted." }] as const)
  return Object.fromEntries([...describeSuccesses(responses, context), ...failures, ...doubtful])
}

const describeConfirmed = (assumed: Json, { isCode, plan: { differences } }: Context): string =>
  [
    "Its wire follows the contract.",
    ...(isCode ? ["Request and answer are defined in code and not shown."] : []),
    ...(differences.note === undefined
      ? []
      : [differences.note.endsWith(".") ? differences.note : `${differences.note}.`]),
    `Specification: ${assumed["x-specification"]}.`
  ].join(" ")

export const describe = (assumed: Json, context: Context): Json => {
  const { isCode, isConfirmed, plan } = context
  const { requestBody, ...rest } = assumed
  const { body, parameters } = isCode ? describeCodeRequest(plan) : describeRequest(assumed, plan)
  const hasBody = isCode ? plan.route.method !== "GET" : plan.body !== "None"
  const type = plan.shape.body === "Multipart" ? "multipart/form-data" : jsonType
  const isRequired = requestBody?.required === true || (body["required"] ?? []).length > 0
  return {
    ...rest,
    description: isConfirmed ? describeConfirmed(assumed, context) : assumed["description"],
    parameters,
    ...(hasBody ? { requestBody: { content: { [type]: { schema: body } }, required: isRequired } } : {}),
    responses: describeResponses(assumed, context)
  }
}

/** Combines two parts of the document. A value that fits the schema of either part fits the result. */
const either = (a: Json | undefined, b: Json | undefined): Json => {
  if (a === undefined || b === undefined || JSON.stringify(a) === JSON.stringify(b)) return a ?? b ?? {}
  if (a["schema"] !== undefined) return { ...a, ...b, schema: { anyOf: [a["schema"], b["schema"]] } }
  return { ...a, ...b, ...(a["content"] === undefined ? {} : { content: union(a["content"], b["content"] ?? {}) }) }
}

const union = (a: Json, b: Json): Json =>
  Object.fromEntries(Object.keys({ ...a, ...b }).map((key) => [key, either(a[key], b[key])]))

const byName = (parameters: ReadonlyArray<Json>): Json =>
  Object.fromEntries(parameters.map((each) => [`${each["in"]} ${each["name"]}`, each]))

/** Combines two operations with the same method and path, because OpenAPI allows only one operation there. */
export const merge = (a: Json, b: Json): Json => {
  const ofA = byName(a["parameters"])
  const ofB = byName(b["parameters"].filter((each: Json) => each["in"] !== "path"))
  const parameters = Object.entries<Json>(union(ofA, ofB)).map(([key, each]) => ({
    ...each,
    required: each["in"] === "path" || (ofA[key]?.required === true && ofB[key]?.required === true)
  }))
  const bodies = [a["requestBody"], b["requestBody"]]
  return {
    ...a,
    tags: [...new Set([...a["tags"], ...b["tags"]])],
    operationId: `${a["operationId"]}+${b["operationId"]}`,
    summary: [a["summary"], b["summary"]].join(", or: "),
    description: [...new Set([a["description"], b["description"]])].join(" "),
    parameters,
    ...(bodies[0] === undefined && bodies[1] === undefined
      ? {}
      : {
          requestBody: { ...either(bodies[0], bodies[1]), required: bodies.every((body) => body?.required === true) }
        }),
    responses: union(a["responses"], b["responses"])
  }
}
