/**
 * Compares an input with the rows of the history. A row is ours only if it has our note. A row is excluded only if it
 * certainly belongs to a different payment. Every other row is a candidate, because overlooking a row could lead to a
 * second payment.
 *
 * @stability unstable
 */
import * as Amount from "@effect-custody/core/Amount"
import { isFinal } from "@effect-custody/core/Status"
import { normalize, trim } from "@effect-custody/core/Text"
import * as BigDecimal from "effect/BigDecimal"
import type { Candidate, Difference, Reconciliation } from "../Reconciliation.ts"
import type { Transaction } from "../records.ts"

/** The input with the field names of the history. */
export interface Wanted {
  readonly clientId: string
  readonly assetId: string
  readonly networkId?: string
  readonly to?: string
  readonly toClientId?: string
  readonly amount: Amount.Amount
  readonly note?: string | undefined
}

const isBlank = (text: string | undefined): text is undefined => text === undefined || text.trim() === ""

const isSame = (one: string, other: string): boolean => normalize(one) === normalize(other)

/**
 * `true` if a row has our note. Upper and lower case count as different, because an id in the note may have letters of
 * both cases.
 */
const hasNote = (sent: string | undefined, { note = "" }: Transaction): boolean =>
  !isBlank(sent) && trim(sent) === trim(note)

/** The letters and digits of a text, with one space in place of all other characters. */
const words = (text: string): string => ` ${(normalize(text).match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).join(" ")} `

/** `true` if a note contains the words of our note, with any other characters around and between the words. */
const contains = (sent: string, shown: string): boolean => /\S/.test(words(sent)) && words(shown).includes(words(sent))

const shape = (text: string): string => normalize(text).replace(/[a-z\d]/g, "0")

/**
 * `true` if the shown note is certainly a different note than the sent one. The service may shorten or rewrite a note,
 * so a difference is proof only if both notes are ASCII, contain a digit, and have letters or digits at the same
 * positions. A shown note with `xxx` proves nothing, because the `xxx` may be a mask.
 */
const isAnotherNote = (sent: string, shown: string): boolean =>
  [sent, shown].every((note) => /^\p{ASCII}*$/u.test(note) && /\d/.test(note)) &&
  shape(sent) === shape(shown) &&
  !isSame(sent, shown) &&
  !/x{3}/i.test(shown)

/** The digits of an amount as a number from 0.1 to 1, without the sign and the power of ten: 12.5 becomes 0.125. */
const digits = ({ value }: BigDecimal.BigDecimal): number => Number(`0.${String(value).replace("-", "")}`)

/** The share by which an amount may differ, because of a fee that the row does not show. */
const tolerance = 0.1

/** `true` if two amounts differ by no more than the tolerance, whatever their signs and powers of ten. */
const isLike = (one: BigDecimal.BigDecimal, other: BigDecimal.BigDecimal): boolean =>
  [0.1, 1, 10].some((unit) => Math.abs((digits(one) * unit) / digits(other) - 1) <= tolerance)

const withFee = (
  amount: BigDecimal.BigDecimal,
  fee: BigDecimal.BigDecimal | undefined
): ReadonlyArray<BigDecimal.BigDecimal> =>
  fee === undefined ? [amount] : [amount, BigDecimal.sum(amount, fee), BigDecimal.subtract(amount, fee)]

/** `true` if `amount`, truncated or rounded to as many decimals as `shown` has, equals `shown`. Ignores the signs. */
const isRounded = (shown: BigDecimal.BigDecimal, amount: BigDecimal.BigDecimal): boolean =>
  (["to-zero", "half-from-zero"] as const).some((mode) =>
    BigDecimal.equals(BigDecimal.abs(shown), BigDecimal.round(BigDecimal.abs(amount), { scale: shown.scale, mode }))
  )

/**
 * `true` if a row's amount is certainly not the sent amount. A difference proves nothing if one of these may explain
 * it: a different sign, a different power of ten, rounding, or a fee in the unit of either amount. An amount of 0
 * proves nothing, because a pending row may show 0.
 */
const isAnotherAmount = (sent: BigDecimal.BigDecimal, { amount, fee }: Transaction): boolean =>
  amount !== undefined &&
  !BigDecimal.isZero(amount) &&
  !withFee(sent, fee).some(
    (meant) => isRounded(amount, meant) || withFee(amount, fee).some((shown) => isLike(shown, meant))
  )

/**
 * `true` if a row certainly belongs to a different payment. If the service returns a note as a number, the note proves
 * nothing, because the number may have lost its last digits.
 */
const isAnothers = ({ amount, note: sent }: Wanted, row: Transaction): boolean => {
  const { note: shown } = row
  if (isBlank(sent) || isBlank(shown)) return isAnotherAmount(amount, row)
  return !contains(sent, shown) && (isAnotherNote(sent, shown) || isAnotherAmount(amount, row))
}

/**
 * The types that neither a send nor a transfer has. A service may show a send as a transfer, and a transfer as a send.
 */
const otherTypes: ReadonlySet<string> = new Set(["INCOMING", "SWAP", "ALLOWANCE"])

/** The fields in which a row differs from the input, or which it does not show. */
export const differences = (wanted: Wanted, row: Transaction): ReadonlyArray<Difference> => {
  const compare = (
    field: Difference["field"],
    requested: string | undefined,
    shown: string | undefined
  ): ReadonlyArray<Difference> =>
    isBlank(requested) || (!isBlank(shown) && (field === "note" ? hasNote(requested, row) : isSame(requested, shown)))
      ? []
      : [{ field, requested, shown: isBlank(shown) ? undefined : shown }]
  const { amount, assetId, clientId, networkId, note, to, toClientId, type } = row
  const isOfAmount = amount !== undefined && BigDecimal.equals(amount, wanted.amount)
  const ownType = wanted.toClientId === undefined ? "OUTGOING" : "INTERNAL_TRANSFER"
  return [
    ...(isOfAmount ? [] : compare("amount", Amount.format(wanted.amount), amount && Amount.format(amount))),
    ...compare("to", wanted.to, to),
    ...compare("note", wanted.note, note),
    ...compare("clientId", wanted.clientId, clientId),
    ...compare("toClientId", wanted.toClientId, toClientId),
    ...(otherTypes.has(type?.toUpperCase() ?? "") ? compare("type", ownType, type) : []),
    ...compare("assetId", wanted.assetId, assetId),
    ...(isBlank(networkId) ? [] : compare("networkId", wanted.networkId, networkId))
  ]
}

/**
 * `true` if a transaction pays an amount: a service may show a payment as a negative amount, or with its fee. A pending
 * transaction may show 0.
 */
const pays = (ordered: Amount.Amount, { amount, fee, status }: Transaction): boolean => {
  if (amount === undefined) return true
  if (BigDecimal.isZero(amount)) return !isFinal(status)
  const beyond = BigDecimal.abs(BigDecimal.subtract(BigDecimal.abs(amount), ordered))
  return BigDecimal.isZero(beyond) || (fee !== undefined && !BigDecimal.isGreaterThan(beyond, BigDecimal.abs(fee)))
}

/**
 * The fields in which a transaction contradicts an order. A field that the transaction does not show contradicts nothing,
 * nor does an amount that differs by at most the fee. The note is not compared, because it is how the transaction was
 * found.
 */
export const contradictions = (wanted: Wanted, row: Transaction): ReadonlyArray<Difference> =>
  differences(wanted, row).filter(
    ({ field, shown }) => shown !== undefined && field !== "note" && !(field === "amount" && pays(wanted.amount, row))
  )

const names: Partial<Record<Difference["field"], string>> = {
  clientId: "client",
  assetId: "asset",
  networkId: "network",
  to: "recipient"
}

/** Each difference with what is here, in the order, and what is there, in the history. */
export const describe = (found: ReadonlyArray<Difference>): string =>
  found.map(({ field, requested, shown }) => `${names[field] ?? field}: ${requested} here, ${shown} there`).join("; ")

export const isOurs = (wanted: Wanted, row: Transaction): boolean =>
  hasNote(wanted.note, row) && differences(wanted, row).length === 0

/** Decides from the rows of the history: `Found` if exactly one row has our note, and no field of this row differs. */
export const decide = (wanted: Wanted, rows: ReadonlyArray<Transaction>): Reconciliation => {
  const candidates = rows
    .filter((row) => !isAnothers(wanted, row))
    .map((transaction): Candidate => ({ transaction, differences: differences(wanted, transaction) }))
  const noted = candidates.filter(({ transaction }) => hasNote(wanted.note, transaction))
  const [only, ...more] = noted
  if (only !== undefined && more.length === 0 && only.differences.length === 0) {
    return { _tag: "Found", transaction: only.transaction }
  }
  const [first, ...others] = noted.some((candidate) => candidate.differences.length === 0) ? noted : candidates
  return first === undefined ? { _tag: "NotFoundSoFar" } : { _tag: "SeveralCandidates", candidates: [first, ...others] }
}
