/**
 * Compares an input with the rows of the history: which fields differ, and which differences are certain. A row is excluded
 * only if it certainly belongs to a different payment, because overlooking a row could lead to a second payment.
 * `Transactions.find` decides by {@link decide}; the ledger has a judge of its own, over the same comparison.
 *
 * @siblings `ledger` compares payouts with the history by these rules.
 */
import * as Amount from "@effect-custody/core/Amount"
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
export const hasNote = (sent: string | undefined, { note = "" }: Transaction): boolean =>
  !isBlank(sent) && trim(sent) === trim(note)

/** The letters and digits of a text, with one space in place of all other characters. */
const words = (text: string): string => ` ${(normalize(text).match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).join(" ")} `

/** `true` if a note contains the words of our note, with any other characters around and between the words. */
export const contains = (sent: string, shown: string): boolean =>
  /\S/.test(words(sent)) && words(shown).includes(words(sent))

const shape = (text: string): string => normalize(text).replace(/[a-z\d]/g, "0")

/**
 * `true` if the shown note is certainly a different note than the sent one. The service may shorten or rewrite a note,
 * so a difference is proof only if both notes are ASCII, contain a digit, and have letters or digits at the same
 * positions. A shown note with `xxx` proves nothing, because the `xxx` may be a mask.
 */
export const isAnotherNote = (sent: string, shown: string): boolean =>
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
 * `true` if a row's amount is the sent amount. A service may show a payment as a negative amount. It may add or subtract the
 * fee, which explains a difference only if the row says that the fee is in the payment's own asset.
 */
const isAmount = ({ amount: sent, assetId }: Wanted, { amount, fee, feeAssetId }: Transaction): boolean => {
  if (amount === undefined) return false
  const gap = BigDecimal.abs(BigDecimal.subtract(BigDecimal.abs(amount), sent))
  if (BigDecimal.isZero(gap)) return true
  return (
    fee !== undefined &&
    feeAssetId !== undefined &&
    isSame(feeAssetId, assetId) &&
    BigDecimal.equals(gap, BigDecimal.abs(fee))
  )
}

/** The types that a send and a transfer have. A service may show a send as a transfer, and a transfer as a send. */
const ownTypes: ReadonlySet<string> = new Set(["OUTGOING", "INTERNAL_TRANSFER"])

/** The types that neither a send nor a transfer has. A type that is in no list may be either. */
const otherTypes: ReadonlySet<string> = new Set(["INCOMING", "SWAP", "ALLOWANCE"])

/** `true` if a row certainly has a type that no payment to a recipient has. */
export const isOtherType = ({ type }: Transaction): boolean => otherTypes.has(type?.toUpperCase() ?? "")

/** A field by which a row differs. `isCertain`: the row shows it, and nothing else explains the difference. */
export interface Compared extends Difference {
  readonly isCertain: boolean
}

/** The fields in which a row differs from the input, or which it does not show. */
export const compare = (wanted: Wanted, row: Transaction): ReadonlyArray<Compared> => {
  const found: Array<Compared> = []
  const add = (
    field: Difference["field"],
    requested: string | undefined,
    shown: string | undefined,
    isCertain: () => boolean = () => true,
    same = isSame
  ) => {
    if (isBlank(requested)) return
    if (isBlank(shown)) found.push({ field, requested, shown: undefined, isCertain: false })
    else if (!same(requested, shown)) found.push({ field, requested, shown, isCertain: isCertain() })
  }
  const { amount, assetId, clientId, networkId, note, to, toClientId, type } = row
  if (!isAmount(wanted, row)) {
    const shown = amount && Amount.format(amount)
    add(
      "amount",
      Amount.format(wanted.amount),
      shown,
      () => isAnotherAmount(wanted.amount, row),
      () => false
    )
  }
  add("to", wanted.to, to)
  add(
    "note",
    wanted.note,
    note,
    () => isAnotherNote(wanted.note ?? "", note ?? ""),
    () => hasNote(wanted.note, row)
  )
  add("clientId", wanted.clientId, clientId)
  add("toClientId", wanted.toClientId, toClientId)
  if (!isBlank(type) && !ownTypes.has(type.toUpperCase())) {
    add("type", wanted.toClientId === undefined ? "OUTGOING" : "INTERNAL_TRANSFER", type, () => isOtherType(row))
  }
  add("assetId", wanted.assetId, assetId)
  if (!isBlank(networkId)) add("networkId", wanted.networkId, networkId)
  return found
}

/**
 * `true` if a row certainly belongs to a different payment: by its amount, or by its note, which then contains nothing of
 * ours. If the service returns a note as a number, the note proves nothing, because the number may have lost its last
 * digits.
 */
const isAnothers = ({ note = "" }: Wanted, row: Transaction, compared: ReadonlyArray<Compared>): boolean =>
  compared.some(({ field, isCertain }) => isCertain && (field === "amount" || field === "note")) &&
  !contains(note, row.note ?? "")

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
  hasNote(wanted.note, row) && compare(wanted, row).length === 0

/** The result of rows that may be the payment, none of which certainly is. */
export const choose = (candidates: ReadonlyArray<Candidate>): Reconciliation => {
  const [first, ...others] = candidates
  return first === undefined ? { _tag: "NotFoundSoFar" } : { _tag: "SeveralCandidates", candidates: [first, ...others] }
}

export const toDifference = ({ field, requested, shown }: Compared): Difference => ({ field, requested, shown })

/** Decides from the rows of the history: `Found` if exactly one row has our note, and no field of this row differs. */
export const decide = (wanted: Wanted, rows: ReadonlyArray<Transaction>): Reconciliation => {
  const candidates = rows.flatMap((transaction): ReadonlyArray<Candidate> => {
    const compared = compare(wanted, transaction)
    return isAnothers(wanted, transaction, compared) ? [] : [{ transaction, differences: compared.map(toDifference) }]
  })
  const noted = candidates.filter(({ transaction }) => hasNote(wanted.note, transaction))
  const [only, ...more] = noted
  if (only !== undefined && more.length === 0 && only.differences.length === 0) {
    return { _tag: "Found", transaction: only.transaction }
  }
  return choose(noted.some(({ differences }) => differences.length === 0) ? noted : candidates)
}
