/** The formats of dates, amounts, counts and identifiers in answers, as the quirks set them. */
import * as ExactJson from "@effect-custody/core/unstable/ExactJson"
import * as BigDecimal from "effect/BigDecimal"
import * as DateTime from "effect/DateTime"
import * as Predicate from "effect/Predicate"
import type { Quirks } from "../model/Settings.ts"

const written = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "medium", timeZone: "UTC" })

/** Formats a date like `20 August, 2025 11:18:53`. */
const formatWritten = (at: DateTime.Utc): string => written.format(at.epochMilliseconds).replace(/ (\d{4})\D+/, ", $1 ")

/** `true` for an object with fields. `false` for a number that is written with all its digits. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype

/** Leaves out the absent fields of a record. */
export const present = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(present)
  if (!isRecord(value)) return value
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined)
  return Object.fromEntries(entries.map(([name, inner]) => [name, present(inner)]))
}

/**
 * `true` if the service assigns the identifier. `false` for ids of networks and assets, and for external ids of
 * clients.
 */
const isAssignedId = (key: string): boolean => /^id$|(?<!^client|^external|^asset|^network)Id$/.test(key)

const isCount = (key: string): boolean => /^(?:decimals|transactionCount|itemsPerPage|currentPage|total\w+)$/.test(key)

/** Rewrites an encoded answer in the format that the quirks set. `value` is the same answer, not encoded. */
export const applyQuirks = (quirks: Quirks, value: unknown, encoded: unknown, key = ""): unknown => {
  if (DateTime.isDateTime(value)) return quirks.writtenDates ? formatWritten(DateTime.toUtc(value)) : encoded
  if (BigDecimal.isBigDecimal(value)) return quirks.amountsAsNumbers ? ExactJson.rawJSON!(String(encoded)) : encoded
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

/** `true` if no quirk changes the contract's own encoding. */
export const isStandard = ({ amountsAsNumbers, countsAsStrings, idsAsNumbers, writtenDates }: Quirks): boolean =>
  !amountsAsNumbers && !countsAsStrings && !idsAsNumbers && !writtenDates
