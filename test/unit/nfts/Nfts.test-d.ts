/** The error union of each operation, exactly. */
import type { Nfts } from "@effect-custody/nfts"
import type { Read, ReadOfResource, WriteOfResource, TagsOf } from "../../support/errorTags.ts"
import type { Equal, Expect } from "../../support/types.ts"

export type Failures = [
  Expect<Equal<TagsOf<typeof Nfts.get>, ReadOfResource>>,
  Expect<Equal<TagsOf<typeof Nfts.networks>, Read>>,
  Expect<Equal<TagsOf<typeof Nfts.create>, WriteOfResource>>,
  Expect<Equal<TagsOf<typeof Nfts.transfer>, WriteOfResource>>,
  Expect<Equal<TagsOf<typeof Nfts.transfers>, ReadOfResource>>
]
