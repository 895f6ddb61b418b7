/** The table of all operations: what is known about the wire of each, and what a contract file confirms. Pure. */
import type * as ContractFile from "@effect-custody/contract/ContractFile"
import { CustodyApi, type Operation } from "@effect-custody/sdk/CustodyApi"
import { table as aligned } from "../terminal/output.ts"

type Standing = "specified" | "assumed" | "proposed" | "confirmed" | "confirmed with differences"

type Said = true | ContractFile.Differences | undefined

/** The parts of an entry that are about the wire. */
export const wireParts = (said: Said): ContractFile.Differences => {
  if (said === undefined || said === true) return {}
  const { confirmed: _, note: __, source: ___, ...wire } = said
  return wire
}

const findStanding = ({ provenance }: Operation, said: Said, isProposed: boolean): Standing => {
  if (said === undefined) return provenance
  if (isProposed) return provenance === "specified" ? provenance : "proposed"
  if (Object.keys(wireParts(said)).length > 0) return "confirmed with differences"
  return provenance === "specified" ? provenance : "confirmed"
}

export interface Row {
  readonly operation: string
  readonly category: string
  readonly method: string
  readonly path: string
  readonly standing: Standing
  /** The parts of the entry that differ, except method and path. */
  readonly differences: ReadonlyArray<string>
  readonly confirmed?: NonNullable<ContractFile.Differences["confirmed"]>
}

export const rows = ({ operations = {}, proposed = {} }: ContractFile.File): ReadonlyArray<Row> =>
  CustodyApi.operations.map((operation) => {
    const { category, name } = operation
    const own = Object.hasOwn(operations, name) ? operations[name] : undefined
    const said = own ?? (Object.hasOwn(proposed, name) ? proposed[name] : undefined)
    const { method = operation.method, path = operation.path, ...others } = wireParts(said)
    return {
      operation: name,
      category,
      method,
      path,
      standing: findStanding(operation, said, own === undefined),
      differences: Object.keys(others),
      ...(own === undefined || own === true || own.confirmed === undefined ? {} : { confirmed: own.confirmed })
    }
  })

const totals = (of: ReadonlyArray<string>): string =>
  [...Map.groupBy(of, (each) => each)].map(([each, all]) => `${all.length} ${each}`).join(", ")

/** A line for each operation (name, method, path, how its wire is known), then the totals. */
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
