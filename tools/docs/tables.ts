/** Tables in Markdown, and the places of pages that a command writes. */
import { readFileSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { root } from "../workspace.ts"

type Row = ReadonlyArray<string>

/** A table in Markdown. The columns from `numbersFrom` on are aligned to the right. */
export const table = (head: Row, rows: ReadonlyArray<Row>, numbersFrom = head.length): string =>
  [head, head.map((_, at) => (at < numbersFrom ? "---" : "---:")), ...rows]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n")

/** Replaces what stands between `<!-- NAME -->` and `<!-- /NAME -->` in a page, by its path in the repository. */
export const replaceIn = (page: string, name: string, text: string): void => {
  const file = Path.join(root, page)
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const whole = readFileSync(file, "utf8")
  const [from, to] = [whole.indexOf(begin), whole.indexOf(end)]
  if (from === -1 || to < from) throw new Error(`${page} has no place for ${name}`)
  writeFileSync(file, `${whole.slice(0, from + begin.length)}\n\n${text}\n\n${whole.slice(to)}`)
}
