/** The error union of each operation, exactly. */
import type { Vaults } from "@effect-custody/vaults"
import type {
  Read,
  ReadOfResource,
  ReadWithoutInput,
  SpecifiedReadWithoutInput,
  TagsOf
} from "../../support/errorTags.ts"
import type { Equal, Expect } from "../../support/types.ts"

export type Failures = [
  Expect<Equal<TagsOf<typeof Vaults.details>, SpecifiedReadWithoutInput>>,
  Expect<Equal<TagsOf<typeof Vaults.configuration>, ReadWithoutInput>>,
  Expect<Equal<TagsOf<typeof Vaults.assets>, Read>>,
  Expect<Equal<TagsOf<typeof Vaults.networks>, Read>>,
  Expect<Equal<TagsOf<typeof Vaults.networkSettings>, Read>>,
  Expect<Equal<TagsOf<typeof Vaults.approvals>, Read>>,
  Expect<Equal<TagsOf<typeof Vaults.approval>, ReadOfResource>>,
  Expect<Equal<TagsOf<typeof Vaults.paymentPolicies>, Read>>,
  Expect<Equal<TagsOf<typeof Vaults.gasStationCategories>, Read>>
]
