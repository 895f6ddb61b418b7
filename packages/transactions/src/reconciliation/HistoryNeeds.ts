/**
 * What payouts and `find` need of a contract: without it they would be refused, or take one payment for another. Pure.
 *
 * @siblings `ledger` and `cli` say what a history must have.
 */
import type { Declaration } from "@effect-custody/core/siblings/Declaration"
import type { OperationFacts } from "@effect-custody/core/siblings/Wires"

/** The fields of a transaction by which a payment is recognised. */
export const rowFields = ["id", "note", "to", "amount", "createdAt"] as const

type Endpoint = "send" | "list" | "get"

const readers: Readonly<Record<Endpoint, string>> = {
  send: "payouts run sends with it",
  list: "payouts run, tie-out and Transactions.find read it",
  get: "payouts run follows payouts with it"
}

/** Groups the fields that a history reads from one place. */
const sharedPlaces = ({ place }: OperationFacts): ReadonlyArray<string> =>
  [...Map.groupBy(rowFields, (name) => place(["data", name]).join("."))].flatMap(([at, names]) =>
    names.length < 2 ? [] : [`${names.join(" and ")} from one place, ${at}`]
  )

/**
 * Says what the contract of the payments lacks, each with the feature that refuses for it. Empty: nothing. `operations` are
 * the endpoints `send`, `list` and `get` of `Transactions`.
 */
export const objections = (
  operations: Readonly<Record<Endpoint, Declaration>>,
  factsOf: (operation: Declaration) => OperationFacts
): ReadonlyArray<string> => {
  const unconfirmed = (Object.keys(readers) as ReadonlyArray<Endpoint>).filter(
    (name) => !factsOf(operations[name]).isConfirmed
  )
  const unsent = ["clientId", "assetId", "to", "amount", "note"].filter((name) =>
    factsOf(operations.send).omits.includes(name)
  )
  return [
    ...unconfirmed.map((name) => `${operations[name].operation} is not confirmed: ${readers[name]}`),
    ...unsent.map(
      (name) =>
        `${operations.send.operation} omits ${name}: payouts run and Transactions.find need it to tell a payment from others`
    ),
    ...sharedPlaces(factsOf(operations.list)).map(
      (shared) => `${operations.list.operation} reads ${shared}: ${readers.list}, to tell a payment from others`
    )
  ]
}
