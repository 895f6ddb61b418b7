/** Orders from a CSV file, with the line and the column of each mistake. */
import type { OrdersInvalid } from "@effect-custody/ledger/LedgerError"
import * as Payouts from "@effect-custody/ledger/Payouts"
import * as Effect from "effect/Effect"
import * as Csv from "effect/encoding/Csv"
import * as FileSystem from "effect/FileSystem"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { isUtf8 } from "node:buffer"
import * as Output from "../terminal/output.ts"

const required = ["reference", "clientId", "assetId", "to", "amount"]
const known = [...required, "networkId", "note"]

/** A mistake in a file. */
export interface Mistake {
  readonly line: number
  readonly message: string
}

export interface Parsed {
  readonly orders: ReadonlyArray<Payouts.ReferencedOrder>
  /** The line of each order. */
  readonly lines: ReadonlyArray<number>
  readonly mistakes: ReadonlyArray<Mistake>
}

interface Line {
  readonly line: number
  readonly cells: Csv.Row
}

/** The lines of records. A quoted cell can span several lines. */
const number = (rows: ReadonlyArray<Csv.Row>): ReadonlyArray<Line> => {
  let line = 1
  return rows.map((cells) => {
    const found = { line, cells }
    line += cells.reduce((breaks, cell) => breaks + cell.split("\n").length - 1, 1)
    return found
  })
}

const isBlank = ({ cells }: Line): boolean => cells.every((cell) => cell.trim() === "")

/** A spreadsheet with a comma in its numbers separates cells by something else. */
const otherSeparator = ({ cells }: Line): string | undefined =>
  [";", "\t", "|"].find((separator) =>
    cells[0]
      ?.split(separator)
      .slice(1)
      .some((name) => known.includes(name.trim()))
  )

const checkHeader = (header: Line): ReadonlyArray<Mistake> => {
  const { cells, line } = header
  const separator = otherSeparator(header)
  if (separator !== undefined) {
    const name = separator === "\t" ? "tabs" : `"${separator}"`
    return [{ line, message: `${name} separate the cells: save the file with "," between them, and "." in amounts` }]
  }
  const missing = required.filter((name) => !cells.includes(name)).map((name) => `the column ${name} is missing`)
  const unknown = cells.filter((name) => !known.includes(name)).map((name) => `there is no column "${name}"`)
  const repeated = cells.filter((name, index) => cells.indexOf(name) < index).map((name) => `"${name}" is repeated`)
  const names = `the columns are ${required.join(",")} and optionally networkId,note`
  return [...missing, ...unknown, ...repeated].map((message) => ({ line, message: `${message}: ${names}` }))
}

/** The mistakes of orders in the lines of their file. */
export const inLines = ({ issues }: OrdersInvalid, lines: ReadonlyArray<number>): ReadonlyArray<Mistake> =>
  issues.map(({ column, message, row }) => ({
    line: lines[row - 1] ?? 1,
    message: `${column}: ${message.replace(/in row (\d+)/, (_, other) => `in line ${lines[Number(other) - 1]}`)}`
  }))

export const parse = Effect.fnUntraced(function* (text: string): Effect.fn.Return<Parsed> {
  const read = yield* Stream.make(text).pipe(
    Stream.pipeThroughChannel(Csv.decodeString()),
    Stream.runCollect,
    Effect.result
  )
  const failed = (mistakes: ReadonlyArray<Mistake>): Parsed => ({ orders: [], lines: [], mistakes })
  if (Result.isFailure(read)) return failed([{ line: read.failure.line, message: read.failure.message }])
  const [header, ...rows] = number(read.success).filter((line) => !isBlank(line))
  if (header === undefined)
    return failed([{ line: 1, message: `the file is empty: it begins with ${known.join(",")}` }])
  const mistakes = checkHeader(header)
  if (mistakes.length > 0) return failed(mistakes)
  const uneven = rows.filter(({ cells }) => cells.length !== header.cells.length)
  if (uneven.length > 0) {
    return failed(
      uneven.map(({ cells, line }) => ({
        line,
        message: `it has ${cells.length} cells, and the header ${header.cells.length}`
      }))
    )
  }
  const records = rows.map(({ cells }) => Object.fromEntries(header.cells.map((name, at) => [name, cells[at] ?? ""])))
  const lines = rows.map(({ line }) => line)
  const decoded = yield* Effect.result(Payouts.decodeOrders(records))
  if (Result.isSuccess(decoded)) return { orders: decoded.success, lines, mistakes: [] }
  return failed(inLines(decoded.failure, lines))
})

const maxShown = 20

/** Describes mistakes, one per line. Many editors open `file:line` at that place. */
export const describe = (file: string, mistakes: ReadonlyArray<Mistake>): ReadonlyArray<string> => [
  ...mistakes.slice(0, maxShown).map(({ line, message }) => `${file}:${line}: ${message}`),
  ...(mistakes.length > maxShown ? [`and ${mistakes.length - maxShown} more`] : [])
]

const utf8 = "save it as UTF-8, which a spreadsheet calls CSV UTF-8"

/** The text of a file. In another encoding, a name would become another one, and be paid again when the file is mended. */
const decodeText = (bytes: Uint8Array): Result.Result<string, ReadonlyArray<Mistake>> => {
  const [first, second] = bytes
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    return Result.fail([{ line: 1, message: `the file is in UTF-16: ${utf8}` }])
  }
  const text = new TextDecoder().decode(bytes)
  const lines = text.split("\n").flatMap((content, index) => (content.includes("\ufffd") ? [index + 1] : []))
  if (lines.length === 0) return Result.succeed(text)
  const why = isUtf8(bytes)
    ? "U+FFFD stands for a character that was lost when the file was converted: enter it again"
    : `the file is not in UTF-8, but perhaps in Windows-1252 (Latin-1): ${utf8}`
  return Result.fail(lines.map((line) => ({ line, message: why })))
}

export const readFile = (file: string) =>
  Effect.gen(function* () {
    const bytes = yield* Output.orFail(FileSystem.FileSystem.use((fileSystem) => fileSystem.readFile(file)))
    const text = decodeText(bytes)
    return Result.isSuccess(text) ? yield* parse(text.success) : { orders: [], lines: [], mistakes: text.failure }
  })
