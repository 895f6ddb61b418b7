/** Two operations at the same method and path, merged into one: OpenAPI has no other way to describe them. Pure. */
import type { Json } from "./documentSchema.ts"

const either = (a: Json, b: Json): Json =>
  JSON.stringify(a) === JSON.stringify(b) ? a : { anyOf: [...(a["anyOf"] ?? [a]), ...(b["anyOf"] ?? [b])] }

const union = (a: Json, b: Json, both: (a: Json, b: Json) => Json): Json =>
  Object.fromEntries(
    Object.keys({ ...a, ...b }).map((key) => [key, a[key] && b[key] ? both(a[key], b[key]) : (a[key] ?? b[key])])
  )

/** Two bodies: of requests, or of answers. Each keeps its content types and examples. */
const eitherBody = (a: Json = {}, b: Json = {}): Json => ({
  ...a,
  ...b,
  content: union(a["content"] ?? {}, b["content"] ?? {}, (one, other) => ({
    ...one,
    ...other,
    schema: either(one["schema"], other["schema"]),
    ...(one["examples"] === undefined ? {} : { examples: { ...one["examples"], ...other["examples"] } })
  }))
})

const byName = (parameters: ReadonlyArray<Json>): Json =>
  Object.fromEntries(parameters.map((each) => [`${each["in"]} ${each["name"]}`, each]))

export const merged = (a: Json, b: Json): Json => {
  const [ofA, ofB] = [byName(a["parameters"]), byName(b["parameters"])]
  const inPath = a["parameters"].filter((each: Json) => each["in"] === "path")
  const parameters = Object.entries<Json>(
    union(ofA, ofB, (x, y) => ({ ...x, schema: either(x["schema"], y["schema"]) }))
  )
    .filter(([, each]) => each["in"] !== "path")
    .map(([key, each]) => ({ ...each, required: ofA[key]?.required === true && ofB[key]?.required === true }))
  const { requestBody: one } = a
  const { requestBody: other } = b
  return {
    ...a,
    tags: [...new Set([...a["tags"], ...b["tags"]])],
    operationId: `${a["operationId"]}+${b["operationId"]}`,
    summary: [a["summary"], b["summary"]].join(", or: "),
    description: [...new Set([a["description"], b["description"]])].join(" "),
    parameters: [...inPath, ...parameters],
    ...(one === undefined && other === undefined
      ? {}
      : { requestBody: { ...eitherBody(one, other), required: one?.required === true && other?.required === true } }),
    responses: union(a["responses"], b["responses"], (x, y) => (x["content"] && y["content"] ? eitherBody(x, y) : x))
  }
}
