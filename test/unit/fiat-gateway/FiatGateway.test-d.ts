/** The error union of each operation, exactly. */
import type { FiatGateway } from "@effect-custody/fiat-gateway"
import type { Read, ReadOfResource, WriteOfResource, TagsOf } from "../../support/errorTags.ts"
import type { Equal, Expect } from "../../support/types.ts"

export type Failures = [
  Expect<Equal<TagsOf<typeof FiatGateway.createPaymentLink>, WriteOfResource>>,
  Expect<Equal<TagsOf<typeof FiatGateway.getPaymentLink>, ReadOfResource>>,
  Expect<Equal<TagsOf<typeof FiatGateway.listPaymentLinks>, Read>>,
  Expect<Equal<TagsOf<typeof FiatGateway.refund>, WriteOfResource>>
]
