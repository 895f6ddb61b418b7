/** The hash of what a contract says about one operation. Pure. */
import * as CanonicalJson from "@effect-custody/core/CanonicalJson"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import { type Contract, differences, findEntry, isCode } from "../language/contract.ts"

/** The schemas of a mapping, with what their formats depend on, and the source text of its functions. */
const describe = (code: object = {}): unknown =>
  // oxlint-disable-next-line effecttsgo/prefer-schema-over-json -- a schema is no value of a schema.
  JSON.stringify(code, (_, value: unknown) => {
    if (Schema.isSchema(value)) return value.ast
    return typeof value === "function" || typeof value === "bigint" ? String(value) : value
  })

/**
 * Hashes the operation's entry, the source text of its code, and all defaults. Leaves out what only people and tools
 * read, and the service's side of code.
 */
export const make = (contract: Contract, name: string): string => {
  const entry = findEntry(contract, name)
  const data = Struct.omit(differences(entry), ["note"])
  return CanonicalJson.hash([
    contract.defaults ?? {},
    data,
    isCode(entry) ? [entry.request, entry.answer].map(describe) : []
  ])
}
