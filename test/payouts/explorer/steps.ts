/** The next steps of a world: of the senders, the followers, the service, the database, time, and a person. */
import type { Reconciliation } from "@effect-custody/transactions/Reconciliation"
import { afterSend, judgeSearch, stepAfterStatus } from "../../../packages/extensions/ledger/src/evidence.ts"
import * as Result from "effect/Result"
import type { Step as Following } from "../../support/simulation/breadthFirst.ts"
import { ageOf, filtered, isQuiet, mayStart, shown } from "./rules.ts"
import { acknowledge, claim, compareUnsent, dismiss, expire, settle, suspicion } from "./statements.ts"
import {
  type Age,
  type Attempt,
  idle,
  idOf,
  isNamed,
  type Move,
  nameOf,
  type Pass,
  type Task,
  type Worker,
  type World
} from "./world.ts"

type Step = Following<World>
type Sent = Extract<Task, { readonly at: "Sent" }>

const inFlight = 2

const attemptOf = ({ attempt, claim, row }: Attempt): Attempt => ({ row, attempt, claim })
const textOf = ({ attempt, row }: Attempt): string => `attempt ${attempt} of ${nameOf(row)}`
const isSame = (one: Attempt, other: Attempt): boolean => one.row === other.row && one.claim === other.claim

const change = (world: World, index: number, changes: Partial<Worker>): World => ({
  ...world,
  workers: world.workers.map((one, at) => (at === index ? { ...one, ...changes } : one))
})

const replace = (world: World, index: number, task: Task, by: ReadonlyArray<Task>): World =>
  change(world, index, { tasks: world.workers[index]!.tasks.flatMap((one) => (one === task ? by : [one])) })

const fault = (world: World): World => ({ ...world, faults: world.faults - 1 })

const errors = {
  Refused: { _tag: "NotDone", error: { _tag: "BadRequest", message: "" } },
  NotSent: { _tag: "NotDone", error: { _tag: "NotSent", message: "" } },
  Lost: { _tag: "Unknown", error: { message: "" } }
}

/** The end of a send, as the product's `afterSend` understands it. */
const known = (attempt: Attempt, end: keyof typeof errors | number): Task => {
  const outcome = typeof end === "number" ? { _tag: "Done", value: { id: end } } : errors[end]
  const { step, transactionId } = afterSend(outcome as never, 1, 1)
  const transaction = transactionId === undefined ? undefined : Number(transactionId)
  return { at: "Known", hasFailed: false, move: { ...attemptOf(attempt), step, transaction } }
}

/** The service acts on a request. */
const pay = (world: World, { row }: Attempt): World => {
  if (world.transactions[row] !== undefined) return { ...world, broken: `${nameOf(row)} is paid twice` }
  return { ...world, transactions: world.transactions.with(row, { isShown: false }) }
}

const ofClaim = (world: World, index: number, who: string): ReadonlyArray<Step> => {
  const { comparison, mustCompare, tasks } = world.workers[index]!
  if (mustCompare || comparison !== undefined || tasks.some(({ at }) => at === "Releasing")) return []
  return [[0, 1], [0], [1]].flatMap((due): ReadonlyArray<Step> => {
    const [claimed, taken] = claim(world, due)
    // A claim of fewer rows is the same as one of these.
    if (taken.length < due.length || tasks.length + due.length > inFlight) return []
    const label = `${who} claims ${taken.map(textOf).join(" and ")}`
    const next = (to: World, added: ReadonlyArray<Task>): World => change(to, index, { tasks: [...tasks, ...added] })
    const intended = taken.map((one): Task => ({ at: "Intended", ...one }))
    const steps: Array<Step> = [{ label, world: next(claimed, intended) }]
    if (world.faults > 0) {
      steps.push(
        {
          label: `${label}: done, but without an answer`,
          world: next(fault(claimed), [{ at: "Releasing", taken, late: [] }]),
          isFault: true
        },
        {
          label: `${label}: no answer, perhaps done later`,
          world: next(fault(world), [{ at: "Releasing", taken: [], late: due }]),
          isFault: true
        }
      )
    }
    return steps
  })
}

const ofSent = (world: World, index: number, who: string, task: Sent): ReadonlyArray<Step> => {
  const { answer, row } = task
  const to = (label: string, next: Task, from = world): Step => ({ label, world: replace(from, index, task, [next]) })
  const failed = (label: string, next: Task, from = world): Step => ({ ...to(label, next, fault(from)), isFault: true })
  const lost = known(task, "Lost")
  if (answer !== undefined) {
    const end = known(task, answer === "Refused" ? answer : row)
    const steps = [to(`the answer of ${textOf(task)} reaches ${who}: ${answer}`, end)]
    return world.faults === 0 ? steps : [...steps, failed(`${who} gets no answer of ${textOf(task)}`, lost)]
  }
  if (world.faults === 0) return []
  return [
    failed(`the service refuses ${textOf(task)}`, { ...task, answer: "Refused" }),
    failed(`the request of ${textOf(task)} gets lost`, lost),
    failed(`${who} gives up, and the request of ${textOf(task)} is late`, lost, {
      ...world,
      requests: [...world.requests, attemptOf(task)]
    })
  ]
}

const ofTask = (world: World, index: number, who: string, task: Task): ReadonlyArray<Step> => {
  const to = (label: string, next: ReadonlyArray<Task>, from = world): Step => ({
    label,
    world: replace(from, index, task, next)
  })
  const failed = (label: string, next: Task, from = world): Step => ({
    ...to(label, [next], fault(from)),
    isFault: true
  })
  switch (task.at) {
    case "Intended": {
      const unsent = known(task, "NotSent")
      if (!mayStart(world, task)) return [to(`${who} is too late to send ${textOf(task)}`, [unsent])]
      const sent: Sent = { ...attemptOf(task), at: "Sent", answer: undefined }
      const steps = [to(`${who} sends ${textOf(task)}`, [sent])]
      return world.faults === 0 ? steps : [...steps, failed(`${who} cannot connect to send ${textOf(task)}`, unsent)]
    }
    case "Sent":
      return ofSent(world, index, who, task)
    case "Known": {
      const { move } = task
      const label = `${who} writes that ${textOf(move)} is ${move.step}`
      const done = settle(world, [move])
      const again: Task = { ...task, hasFailed: true }
      const steps = [to(label, [], done)]
      if (world.faults > 0) {
        steps.push(
          failed(`${label}: done, but without an answer`, again, done),
          failed(`${label}: no answer, perhaps done later`, again, {
            ...world,
            lateMoves: [...world.lateMoves, move]
          })
        )
      }
      return steps
    }
    case "Releasing": {
      const { late, taken } = task
      const moves = taken.flatMap((one): ReadonlyArray<Move> =>
        world.rows[one.row]!.claim === one.claim ? [{ ...one, step: "notSent" }] : []
      )
      const after = late.length === 0 ? world : { ...world, lateClaims: [...world.lateClaims, late] }
      const steps = [to(`${who} releases what its claim may have taken`, [], settle(after, moves))]
      if (late.length > 0) {
        const [claimed, now] = claim(world, late)
        steps.push(to(`the late claim of ${who} is done`, [{ at: "Releasing", taken: now, late: [] }], claimed))
      }
      return steps
    }
  }
}

/** The moves that a page of the history shows, as in `followPage`. */
const compare = ({ rows, showsNotes }: World, page: ReadonlyArray<number>): ReadonlyArray<Move> =>
  page.flatMap((transaction): ReadonlyArray<Move> => {
    const own = rows.findIndex((row) => row.transaction === transaction)
    const completed = stepAfterStatus("COMPLETED")!
    if (own !== -1) {
      const { attempt, claim, state } = rows[own]!
      return state === "accepted" ? [{ row: own, attempt, claim, step: completed }] : []
    }
    const { attempt, claim, transaction: other } = rows[transaction]!
    if (!showsNotes || attempt === 0) return []
    const found: Move = { row: transaction, attempt, claim, step: "found", transaction }
    return other === undefined ? [found, { row: transaction, attempt, claim, step: completed }] : [found]
  })

/** The result of `Transactions.find`: with notes the payment itself, without them all that look like it. */
const reconcile = ({ showsNotes }: World, found: ReadonlyArray<number>): Reconciliation => {
  const [first] = found
  const transactions = found.map((one) => ({ id: idOf(one) }))
  const differences = [{ field: "note", requested: "p", shown: undefined }]
  return (
    first === undefined
      ? { _tag: "NotFoundSoFar" }
      : showsNotes
        ? { _tag: "Found", transaction: transactions[0] }
        : { _tag: "SeveralCandidates", candidates: transactions.map((transaction) => ({ transaction, differences })) }
  ) as Reconciliation
}

const isOverdue = (world: World, one: Attempt): boolean =>
  world.rows[one.row]!.state === "unknown" &&
  world.rows[one.row]!.claim === one.claim &&
  ageOf(world, one) === "overdue"

/** One statement or one request of the follower. */
const ofPass = (world: World, index: number, who: string): ReadonlyArray<Step> => {
  const { pass } = world.workers[index]!
  const to = (label: string, next: Pass | undefined, from = world): ReadonlyArray<Step> => [
    { label: `${who} ${label}`, world: change(from, index, { pass: next }) }
  ]
  const current = (next: World) => next.rows.map(({ attempt, claim }, row): Attempt => ({ row, attempt, claim }))
  if (pass === undefined) {
    // Another follower has the lease while it is awake.
    if (world.workers.some((one) => one.pass !== undefined && !one.isFrozen)) return []
    const next = expire(world)
    const hasExpired = next.rows.some(({ state }, row) => state !== world.rows[row]!.state)
    if (!next.rows.some(({ state }) => state === "unknown" || state === "accepted"))
      return hasExpired ? to("ends expired intents", undefined, next) : []
    const overdue = current(next).filter((one) => ageOf(next, one) === "overdue")
    return to("ends expired intents, and begins a pass over the history", { at: "Begun", overdue }, next)
  }
  const { overdue } = pass
  switch (pass.at) {
    case "Begun": {
      const page = filtered(world)
      const isOwn = page.some((one) => world.rows.some(({ transaction }) => transaction === one))
      const echo = isOwn ? world.showsNotes : undefined
      return to("reads the history", { at: "Compared", overdue, moves: compare(world, page), echo })
    }
    case "Compared": {
      const { echo, moves } = pass
      const settled = settle(world, moves)
      const notes = echo === undefined || world.notes === "hidden" ? world.notes : echo ? "shown" : "hidden"
      const left = overdue.filter((one) => isOverdue(settled, one))
      const next: Pass | undefined = left.length === 0 ? undefined : { at: "Searching", overdue: left }
      return to("writes what the history shows", next, { ...settled, notes })
    }
    case "Searching": {
      const [payout, ...rest] = overdue
      const found = filtered(world).filter((one) => one === payout!.row || (world.areTwins && !world.showsNotes))
      return to(`searches the whole history for ${textOf(payout!)}`, {
        at: "Searched",
        overdue: rest,
        payout: payout!,
        found
      })
    }
    case "Searched": {
      const { found, payout } = pass
      const ownerOf = (id: string) => {
        const owner = world.rows.findIndex(({ transaction }) => transaction !== undefined && idOf(transaction) === id)
        return owner === -1 ? undefined : nameOf(owner)
      }
      const { attempt, row } = payout
      const searched = { reference: nameOf(row), attempt, detail: null }
      const { move } = judgeSearch(searched, Result.succeed(reconcile(world, found)), ownerOf)
      const { detail, step, transactionId } = move
      const transaction = transactionId === undefined ? undefined : Number(transactionId.slice(1))
      const next: Pass | undefined = overdue.length === 0 ? undefined : { at: "Searching", overdue }
      const settled = settle(world, [{ ...payout, step, transaction, detail }])
      return to(`writes that ${textOf(payout)} is ${step}`, next, settled)
    }
  }
}

/** Compares the ledger with the history after the worker has started, and after the database went back. */
const ofComparison = (world: World, index: number, who: string): ReadonlyArray<Step> => {
  const { comparison, mustCompare } = world.workers[index]!
  const isOfChange = !world.isCompared
  if (comparison === undefined) {
    if (isOfChange ? !isQuiet(world) : !mustCompare) return []
    const next = change(world, index, { comparison: { page: shown(world), isOfChange } })
    return [{ label: `${who} reads the history to compare the ledger with it`, world: next }]
  }
  const { page } = comparison
  const compared = compareUnsent(settle(world, compare(world, page)), page)
  const next = { ...compared, isCompared: compared.isCompared || comparison.isOfChange }
  return [
    { label: `${who} compares the ledger`, world: change(next, index, { comparison: undefined, mustCompare: false }) }
  ]
}

const ofWorker = (world: World, index: number): ReadonlyArray<Step> => {
  const worker = world.workers[index]!
  const { comparison, isFrozen, pass, tasks } = worker
  const who = "AB"[index]!
  const steps: Array<Step> = []
  if (world.faults > 0 && (tasks.length > 0 || pass !== undefined || comparison !== undefined)) {
    const requests = tasks.flatMap((task) => (task.at === "Sent" && task.answer === undefined ? [attemptOf(task)] : []))
    const lateClaims = tasks.flatMap((task) => (task.at === "Releasing" && task.late.length > 0 ? [task.late] : []))
    const left = {
      ...fault(world),
      requests: [...world.requests, ...requests],
      lateClaims: [...world.lateClaims, ...lateClaims]
    }
    const killed = change(left, index, { ...idle, mustCompare: true })
    steps.push({ label: `${who} is killed, and starts again`, world: killed, isFault: true })
    if (!isFrozen) {
      steps.push({ label: `${who} is frozen`, world: change(fault(world), index, { isFrozen: true }), isFault: true })
    }
  }
  if (isFrozen) return [...steps, { label: `${who} wakes`, world: change(world, index, { isFrozen: false }) }]
  return [
    ...steps,
    ...ofComparison(world, index, who),
    ...ofClaim(world, index, who),
    ...tasks.flatMap((task) => ofTask(world, index, who, task)),
    ...ofPass(world, index, who)
  ]
}

const without = <A>(values: ReadonlyArray<A>, at: number): ReadonlyArray<A> => values.filter((_, index) => index !== at)

/** The service acts on requests, and shows what it has done. */
const ofService = (world: World): ReadonlyArray<Step> => [
  ...world.workers.flatMap(({ tasks }, index) =>
    tasks.flatMap((task): ReadonlyArray<Step> => {
      if (task.at !== "Sent" || task.answer !== undefined) return []
      const answered: Sent = { ...task, answer: "Paid" }
      return [{ label: `the service pays ${textOf(task)}`, world: replace(pay(world, task), index, task, [answered]) }]
    })
  ),
  ...world.requests.map((attempt, at) => ({
    label: `the late request arrives: the service pays ${textOf(attempt)}`,
    world: pay({ ...world, requests: without(world.requests, at) }, attempt)
  })),
  ...world.transactions.flatMap((one, at): ReadonlyArray<Step> =>
    one === undefined || one.isShown
      ? []
      : [
          {
            label: `the history shows ${idOf(at)}, the payment of ${nameOf(at)}`,
            world: { ...world, transactions: world.transactions.with(at, { ...one, isShown: true }) }
          }
        ]
  )
]

/**
 * A standby that lags behind takes over: the database goes back to what the standby has, and says so by its name.
 * Statements that are not done yet are lost with the primary.
 */
const ofStandby = (world: World): ReadonlyArray<Step> => {
  const { foreign, notes, rows, standby } = world
  if (standby === undefined) {
    const next = { ...fault(world), standby: { rows, notes, foreign } }
    return world.faults === 0 ? [] : [{ label: "a standby lags behind from here on", world: next, isFault: true }]
  }
  const workers = world.workers.map((worker) => ({
    ...worker,
    tasks: worker.tasks.map((task) => (task.at === "Releasing" ? { ...task, late: [] } : task)),
    comparison: worker.comparison && { ...worker.comparison, isOfChange: false }
  }))
  const back = {
    ...world,
    ...standby,
    standby: undefined,
    isCompared: false,
    hasGoneBack: true,
    workers,
    lateClaims: [],
    lateMoves: []
  }
  return [{ label: "the standby takes over: the database goes back", world: back, isFault: true }]
}

/** Statements whose sender got no answer are done. */
const ofDatabase = (world: World): ReadonlyArray<Step> => [
  ...ofStandby(world),
  ...world.lateClaims.map((late, at) => ({
    label: `a late claim of ${late.map(nameOf).join(" and ")} is done`,
    world: claim({ ...world, lateClaims: without(world.lateClaims, at) }, late)[0]
  })),
  ...world.lateMoves.map((move, at) => ({
    label: `a late statement writes that ${textOf(move)} is ${move.step}`,
    world: settle({ ...world, lateMoves: without(world.lateMoves, at) }, [move])
  }))
]

/** An awake worker sends and writes before its intent expires, unless the database fails. */
const isPrompt = ({ isFrozen, tasks }: Worker, attempt: Attempt): boolean =>
  !isFrozen &&
  tasks.some(
    (task) =>
      (task.at === "Intended" && isSame(task, attempt)) ||
      (task.at === "Known" && !task.hasFailed && isSame(task.move, attempt))
  )

/** `undecidedAfter` is longer than a request may be late, also a forgotten one, and a transaction hidden. */
const isOpen = ({ requests, transactions, workers }: World, { row }: Attempt): boolean =>
  requests.some((one) => one.row === row) ||
  transactions[row]?.isShown === false ||
  workers.some(({ tasks }) => tasks.some((task) => task.at === "Sent" && task.answer === undefined && task.row === row))

const ofTime = (world: World): ReadonlyArray<Step> => {
  const aged = ({ claim, row }: Attempt, to: Age): World => ({
    ...world,
    intents: world.intents.with(row, world.intents[row]!.with(claim - 1, to))
  })
  const open = world.rows.flatMap(({ attempt, claim, state }, row): ReadonlyArray<Attempt> =>
    state === "sending" || state === "unknown" ? [{ row, attempt, claim }] : []
  )
  const forgotten = world.workers.flatMap(({ tasks }) =>
    tasks.flatMap((task) => (task.at === "Intended" && !open.some((one) => isSame(one, task)) ? [attemptOf(task)] : []))
  )
  const expires = [...open, ...forgotten].filter(
    (one) => ageOf(world, one) === "valid" && !world.workers.some((worker) => isPrompt(worker, one))
  )
  const passes = open.filter((one) => ageOf(world, one) === "expired" && !isOpen(world, one))
  return [
    ...expires.map((one) => ({ label: `the intent of ${textOf(one)} expires`, world: aged(one, "expired") })),
    ...passes.map((one) => ({ label: `undecidedAfter passes for ${textOf(one)}`, world: aged(one, "overdue") }))
  ]
}

/**
 * A person believes the ledger, and looks at the transactions that it names. Which of twins was paid by a forgotten or a
 * foreign transaction, only the person can know.
 */
const ofPerson = (world: World): ReadonlyArray<Step> =>
  world.rows.flatMap(({ alarm, attempt, claim, detail, state }, row): ReadonlyArray<Step> => {
    const to = (label: string, move: Pick<Move, "step" | "transaction">, from = world): Step => ({
      label: `a person ${label} ${nameOf(row)}`,
      world: settle(from, [{ row, attempt, claim, ...move }])
    })
    const paidBy = (one: number) =>
      to(`decides 'paid by ${idOf(one)}' about`, { step: "decidedPaid", transaction: one })
    const less = { ...world, wishes: world.wishes - 1 }
    if (alarm === "clash")
      return [{ label: `a person acknowledges the clash of ${nameOf(row)}`, world: acknowledge(world, row) }]
    if (alarm === "behind") return [paidBy(row)]
    if (state === "undecided") {
      const free = shown(world).filter(
        (one) => isNamed(detail, one) && !world.rows.some(({ transaction }) => transaction === one)
      )
      const knows = world.hasGoneBack || detail?.startsWith(suspicion) === true
      const likely = knows ? free.filter((one) => one === row) : free
      if (likely.length > 0) return likely.map(paidBy)
      return [to("decides 'not paid' about", { step: "decidedNotPaid" }, dismiss(world, row))]
    }
    if (world.wishes === 0) return []
    if (state === "refused") return [to("retries", { step: "orderedAgain" }, less)]
    // What the database has forgotten, is not known to be unsent.
    return state === "ready" && world.isCompared ? [to("cancels", { step: "cancelled" }, less)] : []
  })

export const nextOf = (world: World): ReadonlyArray<Step> => [
  ...world.workers.flatMap((_, index) => ofWorker(world, index)),
  ...ofService(world),
  ...ofDatabase(world),
  ...ofTime(world),
  ...ofPerson(world)
]
