/** The small world of the ledger's explorer, an immutable value: two payouts, two workers, one service. */
import type { PayoutState } from "@effect-custody/ledger/Payout"
import type { Step } from "@effect-custody/ledger/siblings/Transitions"

/** An attempt of a payout. A database that went back counts an attempt again: only the claim tells the two apart. */
export interface Attempt {
  readonly row: number
  readonly attempt: number
  /** The number of the claim of the payout. */
  readonly claim: number
}

export interface Move extends Attempt {
  readonly step: Step
  readonly transaction?: number | undefined
  readonly detail?: string | undefined
}

/** The age of a committed intent. */
export type Age = "valid" | "expired" | "overdue"

export interface Transaction {
  readonly isShown: boolean
}

/** A row of the table `payouts`. */
export interface Row {
  readonly state: PayoutState
  readonly attempt: number
  readonly claim: number
  readonly isGuarded: boolean
  readonly transaction: number | undefined
  readonly detail: string | undefined
  readonly alarm: "behind" | "clash" | undefined
}

/** A row of the table `payout_foreign`. */
export interface Foreign {
  readonly transaction: number
  readonly isDismissed: boolean
}

/** What the database has committed. */
export interface Database {
  readonly rows: ReadonlyArray<Row>
  readonly notes: "unseen" | "shown" | "hidden"
  readonly foreign: ReadonlyArray<Foreign>
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

/** The comparison of the ledger with the history, after it was read. */
export interface Comparison {
  readonly page: ReadonlyArray<number>
  /** `true` if it is about a database that went back. */
  readonly isOfChange: boolean
}

export interface Worker {
  readonly isFrozen: boolean
  readonly tasks: ReadonlyArray<Task>
  readonly pass: Pass | undefined
  /** `true` until a worker that has started has compared the ledger. */
  readonly mustCompare: boolean
  readonly comparison: Comparison | undefined
}

export interface Scene {
  /** Whether the history shows notes. */
  readonly showsNotes: boolean
  /** `true` if only their notes tell the two payouts apart. */
  readonly areTwins: boolean
  readonly faults: number
  /** The steps of a person that follow no question of the ledger: `sendAgain` and `cancel`. */
  readonly wishes: number
}

export interface World extends Scene, Database {
  /** What a standby has, whose primary it lags behind; it takes over once. */
  readonly standby: Database | undefined
  readonly hasGoneBack: boolean
  /** `false` after the database went back, until it was compared with the history. */
  readonly isCompared: boolean
  /** The intents of each payout, by the numbers of their claims. */
  readonly intents: ReadonlyArray<ReadonlyArray<Age>>
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

export const idle: Worker = {
  isFrozen: false,
  tasks: [],
  pass: undefined,
  mustCompare: false,
  comparison: undefined
}

const ready: Row = {
  state: "ready",
  attempt: 0,
  claim: 0,
  isGuarded: false,
  transaction: undefined,
  detail: undefined,
  alarm: undefined
}

export const begin = (scene: Scene): World => ({
  ...scene,
  rows: [ready, ready],
  notes: "unseen",
  foreign: [],
  standby: undefined,
  hasGoneBack: false,
  isCompared: true,
  intents: [[], []],
  workers: [idle, idle],
  requests: [],
  lateClaims: [],
  lateMoves: [],
  transactions: [undefined, undefined],
  broken: undefined
})

/**
 * A text that two worlds share if they have the same future. Workers, payouts, and statements under way have no order;
 * attempts and claims count from the present one; and what nothing reads any more is left out.
 */
export const keyOf = (world: World): string => {
  const { broken, faults, hasGoneBack, isCompared, notes, wishes } = world
  const [one, other] = [textOf(world, [0, 1]), textOf(world, [1, 0])]
  return `${notes} ${faults} ${wishes} ${hasGoneBack} ${isCompared} ${broken} ${one < other ? one : other}`
}

const all = <A>(values: ReadonlyArray<A>, each: (value: A) => unknown): string =>
  values
    .map((one) => String(each(one)))
    .toSorted()
    .join()

const textOf = (world: World, order: ReadonlyArray<number>): string => {
  const {
    faults,
    foreign,
    intents,
    isCompared,
    lateClaims,
    lateMoves,
    requests,
    rows,
    standby,
    transactions,
    workers
  } = world
  const name = (row: number | undefined) => (row === undefined ? "-" : order.indexOf(row))
  const text = ({ attempt, claim, row }: Attempt) =>
    `${name(row)}#${rows[row]!.attempt - attempt}/${intents[row]!.length - claim}`
  const moved = (move: Move) => `${text(move)}${move.step}${name(move.transaction)}`
  const mayCompare =
    faults > 0 ||
    standby !== undefined ||
    !isCompared ||
    workers.some(({ comparison, mustCompare }) => mustCompare || comparison !== undefined)
  const others = (rows: ReadonlyArray<Foreign>) =>
    mayCompare ? all(rows, ({ isDismissed, transaction }) => `${name(transaction)}${isDismissed}`) : ""
  const task = (one: Task): string => {
    switch (one.at) {
      case "Intended":
        return `${text(one)}i${intents[one.row]![one.claim - 1]}`
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
  const comparison = ({ comparison: one, mustCompare }: Worker) =>
    `${mustCompare}${one === undefined ? "" : `${one.isOfChange}${all(one.page, name)}`}`
  const rowOf = ({ alarm, attempt, claim, detail, isGuarded, state, transaction }: Row, row: number) => {
    const age = state === "sending" || state === "unknown" ? intents[row]![claim - 1] : ""
    const evidence =
      state === "undecided"
        ? order
            .filter((id) => isNamed(detail, id))
            .map(name)
            .join()
        : ""
    const unsent = attempt === 0 && (mayCompare || state === "undecided")
    return `${state}${isGuarded}${name(transaction)}${age}${evidence}${alarm}${unsent}`
  }
  return [
    ...order.map((row) => {
      const { attempt, claim } = rows[row]!
      const made = transactions[row]
      const before = standby?.rows[row]
      return [
        rowOf(rows[row]!, row),
        intents[row]!.length - claim,
        made?.isShown,
        before === undefined
          ? ""
          : `${rowOf(before, row)}#${attempt - before.attempt}/${intents[row]!.length - before.claim}`
      ].join(":")
    }),
    others(foreign),
    standby === undefined ? "" : `${standby.notes}${others(standby.foreign)}`,
    all(requests, text),
    all(lateClaims, (rows) => all(rows, name)),
    all(lateMoves, moved),
    all(workers, (one) => `${one.isFrozen}${pass(one.pass)}[${all(one.tasks, task)}]${comparison(one)}`)
  ].join(";")
}
