/** Checks a contract, in code or from a file, against the operations of an API. Pure. */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as ContractFile from "../language/ContractFile.ts"
import type { Code } from "../language/Wire.ts"
import { recordOf } from "@effect-custody/core/unstable/Shape"
import * as CheckEntry from "./checkEntry.ts"
import { type Api, type Contract, findEntry, isCode, operationShapes } from "../language/contract.ts"
import { problemIf, type Problems, quoted, strangers, within } from "./problem.ts"

type Shapes = ReturnType<typeof operationShapes>

const formatter = SchemaIssue.makeFormatterStandardSchemaV1()

const decode = Schema.decodeUnknownResult(ContractFile.File)

/** What keeps a value from having the form of a contract, unknown keys among it. */
const checkForm = (given: unknown): Problems => {
  const decoded = decode(given, { errors: "all", onExcessProperty: "error" })
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

const withoutCode = (given: unknown): unknown => {
  if (!Predicate.isReadonlyObject(given) || !Predicate.isReadonlyObject(given["operations"])) return given
  const entries = Object.entries(given["operations"]).map(([name, entry]) => [name, isCode(entry) ? true : entry])
  return { ...given, operations: Object.fromEntries(entries) }
}

const checkDefaults = (shapes: Shapes, defaults: ContractFile.Defaults): Problems => {
  const { fields = {}, prefix, response = {}, values = {} } = defaults
  const all = [...shapes.values()]
  const inputs = [...new Set(all.flatMap(({ input }) => [...input.keys()]))]
  const outputs = [...new Set(all.flatMap(({ payload }) => [...(recordOf(payload)?.fields.keys() ?? [])]))]
  return [
    ...problemIf(
      prefix !== undefined && (!CheckEntry.isPath(prefix) || prefix.includes("/:")),
      ["prefix"],
      `${quoted(prefix)} is not a path such as "/v2", put between the base address and each path`
    ),
    ...within(["fields"], strangers(Object.keys(fields), inputs, "field")),
    ...within(["response"], strangers(Object.keys(response), outputs, "field")),
    ...CheckEntry.checkAllSaid(defaults),
    ...Object.entries(values).flatMap(([name, map]) => within(["values", name], CheckEntry.checkMap(map)))
  ]
}

const checkCode = (shape: CheckEntry.Shape, { method, path }: Code): Problems => [
  // A read in code may go by POST: whoever writes it says that it changes nothing.
  ...(shape.safety === "read" && method === "POST" ? [] : CheckEntry.checkMethod(shape, method)),
  ...CheckEntry.checkPath(path)
]

const checkEntries = (shapes: Shapes, contract: Contract, part: "operations" | "proposed"): Problems => {
  const { [part]: entries = {} } = contract
  return [
    ...strangers(Object.keys(entries), [...shapes.keys()], "operation"),
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

export const checkContract = (api: Api, given: unknown): Problems => {
  const form = checkForm(withoutCode(given))
  if (form.length > 0) return form
  const contract = given as Contract
  const shapes = operationShapes(api)
  const { defaults = {}, operations = {}, proposed = {} } = contract
  const inDefaults = within(["defaults"], checkDefaults(shapes, defaults))
  // A mistake in the defaults is not reported for each operation.
  if (inDefaults.length > 0) return inDefaults
  return [
    ...within(["operations"], checkEntries(shapes, contract, "operations")),
    ...within(["proposed"], checkEntries(shapes, contract, "proposed")),
    ...Object.keys(proposed).flatMap((name) =>
      problemIf(Object.hasOwn(operations, name), ["proposed", name], `${quoted(name)} is already confirmed`)
    )
  ]
}
