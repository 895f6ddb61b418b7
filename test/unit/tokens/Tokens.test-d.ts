/** The error union of each operation, exactly. */
import type { Tokens } from "@effect-custody/tokens"
import type { Read, ReadOfResource, WriteOfResource, TagsOf } from "../../support/errorTags.ts"
import type { Equal, Expect } from "../../support/types.ts"

export type Failures = [
  Expect<Equal<TagsOf<typeof Tokens.get>, ReadOfResource>>,
  Expect<Equal<TagsOf<typeof Tokens.networks>, Read>>,
  Expect<Equal<TagsOf<typeof Tokens.create>, WriteOfResource>>,
  Expect<Equal<TagsOf<typeof Tokens.mint>, WriteOfResource>>,
  Expect<Equal<TagsOf<typeof Tokens.burn>, WriteOfResource>>,
  Expect<Equal<TagsOf<typeof Tokens.metadata>, ReadOfResource>>,
  Expect<Equal<TagsOf<typeof Tokens.updateMetadata>, WriteOfResource>>
]

/** The mark that Effect puts on multipart payloads is no field of the input. */
export type Fields = Expect<
  Equal<
    keyof Parameters<typeof Tokens.create>[0],
    "name" | "symbol" | "networkId" | "decimals" | "initialSupply" | "description" | "logo"
  >
>
