/**
 * Replaces the names of assets and networks by numbers, for a contract under which a client cannot send a name such as
 * `usdc`. Pure.
 */
import * as Transactions from "@effect-custody/transactions/Transactions"
import type { ServiceContract } from "@effect-custody/contract/ServiceContract"
import type { Parts } from "@effect-custody/core/unstable/Wires"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { assetNames, networks } from "../state/catalogue.ts"

/** Assets have the numbers from 1, and networks the numbers from 101. All are below the first id of a record. */
const numbers = new Map([
  ...assetNames.map((name, index) => [name, String(index + 1)] as const),
  ...networks.map(({ id }, index) => [id, String(index + 101)] as const)
])
const names = new Map([...numbers].map(([name, number]) => [number, name]))

/** The id of an asset in the catalogue. `assetId` is this id or the asset's number. */
export const catalogueId = (assetId: string): string => names.get(assetId) ?? assetId

const isReference = (key: string): boolean => /^(?:asset|network)Ids?$/.test(key)

/**
 * Replaces the names in references to assets and networks. With `hasIds`, also replaces the ids of asset and network
 * records.
 */
const replaced = (value: unknown, by: ReadonlyMap<string, string>, hasIds: boolean, key = ""): unknown => {
  if (Array.isArray(value)) return value.map((each) => replaced(each, by, hasIds, key))
  if (Predicate.isReadonlyObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, replaced(each, by, hasIds, name)]))
  }
  return typeof value === "string" && (isReference(key) || (hasIds && key === "id")) ? (by.get(value) ?? value) : value
}

/** `true` if a client under the contract cannot send the name of an asset. */
const refusesNames = (contract: ServiceContract): boolean => {
  const wire = contract.wire(Transactions.send)
  const fields = { clientId: "1", assetId: assetNames[0]!, to: "1", amount: "1" }
  const request = wire?.request({ encoded: { params: {}, query: {}, body: { _tag: "Json", fields } } })
  return (
    request !== undefined && Result.isFailure(request) && request.failure.some(({ path: [name] }) => name === "assetId")
  )
}

export interface AssetNumbers {
  /** Replaces the numbers of assets and networks in an input with their ids in the catalogue. */
  readonly input: (parts: Parts) => Parts
  /** Replaces the ids of assets and networks in an answer with their numbers. */
  readonly envelope: <A extends object>(envelope: A) => A
}

const unchanged: AssetNumbers = { input: (parts) => parts, envelope: (envelope) => envelope }

const numbered: AssetNumbers = {
  input: (parts) => replaced(parts, names, false) as Parts,
  envelope: <A extends object>(envelope: A) => replaced(envelope, numbers, true) as A
}

export const make = (contract: ServiceContract): AssetNumbers => (refusesNames(contract) ? numbered : unchanged)
