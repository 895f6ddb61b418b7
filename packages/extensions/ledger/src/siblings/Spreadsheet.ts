/**
 * What a spreadsheet makes of the cells of a CSV file. Pure.
 *
 * @siblings `cli` writes tables for a person.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Csv from "effect/encoding/Csv"

/**
 * `true` for a number as a spreadsheet shortens it: `1.23457E+11` for 123456789012. Other texts with an `e`, such as the
 * reference `12e5`, are not such numbers.
 */
export const isShortened = (cell: string): boolean => /^\s*[+-]?\d(?:[.,]\d+)?E[+-]\d{2,}\s*$/.test(cell)

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
