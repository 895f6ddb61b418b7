/** Two operations at the same method and path, merged into one: OpenAPI has no other way to describe them. Pure. */
import type { Json } from "./documentSchema.ts"

/** Two parts of the document with a schema in them: what fits one of the two fits. */
const either = (a: Json | undefined, b: Json | undefined): Json => {
  if (a === undefined || b === undefined || JSON.stringify(a) === JSON.stringify(b)) return a ?? b ?? {}
  if (a["schema"] !== undefined) return { ...a, ...b, schema: { anyOf: [a["schema"], b["schema"]] } }
  return { ...a, ...b, ...(a["content"] === undefined ? {} : { content: union(a["content"], b["content"] ?? {}) }) }
}

const union = (a: Json, b: Json): Json =>
  Object.fromEntries(Object.keys({ ...a, ...b }).map((key) => [key, either(a[key], b[key])]))

const byName = (parameters: ReadonlyArray<Json>): Json =>
  Object.fromEntries(parameters.map((each) => [`${each["in"]} ${each["name"]}`, each]))

export const merged = (a: Json, b: Json): Json => {
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
