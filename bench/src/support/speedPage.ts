/** Puts what was measured where the page about speed has a place for it. */
import { readFileSync, writeFileSync } from "node:fs"
import * as Path from "node:path"

const file = Path.resolve(import.meta.dirname, "../../../docs/internals/speed.md")

/** Replaces what stands between `<!-- NAME -->` and `<!-- /NAME -->`. */
export const replaceIn = (name: string, text: string): void => {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const whole = readFileSync(file, "utf8")
  const [from, to] = [whole.indexOf(begin), whole.indexOf(end)]
  if (from === -1 || to < from) throw new Error(`the page has no place for ${name}`)
  writeFileSync(file, `${whole.slice(0, from + begin.length)}\n\n${text}\n\n${whole.slice(to)}`)
}
