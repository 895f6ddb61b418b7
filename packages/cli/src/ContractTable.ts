/**
 * The table of all operations: what is known about the wire of each, and what a contract file confirms.
 *
 * @since 0.1.0
 */
import type * as ContractFile from "@effect-custody/core/ContractFile"
import { CustodyApi, type Operation } from "@effect-custody/sdk/CustodyApi"
import { table as aligned } from "./internal/output.ts"

/**
 * How many operations the specification counts in each category ("Endpoint categories").
 *
 * @since 0.1.0
 * @category constants
 */
export const counts: Readonly<Record<string, number>> = {
  authentication: 2,
  clients: 4,
  wallets: 4,
  vaults: 9,
  transactions: 5,
  assets: 2,
  tokens: 7,
  nfts: 5,
  paymentOrders: 5,
  fiatGateway: 4
}

/**
 * How the wire of an operation is known.
 *
 * @since 0.1.0
 * @category models
 */
export type Standing = "specified" | "assumed" | "proposed" | "confirmed" | "confirmed with differences"

type Said = true | ContractFile.Differences | undefined

type Entries = ContractFile.File["operations"]

/** What a contract says about an operation. */
const saidOf = ({ name }: Operation, entries: Entries = {}): Said =>
  Object.hasOwn(entries, name) ? entries[name] : undefined

/** The parts of an entry that are about the wire. */
const wireOf = (said: Exclude<Said, true | undefined>): ContractFile.Differences => {
  const { confirmed: _, note: __, source: ___, ...wire } = said
  return wire
}

const standingOf = ({ provenance }: Operation, said: Said, isProposed: boolean): Standing => {
  if (said === undefined) return provenance
  if (isProposed) return provenance === "specified" ? provenance : "proposed"
  if (said !== true && Object.keys(wireOf(said)).length > 0) return "confirmed with differences"
  return provenance === "specified" ? provenance : "confirmed"
}

const shown = (place: ContractFile.Place | ContractFile.Origin): string =>
  typeof place === "string" ? place : (place.at ?? Object.keys(place).join(", "))

/** The origins of the fields of a record, and of the fields of nested records. */
const origins = (response: NonNullable<ContractFile.Differences["response"]>, within = ""): ReadonlyArray<string> =>
  Object.entries(response).flatMap(([key, origin]) => {
    const name = within + key
    if (typeof origin === "string") return [`${name} ← ${origin}`]
    const { fields = {}, ...own } = origin
    return [...(Object.keys(own).length === 0 ? [] : [`${name} ← ${shown(own)}`]), ...origins(fields, `${name}.`)]
  })

/** The differences in words, except method and path, which have columns of their own. */
const inWords = (said: Said): string => {
  if (said === undefined || said === true) return ""
  const { fields = {}, method: _, path: __, payload, response = {}, ...others } = wireOf(said)
  return [
    ...Object.entries(fields).map(([name, place]) => `${name} → ${shown(place)}`),
    ...(payload === undefined ? [] : [payload === null ? "no envelope" : `payload in ${payload}`]),
    ...origins(response),
    ...Object.keys(others)
  ].join(", ")
}

/** How many of each. */
const tally = <A extends string>(of: ReadonlyArray<A>): ReadonlyMap<A, number> =>
  of.reduce((counted, each) => counted.set(each, (counted.get(each) ?? 0) + 1), new Map<A, number>())

/**
 * What is known of one operation.
 *
 * @since 0.1.0
 * @category models
 */
export interface Row {
  readonly operation: string
  readonly category: string
  readonly method: string
  readonly path: string
  readonly standing: Standing
  /** What else differs, in words. */
  readonly differences: string
  /** Who has confirmed it, and when, where the contract says so. */
  readonly confirmed?: ContractFile.Confirmed
}

/**
 * What is known of each operation under a contract.
 *
 * @since 0.1.0
 * @category constructors
 */
export const rows = (contract: ContractFile.File): ReadonlyArray<Row> =>
  CustodyApi.operations.map((operation) => {
    const own = saidOf(operation, contract.operations)
    const said = own ?? saidOf(operation, contract.proposed)
    const { method = operation.method, path = operation.path } = said === true ? {} : (said ?? {})
    const { category, name } = operation
    return {
      operation: name,
      category,
      method,
      path,
      standing: standingOf(operation, said, own === undefined),
      differences: inWords(said),
      ...(own === undefined || own === true || own.confirmed === undefined ? {} : { confirmed: own.confirmed })
    }
  })

/**
 * A line for each operation (name, method, path, how its wire is known), then the totals.
 *
 * @since 0.1.0
 * @category formatting
 */
export const table = (contract: ContractFile.File): ReadonlyArray<string> => {
  const all = rows(contract)
  const totals = (of: ReadonlyArray<string>) => [...tally(of)].map(([each, count]) => `${count} ${each}`).join(", ")
  return [
    ...aligned(
      all.map(({ confirmed, differences, method, operation, path, standing }) => [
        operation,
        method,
        path,
        standing,
        confirmed === undefined ? "" : `by ${confirmed.by}, ${confirmed.date}`,
        differences
      ])
    ),
    "",
    totals(all.map(({ category }) => category)),
    `${all.length} operations: ${totals(all.map(({ standing }) => standing))}`
  ]
}

/**
 * The categories whose number of operations differs from the specification, a line for each.
 *
 * @since 0.1.0
 * @category validation
 */
export const miscounted = (operations: ReadonlyArray<Operation>): ReadonlyArray<string> => {
  const found = tally(operations.map(({ category }) => category))
  return [...new Set([...Object.keys(counts), ...found.keys()])]
    .filter((category) => found.get(category) !== counts[category])
    .map(
      (category) =>
        `${category}: ${found.get(category) ?? 0} found, but the specification counts ${counts[category] ?? 0}`
    )
}
