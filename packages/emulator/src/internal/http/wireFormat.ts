/** The formats of dates, amounts, counts and identifiers in answers, as the quirks choose them. */
import * as BigDecimal from "effect/BigDecimal"
import * as DateTime from "effect/DateTime"
import * as Predicate from "effect/Predicate"
import type { Quirks } from "../../Options.ts"
import * as ExactJson from "./exactJson.ts"
import type { World } from "../state/world.ts"

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

/** A date in an answer, from milliseconds since the Unix epoch. */
export const formatDate = ({ settings }: World, millis: number): string => {
  const at = DateTime.makeUnsafe(millis)
  if (!settings.quirks.writtenDates) return DateTime.formatIso(at)
  const { day, hour, minute, month, second, year } = DateTime.toPartsUtc(at)
  return `${day} ${months[month - 1]}, ${year} ${two(hour)}:${two(minute)}:${two(second)}`
}

/** Identifiers that the service assigns: not those of networks and assets, nor the callers' own ids of clients. */
const isAssignedId = (key: string): boolean => /^id$|(?<!^client|^external|^asset|^network)Id$/.test(key)

const isCount = (key: string): boolean => /^(?:decimals|transactionCount|itemsPerPage|currentPage|total\w+)$/.test(key)

/** Rewrites an encoded answer in the format of the quirks. `value` is the same answer decoded, with its types. */
export const applyQuirks = (quirks: Quirks, value: unknown, encoded: unknown, key = ""): unknown => {
  if (BigDecimal.isBigDecimal(value)) return quirks.amountsAsNumbers ? ExactJson.raw(String(encoded)) : encoded
  if (Array.isArray(value) && Array.isArray(encoded)) {
    return encoded.map((inner, index) => applyQuirks(quirks, value[index], inner, key))
  }
  if (Predicate.isReadonlyObject(value) && Predicate.isReadonlyObject(encoded)) {
    return Object.fromEntries(
      Object.entries(encoded).map(([name, inner]) => [name, applyQuirks(quirks, value[name], inner, name)])
    )
  }
  if (typeof encoded === "number") return quirks.countsAsStrings && isCount(key) ? String(encoded) : encoded
  if (typeof encoded === "string" && quirks.idsAsNumbers && isAssignedId(key) && /^[1-9]\d{0,14}$/.test(encoded)) {
    return Number(encoded)
  }
  return encoded
}

/** Whether no quirk changes the contract's own encoding. */
export const isStandard = ({ amountsAsNumbers, countsAsStrings, idsAsNumbers }: Quirks): boolean =>
  !amountsAsNumbers && !countsAsStrings && !idsAsNumbers
