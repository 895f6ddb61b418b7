/** Whether an answer shows the record that a read has asked for by its id. Pure. */
import * as Predicate from "effect/Predicate"

/** Names that mean the same: `tx_hash`, `txHash`, `TX-HASH`. */
const plain = (name: string): string => name.replaceAll(/[_-]/g, "").toLowerCase()

/** Fields under which a service may show the id that it was asked by, where `id` has another. */
const otherId = /^(?:externalid|guid|(?:transaction|tx)?hash|reference(?:id)?|requestid|txid|uuid)$/

const textOf = (value: unknown): ReadonlyArray<string> =>
  typeof value === "string" || typeof value === "number" || typeof value === "bigint"
    ? [String(value).toLowerCase()]
    : []

/**
 * Whether a record, which shows its id under these fields, may be the one with this id. One that shows none of them may
 * be; one that shows an id is only if this id, or another that it shows, is the one asked for. Letter case does not
 * matter: services write UUIDs and hashes in both.
 */
export const mayBe = (shows: ReadonlyArray<string>, asked: string, record: unknown): boolean => {
  if (!Predicate.isReadonlyObject(record) || shows.some((name) => record[name] === asked)) return true
  const extra = Predicate.isReadonlyObject(record["extra"]) ? record["extra"] : {}
  const own = new Set(shows.map(plain))
  const shown = (isShown: (name: string) => boolean): ReadonlyArray<string> =>
    Object.entries({ ...extra, ...record }).flatMap(([name, value]) => (isShown(plain(name)) ? textOf(value) : []))
  const ids = shown((name) => own.has(name))
  return ids.length === 0 || [...ids, ...shown((name) => otherId.test(name))].includes(asked.toLowerCase())
}
