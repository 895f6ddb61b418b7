/** The table of all operations with the standing of their wires under a contract file. Pure. */
import type * as ContractFile from "@effect-custody/contract/ContractFile"
import { CustodyApi, type Operation } from "@effect-custody/sdk/CustodyApi"
import { table as aligned } from "../terminal/output.ts"

type Standing = "specified" | "assumed" | "proposed" | "confirmed" | "confirmed with differences"

type Entry = true | ContractFile.Differences | undefined

/** Reads the parts of an entry that concern the wire. */
export const wireParts = (entry: Entry): ContractFile.Differences => {
  if (entry === undefined || entry === true) return {}
  const { confirmed: _, note: __, source: ___, ...wire } = entry
  return wire
}

const findStanding = ({ provenance }: Operation, entry: Entry, isProposed: boolean): Standing => {
  if (entry === undefined) return provenance
  if (isProposed) return provenance === "specified" ? provenance : "proposed"
  if (Object.keys(wireParts(entry)).length > 0) return "confirmed with differences"
  return provenance === "specified" ? provenance : "confirmed"
}

export interface Row {
  readonly operation: string
  readonly category: string
  readonly method: string
  readonly path: string
  readonly standing: Standing
  /** The different parts of the entry, except method and path. */
  readonly differences: ReadonlyArray<string>
  readonly confirmed?: NonNullable<ContractFile.Differences["confirmed"]>
}

export const rows = ({ operations = {}, proposed = {} }: ContractFile.File): ReadonlyArray<Row> =>
  CustodyApi.operations.map((operation) => {
    const { category, name } = operation
    const own = Object.hasOwn(operations, name) ? operations[name] : undefined
    const entry = own ?? (Object.hasOwn(proposed, name) ? proposed[name] : undefined)
    const { method = operation.method, path = operation.path, ...others } = wireParts(entry)
    return {
      operation: name,
      category,
      method,
      path,
      standing: findStanding(operation, entry, own === undefined),
      differences: Object.keys(others),
      ...(own === undefined || own === true || own.confirmed === undefined ? {} : { confirmed: own.confirmed })
    }
  })

const totals = (of: ReadonlyArray<string>): string =>
  [...Map.groupBy(of, (each) => each)].map(([each, all]) => `${all.length} ${each}`).join(", ")

/** Formats a line for each operation (name, method, path, standing), then the totals. */
export const table = (contract: ContractFile.File): ReadonlyArray<string> => {
  const all = rows(contract)
  return [
    ...aligned(
      all.map(({ confirmed, differences, method, operation, path, standing }) => [
        operation,
        method,
        path,
        standing,
        confirmed === undefined ? "" : `by ${confirmed.by}, ${confirmed.date}`,
        differences.join(", ")
      ])
    ),
    "",
    totals(all.map(({ category }) => category)),
    `${all.length} operations: ${totals(all.map(({ standing }) => standing))}`
  ]
}
