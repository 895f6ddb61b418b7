/** Checks a contract, in code or from a file, against the operations of an API. */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as ContractFile from "../language/ContractFile.ts"
import { getRecord } from "@effect-custody/core/unstable/Shape"
import * as CheckEntry from "./checkEntry.ts"
import { type Api, type Contract, differences, isCode, operationShapes } from "../language/contract.ts"
import { at, type Problem, type Report, quoted, reportUnknown } from "./problem.ts"

type Shapes = ReturnType<typeof operationShapes>

const formatter = SchemaIssue.makeFormatterStandardSchemaV1()

const decode = Schema.decodeUnknownResult(ContractFile.File)

/** Reports where a value departs from the form of a contract, including unknown keys. */
const checkForm = (report: Report, value: unknown): void => {
  const decoded = decode(value, { errors: "all", onExcessProperty: "error" })
  if (Result.isSuccess(decoded)) return
  for (const { message, path = [] } of formatter(decoded.failure.issue).issues) {
    const keys = path.map((segment) => {
      const key = typeof segment === "object" ? segment.key : segment
      return typeof key === "number" ? key : String(key)
    })
    if (message === "Missing key") report(keys.slice(0, -1), `${quoted(String(keys.at(-1)))} is missing`)
    else report(keys, message.replace("Expected no excess property", "unknown key"))
  }
}

/** The contract as data. */
const withoutCode = (value: unknown): unknown => {
  if (!Predicate.isReadonlyObject(value) || !Predicate.isReadonlyObject(value["operations"])) return value
  const entries = Object.entries(value["operations"]).map(([name, entry]) => [
    name,
    isCode(entry) ? differences(entry) : entry
  ])
  return { ...value, operations: Object.fromEntries(entries) }
}

const checkDefaults = (report: Report, shapes: Shapes, defaults: ContractFile.Defaults): void => {
  const { fields = {}, prefix, response = {}, values = {} } = defaults
  const all = [...shapes.values()]
  const inputs = [...new Set(all.flatMap(({ input }) => [...input.keys()]))]
  const outputs = [...new Set(all.flatMap(({ payload }) => [...(getRecord(payload)?.fields.keys() ?? [])]))]
  if (prefix !== undefined && (!CheckEntry.isPath(prefix) || prefix.includes("/:"))) {
    report(["prefix"], `${quoted(prefix)} is not a path such as "/v2", put between the base address and each path`)
  }
  reportUnknown(at(report, "fields"), Object.keys(fields), inputs, "field")
  reportUnknown(at(report, "response"), Object.keys(response), outputs, "field")
  CheckEntry.checkDefaultEntries(report, defaults)
  for (const [name, map] of Object.entries(values)) CheckEntry.checkValueMap(at(report, "values", name), map)
}

const checkEntries = (report: Report, shapes: Shapes, { defaults = {}, operations = {} }: Contract): void => {
  reportUnknown(report, Object.keys(operations), [...shapes.keys()], "operation")
  for (const [name, entry] of Object.entries(operations)) {
    const shape = shapes.get(name)
    if (shape === undefined) continue
    CheckEntry.checkEntry(at(report, name), shape, entry, defaults)
  }
}

/** An endpoint under another name would take the entry of the endpoint that has this name. */
const checkNames = (report: Report, { categories }: Api): void => {
  for (const [category, endpoints] of Object.entries(categories)) {
    for (const [key, { operation }] of Object.entries(endpoints)) {
      const name = `${category}.${key}`
      if (operation !== name) report([], `the API has the endpoint ${quoted(operation)} under the name ${quoted(name)}`)
    }
  }
}

export const checkContract = (api: Api, value: unknown): ReadonlyArray<Problem> => {
  const problems: Array<Problem> = []
  const report: Report = (path, message) => void problems.push({ path, message })
  checkNames(report, api)
  checkForm(report, withoutCode(value))
  if (problems.length > 0) return problems
  const contract = value as Contract
  const shapes = operationShapes(api)
  checkDefaults(at(report, "defaults"), shapes, contract.defaults ?? {})
  // If the defaults have mistakes, report only those. Otherwise every operation would report them again.
  if (problems.length > 0) return problems
  checkEntries(at(report, "operations"), shapes, contract)
  return problems
}
