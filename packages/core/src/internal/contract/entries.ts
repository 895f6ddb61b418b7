/** What a contract says of operations, whichever way. */
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import type { Differences } from "../../ContractFile.ts"
import type { Code } from "../../Wire.ts"

/** Any `HttpApi`. */
export interface Api {
  readonly groups: Readonly<Record<string, HttpApiGroup.Constraint>>
}

export type Entry = true | Differences | Code

export type Entries = Readonly<Record<string, Entry>>
