/** A person who knows the service's documentation, and compares what was ordered with what went over the wire. */
import type { Payouts } from "@effect-custody/ledger"
import * as BigDecimal from "effect/BigDecimal"
import { isObject, jsonOf } from "../support/servers/dialects/dialect.ts"
import { accounts, currencies } from "./service.ts"

type Fields = Readonly<Record<string, unknown>>

/** What the ledger says of the states that the service names in its row. */
const ends: Fields = { done: "paid", refused: "failed", failed: "failed" }

const fieldsOf = (text: string | null): Fields => jsonOf(Buffer.from(text ?? ""))

/** The names of the service's fields that are not as ordered. */
const differing = (order: Payouts.ReferencedOrder, shown: Fields): ReadonlyArray<string> => {
  const expected: Fields = {
    account: accounts[order.clientId as keyof typeof accounts],
    currency: currencies[order.assetId as keyof typeof currencies],
    destination: order.to,
    amount: BigDecimal.toNumberUnsafe(BigDecimal.multiply(order.amount, BigDecimal.make(1_000_000n, 0))),
    memo: order.note
  }
  return Object.keys(expected).filter((name) => shown[name] !== expected[name])
}

/** What the person finds wrong. Empty: they confirm. */
export const objections = (
  order: Payouts.ReferencedOrder,
  state: string | undefined,
  { answer, request }: Payouts.Confirmation
): ReadonlyArray<string> => {
  const [, body = ""] = (request ?? "").split("\n\n")
  const { result } = fieldsOf(answer)
  const row = isObject(result) ? result : {}
  const end = ends[String(row["state"])]
  return [
    ...differing(order, fieldsOf(body)).map((name) => `request.${name}`),
    ...differing(order, row).map((name) => `row.${name}`),
    ...(end === undefined || state === "accepted" || end === state ? [] : ["row.state"])
  ]
}
