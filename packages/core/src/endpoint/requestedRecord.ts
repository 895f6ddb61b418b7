/** Decides whether an answer shows the record that a read requested by its id. Pure. */
import * as Predicate from "effect/Predicate"
import type { About } from "./Declaration.ts"
import type { Encoded } from "./Wires.ts"

/** Normalizes a name: `tx_hash`, `txHash` and `TX-HASH` become equal. */
const plain = (name: string): string => name.replaceAll(/[_-]/g, "").toLowerCase()

/** The {@link plain} names of fields that may hold the requested id if none of the `idFields` does. */
const otherId = /^(?:externalid|guid|(?:transaction|tx)?hash|reference(?:id)?|requestid|txid|uuid)$/

const idTexts = (value: unknown): ReadonlyArray<string> =>
  typeof value === "string" || typeof value === "number" || typeof value === "bigint"
    ? [String(value).toLowerCase()]
    : []

/**
 * `false` only if a record certainly has a different id: the record shows an id under one of `idFields`, and no id in
 * the record is the requested one. Letter case does not matter, because services write UUIDs and hashes in either case.
 */
export const isRequested = (about: About | undefined, { params }: Encoded, record: unknown): boolean => {
  if (about === undefined) return true
  const { idFields, parameter } = about
  const requestedId = String(params[parameter])
  if (!Predicate.isReadonlyObject(record) || idFields.some((name) => record[name] === requestedId)) return true
  const extra = Predicate.isReadonlyObject(record["extra"]) ? record["extra"] : {}
  const own = new Set(idFields.map(plain))
  const values = (isIncluded: (name: string) => boolean): ReadonlyArray<string> =>
    Object.entries({ ...extra, ...record }).flatMap(([name, value]) => (isIncluded(plain(name)) ? idTexts(value) : []))
  const ids = values((name) => own.has(name))
  return ids.length === 0 || [...ids, ...values((name) => otherId.test(name))].includes(requestedId.toLowerCase())
}
