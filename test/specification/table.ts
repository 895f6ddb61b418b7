/** The table of the statements, from the statements; run, it writes the table to its page. */
import { globSync } from "node:fs"
import { replaceIn, table } from "../../tools/docs/tables.ts"
import { root } from "../../tools/workspace.ts"
import { type Numbered, numbered } from "./statements.ts"

/** The file of `package Module`, in whichever room of the package it stands. */
export const fileOf = (where: string): string | undefined => {
  const [name = "", module = ""] = where.split(" ")
  const [file] = globSync(`packages/{,extensions/}${name}/src/**/${module}.ts`, { cwd: root })
  return file
}

/** Where the SDK says nothing, because the specification says "not shown" or speaks of a person. */
export const isNothing = ({ where }: Numbered): boolean => where.startsWith("nothing: ")

const implementation = (statement: Numbered): string =>
  isNothing(statement) ? statement.where.slice("nothing: ".length) : `\`${statement.where}\``

/** The tables of all sections, as they have to be. */
export const statements = (): string =>
  [...Map.groupBy(numbered, ({ section }) => section)]
    .map(
      ([section, rows]) =>
        `**${section}**\n\n` +
        table(
          ["", "statement", "where"],
          rows.map((row) => [String(row.number), row.says.replaceAll(/[<>|]/g, "\\$&"), implementation(row)])
        )
    )
    .join("\n\n")

if (import.meta.main) replaceIn("docs/specification.md", "statements", statements())
