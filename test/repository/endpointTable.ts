/** The list of the 47 endpoints, from their declarations; run, it writes the list to its page. */
import { CustodyApi } from "@effect-custody/sdk/CustodyApi"
import { replaceIn } from "../../tools/docs/tables.ts"

/** The namespace of a category: its name with a capital. */
const namespaceOf = (category: string): string => category.slice(0, 1).toUpperCase() + category.slice(1)

const lineOf = (declaration: (typeof CustodyApi.operations)[number]) => {
  const { isList, operation, query, route } = declaration
  const [category = "", called = ""] = operation.split(".")
  const asked = isList ? [] : Object.keys(query)
  const path = [route.path, ...asked.map((name, index) => `${index === 0 ? "?" : "&"}${name}`)].join("")
  return { name: `${namespaceOf(category)}.${called}`, wire: `${route.method.padEnd(4)} ${path}` }
}

/** The list as it has to be. A list of the service takes filters and pages, which its docstring names. */
export const endpoints = (): string => {
  const lines = CustodyApi.operations.map(lineOf)
  const width = Math.max(...lines.map(({ name }) => name.length))
  return ["```text", ...lines.map(({ name, wire }) => `${name.padEnd(width)}  ${wire}`), "```"].join("\n")
}

if (import.meta.main) replaceIn("docs/endpoints.md", "endpoints", endpoints())
