/** The table of the 47 endpoints, from their declarations and docs; run, it writes the table to its page. */
import { CustodyApi } from "@effect-custody/sdk/CustodyApi"
import { globSync, readFileSync, writeFileSync } from "node:fs"
import * as Path from "node:path"

const root = Path.resolve(import.meta.dirname, "../..")
export const page = Path.join(root, "docs/endpoints.md")

const markers = /(?<=<!-- endpoints -->\n)[^]*?(?=<!-- \/endpoints -->)/

/** What stands between the markers of a page. */
export const tableIn = (text: string): string | undefined => markers.exec(text)?.[0]

/** The namespace of a category: its name with a capital. */
const namespaceOf = (category: string): string => category.slice(0, 1).toUpperCase() + category.slice(1)

/** The first sentence of a function's doc comment. */
const sentenceOf = (namespace: string, name: string): string => {
  const [file] = globSync(`packages/*/src/{,endpoint/}${namespace}.ts`, { cwd: root })
  const source = file === undefined ? "" : readFileSync(Path.join(root, file), "utf8")
  const comment = new RegExp(
    String.raw`/\*\*((?:(?!\*/)[^])*)\*/\nexport const ${name}(?::[^=]*)?\s=\s+Endpoint\.\w+\(`
  ).exec(source)?.[1]
  const paragraph = (comment ?? "")
    .split("\n")
    .map((line) => line.replace(/^ \* ?/, ""))
    .join("\n")
    .trim()
    .split("\n\n")[0]!
    .replaceAll("\n", " ")
  return /^.*?\.(?= |$)/.exec(paragraph)?.[0].replace(/\{@link (\w+)\}/g, "`$1`") ?? ""
}

const row = ({ operation, route, safety }: (typeof CustodyApi.operations)[number]): string => {
  const [category = "", called = ""] = operation.split(".")
  const namespace = namespaceOf(category)
  const sentence = sentenceOf(namespace, called)
  return `| \`${namespace}.${called}\` | ${sentence} | \`${route.method} ${route.path}\` | ${safety} |`
}

/** The table as it has to be. */
export const table = (): string =>
  [
    "",
    "| function | what it does | wire | safety |",
    "| --- | --- | --- | --- |",
    ...CustodyApi.operations.map(row),
    "",
    ""
  ].join("\n")

if (import.meta.main) {
  const text = readFileSync(page, "utf8")
  writeFileSync(
    page,
    text.replace(markers, () => table())
  )
}
