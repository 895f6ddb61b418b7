/** Checks orders, and turns them into the rows of the ledger. Pure. */
import * as Amount from "@effect-custody/core/Amount"
import { escapeInvisible, trim } from "@effect-custody/core/Text"
import * as BigDecimal from "effect/BigDecimal"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import { OrdersInvalid } from "./LedgerError.ts"
import type { ReferencedOrder } from "./Payout.ts"
import { isShortened } from "./siblings/Spreadsheet.ts"

const Text = Schema.String.check(Schema.isPattern(/\S/, { message: "must not be blank" }), Schema.isMaxLength(255))

const Optional = Schema.String.check(Schema.isMaxLength(255))

const shortened = (cell: string): string =>
  `is "${cell}", a number that a spreadsheet shortened, and its last digits may be lost: format the column as text there, and enter the value again`

const cellOf = <T, E extends string | number>(
  schema: Schema.Codec<T, E>,
  mistakeIn: (cell: string) => string | undefined
) => Schema.String.check(Schema.makeFilter(mistakeIn)).pipe(Schema.decodeTo(schema))

const mistakeInText = (cell: string): string | undefined => (isShortened(cell) ? shortened(cell) : undefined)

const mistakeInAmount = (cell: string): string | undefined => {
  const trimmed = cell.trim()
  if (/^[+-]?[\d.,]+e[+-]?\d+$/i.test(trimmed)) return shortened(cell)
  return trimmed === cell || trimmed === "" ? undefined : `is "${cell}", with spaces around the number: remove them`
}

const text = cellOf(Text, mistakeInText)

/** An empty cell is an absent value. */
const optional = Schema.optionalKey(cellOf(Optional, mistakeInText))

/** The codec of a row of a CSV file: `reference,clientId,assetId,to,amount`, and optionally `networkId` and `note`. */
const OrderRow = Schema.Struct({
  reference: text,
  clientId: text,
  assetId: text,
  to: text,
  amount: cellOf(Amount.Positive, mistakeInAmount),
  networkId: optional,
  note: optional
})

/** An order as it is stored. */
export interface OrderColumns {
  readonly reference: string
  readonly client_id: string
  readonly asset_id: string
  readonly network_id: string | null
  readonly destination: string
  readonly amount: string
  readonly note: string
  /** Equal for payouts that only their notes tell apart. */
  readonly twin: string
}

/** What makes two orders equal but for their notes. */
export type Terms = Omit<OrderColumns, "reference" | "note" | "twin">

/** A hexadecimal address has no case: the letters of some carry a checksum. */
const canonicalAddress = (address: string): string => (/^0x[\da-f]+$/i.test(address) ? address.toLowerCase() : address)

/** An amount without the zeros that change nothing: 12.50 and 12.5 are one amount. */
export const canonicalAmount = (amount: BigDecimal.BigDecimal): string =>
  BigDecimal.format(BigDecimal.normalize(BigDecimal.abs(amount)))

export const twinOf = ({ amount, asset_id, client_id, destination, network_id }: Terms): string =>
  JSON.stringify([
    client_id,
    asset_id,
    network_id,
    canonicalAddress(destination),
    canonicalAmount(BigDecimal.fromStringUnsafe(amount))
  ])

type Issue = OrdersInvalid["issues"][number]

const formatter = SchemaIssue.makeFormatterStandardSchemaV1()

const issuesOf = (row: number, issue: SchemaIssue.Issue): ReadonlyArray<Issue> =>
  formatter(issue).issues.map(({ message, path }) => {
    const column = path?.[0]
    return { row, column: typeof column === "string" ? column : "reference", message }
  })

const toText = (value: unknown): string => (typeof value === "string" ? value : "")

/** Controls, halves of a character, separators of lines and paragraphs, and controls of direction. */
const forging = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u

/**
 * The fields of orders with a character that could show the person who approves something else than is paid. Joiners
 * (U+200C, U+200D), which some scripts need, are no such characters, and neither are unassigned ones.
 */
export const findForged = (
  orders: ReadonlyArray<ReferencedOrder>,
  submission: { readonly batch?: string; readonly by?: string } = {}
): ReadonlyArray<Issue> =>
  orders.flatMap((order, index) =>
    Object.entries({ ...order, ...submission }).flatMap(([column, value]) => {
      const found = forging.exec(toText(value))
      if (found === null) return []
      const message = `has the invisible character ${escapeInvisible(found[0])}, which no new order may have: remove it`
      return [{ row: index + 1, column, message }]
    })
  )

/**
 * Refuses the forged orders that are new. Those that the ledger has (`known`) are let through: who had to rename one would
 * pay it again under another name.
 */
export const refuseForged = (
  orders: ReadonlyArray<ReferencedOrder>,
  forged: ReadonlyArray<Issue>,
  known: { readonly has: (reference: string) => boolean }
): Result.Result<void, OrdersInvalid> => {
  const issues = forged.filter(({ row }) => !known.has(orders[row - 1]!.reference))
  return issues.length === 0 ? Result.void : Result.fail(new OrdersInvalid({ issues }))
}

/** The note that the service gets. */
const chooseNote = (reference: string, note = ""): string => (trim(note) === "" ? trim(reference) : trim(note))

/** An order as it is stored. */
export const toRow = ({
  amount,
  assetId,
  clientId,
  networkId,
  note,
  reference,
  to
}: Omit<ReferencedOrder, "networkId"> & { readonly networkId?: string | null | undefined }): OrderColumns => {
  const terms: Terms = {
    client_id: clientId,
    asset_id: assetId,
    network_id: networkId || null,
    destination: to,
    amount: Amount.format(amount)
  }
  return { reference, ...terms, note: chooseNote(reference, note), twin: twinOf(terms) }
}

/** Finds a name that two rows share. A row without a name has another mistake. */
const repeated = (names: ReadonlyArray<string>, column: "reference" | "note"): ReadonlyArray<Issue> => {
  const first = new Map<string, number>()
  return names.flatMap((name, index) => {
    const before = first.get(name)
    if (before === undefined && name !== "") first.set(name, index + 1)
    return before === undefined ? [] : [{ row: index + 1, column, message: `is the same as in row ${before}` }]
  })
}

const decodeType = Schema.decodeUnknownResult(Schema.toType(OrderRow), { errors: "all" })
const decodeCells = Schema.decodeUnknownResult(OrderRow, { errors: "all" })

/** Every mistake: a wrong cell does not hide that its row repeats another. */
const checkAll = (
  orders: ReadonlyArray<Readonly<Record<string, unknown>>>,
  decode: typeof decodeCells
): Result.Result<ReadonlyArray<ReferencedOrder>, OrdersInvalid> => {
  const issues: Array<Issue> = []
  const valid: Array<ReferencedOrder> = []
  orders.forEach((order, index) => {
    const decoded = decode(order)
    if (Result.isSuccess(decoded)) valid.push(decoded.success)
    else issues.push(...issuesOf(index + 1, decoded.failure.issue))
  })
  const references = orders.map(({ reference }) => toText(reference))
  const notes = orders.map(({ note, reference }) => chooseNote(toText(reference), toText(note)))
  issues.push(...repeated(references, "reference"), ...repeated(notes, "note"))
  return issues.length === 0
    ? Result.succeed(valid)
    : Result.fail(new OrdersInvalid({ issues: issues.toSorted((a, b) => a.row - b.row) }))
}

/** Drops the fields that a caller left undefined. */
const withoutUndefined = (order: ReferencedOrder): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(order).filter(([, value]) => value !== undefined))

/** The columns of valid orders. */
export const toColumns = (
  orders: ReadonlyArray<ReferencedOrder>
): Result.Result<ReadonlyArray<OrderColumns>, OrdersInvalid> =>
  Result.map(checkAll(orders.map(withoutUndefined), decodeType), (valid) => valid.map(toRow))

/**
 * Orders from the texts of a table: `reference,clientId,assetId,to,amount`, and optionally `networkId` and `note`. Fails
 * with `OrdersInvalid`, which names every wrong cell, but not for invisible characters: only new orders may not have them,
 * and `submit` knows which are new. A number as a spreadsheet shortens it (`1.23457E+11`) is wrong
 * in every column, and any exponent in an amount, because digits may be lost.
 *
 * @since 0.1.0
 * @category orders
 */
export const decodeOrders = (
  rows: ReadonlyArray<Readonly<Record<string, string>>>
): Effect.Effect<ReadonlyArray<ReferencedOrder>, OrdersInvalid> => Effect.fromResult(checkAll(rows, decodeCells))
