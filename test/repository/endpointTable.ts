/** The table of the 47 endpoints, from their declarations; run, it writes the table to its page. */
import { CustodyApi } from "@effect-custody/sdk/CustodyApi"
import { replaceIn, table } from "../../tools/docs/tables.ts"

/** The namespace of a category: its name with a capital. */
const namespaceOf = (category: string): string => category.slice(0, 1).toUpperCase() + category.slice(1)

const row = (declaration: (typeof CustodyApi.operations)[number]): ReadonlyArray<string> => {
  const { isList, operation, query, route } = declaration
  const [category = "", called = ""] = operation.split(".")
  const asked = isList ? [] : Object.keys(query)
  const path = [route.path, ...asked.map((name, index) => `${index === 0 ? "?" : "&"}${name}`)].join("")
  return [`\`${namespaceOf(category)}.${called}\``, `\`${route.method} ${path}\``]
}

/** The table as it has to be. A list takes filters and pages, which its docstring names. */
export const endpoints = (): string => table(["function", "wire"], CustodyApi.operations.map(row))

if (import.meta.main) replaceIn("docs/endpoints.md", "endpoints", endpoints())
