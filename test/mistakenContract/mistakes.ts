/** Thirteen plausible mistakes of a person who writes the contract of `service.ts` from the service's documentation. */
import type { ContractFile } from "@effect-custody/contract"
import type { Dialect } from "../support/servers/dialects/dialect.ts"
import { type Contract, inLocalTime, right } from "./service.ts"

export interface Mistake {
  readonly name: string
  readonly contract: Contract
  /** Default: `inSeconds`. */
  readonly service?: Dialect
}

const withDefaults = (change: ContractFile.Defaults): Contract => ({
  ...right,
  defaults: { ...right.defaults, ...change }
})

const withValues = (name: string, values: Readonly<Record<string, string>>): Contract =>
  withDefaults({ values: { ...right.defaults.values, [name]: values } })

type Places = Pick<ContractFile.Differences, "fields" | "response">

/** Changes the places of some operations. */
export const within = (names: ReadonlyArray<string>, { fields, response }: Places, contract = right): Contract => ({
  ...contract,
  operations: Object.fromEntries(
    Object.entries(contract.operations).map(([name, entry]) => [
      name,
      names.includes(name)
        ? { ...entry, fields: { ...entry.fields, ...fields }, response: { ...entry.response, ...response } }
        : entry
    ])
  )
})

const send = ["transactions.send"]
const reads = ["transactions.list", "transactions.get"]

const states = right.defaults.values?.["states"] as Readonly<Record<string, string>>

const eight = { as: { minor: 8 } } as const
const swapped = { to: "memo", note: "destination" }

export const mistakes: ReadonlyArray<Mistake> = [
  { name: "eight decimal places for six, everywhere", contract: withDefaults({ amounts: { minor: 8 } }) },
  { name: "eight decimal places for six, in `send`", contract: within(send, { fields: { amount: eight } }) },
  { name: "eight decimal places for six, in the reads", contract: within(reads, { response: { amount: eight } }) },
  {
    name: "`to` and `note` swapped",
    contract: within(send, { fields: swapped }, within([...send, ...reads], { response: swapped }))
  },
  { name: "another account", contract: withValues("accounts", { alice: "ACC-2", bob: "ACC-1" }) },
  { name: "another currency", contract: withValues("currencies", { usdc: "USDT", usdt: "USDC" }) },
  {
    name: "seconds read as milliseconds",
    contract: within(reads, { response: { createdAt: { as: "milliseconds" } } })
  },
  {
    name: "an offset taken for a page",
    contract: withDefaults({ paging: { style: "page", page: "skip", size: "take" } })
  },
  { name: "no paging", contract: withDefaults({ paging: "none" }) },
  {
    name: "`done` and `failed` swapped",
    contract: withValues("states", { ...states, COMPLETED: "failed", ERROR: "done" })
  },
  {
    name: "another name of the filter by time",
    contract: within(["transactions.list"], { fields: { from: "created_from" } })
  },
  {
    name: "local times without a zone",
    contract: within(["transactions.list"], { response: { createdAt: { as: "iso" } } }),
    service: inLocalTime
  },
  {
    name: "the id of the wallet for the id",
    contract: within([...send, ...reads], { response: { id: "wallet" } })
  }
]
