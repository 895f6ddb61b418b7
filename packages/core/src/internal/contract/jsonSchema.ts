/** The JSON Schema of contract files for one API, for editors: its operations and their fields by name. Pure. */
import * as Schema from "effect/Schema"
import * as ContractFile from "../../ContractFile.ts"
import { shapesOf } from "./compile.ts"
import type { Api } from "./entries.ts"
import { type RecordShape, recordOf, type Shape } from "./shape.ts"

type Json = Readonly<Record<string, unknown>>

const dialect = "https://json-schema.org/draft/2020-12/schema"

/** The schema of an object, without keys that it does not name. */
const objectOf = (schema: Schema.Top): Json & { readonly properties: Json } => {
  const { schema: inlined } = Schema.toJsonSchemaDocument(schema)
  return { ...(inlined as Json & { readonly properties: Json }), additionalProperties: false }
}

const named = (names: Iterable<string>, schema: Json): Json => ({
  type: "object",
  properties: Object.fromEntries([...names].map((name) => [name, schema])),
  additionalProperties: false
})

const place: Json = { $ref: "#/$defs/Place" }
const origin: Json = { $ref: "#/$defs/Origin" }

const { fields: _, ...leaf } = ContractFile.OriginFields.fields

/** The origin of a field, with the names of the fields within. */
const originOf = (shape: Shape): Json => {
  const record = recordOf(shape)
  if (record === undefined) return origin
  const parts = Object.keys(leaf).map((part) => [part, { $ref: `#/$defs/Origin/anyOf/1/properties/${part}` }])
  const properties: Json = { ...Object.fromEntries(parts), fields: responseOf(record) }
  return { anyOf: [{ type: "string" }, { type: "object", properties, additionalProperties: false }] }
}

const responseOf = (record: RecordShape | undefined): Json => ({
  type: "object",
  properties: Object.fromEntries([...(record?.fields ?? [])].map(([name, shape]) => [name, originOf(shape)])),
  additionalProperties: false
})

/** The JSON Schema of the contract files of an API. */
export const make = (api: Api): Json => {
  const shapes = [...shapesOf(api)]
  const { response: _, ...parts } = ContractFile.Differences.fields
  const entry = objectOf(Schema.Struct(parts))
  const defaults = objectOf(ContractFile.Defaults)
  const file = objectOf(ContractFile.File)
  const entries: Json = {
    type: "object",
    properties: Object.fromEntries(
      shapes.map(([name, shape]) => [
        name,
        {
          anyOf: [
            { const: true },
            {
              type: "object",
              additionalProperties: false,
              properties: {
                ...Object.fromEntries(
                  Object.keys(entry.properties).map((part) => [
                    part,
                    { $ref: `#/$defs/Differences/properties/${part}` }
                  ])
                ),
                fields: named(shape.input.keys(), place),
                response: responseOf(recordOf(shape.payload))
              }
            }
          ]
        }
      ])
    ),
    additionalProperties: false
  }
  return {
    $schema: dialect,
    title: "A contract: what a custody service's wire is like",
    ...file,
    properties: {
      ...file.properties,
      defaults: {
        ...defaults,
        properties: {
          ...defaults.properties,
          fields: named(new Set(shapes.flatMap(([, { input }]) => [...input.keys()])), place),
          response: responseOf({
            _tag: "Record",
            fields: new Map(shapes.flatMap(([, { payload }]) => [...(recordOf(payload)?.fields ?? [])]))
          })
        }
      },
      operations: { $ref: "#/$defs/Operations" },
      proposed: { $ref: "#/$defs/Operations" }
    },
    $defs: {
      Place: Schema.toJsonSchemaDocument(ContractFile.Place).schema,
      Origin: Schema.toJsonSchemaDocument(Schema.Union([Schema.String, Schema.Struct(leaf)])).schema,
      Differences: entry,
      Operations: entries
    }
  }
}
