/** Puts what was measured where a page has a place for it. */
import { readFileSync, writeFileSync } from "node:fs"
import * as Path from "node:path"

/** Replaces what stands between `<!-- NAME -->` and `<!-- /NAME -->` in a page, by its path in the repository. */
export const replaceIn = (page: string, name: string, text: string): void => {
  const file = Path.resolve(import.meta.dirname, "../../..", page)
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const whole = readFileSync(file, "utf8")
  const [from, to] = [whole.indexOf(begin), whole.indexOf(end)]
  if (from === -1 || to < from) throw new Error(`the page has no place for ${name}`)
  writeFileSync(file, `${whole.slice(0, from + begin.length)}\n\n${text}\n\n${whole.slice(to)}`)
}
