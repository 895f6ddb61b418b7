/** Checks a contract, in code or from a file, against the operations of an API. Pure. */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as ContractFile from "../language/ContractFile.ts"
import type { Code } from "../language/Wire.ts"
import { getRecord } from "@effect-custody/core/unstable/Shape"
import * as CheckEntry from "./checkEntry.ts"
import { type Api, type Contract, findEntry, isCode, operationShapes } from "../language/contract.ts"
import { problemIf, type Problems, quoted, unknownNames, within } from "./problem.ts"

type Shapes = ReturnType<typeof operationShapes>

const formatter = SchemaIssue.makeFormatterStandardSchemaV1()

const decode = Schema.decodeUnknownResult(ContractFile.File)

/** Lists where a value departs from the form of a contract, including unknown keys. */
const checkForm = (value: unknown): Problems => {
  const decoded = decode(value, { errors: "all", onExcessProperty: "error" })
  if (Result.isSuccess(decoded)) return []
  return formatter(decoded.failure.issue).issues.map(({ message, path = [] }) => {
    const keys = path.map((segment) => {
      const key = typeof segment === "object" ? segment.key : segment
      return typeof key === "number" ? key : String(key)
    })
    if (message === "Missing key") {
      return { path: keys.slice(0, -1), message: `${quoted(String(keys.at(-1)))} is missing` }
    }
    return { path: keys, message: message.replace("Expected no excess property", "unknown key") }
  })
}

const withoutCode = (value: unknown): unknown => {
  if (!Predicate.isReadonlyObject(value) || !Predicate.isReadonlyObject(value["operations"])) return value
  const entries = Object.entries(value["operations"]).map(([name, entry]) => [name, isCode(entry) ? true : entry])
  return { ...value, operations: Object.fromEntries(entries) }
}

const checkDefaults = (shapes: Shapes, defaults: ContractFile.Defaults): Problems => {
  const { fields = {}, prefix, response = {}, values = {} } = defaults
  const all = [...shapes.values()]
  const inputs = [...new Set(all.flatMap(({ input }) => [...input.keys()]))]
  const outputs = [...new Set(all.flatMap(({ payload }) => [...(getRecord(payload)?.fields.keys() ?? [])]))]
  return [
    ...problemIf(
      prefix !== undefined && (!CheckEntry.isPath(prefix) || prefix.includes("/:")),
      ["prefix"],
      `${quoted(prefix)} is not a path such as "/v2", put between the base address and each path`
    ),
    ...within(["fields"], unknownNames(Object.keys(fields), inputs, "field")),
    ...within(["response"], unknownNames(Object.keys(response), outputs, "field")),
    ...CheckEntry.checkDefaultEntries(defaults),
    ...Object.entries(values).flatMap(([name, map]) => within(["values", name], CheckEntry.checkValueMap(map)))
  ]
}

const checkCode = (shape: CheckEntry.Shape, { method, path }: Code): Problems => [
  // Code may send a read by POST, because its author asserts that the read changes nothing.
  ...(shape.safety === "read" && method === "POST" ? [] : CheckEntry.checkMethod(shape, method)),
  ...CheckEntry.checkPath(path)
]

const checkEntries = (shapes: Shapes, contract: Contract, part: "operations" | "proposed"): Problems => {
  const { [part]: entries = {} } = contract
  return [
    ...unknownNames(Object.keys(entries), [...shapes.keys()], "operation"),
    ...Object.entries(entries).flatMap(([name, entry]) => {
      const shape = shapes.get(name)
      if (shape === undefined) return []
      if (isCode(entry)) return within([name], checkCode(shape, entry))
      return within(
        [name],
        CheckEntry.checkEntry(shape, entry === true ? {} : entry, findEntry(contract, name).defaults)
      )
    })
  ]
}

export const checkContract = (api: Api, value: unknown): Problems => {
  const form = checkForm(withoutCode(value))
  if (form.length > 0) return form
  const contract = value as Contract
  const shapes = operationShapes(api)
  const { defaults = {}, operations = {}, proposed = {} } = contract
  const inDefaults = within(["defaults"], checkDefaults(shapes, defaults))
  // If the defaults have mistakes, report only those. Otherwise every operation would report them again.
  if (inDefaults.length > 0) return inDefaults
  return [
    ...within(["operations"], checkEntries(shapes, contract, "operations")),
    ...within(["proposed"], checkEntries(shapes, contract, "proposed")),
    ...Object.keys(proposed).flatMap((name) =>
      problemIf(Object.hasOwn(operations, name), ["proposed", name], `${quoted(name)} is already confirmed`)
    )
  ]
}
