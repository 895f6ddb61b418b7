/**
 * Decides whether an answer belongs to its call: a read shows the requested record, and a creation shows exactly the
 * names of its input. Pure.
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Text from "../values/Text.ts"
import type * as Declaration from "./Declaration.ts"
import type { Encoded } from "./Wires.ts"

type Fields = Readonly<Record<string, unknown>>

// The requested record.

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
export const isRequested = (about: Declaration.About, { params }: Encoded, record: unknown): boolean => {
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

// The created records.

/** What a creation makes under the caller's own names: see `Operation.Existing`. */
export interface Created<out A> {
  readonly reads: ReadonlyArray<ExistingRead>
  /** Makes the payload of the call from the records that `reads` found. */
  readonly payload: (found: ReadonlyArray<unknown>) => A
  /**
   * Returns the payload of an answer with its records in the order of the input. Fails unless the payload shows each
   * name of the input once, and no other name.
   */
  readonly confirmed: (payload: unknown) => Result.Result<A, string>
}

export interface ExistingRead {
  readonly input: unknown
  /** `true` if a record shows the requested name. With `isExact`, the spelling must be the same as in the input. */
  readonly matches: (record: unknown, isExact: boolean) => boolean
}

/** Joins names into a key. Equal keys mean equal names; a number equals its text. `undefined` if a name is missing. */
const makeKey = (names: ReadonlyArray<unknown>): string | undefined =>
  names.length > 0 && names.every((name) => typeof name === "string" || typeof name === "number")
    ? JSON.stringify(names.map(String))
    : undefined

/**
 * Joins names into a key that ignores the white space around a name, its normalization and its letter case, because a
 * service may change them.
 */
const makeLooseKey = (names: ReadonlyArray<unknown>): string | undefined =>
  makeKey(names.map((name) => (typeof name === "string" ? Text.normalize(name) : name)))

const wrongNames = "the names in it are not those that were requested"

/** Describes the records that an input creates. */
export const created = <A>({ identityFields, lookupInput }: Declaration.Existing, input: Fields): Created<A> => {
  const several = Object.values(lookupInput).find((from) => Array.isArray(input[from]))
  const items: ReadonlyArray<Fields> =
    several === undefined
      ? [input]
      : (input[several] as ReadonlyArray<unknown>).map((name) => ({ ...input, [several]: name }))
  const fields = Object.entries(identityFields ?? lookupInput).filter(([, from]) => input[from] !== undefined)
  const names = items.map((item) => fields.map(([, from]) => item[from]))
  const looseKeys = names.map(makeLooseKey)
  // If two names of the input have the same loose key, compare exactly, to tell the names apart.
  const key = new Set(looseKeys).size === looseKeys.length ? makeLooseKey : makeKey
  const keys = names.map(key)
  const readNames = (record: unknown): ReadonlyArray<unknown> =>
    Predicate.isReadonlyObject(record) ? fields.map(([name]) => record[name]) : []
  const payload = (records: ReadonlyArray<unknown>) => (several === undefined ? records[0] : records) as A
  return {
    reads: items.map((item, at) => ({
      input: Object.fromEntries(Object.entries(lookupInput).map(([name, from]) => [name, item[from]])),
      matches: (record, isExact) =>
        keys[at] !== undefined &&
        (isExact ? makeKey(readNames(record)) === makeKey(names[at]!) : key(readNames(record)) === keys[at])
    })),
    payload,
    confirmed: (answer) => {
      const records: unknown = several === undefined ? [answer] : answer
      if (!Array.isArray(records) || records.length !== keys.length) return Result.fail(wrongNames)
      const byKey = new Map(records.map((record) => [key(readNames(record)), record]))
      const isExact = byKey.size === new Set(keys).size && keys.every((name) => name !== undefined && byKey.has(name))
      return isExact ? Result.succeed(payload(keys.map((name) => byKey.get(name)))) : Result.fail(wrongNames)
    }
  }
}
