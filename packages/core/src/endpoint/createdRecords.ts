/** Finds the records that a creation made under the caller's own names, and recognises them. Pure. */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { RequestInvalid } from "../errors/SdkError.ts"
import * as Text from "../values/Text.ts"
import type * as Declaration from "./Declaration.ts"
import * as Operation from "./Operation.ts"

type Fields = Readonly<Record<string, unknown>>

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

/** Returns a function that describes the records that an input creates. */
export const make = <A>({ identityFields, lookupInput, read }: Declaration.Existing) => {
  const operation = read() as Operation.Any
  return (input: Fields): Operation.Existing<A> => {
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
      operation,
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
}

/**
 * Finds the names in an input that the look-up's read would refuse. Nothing may be created under such a name, because
 * no look-up could find it.
 */
export const unreadableNames = (
  { operation, reads }: Operation.Existing<unknown>,
  lookupInput: Declaration.Existing["lookupInput"],
  input: Fields
): RequestInvalid["issues"] =>
  reads.flatMap((read, at) => {
    const encoded = Operation.encode(operation, read.input)
    if (Result.isSuccess(encoded)) return []
    return encoded.failure.issues.map(({ message, path: [name] }) => {
      const from = lookupInput[String(name)]
      return { path: from === undefined ? [] : Array.isArray(input[from]) ? [from, at] : [from], message }
    })
  })
