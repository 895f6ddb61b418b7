/** How the story of the day is printed. */
import { Amount } from "@effect-custody/sdk"
import { Console } from "effect"

export const chapter = (title: string) => Console.log(`\n${title}\n`)

export const line = (text: string) => Console.log(`  ${text}`)

export const pause = Console.log("")

/** The specification promises few fields of a record, so that most may be missing: the story says so too. */
export const sum = (amount: Amount.Amount | undefined, unit = ""): string =>
  `${amount === undefined ? "an unknown amount" : Amount.format(amount)} ${unit.toUpperCase()}`.trimEnd()

/** Rows as aligned text; the columns of amounts to the right. */
export const table = (
  rows: ReadonlyArray<ReadonlyArray<string>>,
  right: ReadonlyArray<number>
): ReadonlyArray<string> =>
  rows.map((row) =>
    row
      .map((cell, column) => {
        const width = Math.max(...rows.map((each) => each[column]?.length ?? 0))
        return right.includes(column) ? cell.padStart(width) : cell.padEnd(width)
      })
      .join("  ")
      .trimEnd()
  )
