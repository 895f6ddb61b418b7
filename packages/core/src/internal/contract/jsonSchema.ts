/** The JSON Schema of contract files for one API, for editors: its operations and their fields by name. Pure. */
import * as Schema from "effect/Schema"
import * as ContractFile from "../../ContractFile.ts"
import { type RecordShape, recordOf } from "../shape.ts"
import { type Api, shapesOf } from "./compile.ts"

type Json = Readonly<Record<string, unknown>>

/** The schema of an object, without keys that it does not name. */
const objectOf = (schema: Schema.Top): Json & { readonly properties: Json } => ({
  ...(Schema.toJsonSchemaDocument(schema).schema as Json & { readonly properties: Json }),
  additionalProperties: false
})

const named = (names: Iterable<string>, schema: Json): Json => ({
  type: "object",
  properties: Object.fromEntries([...names].map((name) => [name, schema])),
  additionalProperties: false
})

const place: Json = { $ref: "#/$defs/Place" }
const origin: Json = { $ref: "#/$defs/Origin" }

const responseOf = (record: RecordShape | undefined): Json => named(record?.fields.keys() ?? [], origin)

/** The JSON Schema of the contract files of an API. */
export const make = (api: Api): Json => {
  const shapes = [...shapesOf(api)]
  const { response: _, ...differences } = ContractFile.Differences.fields
  const entry = objectOf(Schema.Struct(differences))
  const defaults = objectOf(ContractFile.Defaults)
  const file = objectOf(ContractFile.File)
  const { fields: __, ...leaf } = ContractFile.OriginFields.fields
  const parts = Object.keys(entry.properties).map((part) => [part, { $ref: `#/$defs/Differences/properties/${part}` }])
  const operations = shapes.map(([name, shape]) => {
    const properties = {
      ...Object.fromEntries(parts),
      fields: named(shape.input.keys(), place),
      response: responseOf(recordOf(shape.payload))
    }
    return [name, { anyOf: [{ const: true }, { type: "object", additionalProperties: false, properties }] }]
  })
  const outputs = shapes.flatMap(([, { payload }]) => [...(recordOf(payload)?.fields.keys() ?? [])])
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "A contract: what a custody service's wire is like",
    ...file,
    properties: {
      ...file.properties,
      defaults: {
        ...defaults,
        properties: {
          ...defaults.properties,
          fields: named(new Set(shapes.flatMap(([, { input }]) => [...input.keys()])), place),
          response: named(new Set(outputs), origin)
        }
      },
      operations: { $ref: "#/$defs/Operations" },
      proposed: { $ref: "#/$defs/Operations" }
    },
    $defs: {
      Place: Schema.toJsonSchemaDocument(ContractFile.Place).schema,
      Origin: {
        anyOf: [
          { type: "string" },
          {
            ...objectOf(Schema.Struct(leaf)),
            properties: {
              ...objectOf(Schema.Struct(leaf)).properties,
              fields: { type: "object", additionalProperties: origin }
            }
          }
        ]
      },
      Differences: entry,
      Operations: { type: "object", properties: Object.fromEntries(operations), additionalProperties: false }
    }
  }
}
