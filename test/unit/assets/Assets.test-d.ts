/** The error union of each operation, exactly. */
import type { Assets } from "@effect-custody/assets"
import type { Read, TagsOf } from "../../support/errorTags.ts"
import type { Equal, Expect } from "../../support/types.ts"

export type Failures = [
  Expect<Equal<TagsOf<typeof Assets.list>, Read>>,
  Expect<Equal<TagsOf<typeof Assets.prices>, Read>>
]
