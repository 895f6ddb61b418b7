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

const sources = (pattern: string): ReadonlyArray<string> =>
  globSync(pattern, { cwd: root })
    .sort()
    .map((path) => readFileSync(Path.join(root, path), "utf8"))

/** The sentences of categories and operations by name, from the docstrings as they are now. */
export const firstSentences = () => {
  const groups = sources("packages/*/src/{,endpoint/}*Api.ts").flatMap((text) => {
    const [, name, group] = /export class (\w+) extends HttpContract\.group\("(\w+)"\)/.exec(text) ?? []
    return name === undefined || group === undefined
      ? []
      : [{ name, group, summary: firstSentence(text, text.indexOf("export class")) }]
  })
  const operations = sources("packages/*/src/{,endpoint/}*.ts").flatMap((text) =>
    [...text.matchAll(/^(?!\s*\*).*\bEndpoint\.(?:make|list)\(\s*(\w+Api),\s*"(\w+)"\s*\)/gm)].flatMap(
      ({ 1: api, 2: name, index }) => {
        const group = groups.find((group) => group.name === api)?.group
        const declaration = text.lastIndexOf("export const", index + 1)
        return group === undefined ? [] : [[`${group}.${name}`, firstSentence(text, declaration)] as const]
      }
    )
  )
  return {
    categories: Object.fromEntries(groups.map(({ group, summary }) => [group, summary])),
    operations: Object.fromEntries(operations)
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
