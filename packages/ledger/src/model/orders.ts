/** Checks orders, and turns them into the rows of the ledger. Pure. */
import * as Amount from "@effect-custody/core/Amount"
import { trim } from "@effect-custody/core/unstable/Text"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import { OrdersInvalid } from "./LedgerError.ts"
import type { ReferencedOrder } from "./Payout.ts"

const Text = Schema.String.check(Schema.isPattern(/\S/, { message: "must not be blank" }), Schema.isMaxLength(255))

/** An empty cell of a CSV file is an absent value. */
const Cell = Schema.optionalKey(Schema.String.check(Schema.isMaxLength(255)))

/** The codec of a row of a CSV file: `reference,clientId,assetId,to,amount`, and optionally `networkId` and `note`. */
const OrderRow = Schema.Struct({
  reference: Text,
  clientId: Text,
  assetId: Text,
  to: Text,
  amount: Amount.Positive,
  networkId: Cell,
  note: Cell
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

type Issue = OrdersInvalid["issues"][number]

const formatter = SchemaIssue.makeFormatterStandardSchemaV1()

const issuesOf = (row: number, issue: SchemaIssue.Issue): ReadonlyArray<Issue> =>
  formatter(issue).issues.map(({ message, path }) => {
    const column = path?.[0]
    return { row, column: typeof column === "string" ? column : "reference", message }
  })

const columns = ({ amount, assetId, clientId, networkId, note, reference, to }: ReferencedOrder): OrderColumns => {
  const text = Amount.format(amount)
  const network = networkId === undefined || networkId === "" ? null : networkId
  return {
    reference,
    client_id: clientId,
    asset_id: assetId,
    network_id: network,
    destination: to,
    amount: text,
    note: trim(note ?? "") === "" ? trim(reference) : trim(note ?? ""),
    twin: JSON.stringify([clientId, assetId, network, to, text])
  }
}

/** Finds a name that two rows share. */
const repeated = (rows: ReadonlyArray<OrderColumns>, column: "reference" | "note"): ReadonlyArray<Issue> => {
  const first = new Map<string, number>()
  return rows.flatMap((row, index) => {
    const before = first.get(row[column])
    if (before === undefined) first.set(row[column], index + 1)
    return before === undefined ? [] : [{ row: index + 1, column, message: `is the same as in row ${before}` }]
  })
}

const decodeType = Schema.decodeUnknownResult(Schema.toType(OrderRow), { errors: "all" })
const decodeCells = Schema.decodeUnknownResult(OrderRow, { errors: "all" })

const checkAll = (
  orders: ReadonlyArray<unknown>,
  decode: typeof decodeCells
): Result.Result<ReadonlyArray<ReferencedOrder>, OrdersInvalid> => {
  const issues: Array<Issue> = []
  const valid: Array<ReferencedOrder> = []
  orders.forEach((order, index) => {
    const decoded = decode(order)
    if (Result.isSuccess(decoded)) valid.push(decoded.success)
    else issues.push(...issuesOf(index + 1, decoded.failure.issue))
  })
  return issues.length === 0 ? Result.succeed(valid) : Result.fail(new OrdersInvalid({ issues }))
}

/** Drops the fields that a caller left undefined. */
const withoutUndefined = (order: ReferencedOrder): object =>
  Object.fromEntries(Object.entries(order).filter(([, value]) => value !== undefined))

/** The columns of valid orders. */
export const toColumns = (
  orders: ReadonlyArray<ReferencedOrder>
): Result.Result<ReadonlyArray<OrderColumns>, OrdersInvalid> =>
  Result.flatMap(checkAll(orders.map(withoutUndefined), decodeType), (valid) => {
    const rows = valid.map(columns)
    const issues = [...repeated(rows, "reference"), ...repeated(rows, "note")]
    return issues.length === 0 ? Result.succeed(rows) : Result.fail(new OrdersInvalid({ issues }))
  })

/** Orders from the texts of a table. */
export const fromCells = (
  rows: ReadonlyArray<Readonly<Record<string, string>>>
): Result.Result<ReadonlyArray<ReferencedOrder>, OrdersInvalid> =>
  Result.flatMap(checkAll(rows, decodeCells), (orders) => Result.map(toColumns(orders), () => orders))
