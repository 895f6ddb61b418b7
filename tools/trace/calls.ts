/** The calls that can be traced, and the number of files that each may cross. */
import { LedgerSqlite, Payouts } from "@effect-custody/ledger"
import { NodeCustody } from "@effect-custody/node"
import { Amount, Environment, Transactions, Vaults } from "@effect-custody/sdk"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { join } from "node:path"

type Services = Layer.Success<ReturnType<typeof layer>>

export interface Traced {
  /** The number of files that the call may cross. A change that makes it smaller makes this number smaller, too. */
  readonly most: number
  /** What the next request of a path gets, before the service answers as usual: a status. */
  readonly answers?: Readonly<Record<string, number>>
  /** `nth` makes each run differ, because a client refuses the same unknown write twice. */
  readonly run: (nth: number) => Effect.Effect<unknown, { readonly _tag: string }, Services>
  /** The tag of the call's error, or `Success`. */
  readonly ends: string
}

const order = (nth: number) => ({
  clientId: "alice",
  assetId: "usdc",
  to: "0x52908400098527886E0F7030069857D2E4169EE7",
  amount: Amount.of("12.50"),
  note: `send ${nth}`
})

export const calls = {
  read: { most: 21, run: () => Vaults.details(), ends: "Success" },
  write: { most: 27, run: (nth) => Transactions.send(order(nth)), ends: "Success" },
  list: { most: 24, run: () => Transactions.list({ limit: 1 }), ends: "Success" },
  unknown: {
    most: 27,
    answers: { "/transactions/send": 502 },
    run: (nth) => Transactions.send(order(nth)),
    ends: "OutcomeUnknown"
  },
  "498": { most: 38, answers: { "/vaults/details": 498 }, run: () => Vaults.details(), ends: "Success" },
  payout: { most: 53, run: (nth) => Payouts.pay(`payout-${nth}`, order(nth)), ends: "Success" }
} satisfies Record<string, Traced>

export type CallName = `${keyof typeof calls}`

/** What the calls need: a session and a ledger, both in files of a folder, and the ledger's worker. */
export const layer = (baseUrl: string, folder: string) => {
  const custody = NodeCustody.layer({
    environment: Environment.emulator(baseUrl),
    sessionFile: join(folder, "session.db"),
    apiKey: Redacted.make("one-time-key-of-the-trace")
  })
  const ledger = Payouts.layer().pipe(Layer.provide(LedgerSqlite.layer({ filename: join(folder, "ledger.db") })))
  return Layer.provideMerge(ledger, custody)
}
