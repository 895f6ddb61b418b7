/** Thirteen plausible mistakes of a person who writes adapters from the service's documentation. */
import type { Dialect } from "../support/servers/dialects/dialect.ts"
import type { Changes, Mutation } from "./mutated.ts"
import { payments } from "./service.ts"
import type { Subject } from "./subject.ts"
import { transfers } from "./transfers.ts"

export interface Mistake extends Mutation {
  /** Default: the subject's. */
  readonly service?: Dialect | undefined
}

const names = [
  "eight decimal places for the service's, everywhere",
  "eight decimal places, in `send`",
  "eight decimal places, in the reads",
  "`to` and `note` swapped",
  "another account",
  "another currency",
  "seconds read as milliseconds",
  "an offset taken for a page",
  "no paging",
  "the words of success and of failure swapped",
  "another name of the filter by time",
  "local times without a zone",
  "the id of the wallet for the id"
] as const

const next = "next: (_, rows, { offset }) => (rows === 0 ? undefined : offset + rows)"
const asPage: Changes = [
  ["{ limit, offset }) =>", "{ limit, page }) =>"],
  [next, "next: (_, rows, { page }) => (rows === 0 ? undefined : page + 1)"]
]
const whole: Changes = [[next, "next: () => undefined"]]
const localExample = ["1_795_773_600", '"2026-11-27 10:00:00"'] as const

const ofPayments: ReadonlyArray<Changes> = [
  [["const units = Format.minorUnits(6)", "const units = Format.minorUnits(8)"]],
  [["units.write(amount)", "Format.minorUnits(8).write(amount)"]],
  [["units.read(row.amount)", "Format.minorUnits(8).read(row.amount)"]],
  [
    ["destination: to,", "destination: note,"],
    ["memo: note", "memo: to"],
    ["to: body.destination", "to: body.memo"],
    ["note: body.memo", "note: body.destination"],
    ["to: row.destination", "to: row.memo"],
    ["note: row.memo", "note: row.destination"]
  ],
  [['alice: "ACC-1", bob: "ACC-2"', 'alice: "ACC-2", bob: "ACC-1"']],
  [['usdc: "USDC", usdt: "USDT"', 'usdc: "USDT", usdt: "USDC"']],
  [["created_at: Format.Seconds", "created_at: Format.Milliseconds"]],
  [["skip: offset", "skip: page"], ...asPage],
  [
    ["          skip: offset,\n          take: limit\n", ""],
    ["sortKey, status, to }, { limit, offset }) =>", "sortKey, status, to }) =>"],
    ...whole
  ],
  [
    ['COMPLETED: "done"', 'COMPLETED: "failed"'],
    ['ERROR: "failed"', 'ERROR: "done"']
  ],
  [["created_after: seconds", "created_from: seconds"]],
  [["created_at: Format.Seconds", "created_at: Format.LocalUtc"], localExample],
  [["id: row.id,", 'id: row.wallet ?? "",']]
]

const ofTransfers: ReadonlyArray<Changes> = [
  [["const cents = Format.minorUnits(2)", "const cents = Format.minorUnits(8)"]],
  [["cents.write(amount)", "Format.minorUnits(8).write(amount)"]],
  [["cents.read(row.sum.cents)", "Format.minorUnits(8).read(row.sum.cents)"]],
  [
    ["target: { address: to }", "target: { address: note }"],
    ["reference: note", "reference: to"],
    ["to: body.target.address", "to: body.reference"],
    ["note: body.reference", "note: body.target.address"],
    ["to: row.target?.address", "to: row.reference"],
    ["note: row.reference", "note: row.target?.address"]
  ],
  [['alice: "C-71", bob: "C-72"', 'alice: "C-72", bob: "C-71"']],
  [['usdc: "USD-C", usdt: "USD-T"', 'usdc: "USD-T", usdt: "USD-C"']],
  [["made: Format.Seconds", "made: Format.Milliseconds"]],
  [["start: offset", "start: page"], ...asPage],
  [
    ["          start: offset,\n          count: limit\n", ""],
    ["status, to }, { limit, offset }) =>", "status, to }) =>"],
    ...whole
  ],
  [
    ['COMPLETED: "BOOKED"', 'COMPLETED: "BROKEN"'],
    ['ERROR: "BROKEN"', 'ERROR: "BOOKED"']
  ],
  [["since: seconds", "created_from: seconds"]],
  [["made: Format.Seconds", "made: Format.LocalUtc"], localExample],
  [["id: row.number,", 'id: row.wallet ?? "",']]
]

const all = new Map([
  [payments, ofPayments],
  [transfers, ofTransfers]
])

/** The mistakes in the adapters of a service. */
export const mistakesOf = (subject: Subject): ReadonlyArray<Mistake> =>
  all.get(subject)!.map((changes, at) => ({
    name: names[at]!,
    subject,
    changes,
    ...(names[at] === "local times without a zone" ? { service: subject.inLocalTime } : {})
  }))
