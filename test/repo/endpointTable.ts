/** The table of the 47 endpoints, from their declarations; run, it writes the table to its page. */
import { CustodyApi } from "@effect-custody/sdk/CustodyApi"
import { replaceIn, table } from "../../tools/docs/tables.ts"

/** The namespace of a category: its name with a capital. */
const namespaceOf = (category: string): string => category.slice(0, 1).toUpperCase() + category.slice(1)

const row = ({ operation, route, safety }: (typeof CustodyApi.operations)[number]): ReadonlyArray<string> => {
  const [category = "", called = ""] = operation.split(".")
  return [`\`${namespaceOf(category)}.${called}\``, `\`${route.method} ${route.path}\``, safety]
}

/** The table as it has to be. */
export const endpoints = (): string => table(["function", "wire", "safety"], CustodyApi.operations.map(row))

if (import.meta.main) replaceIn("docs/endpoints.md", "endpoints", endpoints())
