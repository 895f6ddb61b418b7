/** The error union of each operation, exactly. */
import type { PaymentOrders } from "@effect-custody/payment-orders"
import type { Stream } from "effect"
import type { Read, ReadOfResource, WriteOfResource, TagsOf } from "../../support/errorTags.ts"
import type { Equal, Expect } from "../../support/types.ts"

export type Failures = [
  Expect<Equal<TagsOf<typeof PaymentOrders.create>, WriteOfResource>>,
  Expect<Equal<TagsOf<typeof PaymentOrders.selectAsset>, WriteOfResource>>,
  Expect<Equal<TagsOf<typeof PaymentOrders.get>, ReadOfResource>>,
  Expect<Equal<TagsOf<typeof PaymentOrders.list>, Read>>,
  Expect<Equal<TagsOf<typeof PaymentOrders.cancel>, WriteOfResource>>
]

/** A wait fails as a look does, or at its deadline. */
export type AwaitFinal = Expect<Equal<TagsOf<typeof PaymentOrders.awaitFinal>, ReadOfResource | "StillPending">>

/** A watch has no deadline. */
export type Watch = Expect<Equal<Stream.Error<ReturnType<typeof PaymentOrders.watch>>["_tag"], ReadOfResource>>
