/** Single changes of right adapters: of a bank, and of a service with flags. */
import { flagged } from "../support/servers/dialects/flagged.ts"
import type { Changes, Mutation } from "./mutated.ts"
import type { Subject } from "./subject.ts"
import { transfers } from "./transfers.ts"

export const flags: Subject = {
  service: flagged,
  file: `${import.meta.dirname}/flags.adapters.ts`,
  documented: ({ amount, assetId, clientId, note, to }) => {
    const fields = { clientId, assetId, to, amount: Number(String(amount.value)) / 10 ** amount.scale }
    return { request: { ...fields, "header.x-memo": note }, row: { ...fields, note } }
  },
  rowAt: ["payload"],
  stateAt: "status",
  ends: { settled: "paid", declined: "failed", broken: "failed" }
}

const next = "next: (_, rows, { offset }) => (rows === 0 ? undefined : offset + rows)"

/** What a person misreads they misread in both directions: the request, and the way back from it. */
const ofTransfers: Readonly<Record<string, Changes>> = {
  "another prefix": [['prependUrl("/bank")', 'prependUrl("/banks")']],
  "another payload": [["body.content", "body.data"]],
  "another name of the rows": [
    ["Schema.Struct({ entries:", "Schema.Struct({ rows:"],
    ["read: ({ entries }) => entries.map", "read: ({ rows }) => rows.map"]
  ],
  "an offset taken for a page": [
    ["{ limit, offset }) =>", "{ limit, page }) =>"],
    ["start: offset", "start: page"],
    [next, "next: (_, rows, { page }) => (rows === 0 ? undefined : page + 1)"]
  ],
  "one page": [[next, "next: () => undefined"]],
  "another name of the size": [["count: limit", "limit"]],
  "another name of the offset": [["start: offset", "offset"]],
  "three decimal places": [["minorUnits(2)", "minorUnits(3)"]],
  "decimals for cents": [
    ["cents.write(amount)", "Format.decimal(amount)"],
    ["cents.read(body.sum.cents)", "Amount.fromStringUnsafe(String(body.sum.cents))"],
    ["cents.read(row.sum.cents)", "Amount.fromStringUnsafe(String(row.sum.cents))"]
  ],
  milliseconds: [["made: Format.Seconds", "made: Format.Milliseconds"]],
  "local times": [["made: Format.Seconds", "made: Format.LocalUtc"]],
  "customers swapped": [['alice: "C-71", bob: "C-72"', 'alice: "C-72", bob: "C-71"']],
  "currencies swapped": [['usdc: "USD-C", usdt: "USD-T"', 'usdc: "USD-T", usdt: "USD-C"']],
  "another word for success": [['COMPLETED: "BOOKED"', 'COMPLETED: "DONE"']],
  "success and failure swapped": [
    ['COMPLETED: "BOOKED"', 'COMPLETED: "BROKEN"'],
    ['ERROR: "BROKEN"', 'ERROR: "BOOKED"']
  ],
  "another sign of success": [["body?.ok === true", "body?.success === true"]],
  "send: another path": [['post("/transfers")', 'post("/transfer")']],
  "send: another place of the recipient": [
    ["target: { address: to }", "target: to"],
    ["body.target.address", "body.target"]
  ],
  "send: another name of the note": [
    ["reference: note\n        })", "note\n        })"],
    ["body.reference", "body.note"]
  ],
  "send: three decimal places": [
    ["cents.write(amount)", "Format.minorUnits(3).write(amount)"],
    ["cents.read(body.sum.cents)", "Format.minorUnits(3).read(body.sum.cents)"]
  ],
  "send: the customer in our words": [
    ["customers.write(clientId),\n          sum", "clientId,\n          sum"],
    ["customers.read(body.customer)", "body.customer"]
  ],
  "send: the wallet's id": [
    [
      "    answer: Transfer,\n    read: transfer\n  }),\n  {\n    input: { clientId",
      '    answer: Transfer,\n    read: (row) => ({ ...transfer(row), id: row.wallet ?? "" })\n  }),\n  {\n    input: { clientId'
    ]
  ],
  "list: another time": [
    ["made: Format.Seconds", "made: Format.Seconds,\n  updated: Schema.optionalKey(Format.Seconds)"],
    ["createdAt: row.made", "createdAt: row.updated"]
  ],
  "list: another name of the note": [
    ["reference: Schema.optionalKey(Schema.String)", "note: Schema.optionalKey(Schema.String)"],
    ["note: row.reference", "note: row.note"]
  ],
  "list: a field that records do not have": [["to: row.target?.address", "recipient: row.target?.address"]],
  "list: three decimal places": [
    [
      "entries.map(transfer)",
      "entries.map((row) => ({ ...transfer(row), amount: Format.minorUnits(3).read(row.sum.cents) }))"
    ]
  ],
  "list: another name of from": [["since: seconds", "after: seconds"]],
  "list: from and to in one place": [["until: seconds", "since2: seconds"]],
  "list: another name of the client": [["customer: clientId && customers", "client: clientId && customers"]],
  "get: three decimal places": [
    [
      "    answer: Transfer,\n    read: transfer\n  }),\n  {\n    input: { transactionId",
      "    answer: Transfer,\n    read: (row) => ({ ...transfer(row), amount: Format.minorUnits(3).read(row.sum.cents) })\n  }),\n  {\n    input: { transactionId"
    ]
  ],
  "get: the note as the recipient": [
    [
      "    answer: Transfer,\n    read: transfer\n  }),\n  {\n    input: { transactionId",
      "    answer: Transfer,\n    read: (row) => ({ ...transfer(row), to: row.reference })\n  }),\n  {\n    input: { transactionId"
    ]
  ]
}

const ofFlags: Readonly<Record<string, Changes>> = {
  "six decimal places": [
    ["Format.decimal(amount)", "Format.minorUnits(6).write(amount)"],
    ["Amount.fromStringUnsafe(String(body.amount))", "Format.minorUnits(6).read(body.amount)"]
  ],
  seconds: [["Format.Milliseconds", "Format.Seconds"]],
  "no sign of success": [['  refusal: (body) => (body?.success === true ? undefined : "success is not true"),\n', ""]],
  "send: the note in the body": [
    [
      "{ clientId, assetId, to, amount: Format.decimal(amount) }",
      "{ clientId, assetId, to, amount: Format.decimal(amount), memo: note }"
    ],
    [
      '        (request) => (note === undefined ? request : HttpClientRequest.setHeader(request, "x-memo", note))\n',
      ""
    ],
    ["back: ({ body, header })", "back: ({ body })"],
    ['note: header("x-memo")', "note: body.memo"]
  ],
  "another name of the size": [["pageSize: limit", "size: limit"]]
}

const of = (subject: Subject, all: Readonly<Record<string, Changes>>): ReadonlyArray<Mutation> =>
  Object.entries(all).map(([name, changes]) => ({ name, subject, changes }))

export const mutations: ReadonlyArray<Mutation> = [...of(transfers, ofTransfers), ...of(flags, ofFlags)]

/** The right adapters, of which nothing must be noticed. */
export const unchanged: ReadonlyArray<Mutation> = [transfers, flags].map((subject) => ({
  name: "none",
  subject,
  changes: []
}))
