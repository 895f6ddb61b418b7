/** The cells as tables, in Markdown. */
import { type CaseName, cases } from "./cases.ts"
import type { Cell, Measured } from "./cell.ts"
import { type Told, verdict } from "./verdict.ts"

type Row = ReadonlyMap<CaseName, Cell>

const names = Object.keys(cases) as ReadonlyArray<CaseName>

export const rowsOf = (cells: ReadonlyArray<Cell>): ReadonlyMap<string, Row> =>
  new Map(
    [...Map.groupBy(cells, ({ title }) => title)].map(([title, own]) => [
      title,
      new Map(own.map((cell) => [cell.name, cell]))
    ])
  )

const markdown = (columns: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [columns, columns.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n")

const told = (told: Told): string =>
  told._tag === "Failed" ? `${told.name} ${told.status ?? ""}: ${told.message}`.replaceAll(/[|\s]+/g, " ") : told._tag

const count = (payments: number): string => (payments > 1 ? `**${payments}**` : String(payments))

const measured = (cell: Cell | undefined): Measured | undefined =>
  cell === undefined || "none" in cell ? undefined : cell

/** Requests → payments, how the call ended, and the payments after the program called again. */
const brief = (cell: Measured | undefined): string => {
  if (cell === undefined) return "–"
  const { again, first } = cell
  const ending = { Paid: "ok", Waiting: "waits", Failed: "error" }[first.told._tag]
  const repeated = again === undefined ? "" : ` ⟲${count(again.payments)}`
  return `${first.keys.length}→${count(first.payments)} ${ending}${repeated}`
}

/** Every case of every call. */
export const matrix = (rows: ReadonlyMap<string, Row>): string =>
  markdown(
    ["call", ...names],
    [...rows].map(([title, row]) => [title, ...names.map((name) => brief(measured(row.get(name))))])
  )

const ended = ({ again, first, isKeyed }: Measured): string => {
  const now = `${count(first.payments)}, ${verdict(first.told, { payments: first.payments, isKeyed })}`
  if (again === undefined) return now
  const ending = { Paid: "", Waiting: "waits, ", Failed: "refused, " }[again.told._tag]
  return `${now}; ${isKeyed ? "the same key again" : "called again"}: ${ending}${count(again.payments)}`
}

const keyless = (cell: Measured | undefined): string => {
  if (cell === undefined) return "–"
  return cell.isKeyed ? "the key is required" : ended(cell)
}

const keyed = (cell: Cell | undefined): string => {
  if (cell === undefined) return "–"
  return "none" in cell ? cell.none : ended(cell)
}

/** What separates the calls: one row for each. */
export const summary = (rows: ReadonlyMap<string, Row>): string =>
  markdown(
    [
      "call",
      "key that it sends",
      "payments of the benchmark's server after a lost answer",
      "payments of the benchmark's server after a 503 that followed the payment",
      "after a lost answer, with the program's key"
    ],
    [...rows].map(([title, row]) => [
      title,
      measured(row.get("none"))?.first.keys[0]?.name ?? "",
      keyless(measured(row.get("lost"))),
      keyless(measured(row.get("503 after"))),
      keyed(row.get("lost, own key"))
    ])
  )

const detail = (
  { again, first, isKeyed, name, title }: Measured,
  unread: Measured | undefined
): ReadonlyArray<string> => {
  const isTwin =
    name === "lost" && first.told._tag === "Failed" && unread && told(unread.first.told) === told(first.told)
  const keys = [...Map.groupBy(first.keys, ({ value }) => value).values()]
  return [
    title,
    name,
    keys.map((same) => `${same.length} × ${same[0]?.name}`).join(", "),
    String(first.payments),
    told(first.told),
    verdict(first.told, { payments: first.payments, isKeyed }) + (isTwin ? " (the words as when unread)" : ""),
    again === undefined ? "" : `${again.payments}, ${told(again.told)}`
  ]
}

/** What each call told its program. */
export const details = (rows: ReadonlyMap<string, Row>): string =>
  markdown(
    ["call", "case", "keys", "payments", "told", "is called", "called again"],
    [...rows.values()].flatMap((row) =>
      [...row.values()].flatMap((cell) => ("none" in cell ? [] : [detail(cell, measured(row.get("unread")))]))
    )
  )

/** The cells of which the other tables have something else. */
export const differences = (rows: ReadonlyMap<string, Row>, others: ReadonlyMap<string, Row>): string =>
  [...others]
    .flatMap(([title, row]) =>
      [...row.values()].flatMap((cell) => {
        const [one, other] = [rows.get(title)?.get(cell.name), cell].map((cell) => brief(measured(cell)))
        return one === other ? [] : [`${title}, ${cell.name}: ${one}, but ${other} over TLS`]
      })
    )
    .join("\n")
