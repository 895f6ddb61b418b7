/** The error union of each operation, exactly. */
import type { Wallet, Wallets } from "@effect-custody/wallets"
import type { Amount } from "@effect-custody/core"
import type { Read, ReadOfResource, TagsOf } from "../../support/errorTags.ts"
import type { Equal, Expect } from "../../support/types.ts"

export type Failures = [
  Expect<Equal<TagsOf<typeof Wallets.list>, Read>>,
  Expect<Equal<TagsOf<typeof Wallets.get>, ReadOfResource>>,
  Expect<Equal<TagsOf<typeof Wallets.balance>, ReadOfResource>>,
  Expect<Equal<TagsOf<typeof Wallets.transactionCount>, ReadOfResource>>
]

declare const wallet: Wallet

/** What the specification promises is there, what is usual may be, and what else there is is not known. */
export type Promised = Expect<Equal<typeof wallet.address, string>>
export type Usual = Expect<Equal<typeof wallet.balance, Amount.Amount | undefined>>
export type Else = Expect<Equal<(typeof wallet)["extra"]["elsewhere"], unknown>>
