/** Thirteen plausible mistakes of a person who writes the contract of `service.ts` from the service's documentation. */
import type { ContractFile } from "@effect-custody/contract"
import type { Dialect } from "../support/servers/dialects/dialect.ts"
import type { Contract, Subject } from "./subject.ts"

export interface Mistake {
  readonly name: string
  readonly contract: Contract
  /** Default: the subject's. */
  readonly service?: Dialect | undefined
}

const withDefaults = (right: Contract, change: ContractFile.Defaults): Contract => ({
  ...right,
  defaults: { ...right.defaults, ...change }
})

type Words = Readonly<Record<string, string>>

const valuesOf = ({ defaults }: Contract, name: string): Words => defaults.values?.[name] as Words

/** Gives the words of two of our values to each other. */
const swapped = (right: Contract, name: string, one: string, other: string): Contract => {
  const words = valuesOf(right, name)
  const values = { ...right.defaults.values, [name]: { ...words, [one]: words[other]!, [other]: words[one]! } }
  return withDefaults(right, { values })
}

type Places = Pick<ContractFile.Differences, "fields" | "response">

/** Changes the places of some operations. */
export const within = (contract: Contract, names: ReadonlyArray<string>, { fields, response }: Places): Contract => ({
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

const eight = { as: { minor: 8 } } as const

/** The place of a field of the input, or the origin of a field of the answer. */
const placeOf = (places: Readonly<Record<string, ContractFile.Place>> | undefined, name: string): ContractFile.Place =>
  places?.[name] ?? name

const withType = (
  place: ContractFile.Place,
  type: { readonly as: "iso" | "milliseconds" | { minor: number } }
): ContractFile.Place => Object.assign({}, typeof place === "string" ? { at: place } : place, type)

/** The mistakes under a right contract. Its maps of values are `accounts`, `currencies` and `states`. */
export const mistakesOf = ({ inLocalTime, right }: Subject): ReadonlyArray<Mistake> => {
  const { fields, response } = right.operations["transactions.send"]!
  const { offset = "", size = "" } = right.defaults.paging as { readonly offset?: string; readonly size?: string }
  const originOf = (name: string) => placeOf(right.operations["transactions.list"]!.response, name)
  const swap = (places: typeof fields) => ({ to: placeOf(places, "note"), note: placeOf(places, "to") })
  const readsWith = (name: string, origin: ContractFile.Place) =>
    within(right, reads, { fields: {}, response: { [name]: origin } })
  const amount = withType(originOf("amount"), eight)
  const time = originOf("createdAt")
  return [
    {
      name: "eight decimal places for the service's, everywhere",
      contract: withDefaults(right, { amounts: { minor: 8 } })
    },
    {
      name: "eight decimal places, in `send`",
      contract: within(right, send, { fields: { amount: withType(placeOf(fields, "amount"), eight) } })
    },
    { name: "eight decimal places, in the reads", contract: readsWith("amount", amount) },
    {
      name: "`to` and `note` swapped",
      contract: within(within(right, send, { fields: swap(fields) }), [...send, ...reads], { response: swap(response) })
    },
    { name: "another account", contract: swapped(right, "accounts", "alice", "bob") },
    { name: "another currency", contract: swapped(right, "currencies", "usdc", "usdt") },
    {
      name: "seconds read as milliseconds",
      contract: readsWith("createdAt", withType(time, { as: "milliseconds" }))
    },
    {
      name: "an offset taken for a page",
      contract: withDefaults(right, { paging: { style: "page", page: offset, size } })
    },
    { name: "no paging", contract: withDefaults(right, { paging: "none" }) },
    { name: "the words of success and of failure swapped", contract: swapped(right, "states", "COMPLETED", "ERROR") },
    {
      name: "another name of the filter by time",
      contract: within(right, ["transactions.list"], { fields: { from: "created_from" } })
    },
    {
      name: "local times without a zone",
      contract: within(right, ["transactions.list"], { response: { createdAt: withType(time, { as: "iso" }) } }),
      service: inLocalTime
    },
    {
      name: "the id of the wallet for the id",
      contract: within(right, [...send, ...reads], { response: { id: "wallet" } })
    }
  ]
}
