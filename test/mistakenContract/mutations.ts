/** Single changes of right contracts: of `transfers.ts`, and of a dialect that the other tests share. */
import * as Record from "effect/Record"
import { services } from "../support/servers/dialects/contracts.ts"
import { flagged } from "../support/servers/dialects/flagged.ts"
import type { Contract, Subject } from "./subject.ts"
import { transfers } from "./transfers.ts"

const flaggedContract = services.find(({ dialect }) => dialect === flagged)!.contract

const paymentOperations = [
  "authentication.generateTokens",
  "authentication.refreshToken",
  "transactions.send",
  "transactions.list",
  "transactions.get"
]

export const flags: Subject = {
  service: flagged,
  right: {
    defaults: flaggedContract.defaults!,
    operations: Record.map(
      Record.filter(flaggedContract.operations!, (_, name) => paymentOperations.includes(name)),
      (entry) => (entry === true ? {} : entry)
    )
  },
  documented: ({ amount, assetId, clientId, note, to }) => {
    // The service takes the note in the body, too.
    const fields = { clientId, assetId, to, amount: Number(String(amount.value)) / 10 ** amount.scale, note }
    return { request: fields, row: fields }
  },
  rowAt: ["payload"],
  stateAt: "status",
  ends: { settled: "paid", declined: "failed", broken: "failed" }
}

export interface Mutation {
  readonly name: string
  readonly subject: Subject
  readonly contract: Contract
}

type Tree = { [name: string]: unknown }

/** Sets a value at a path, or removes it with `undefined`. */
const change = (contract: Contract, path: ReadonlyArray<string>, value: unknown): Contract => {
  // Not `structuredClone`, which keeps what two operations share.
  const copy: Contract = JSON.parse(JSON.stringify(contract))
  const [last, ...parents] = path.toReversed()
  let inner = copy as unknown as Tree
  for (const name of parents.toReversed()) inner = (inner[name] ??= {}) as Tree
  if (value === undefined) delete inner[last!]
  else inner[last!] = value
  return copy
}

const operation = { send: "transactions.send", list: "transactions.list", get: "transactions.get" } as const

/** `defaults: a.b`, or `send: a.b`, and the value that the mistaken contract has there. */
const mutate =
  (subject: Subject) =>
  ([place, value]: readonly [place: string, value: unknown]): Mutation => {
    const [part = "", at = ""] = place.split(": ")
    const within = part === "defaults" ? [part] : ["operations", operation[part as "send"]]
    const shown = value === undefined ? "removed" : JSON.stringify(value).replaceAll('"', "")
    const contract = change(subject.right, [...within, ...at.split(".")], value)
    return { name: `${place} = ${shown}`, subject, contract }
  }

const changes: ReadonlyArray<readonly [Subject, ReadonlyArray<readonly [place: string, value: unknown]>]> = [
  [
    transfers,
    [
      ["defaults: prefix", "/banks"],
      ["defaults: payload", "data"],
      ["defaults: items", "content.rows"],
      ["defaults: paging", { style: "page", page: "start", size: "count" }],
      ["defaults: paging", "none"],
      ["defaults: paging.size", "limit"],
      ["defaults: paging.offset", "offset"],
      ["defaults: amounts", { minor: 3 }],
      ["defaults: amounts", "number"],
      ["defaults: times", "milliseconds"],
      ["defaults: times", "iso"],
      ["defaults: values.accounts", { alice: "C-72", bob: "C-71" }],
      ["defaults: values.currencies", { usdc: "USD-T", usdt: "USD-C" }],
      ["defaults: values.states.COMPLETED", "DONE"],
      [
        "defaults: values.states",
        { PENDING: "NEW", BROADCASTING: "SENT", COMPLETED: "BROKEN", REJECTED: "DECLINED", ERROR: "BOOKED" }
      ],
      ["defaults: errors.when.at", "success"],
      ["send: route", "/transfer"],
      ["send: fields.to", "target"],
      ["send: fields.note", "note"],
      ["send: fields.amount", { at: "sum.cents", as: { minor: 3 } }],
      ["send: fields.clientId", "customer"],
      ["send: response.id", "wallet"],
      ["list: response.createdAt", "updated"],
      ["list: response.note", "note"],
      ["list: response.recipient", "target.address"],
      ["list: response.amount", { at: "sum.cents", as: { minor: 3 } }],
      ["list: fields.from", "after"],
      ["list: fields.to", "since"],
      ["list: fields.clientId", { at: "client", values: "accounts" }],
      ["get: response.amount", { at: "sum.cents", as: { minor: 3 } }],
      ["get: response.to", "reference"]
    ]
  ],
  [
    flags,
    [
      ["defaults: amounts", { minor: 6 }],
      ["defaults: times", "seconds"],
      ["defaults: errors.when", undefined],
      ["send: fields.note", "memo"],
      ["defaults: paging.size", "size"]
    ]
  ]
]

export const mutations: ReadonlyArray<Mutation> = changes.flatMap(([subject, all]) => all.map(mutate(subject)))

/** The right contracts, of which nothing must be noticed. */
export const unchanged: ReadonlyArray<Mutation> = changes.map(([subject]) => ({
  name: "none",
  subject,
  contract: subject.right
}))
