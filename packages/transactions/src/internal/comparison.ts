/** Compares the input of a transaction whose outcome is unknown with the transactions of the history. Pure. */
import * as Amount from "@effect-custody/core/Amount"
import { plain } from "@effect-custody/core/Text"
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import type { Candidate, Difference, Reconciliation } from "../Reconciliation.ts"
import type { Transaction } from "../Transaction.ts"
import * as Note from "./note.ts"
import * as Parties from "./parties.ts"
import * as ShownAmount from "./shownAmount.ts"

/** The input, in the fields of the history. */
export interface Wanted {
  readonly clientId: string
  readonly assetId: string
  readonly networkId: string | undefined
  /** The external address; absent for a transfer to another client. */
  readonly to: string | undefined
  /** The client that receives a transfer; absent for what is sent to an external address. */
  readonly toClientId: string | undefined
  readonly amount: Amount.Amount
  readonly note: string | undefined
  /** The earliest time at which it can have been made, by the service's clock. */
  readonly createdAt: DateTime.Utc
}

/**
 * How a field of a transaction compares with the input: the same; something that a service may have made of it;
 * something else; or nothing. A note may also be `close`: ours, whatever else the transaction shows.
 */
type Verdict = Note.Likeness

const isSilent = (shown: string | undefined): shown is undefined => shown === undefined || shown.trim() === ""

/** Compares two texts, ignoring case. `resembles` decides about texts that are not equal. */
const compare = (
  wanted: string | undefined,
  shown: string | undefined,
  resembles: (longer: string, shorter: string) => boolean
): Verdict => {
  if (wanted === undefined || isSilent(shown)) return "silent"
  const [a, b] = [plain(wanted), plain(shown)]
  if (a === b) return "agrees"
  const [longer, shorter] = a.length > b.length ? [a, b] : [b, a]
  return resembles(longer, shorter) ? "resembles" : "contradicts"
}

const isWordCharacter = (character: string | undefined): boolean =>
  character !== undefined && /[a-z0-9]/.test(character)

/** An address with something beside it, such as a memo (`raddress:memo`) or a scheme (`bitcoin:address`). */
const isAddressWithin = (longer: string, shorter: string): boolean => {
  const at = longer.indexOf(shorter)
  return at >= 0 && !isWordCharacter(longer[at - 1]) && !isWordCharacter(longer[at + shorter.length])
}

/** What a service shows in place of the middle of an address. */
const mask = /[*…]|\.{3}/

const withoutZeros = (address: string): string => address.replace(/^(?:0x)?0*/, "")

/**
 * The form of an address; `undefined` if the text is no whole address. Only addresses of one form can be compared, because
 * one address may be written in several: with or without `0x`, with other prefixes, or as a name.
 */
const formOf = (address: string): string | undefined => {
  if (mask.test(address)) return undefined
  const [text = ""] = (address.match(/[\w-]+/g) ?? []).sort((a, b) => b.length - a.length)
  if (/^0x[\da-f]+$/.test(text)) return "0x"
  if (/^[\da-f]+$/.test(text)) return `hexadecimal of ${text.length}`
  // 32 bytes in base58, without a prefix, such as those of Solana.
  if (text.length === 43 || text.length === 44) return "base58 of 32 bytes"
  // 25 bytes in base58, such as those of Bitcoin, Tron and XRP: of one kind, they begin with the same letter.
  return `${text.slice(0, 1)}, of ${text.length > 24 && text.length < 36 ? "25 bytes" : text.length}`
}

const isPerhapsAddress = (longer: string, shorter: string): boolean =>
  isAddressWithin(longer, shorter) ||
  withoutZeros(longer) === withoutZeros(shorter) ||
  formOf(longer) === undefined ||
  formOf(longer) !== formOf(shorter)

const never = (): boolean => false

/** Compares notes with the one of the transaction that was looked for, if it has one. */
const comparingNotes = ({ note }: Wanted): ((shown: Transaction) => Verdict) =>
  isSilent(note) ? () => "silent" : Note.comparing(note)

/** A time with a time zone. Without one, the time may be hours earlier than it looks. */
const withZone = /(?:Z|GMT|UTC|[+-]\d\d:?\d\d)$/i

const compareTime = (wanted: DateTime.Utc, shown: string | undefined): Verdict =>
  Option.match(DateTime.make(shown ?? ""), {
    onNone: () => "silent",
    onSome: (time) => (withZone.test(shown ?? "") && !DateTime.isLessThan(time, wanted) ? "agrees" : "resembles")
  })

/** An address may be shown in another field than `to`, which then names something else, such as a contract. */
const compareAddress = (wanted: string | undefined, shown: Transaction): Verdict => {
  const verdict = compare(wanted, shown.to, isPerhapsAddress)
  return verdict === "contradicts" && Parties.showsElsewhere(wanted ?? "", shown) ? "resembles" : verdict
}

const compareAll = (
  wanted: Wanted,
  shown: Transaction,
  note: Verdict
): Readonly<Record<Difference["field"], Verdict>> => ({
  amount: ShownAmount.compare(wanted.amount, shown),
  to: compareAddress(wanted.to, shown),
  note,
  ...Parties.compare(wanted, shown),
  assetId: compare(wanted.assetId, shown.assetId, never),
  networkId: compare(wanted.networkId, shown.networkId, never),
  createdAt: compareTime(wanted.createdAt, shown.createdAt)
})

const textOf = (value: string | Amount.Amount | DateTime.Utc | undefined): string | undefined =>
  value === undefined || typeof value === "string"
    ? value
    : DateTime.isDateTime(value)
      ? DateTime.formatIso(value)
      : Amount.format(value)

const isOfParties = (field: Difference["field"]): field is keyof Parties.Parties =>
  field === "clientId" || field === "toClientId" || field === "type"

const shownOf = (wanted: Wanted, shown: Transaction, field: Difference["field"]): string | undefined =>
  field === "note"
    ? Note.textsOf(shown).join(", ") || undefined
    : isOfParties(field)
      ? Parties.shownOf(wanted, shown, field)
      : textOf(shown[field])

const askedOf = (wanted: Wanted, field: Difference["field"]): string | undefined =>
  textOf(field === "type" ? Parties.typeOf(wanted) : wanted[field])

/**
 * Whether a note that agrees outweighs what a transaction shows in a field: a service may show its times in its own zone,
 * an outgoing transaction as an internal one, or no recipient.
 */
const isLessThanNote = (field: Difference["field"], verdict: Verdict): boolean =>
  field === "createdAt" ||
  (field === "type" && verdict === "resembles") ||
  (field === "toClientId" && verdict === "silent")

const differencesOf = (
  wanted: Wanted,
  shown: Transaction,
  verdicts: Readonly<Record<Difference["field"], Verdict>>,
  needed: ReadonlyArray<Difference["field"]>
): ReadonlyArray<Difference> =>
  (Object.keys(verdicts) as ReadonlyArray<Difference["field"]>).flatMap((field) => {
    const asked = askedOf(wanted, field)
    const verdict = verdicts[field]
    const isAsAsked =
      verdict === "agrees" ||
      (verdict === "silent" && !needed.includes(field)) ||
      (verdicts.note === "agrees" && isLessThanNote(field, verdict))
    return isSilent(asked) || isAsAsked ? [] : [{ field, asked, shown: shownOf(wanted, shown, field) }]
  })

/** A transaction of the history that may be the one that is looked for, and how it compares with it. */
interface Compared {
  readonly transaction: Transaction
  readonly verdicts: Readonly<Record<Difference["field"], Verdict>>
}

/** Compares the input with transactions of the history: those that may be the one that is looked for. */
export const comparing = (wanted: Wanted): ((rows: ReadonlyArray<Transaction>) => ReadonlyArray<Compared>) => {
  const compareNote = comparingNotes(wanted)
  return (rows) =>
    rows
      .map((transaction) => ({ transaction, verdicts: compareAll(wanted, transaction, compareNote(transaction)) }))
      .filter(
        ({ verdicts: { amount, note, to } }) =>
          note === "agrees" || note === "close" || ![amount, note, to].includes("contradicts")
      )
}

/** What a transaction has to show to be certain. The time and the recipient of a transfer may be missing beside its note. */
const needed: ReadonlyArray<Difference["field"]> = ["amount", "to", "toClientId", "note", "createdAt"]

/**
 * What the transactions that may be it say about the one that was looked for.
 *
 * A note decides. A transaction with this note, or with one that is close to it, is a candidate whatever else it shows. A
 * transaction with another note is not a candidate. Without a note, or with one that a service may have changed, only
 * another amount or another address rules a transaction out. How the service writes the rest is assumed, and a payment
 * that is overlooked may be made a second time. `further`: a field that a transaction has to show, in addition to those
 * that are always needed, to be certain.
 */
export const decide = (
  wanted: Wanted,
  candidates: ReadonlyArray<Compared>,
  further: ReadonlyArray<Difference["field"]> = []
): Reconciliation => {
  const noted = candidates.filter(({ verdicts }) => verdicts.note === "agrees" && !Parties.isAnothers(verdicts))
  const [first, ...others] = (noted.length > 0 ? noted : candidates).map(({ transaction, verdicts }): Candidate => ({
    transaction,
    differences: differencesOf(wanted, transaction, verdicts, [...needed, ...further])
  }))
  if (first === undefined) return { _tag: "NotFoundSoFar" }
  return others.length === 0 && first.differences.length === 0
    ? { _tag: "Found", transaction: first.transaction }
    : { _tag: "SeveralCandidates", candidates: [first, ...others] }
}
