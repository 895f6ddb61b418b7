/** What a spreadsheet makes of the cells of a CSV file. Pure. */
import * as Effect from "effect/Effect"
import * as Csv from "effect/encoding/Csv"
import * as Stream from "effect/Stream"

/** The first characters of a formula. Some spreadsheets skip a tab or a line break, and read full-width characters. */
const formula = /^[=+\-@\t\r\n＝＋－＠]/

const negativeNumber = /^-\d+(\.\d+)?$/

/** A spreadsheet shows a cell that begins with an apostrophe as text. */
const asText = (cell: string): string => (formula.test(cell) && !negativeNumber.test(cell) ? `'${cell}` : cell)

/**
 * Records as CSV with a header. A cell that a spreadsheet would run as a formula begins with an apostrophe, because a note
 * or a reference may come from a stranger.
 */
export const toCsv = <Column extends string>(
  columns: ReadonlyArray<Column>,
  records: ReadonlyArray<Readonly<Record<Column, string | null>>>
): string =>
  Stream.fromIterable(records).pipe(
    Stream.map((record) => Object.fromEntries(columns.map((column) => [column, asText(record[column] ?? "")]))),
    Stream.pipeThroughChannel(Csv.encodeString({ columns, headers: true })),
    Stream.mkString,
    Effect.runSync
  )
