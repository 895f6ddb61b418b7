/** How the service writes what its answers hold, where services of its kind are seen to differ. */
import * as BigDecimal from "effect/BigDecimal"
import * as DateTime from "effect/DateTime"
import * as Predicate from "effect/Predicate"
import type { Quirks } from "../Options.ts"
import * as ExactJson from "./exactJson.ts"
import type { World } from "./world.ts"

const months = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December"
]

const two = (n: number): string => String(n).padStart(2, "0")

/** A date of an answer, from milliseconds since the Unix epoch. */
export const date = ({ settings }: World, millis: number): string => {
  const at = DateTime.makeUnsafe(millis)
  if (!settings.quirks.writtenDates) return DateTime.formatIso(at)
  const { day, hour, minute, month, second, year } = DateTime.toPartsUtc(at)
  return `${day} ${months[month - 1]}, ${year} ${two(hour)}:${two(minute)}:${two(second)}`
}

/** Identifiers that the service gives: not those of networks and assets, nor the caller's own of clients. */
const isOurs = (key: string): boolean => /^id$|(?<!^client|^external|^asset|^network)Id$/.test(key)

const isCount = (key: string): boolean => /^(?:decimals|transactionCount|itemsPerPage|currentPage|total\w+)$/.test(key)

/** What the contract has encoded, as the quirks have it: `value` tells what a string stands for. */
export const written = (quirks: Quirks, value: unknown, encoded: unknown, key = ""): unknown => {
  if (BigDecimal.isBigDecimal(value)) return quirks.amountsAsNumbers ? ExactJson.raw(String(encoded)) : encoded
  if (Array.isArray(value) && Array.isArray(encoded)) {
    return encoded.map((inner, index) => written(quirks, value[index], inner, key))
  }
  if (Predicate.isReadonlyObject(value) && Predicate.isReadonlyObject(encoded)) {
    return Object.fromEntries(Object.entries(encoded).map(([k, inner]) => [k, written(quirks, value[k], inner, k)]))
  }
  if (typeof encoded === "number") return quirks.countsAsStrings && isCount(key) ? String(encoded) : encoded
  if (typeof encoded === "string" && quirks.idsAsNumbers && isOurs(key) && /^[1-9]\d{0,14}$/.test(encoded)) {
    return Number(encoded)
  }
  return encoded
}

/** Whether nothing but the contract decides how an answer is written. */
export const isPlain = ({ amountsAsNumbers, countsAsStrings, idsAsNumbers }: Quirks): boolean =>
  !amountsAsNumbers && !countsAsStrings && !idsAsNumbers
