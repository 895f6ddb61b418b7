/** The cells as tables, in Markdown. */
import { type CaseName, cases } from "./cases.ts"
import type { Cell } from "./cell.ts"
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

/** Requests → payments, how the call ended, and the payments after the program called again. */
const brief = (cell: Cell | undefined): string => {
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
    [...rows].map(([title, row]) => [title, ...names.map((name) => brief(row.get(name)))])
  )

const ended = (cell: Cell | undefined): string => {
  if (cell === undefined) return "–"
  const { first, again } = cell
  const after = again === undefined ? "" : `; called again: ${count(again.payments)}`
  return `${count(first.payments)}, ${first.told._tag === "Paid" ? "ok" : verdict(first.told, first.payments)}${after}`
}

/** What separates the calls: one row for each. */
export const summary = (rows: ReadonlyMap<string, Row>): string =>
  markdown(
    [
      "call",
      "key that it sends",
      "payments after a lost answer",
      "after a 503 that followed the payment",
      "with the program's key"
    ],
    [...rows].map(([title, row]) => [
      title,
      row.get("none")?.first.keys[0]?.split(" ")[0] ?? "",
      ended(row.get("lost")),
      ended(row.get("503 after")),
      ended(row.get("lost, own key"))
    ])
  )

/** What each call told its program, and whether it was true. */
export const details = (rows: ReadonlyMap<string, Row>): string =>
  markdown(
    ["call", "case", "keys", "payments", "told", "true?", "called again"],
    [...rows].flatMap(([title, row]) => {
      const unread = row.get("unread")?.first.told
      return [...row.values()].map(({ again, first, name }) => {
        const isTwin =
          name === "lost" && unread !== undefined && unread._tag !== "Paid" && told(unread) === told(first.told)
        return [
          title,
          name,
          [...new Set(first.keys)]
            .map((key) => `${first.keys.filter((other) => other === key).length} × ${key.split(" ")[0]}`)
            .join(", "),
          String(first.payments),
          told(first.told),
          verdict(first.told, first.payments) + (isTwin ? " (word for word as when unread)" : ""),
          again === undefined ? "" : `${again.payments}, ${told(again.told)}`
        ]
      })
    })
  )

/** The cells of which the other tables have something else. */
export const differences = (rows: ReadonlyMap<string, Row>, others: ReadonlyMap<string, Row>): string =>
  [...others]
    .flatMap(([title, row]) =>
      [...row.values()].flatMap((cell) => {
        const [one, other] = [brief(rows.get(title)?.get(cell.name)), brief(cell)]
        return one === other ? [] : [`${title}, ${cell.name}: ${one}, but ${other} over TLS`]
      })
    )
    .join("\n")
