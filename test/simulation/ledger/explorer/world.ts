/** The small world of the ledger's explorer, an immutable value: two payouts, two workers, one service. */
import type { PayoutState } from "@effect-custody/ledger/Payout"
import type { Step } from "@effect-custody/ledger/unstable/Transitions"

/** An attempt of a payout. */
export interface Attempt {
  readonly row: number
  readonly attempt: number
}

export interface Move extends Attempt {
  readonly step: Step
  readonly transaction?: number | undefined
  readonly detail?: string | undefined
}

/** The age of a committed intent. */
export type Age = "valid" | "expired" | "overdue"

export interface Transaction {
  readonly attempt: number
  readonly isShown: boolean
}

/** A row of the table `payouts`. */
export interface Row {
  readonly state: PayoutState
  readonly attempt: number
  readonly isGuarded: boolean
  readonly transaction: number | undefined
  readonly detail: string | undefined
  /** The intents of its attempts. */
  readonly intents: ReadonlyArray<Age>
}

export type Answer = "Paid" | "Refused"

/** What the sender of a worker is doing. */
export type Task =
  | (Attempt & { readonly at: "Intended" })
  /** Without an answer, the request is on its way. */
  | (Attempt & { readonly at: "Sent"; readonly answer: Answer | undefined })
  /** It writes until the database takes it. */
  | { readonly at: "Known"; readonly move: Move; readonly hasFailed: boolean }
  /** Its claim got no answer, was perhaps done, and may be done later. */
  | { readonly at: "Releasing"; readonly taken: ReadonlyArray<Attempt>; readonly late: ReadonlyArray<number> }

/** A pass of the follower over the history, after its last statement. `overdue` is what was overdue when it began. */
export type Pass = { readonly overdue: ReadonlyArray<Attempt> } & (
  | { readonly at: "Begun" | "Searching" }
  | { readonly at: "Compared"; readonly moves: ReadonlyArray<Move>; readonly echo: boolean | undefined }
  | { readonly at: "Searched"; readonly payout: Attempt; readonly found: ReadonlyArray<number> }
)

export interface Worker {
  readonly isFrozen: boolean
  readonly tasks: ReadonlyArray<Task>
  readonly pass: Pass | undefined
}

export interface Scene {
  /** Whether the history shows notes. */
  readonly showsNotes: boolean
  /** `true` if only their notes tell the two payouts apart. */
  readonly areTwins: boolean
  readonly faults: number
  /** The steps of a person that follow no question of the ledger: `retry` and `cancel`. */
  readonly wishes: number
}

export interface World extends Scene {
  readonly rows: ReadonlyArray<Row>
  readonly notes: "unseen" | "shown" | "hidden"
  readonly workers: ReadonlyArray<Worker>
  /** Requests whose sender does not wait for them, and statements that may still be done. */
  readonly requests: ReadonlyArray<Attempt>
  readonly lateClaims: ReadonlyArray<ReadonlyArray<number>>
  readonly lateMoves: ReadonlyArray<Move>
  /** The transactions of the service, each with the number of its payout. */
  readonly transactions: ReadonlyArray<Transaction | undefined>
  readonly broken: string | undefined
}

export const nameOf = (row: number): string => `p${row}`
export const idOf = (transaction: number): string => `t${transaction}`

/** `true` if the evidence of an undecided payout names a transaction. */
export const isNamed = (detail: string | undefined, transaction: number): boolean =>
  detail?.includes(`${idOf(transaction)} `) === true

const idle: Worker = { isFrozen: false, tasks: [], pass: undefined }

const ready: Row = {
  state: "ready",
  attempt: 0,
  isGuarded: false,
  transaction: undefined,
  detail: undefined,
  intents: []
}

export const begin = (scene: Scene): World => ({
  ...scene,
  rows: [ready, ready],
  notes: "unseen",
  workers: [idle, idle],
  requests: [],
  lateClaims: [],
  lateMoves: [],
  transactions: [undefined, undefined],
  broken: undefined
})

/**
 * A text that two worlds share if they have the same future. Workers, payouts, and statements under way have no order;
 * attempts count from the present one; and what nothing reads any more is left out.
 */
export const keyOf = (world: World): string => {
  const { broken, faults, notes, wishes } = world
  const [one, other] = [textOf(world, [0, 1]), textOf(world, [1, 0])]
  return `${notes} ${faults} ${wishes} ${broken} ${one < other ? one : other}`
}

const textOf = (world: World, order: ReadonlyArray<number>): string => {
  const { lateClaims, lateMoves, requests, rows, transactions, workers } = world
  const name = (row: number | undefined) => (row === undefined ? "-" : order.indexOf(row))
  const text = ({ attempt, row }: Attempt) => `${name(row)}#${rows[row]!.attempt - attempt}`
  const moved = (move: Move) => `${text(move)}${move.step}${name(move.transaction)}`
  const all = <A>(values: ReadonlyArray<A>, each: (value: A) => unknown) =>
    values
      .map((one) => String(each(one)))
      .toSorted()
      .join()
  const task = (one: Task): string => {
    switch (one.at) {
      case "Intended":
        return `${text(one)}i${rows[one.row]!.intents[one.attempt - 1]}`
      case "Sent":
        return `${text(one)}s${one.answer}`
      case "Known":
        return `${moved(one.move)}${one.hasFailed}`
      case "Releasing":
        return `r${all(one.taken, text)}l${all(one.late, name)}`
    }
  }
  const pass = (one: Pass | undefined): string => {
    if (one === undefined) return "-"
    const more =
      one.at === "Compared"
        ? `${one.moves.map(moved).join()}${one.echo}`
        : one.at === "Searched"
          ? `${text(one.payout)}${all(one.found, name)}`
          : ""
    return `${one.at}${all(one.overdue, text)}${more}`
  }
  return [
    ...order.map((row) => {
      const { attempt, detail, intents, isGuarded, state, transaction } = rows[row]!
      const made = transactions[row]
      const age = state === "sending" || state === "unknown" ? intents[attempt - 1] : ""
      const evidence =
        state === "undecided"
          ? order
              .filter((id) => isNamed(detail, id))
              .map(name)
              .join()
          : ""
      const shown = made === undefined ? "" : made.isShown ? "shown" : attempt - made.attempt
      return `${state}${isGuarded}${name(transaction)}${age}${evidence}${shown}`
    }),
    all(requests, text),
    all(lateClaims, (rows) => all(rows, name)),
    all(lateMoves, moved),
    all(workers, (one) => `${one.isFrozen}${pass(one.pass)}[${all(one.tasks, task)}]`)
  ].join(";")
}
