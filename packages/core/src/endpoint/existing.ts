/** What a creation under the caller's own names has made: how it is found, and which records are of it. Pure. */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type * as EndpointSpec from "./EndpointSpec.ts"
import type { Existing, Operation } from "./Operation.ts"
import type { RequestInvalid } from "../errors/SdkError.ts"
import * as Text from "../values/Text.ts"

type Fields = Readonly<Record<string, unknown>>

/** Names as one key, the same for the same names alone; `undefined` where one is missing. A service may write a number. */
const keyOf = (names: ReadonlyArray<unknown>): string | undefined =>
  names.length > 0 && names.every((name) => typeof name === "string" || typeof name === "number")
    ? JSON.stringify(names.map(String))
    : undefined

/** Names as one key for all spellings in which a service may show them. */
const plainKeyOf = (names: ReadonlyArray<unknown>): string | undefined =>
  keyOf(names.map((name) => (typeof name === "string" ? Text.normalize(name) : name)))

const foreign = "the names in it are not those that were requested"

/** What an input creates, by its values and an operation that reads one such thing. */
export const make = <A>(
  operation: Operation<unknown, unknown>,
  { identityFields, lookupInput }: EndpointSpec.Existing
) => {
  return (given: Fields): Existing<A> => {
    const several = Object.values(lookupInput).find((from) => Array.isArray(given[from]))
    const items: ReadonlyArray<Fields> =
      several === undefined
        ? [given]
        : (given[several] as ReadonlyArray<unknown>).map((name) => ({ ...given, [several]: name }))
    const shown = Object.entries(identityFields ?? lookupInput).filter(([, from]) => given[from] !== undefined)
    const namesOf = items.map((item) => shown.map(([, from]) => item[from]))
    const plain = namesOf.map(plainKeyOf)
    // Between names that differ in their spelling alone, only the spelling tells.
    const key = new Set(plain).size === plain.length ? plainKeyOf : keyOf
    const named = namesOf.map(key)
    const namesIn = (record: unknown): ReadonlyArray<unknown> =>
      Predicate.isReadonlyObject(record) ? shown.map(([name]) => record[name]) : []
    const payload = (records: ReadonlyArray<unknown>) => (several === undefined ? records[0] : records) as A
    return {
      operation,
      reads: items.map((item, at) => ({
        input: Object.fromEntries(Object.entries(lookupInput).map(([name, from]) => [name, item[from]])),
        isOf: (record, isExact) =>
          named[at] !== undefined &&
          (isExact ? keyOf(namesIn(record)) === keyOf(namesOf[at]!) : key(namesIn(record)) === named[at])
      })),
      payload,
      confirmed: (answer) => {
        const records: unknown = several === undefined ? [answer] : answer
        if (!Array.isArray(records) || records.length !== named.length) return Result.fail(foreign)
        const byKey = new Map(records.map((record) => [key(namesIn(record)), record]))
        const isExact =
          byKey.size === new Set(named).size && named.every((name) => name !== undefined && byKey.has(name))
        return isExact ? Result.succeed(payload(named.map((name) => byKey.get(name)))) : Result.fail(foreign)
      }
    }
  }
}

/** The names of an input under which nothing could ever be read, so that nothing may be created under them. */
export const unreadable = (
  { operation, reads }: Existing<unknown>,
  lookupInput: EndpointSpec.Existing["lookupInput"],
  given: Fields
): RequestInvalid["issues"] =>
  reads.flatMap(({ input }, at) => {
    const encoded = operation.encode(input)
    if (Result.isSuccess(encoded)) return []
    return encoded.failure.issues.map(({ message, path: [name] }) => {
      const from = lookupInput[String(name)]
      return { path: from === undefined ? [] : Array.isArray(given[from]) ? [from, at] : [from], message }
    })
  })
