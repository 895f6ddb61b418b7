/** The hash of what a contract says about one operation. Pure. */
import * as CanonicalJson from "@effect-custody/core/unstable/CanonicalJson"
import * as Struct from "effect/Struct"
import { type Contract, differences, findEntry, isCode } from "../language/contract.ts"

/**
 * Hashes the operation's entry, the source text of its code, and all defaults. Leaves out what only people and tools
 * read, and the service's side of code.
 */
export const make = (contract: Contract, name: string): string => {
  const entry = findEntry(contract, name)
  const data = Struct.omit(differences(entry), ["source", "confirmed", "note"])
  return CanonicalJson.hash([
    contract.defaults ?? {},
    data,
    isCode(entry) ? [String(entry.request), String(entry.answer)] : []
  ])
}
