/** Puts what was measured where the README has a place for it. */
import { readFileSync, writeFileSync } from "node:fs"
import * as Path from "node:path"

const file = Path.resolve(import.meta.dirname, "../../../README.md")

/** Replaces what stands between `<!-- NAME -->` and `<!-- /NAME -->`. */
export const replaceIn = (name: string, text: string): void => {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const whole = readFileSync(file, "utf8")
  const [from, to] = [whole.indexOf(begin), whole.indexOf(end)]
  if (from === -1 || to < from) throw new Error(`the README has no place for ${name}`)
  writeFileSync(file, `${whole.slice(0, from + begin.length)}\n\n${text}\n\n${whole.slice(to)}`)
}
