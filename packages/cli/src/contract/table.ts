/** The table of all operations with the standing of their wires under a contract. Pure. */
import type * as ContractFile from "@effect-custody/contract/ContractFile"
import { CodeTypeId } from "@effect-custody/contract/Wire"
import { CustodyApi } from "@effect-custody/sdk/CustodyApi"
import * as Struct from "effect/Struct"
import type { Contract, Entry } from "../service/contractFiles.ts"
import { table as aligned } from "../terminal/output.ts"

/** Reads the parts of an entry that concern the wire. */
const wireParts = (entry: Entry | undefined): ContractFile.Differences & { readonly code?: true } => {
  if (entry === undefined || entry === true) return {}
  if (CodeTypeId in entry) return { ...Struct.pick(entry, ["method", "path"]), code: true }
  const { confirmed: _, note: __, proven: ___, ...wire } = entry
  return wire
}

export interface Row {
  readonly operation: string
  readonly method: string
  /** The path with the contract's prefix. */
  readonly path: string
  readonly standing: "specified" | "assumed" | "confirmed" | "confirmed with differences"
  /** The different parts of the entry, except method and path. */
  readonly differences: ReadonlyArray<string>
  readonly confirmed?: NonNullable<ContractFile.Differences["confirmed"]>
}

export const rows = ({ defaults: { prefix = "" } = {}, operations = {} }: Contract): ReadonlyArray<Row> =>
  CustodyApi.operations.map(({ operation: name, provenance, route }) => {
    const entry = Object.hasOwn(operations, name) ? operations[name] : undefined
    const parts = wireParts(entry)
    const { method = route.method, path = route.path, ...others } = parts
    const isPlain = Object.keys(parts).length === 0
    return {
      operation: name,
      method,
      path: `${prefix}${path}`,
      standing:
        entry === undefined || (provenance === "specified" && isPlain)
          ? provenance
          : isPlain
            ? "confirmed"
            : "confirmed with differences",
      differences: Object.keys(others),
      ...(entry === undefined || entry === true || !("confirmed" in entry) ? {} : { confirmed: entry.confirmed! })
    }
  })

/**
 * Formats a line for each operation (name, method, path, standing), then the totals. With `onlyConfirmed`, the lines leave
 * out what the contract does not list.
 */
export const table = (contract: Contract, onlyConfirmed = false): ReadonlyArray<string> => {
  const all = rows(contract)
  const standings = Map.groupBy(all, ({ standing }) => standing)
  const listed = onlyConfirmed
    ? all.filter(({ operation }) => Object.hasOwn(contract.operations ?? {}, operation))
    : all
  return [
    ...aligned(
      listed.map(({ confirmed, differences, method, operation, path, standing }) => [
        operation,
        method,
        path,
        standing,
        confirmed === undefined ? "" : `by ${confirmed.by}, ${confirmed.date}`,
        differences.join(", ")
      ])
    ),
    ...(listed.length === 0 ? [] : [""]),
    `${all.length} operations: ${[...standings].map(([standing, { length }]) => `${length} ${standing}`).join(", ")}`
  ]
}
