/** The table of the 47 endpoints, from their declarations; run, it writes the table to its page. */
import { CustodyApi } from "@effect-custody/sdk/CustodyApi"
import { readFileSync, writeFileSync } from "node:fs"
import * as Path from "node:path"

const root = Path.resolve(import.meta.dirname, "../..")
export const page = Path.join(root, "docs/endpoints.md")

const markers = /(?<=<!-- endpoints -->\n)[^]*?(?=<!-- \/endpoints -->)/

/** What stands between the markers of a page. */
export const tableIn = (text: string): string | undefined => markers.exec(text)?.[0]

/** The namespace of a category: its name with a capital. */
const namespaceOf = (category: string): string => category.slice(0, 1).toUpperCase() + category.slice(1)

const row = ({ operation, route, safety }: (typeof CustodyApi.operations)[number]): string => {
  const [category = "", called = ""] = operation.split(".")
  return `| \`${namespaceOf(category)}.${called}\` | \`${route.method} ${route.path}\` | ${safety} |`
}

/** The table as it has to be. */
export const table = (): string =>
  ["", "| function | wire | safety |", "| --- | --- | --- |", ...CustodyApi.operations.map(row), "", ""].join("\n")

if (import.meta.main) {
  const text = readFileSync(page, "utf8")
  writeFileSync(
    page,
    text.replace(markers, () => table())
  )
}
