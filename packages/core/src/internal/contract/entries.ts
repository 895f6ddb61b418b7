/** The entries of a contract, as data or as code. */
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import type { Differences } from "../../ContractFile.ts"
import type { Code } from "../../Wire.ts"

/** Any `HttpApi`. */
export interface Api {
  readonly groups: Readonly<Record<string, HttpApiGroup.Constraint>>
}

/** The mark of a wire that is defined in code. */
export const CodeTypeId = "~@effect-custody/core/Wire/Code"

export type Entry = true | Differences | Code

export type Entries = Readonly<Record<string, Entry>>
