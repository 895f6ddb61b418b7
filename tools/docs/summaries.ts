/**
 * `pnpm run docs summaries`: writes `packages/sdk/src/internal/summaries.ts`, the first sentence of each docstring that
 * the OpenAPI document repeats. A test holds the file against the docstrings.
 */
import { execFileSync } from "node:child_process"
import { globSync, readFileSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { root } from "../workspace.ts"

const file = "packages/sdk/src/internal/summaries.ts"

/** The first sentence of the last docstring before a place in a text, without its full stop. */
const firstSentence = (text: string, before: number): string => {
  const docstring = text.slice(text.lastIndexOf("/**", before) + 3, text.lastIndexOf("*/", before))
  const [paragraph = ""] = docstring
    .split("\n")
    .map((line) => line.replace(/^\s*\*? ?/, ""))
    .join("\n")
    .trim()
    .split("\n\n")
  const [sentence = ""] = paragraph.replaceAll("\n", " ").split(/\.(?:\s|$)/)
  return sentence.replaceAll(/\{@link (\w+)\}/g, "$1")
}

/** The first sentence of a module's docstring. */
export const moduleSummary = (text: string): string => firstSentence(text, text.indexOf("*/") + 2)

const sources = (pattern: string): ReadonlyArray<string> =>
  globSync(pattern, { cwd: root })
    .sort()
    .map((path) => readFileSync(Path.join(root, path), "utf8"))

/** The sentences of categories and operations by name, from the docstrings as they are now. */
export const firstSentences = () => {
  const declared = sources("packages/*/src/{,endpoint/}*.ts").map((text) => ({
    text,
    found: [...text.matchAll(/^export const \w+(?::[^=]*)?\s=\s+Endpoint\.\w+\(\s*"((\w+)\.\w+)"/gm)]
  }))
  return {
    categories: Object.fromEntries(
      declared.flatMap(({ found: [first], text }) => (first === undefined ? [] : [[first[2]!, moduleSummary(text)]]))
    ),
    operations: Object.fromEntries(
      declared.flatMap(({ found, text }) => found.map(({ 1: name, index }) => [name!, firstSentence(text, index)]))
    )
  }
}

const moduleText = (): string => {
  const { categories, operations } = firstSentences()
  return `/** Written by \`pnpm run docs summaries\` from the docstrings. */

/** What each category is. */
export const categories: Readonly<Record<string, string>> = ${JSON.stringify(categories)}

/** What each operation does. */
export const operations: Readonly<Record<string, string>> = ${JSON.stringify(operations)}
`
}

if (import.meta.main) {
  writeFileSync(Path.join(root, file), moduleText())
  execFileSync("oxfmt", [file], { cwd: root })
}
