/** The table of all operations with the standing of their wires under a contract. Pure. */
import type * as ContractFile from "@effect-custody/contract/ContractFile"
import { CodeTypeId } from "@effect-custody/contract/Wire"
import { CustodyApi } from "@effect-custody/sdk/CustodyApi"
import type { Contract, Entry } from "../service/contractFiles.ts"
import { table as aligned } from "../terminal/output.ts"

/** Reads the parts of an entry that concern the wire. */
export const wireParts = (entry: Entry | undefined): ContractFile.Differences & { readonly code?: true } => {
  if (entry === undefined || entry === true) return {}
  if (CodeTypeId in entry) return { method: entry.method, path: entry.path, code: true }
  const { confirmed: _, failed: __, note: ___, proven: ____, source: _____, ...wire } = entry
  return wire
}

export interface Row {
  readonly operation: string
  readonly method: string
  /** The path with the contract's prefix. */
  readonly path: string
  readonly standing: "specified" | "assumed" | "proposed" | "confirmed" | "confirmed with differences"
  /** The different parts of the entry, except method and path. */
  readonly differences: ReadonlyArray<string>
  readonly confirmed?: NonNullable<ContractFile.Differences["confirmed"]>
}

export const rows = ({
  defaults: { prefix = "" } = {},
  operations = {},
  proposed = {}
}: Contract): ReadonlyArray<Row> =>
  CustodyApi.operations.map(({ operation: name, provenance, route }) => {
    const own = Object.hasOwn(operations, name) ? operations[name] : undefined
    const entry = own ?? (Object.hasOwn(proposed, name) ? proposed[name] : undefined)
    const parts = wireParts(entry)
    const { method = route.method, path = route.path, ...others } = parts
    const isPlain = entry === undefined || Object.keys(parts).length === 0
    const standing = own === undefined ? "proposed" : isPlain ? "confirmed" : "confirmed with differences"
    return {
      operation: name,
      method,
      path: `${prefix}${path}`,
      standing:
        entry === undefined || (provenance === "specified" && (isPlain || own === undefined)) ? provenance : standing,
      differences: Object.keys(others),
      ...(own === undefined || own === true || !("confirmed" in own) ? {} : { confirmed: own.confirmed! })
    }
  })

/** Formats a line for each operation (name, method, path, standing), then the totals. */
export const table = (contract: Contract): ReadonlyArray<string> => {
  const all = rows(contract)
  const standings = Map.groupBy(all, ({ standing }) => standing)
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
    `${all.length} operations: ${[...standings].map(([standing, { length }]) => `${length} ${standing}`).join(", ")}`
  ]
}
