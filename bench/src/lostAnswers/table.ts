/** The cells as tables, in Markdown. */
import { isDeepStrictEqual } from "node:util"
import { table } from "../../../tools/docs/tables.ts"
import { type CaseName, cases } from "./cases.ts"
import type { Cell, Measured } from "./cell.ts"
import { verdict } from "./verdict.ts"

type Row = ReadonlyMap<CaseName, Cell>

export const rowsOf = (cells: ReadonlyArray<Cell>): ReadonlyMap<string, Row> =>
  new Map(
    [...Map.groupBy(cells, ({ title }) => title)].map(([title, own]) => [
      title,
      new Map(own.map((cell) => [cell.name, cell]))
    ])
  )

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
export const matrix = (rows: ReadonlyMap<string, Row>): string => {
  const names = [...new Set([...rows.values()].flatMap((row) => [...row.keys()]))]
  return table(
    ["call", ...names],
    [...rows].map(([title, row]) => [title, ...names.map((name) => brief(measured(row.get(name))))])
  )
}

const ended = ({ again, first, isKeyed, name }: Measured): string => {
  const now = `${count(first.payments)}, ${verdict(first.told, { payments: first.payments, isKeyed })}`
  if (again === undefined) return now
  const ending = { Paid: "", Waiting: "waits, ", Failed: "refused, " }[again.told._tag]
  const key = cases[name].hasNewKey === true ? "a new key" : "the same key again"
  return `${now}; ${isKeyed ? key : "called again"}: ${ending}${count(again.payments)}`
}

const keyless = (cell: Measured | undefined): string => {
  if (cell === undefined) return "–"
  return cell.isKeyed ? "the key is required" : ended(cell)
}

const keyed = (cell: Cell | undefined): string => {
  if (cell === undefined) return "–"
  return "none" in cell ? cell.none : ended(cell)
}

const keySent = (row: Row): string => measured(row.get("none"))?.first.keys[0]?.name ?? ""

/** What separates the calls: one row for each. */
export const summary = (rows: ReadonlyMap<string, Row>): string =>
  table(
    [
      "call",
      "key that it sends",
      "payments of the benchmark's server after a lost answer",
      "payments of the benchmark's server after a 503 that followed the payment",
      "after a lost answer, with the program's key"
    ],
    [...rows].map(([title, row]) => [
      title,
      keySent(row),
      keyless(measured(row.get("lost"))),
      keyless(measured(row.get("503 after"))),
      keyed(row.get("lost, own key"))
    ])
  )

/** The same of the tools of agents. A key is the model's: the first of a call, or a new one. */
export const summaryOfAgents = (rows: ReadonlyMap<string, Row>): string =>
  table(
    [
      "tool",
      "key that it sends",
      "payments after a lost answer",
      "after a 503 that followed the payment",
      "after an answer that the model did not hear",
      "after a lost answer, with a new key of the model",
      "after an unheard answer, with a new key"
    ],
    [...rows].map(([title, row]) => [
      title,
      keySent(row),
      ...(["lost", "503 after", "unheard", "lost, new key", "unheard, new key"] as const).map((name) =>
        keyed(row.get(name))
      )
    ])
  )

/** The calls whose error after a lost answer is another than after a request that nobody read. */
export const telling = (rows: ReadonlyMap<string, Row>): ReadonlyArray<string> =>
  [...rows].flatMap(([title, row]) => {
    const [lost, unread] = [row.get("lost"), row.get("unread")].map((cell) => measured(cell)?.first.told)
    const bothFail = lost?._tag === "Failed" && unread?._tag === "Failed"
    return bothFail && !isDeepStrictEqual(lost, unread) ? [title] : []
  })

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
