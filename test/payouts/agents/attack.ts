/**
 * Two processes of `custody mcp` order the payouts of an agent, a person approves them, and workers pay. All of these
 * processes are killed meanwhile.
 */
import { Fault } from "@effect-custody/emulator"
import { type PayoutEvent, Payouts } from "@effect-custody/ledger"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as Path from "node:path"
import { random } from "../../support/random.ts"
import { temporaryDirectory } from "../../support/servers/sqlitePlace.ts"
import { makePerson } from "../kills/person.ts"
import { attemptTimeout } from "../kills/settings.ts"
import { findPaid, judge, type Judgement, listAll, makeStage, type Stage } from "../kills/stage.ts"
import { type Heard, makeAgent } from "./agent.ts"
import { makeServers } from "./servers.ts"
import { limitsFor, orderOf, sumsFor, type Way } from "./settings.ts"

export interface Options {
  readonly store: "sqlite" | "postgres"
  readonly how: Way
  /** How many payouts may be held. The agent wants half as many more. */
  readonly payouts: number
  /** How many processes are killed: every second one serves the agent, the others pay. */
  readonly kills: number
  readonly seed: number
}

export interface Outcome extends Judgement, Heard {
  /** Orders of the agent that the service has paid more than once. */
  readonly orderedTwice: number
  /** Payments beyond the number and the sum that may be held on a day. */
  readonly overCount: number
  readonly overSum: number
  /** Payouts that no person has approved, and that were claimed or paid. */
  readonly unapproved: number
  readonly kills: number
  readonly seconds: number
}

const custody = Path.resolve(import.meta.dirname, "../../../packages/extensions/cli/bin/custody.mjs")

const programOf = (stage: Stage, directory: string, { how, payouts }: Options) =>
  Effect.map(stage.emulator.issueApiKey(), (apiKey) => ({
    args:
      how === "readsFirst"
        ? [Path.join(import.meta.dirname, "readsFirst.ts"), stage.store, `${payouts}`]
        : [custody, "mcp", ...limitsFor(payouts), ...(stage.store.includes("://") ? [] : ["--ledger", stage.store])],
    env: {
      PATH: process.env["PATH"],
      CUSTODY_BASE_URL: stage.emulator.baseUrl,
      CUSTODY_ENVIRONMENT: "emulator",
      CUSTODY_API_KEY: Redacted.value(apiKey),
      CUSTODY_SESSION_FILE: Path.join(directory, "agents.db"),
      ...(stage.store.includes("://") ? { CUSTODY_LEDGER_URL: stage.store } : {})
    }
  }))

const approver = "grace"

/** Approves what is held, as it is now. */
const approve = Effect.gen(function* () {
  for (const { batch, states } of yield* Payouts.batches) {
    if ((states.held ?? 0) === 0) continue
    const { digest } = yield* Payouts.review(batch)
    // The agent may have ordered more in between.
    yield* Effect.catchTag(Payouts.approve(batch, { by: approver, digest }), "StepRefused", () => Effect.void)
  }
})

const readEvents = Effect.gen(function* () {
  const events: Array<PayoutEvent> = []
  for (let cursor: string | undefined; ;) {
    const next: ReadonlyArray<PayoutEvent> = yield* Payouts.changes(cursor)
    events.push(...next)
    if (next.length === 0) return events
    cursor = next.at(-1)!.cursor
  }
})

/** Compares the service's own books with what an agent may do. */
const judgeAgent = Effect.fnUntraced(function* (stage: Stage, payouts: number) {
  const paid = yield* findPaid(stage)
  const approved = new Set<string>()
  const unapproved = new Set<string>()
  for (const { by, reference, step } of yield* stage.inLedger(readEvents)) {
    if (step === "approved" && by === approver) approved.add(reference)
    else if (step === "approved" || (step === "claimed" && !approved.has(reference))) unapproved.add(reference)
  }
  for (const reference of paid.keys()) if (!approved.has(reference)) unapproved.add(reference)
  const byOrder = Map.groupBy(paid, ([reference]) => Number(reference.split("-")[1]))
  let [overCount, overSum, orderedTwice] = [0, 0, 0]
  for (const [, found] of byOrder) if (found.flatMap(([, ids]) => ids).length > 1) orderedTwice++
  const batches = Map.groupBy(yield* listAll(stage), ({ batch }) => batch)
  for (const rows of batches.values()) {
    const made = rows.flatMap(({ reference }) =>
      (paid.get(reference) ?? []).map(() => orderOf(Number(reference.split("-")[1])))
    )
    const sum = made.reduce((total, { amount, assetId }) => total + (assetId === "eth" ? Number(amount) : 0), 0)
    overCount += Math.max(0, made.length - payouts)
    overSum += Math.max(0, sum - Number(sumsFor(payouts).eth))
  }
  return { orderedTwice, overCount, overSum, unapproved: unapproved.size }
})

const open = ["held", "ready", "sending", "unknown", "undecided", "accepted"] as const

export const attack = Effect.fnUntraced(function* (options: Options) {
  const began = performance.now()
  const stage = yield* makeStage({
    store: options.store,
    how: "ledger",
    payouts: 0,
    workers: 2,
    validity: 2_000,
    attemptTimeout,
    disturb: ({ faults }) =>
      faults.next("transactions.send", Fault.sometimes({ probability: 0.02, seed: 1 }, Fault.answerLost()), {
        times: Infinity
      })
  })
  const { emulator, inLedger, workers } = stage
  for (let client = 0; client < 20; client++) {
    yield* emulator.fund({ clientId: `c-${client}`, assetId: "eth", amount: "1000000" })
  }
  const servers = yield* makeServers(2, programOf(stage, yield* temporaryDirectory, options))
  const agent = makeAgent(servers, random(options.seed), options.payouts, options.how)
  const ordering = yield* Effect.forkScoped(agent.run)
  const person = makePerson(stage)
  let kills = 0
  while (true) {
    yield* Effect.sleep("100 millis")
    const { states } = yield* inLedger(Payouts.progress())
    const isOrdered = ordering.pollUnsafe() !== undefined
    if (isOrdered && open.every((state) => (states[state] ?? 0) === 0)) break
    // Nobody approves at first, so that nothing may move.
    if (agent.progress() > 0.1) yield* inLedger(approve)
    yield* person.look
    yield* workers.startEnded
    // The kills are spread over the orders and the payments, however fast the machine is.
    const sent = (states.accepted ?? 0) + (states.paid ?? 0) + (states.unknown ?? 0)
    const share = (agent.progress() + sent / options.payouts) / 2
    if (kills < options.kills && share > kills / (options.kills + 1)) {
      const slot = Math.floor(kills / 2) % 2
      yield* kills % 2 === 0 ? servers.kill(slot) : workers.kill(slot)
      kills++
    }
  }
  yield* Fiber.join(ordering)
  const seconds = Math.round((performance.now() - began) / 1000)
  const judged = { ...(yield* judge(stage)), ...(yield* judgeAgent(stage, options.payouts)) }
  return { ...judged, ...agent.heard(), kills, seconds } satisfies Outcome
}, Effect.scoped)
