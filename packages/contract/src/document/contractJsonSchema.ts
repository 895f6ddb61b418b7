/**
 * Makes the JSON Schema of contract files for one API. An editor completes the API's operation and field names from it.
 * Pure.
 */
import * as Schema from "effect/Schema"
import * as ContractFile from "../language/ContractFile.ts"
import { getRecord } from "@effect-custody/core/unstable/Shape"
import { type Api, operationShapes } from "../language/contract.ts"

interface Json {
  readonly [name: string]: any
}

const named = (names: Iterable<string>, schema: Json): Json => ({
  type: "object",
  properties: Object.fromEntries([...names].map((name) => [name, schema])),
  additionalProperties: false
})

export const make = (api: Api): Json => {
  const { definitions, schema } = Schema.toJsonSchemaDocument(ContractFile.File, { onExcessProperty: "error" })
  const { properties, ...file } = schema as Json
  const { defaults, operations } = properties
  const differences: Json = operations.additionalProperties.anyOf[1]
  const origin: Json = differences["properties"].response.additionalProperties
  const place = { $ref: "#/$defs/Place" }
  const shapes = [...operationShapes(api)].map(([name, { input, payload }]) => ({
    name,
    inputs: [...input.keys()],
    outputs: [...(getRecord(payload)?.fields.keys() ?? [])]
  }))
  const fieldProperties = (inputs: Iterable<string>, outputs: Iterable<string>) => ({
    fields: named(inputs, place),
    response: named(outputs, origin)
  })
  const parts = Object.keys(differences["properties"]).map((part) => [
    part,
    { $ref: `#/$defs/Differences/properties/${part}` }
  ])
  const entries = shapes.map(({ inputs, name, outputs }) => {
    const own = { ...Object.fromEntries(parts), ...fieldProperties(inputs, outputs) }
    return [name, { anyOf: [{ const: true }, { type: "object", properties: own, additionalProperties: false }] }]
  })
  const all = fieldProperties(
    new Set(shapes.flatMap(({ inputs }) => inputs)),
    new Set(shapes.flatMap(({ outputs }) => outputs))
  )
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "A contract: what a custody service's wire is like",
    ...file,
    properties: {
      ...properties,
      defaults: { ...defaults, properties: { ...defaults.properties, ...all } },
      operations: { $ref: "#/$defs/Operations" },
      proposed: { $ref: "#/$defs/Operations" }
    },
    $defs: {
      ...definitions,
      Place: differences["properties"].fields.additionalProperties,
      Differences: differences,
      Operations: { type: "object", properties: Object.fromEntries(entries), additionalProperties: false }
    }
  }
}
