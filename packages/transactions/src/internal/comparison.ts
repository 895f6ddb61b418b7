/**
 * Compares an input with the rows of the history. A row is ours only if it has our note, another's only if that is certain,
 * and a candidate otherwise: an overlooked row may be a payment that is made twice.
 */
import * as Amount from "@effect-custody/core/Amount"
import { normalize } from "@effect-custody/core/unstable/Text"
import * as BigDecimal from "effect/BigDecimal"
import type { Candidate, Difference, Reconciliation } from "../Reconciliation.ts"
import type { Transaction } from "../Transaction.ts"

/** The input, in the fields of the history. */
export interface Wanted {
  readonly clientId: string
  readonly assetId: string
  readonly networkId?: string
  readonly to?: string
  readonly toClientId?: string
  readonly amount: Amount.Amount
  readonly note?: string
}

const isBlank = (text: string | undefined): text is undefined => text === undefined || text.trim() === ""

const isSame = (one: string, other: string): boolean => normalize(one) === normalize(other)

const trimmed = (text: string): string => text.normalize("NFC").trim()

/** Whether a row has our note. Notes in another case are other notes: an id may have letters of both cases. */
const hasNote = (sent: string | undefined, { note = "" }: Transaction): boolean =>
  !isBlank(sent) && trimmed(sent) === trimmed(note)

/** The letters and digits of a text, with one space in place of everything between them. */
const words = (text: string): string => ` ${(normalize(text).match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).join(" ")} `

/** Whether a note has the words of ours, with anything around and between them. */
const contains = (sent: string, shown: string): boolean => /\S/.test(words(sent)) && words(shown).includes(words(sent))

const shape = (text: string): string => normalize(text).replace(/[a-z\d]/g, "0")

/** Whether a note certainly is another one: both are ASCII with a digit, of one shape, unmasked, and different. */
const isAnotherNote = (sent: string, shown: string): boolean =>
  [sent, shown].every((note) => /^\p{ASCII}*$/u.test(note) && /\d/.test(note)) &&
  shape(sent) === shape(shown) &&
  !isSame(sent, shown) &&
  !/x{3}/i.test(shown)

/** The digits of an amount, as a number from 0.1 to 1. */
const digits = ({ value }: BigDecimal.BigDecimal): number => Number(`0.${String(value).replace("-", "")}`)

/** By how much an amount may differ: a fee that the row does not show. */
const tolerance = 0.1

/** Whether two amounts are alike, whatever their signs and powers of ten. */
const isLike = (one: BigDecimal.BigDecimal, other: BigDecimal.BigDecimal): boolean =>
  [0.1, 1, 10].some((unit) => Math.abs((digits(one) * unit) / digits(other) - 1) <= tolerance)

const withFee = (
  amount: BigDecimal.BigDecimal,
  fee: BigDecimal.BigDecimal | undefined
): ReadonlyArray<BigDecimal.BigDecimal> =>
  fee === undefined ? [amount] : [amount, BigDecimal.sum(amount, fee), BigDecimal.subtract(amount, fee)]

/** Whether an amount is another one that was cut or rounded to its decimals, whatever their signs. */
const isRounded = (shown: BigDecimal.BigDecimal, amount: BigDecimal.BigDecimal): boolean =>
  (["to-zero", "half-from-zero"] as const).some((mode) =>
    BigDecimal.equals(BigDecimal.abs(shown), BigDecimal.round(BigDecimal.abs(amount), { scale: shown.scale, mode }))
  )

/**
 * Whether nothing explains how an amount differs: no sign, no power of ten, no fee, which may be in the unit of either
 * amount, and no rounding. 0 may be a pending one.
 */
const isAnotherAmount = (sent: BigDecimal.BigDecimal, { amount, fee }: Transaction): boolean =>
  amount !== undefined &&
  !BigDecimal.isZero(amount) &&
  !withFee(sent, fee).some(
    (meant) => isRounded(amount, meant) || withFee(amount, fee).some((shown) => isLike(shown, meant))
  )

/** Only a text can be another note: a number may have lost its last digits. */
const isAnothers = ({ amount, note: sent }: Wanted, row: Transaction): boolean => {
  const { note: shown } = row
  if (isBlank(sent) || isBlank(shown)) return isAnotherAmount(amount, row)
  return !contains(sent, shown) && (isAnotherNote(sent, shown) || isAnotherAmount(amount, row))
}

/** Types that no send or transfer has. A service may show either of the two as the other. */
const otherTypes: ReadonlySet<string> = new Set(["INCOMING", "SWAP", "ALLOWANCE"])

const differences = (wanted: Wanted, row: Transaction): ReadonlyArray<Difference> => {
  const compared = (
    field: Difference["field"],
    asked: string | undefined,
    shown: string | undefined
  ): ReadonlyArray<Difference> =>
    isBlank(asked) || (!isBlank(shown) && (field === "note" ? hasNote(asked, row) : isSame(asked, shown)))
      ? []
      : [{ field, asked, shown: isBlank(shown) ? undefined : shown }]
  const { amount, assetId, clientId, networkId, note, to, toClientId, type } = row
  const isOfAmount = amount !== undefined && BigDecimal.equals(amount, wanted.amount)
  const ownType = wanted.toClientId === undefined ? "OUTGOING" : "INTERNAL_TRANSFER"
  return [
    ...(isOfAmount ? [] : compared("amount", Amount.format(wanted.amount), amount && Amount.format(amount))),
    ...compared("to", wanted.to, to),
    ...compared("note", wanted.note, note),
    ...compared("clientId", wanted.clientId, clientId),
    ...compared("toClientId", wanted.toClientId, toClientId),
    ...(otherTypes.has(type?.toUpperCase() ?? "") ? compared("type", ownType, type) : []),
    ...compared("assetId", wanted.assetId, assetId),
    ...(isBlank(networkId) ? [] : compared("networkId", wanted.networkId, networkId))
  ]
}

export const isOurs = (wanted: Wanted, row: Transaction): boolean =>
  hasNote(wanted.note, row) && differences(wanted, row).length === 0

/** What the rows of the history say: `Found` if exactly one has our note, and it differs in nothing. */
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
