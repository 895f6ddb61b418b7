/** Orders from a CSV file, with the line and the column of each mistake. */
import * as Payouts from "@effect-custody/ledger/Payouts"
import * as Effect from "effect/Effect"
import * as Csv from "effect/encoding/Csv"
import * as FileSystem from "effect/FileSystem"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
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
  const decoded = yield* Effect.result(Payouts.decodeOrders(records))
  if (Result.isSuccess(decoded)) return { orders: decoded.success, lines: rows.map(({ line }) => line), mistakes: [] }
  return failed(
    decoded.failure.issues.map(({ column, message, row }) => ({
      line: rows[row - 1]?.line ?? 1,
      message: `${column}: ${message.replace(/in row (\d+)/, (_, other) => `in line ${rows[Number(other) - 1]?.line}`)}`
    }))
  )
})

const maxShown = 20

/** Describes mistakes, one per line. Many editors open `file:line` at that place. */
export const describe = (file: string, mistakes: ReadonlyArray<Mistake>): ReadonlyArray<string> => [
  ...mistakes.slice(0, maxShown).map(({ line, message }) => `${file}:${line}: ${message}`),
  ...(mistakes.length > maxShown ? [`and ${mistakes.length - maxShown} more`] : [])
]

export const readFile = (file: string) =>
  Effect.flatMap(Output.orFail(FileSystem.FileSystem.use((fileSystem) => fileSystem.readFileString(file))), parse)
