/**
 * Kills, ends and freezes processes while they pay, over an unreliable service. A person decides about each payout that the
 * ledger could not find, or because of which it stopped.
 */
import type { CustodyEmulator } from "@effect-custody/emulator"
import { Fault } from "@effect-custody/emulator"
import { Payouts } from "@effect-custody/ledger"
import * as Effect from "effect/Effect"
import { type Decisions, makePerson } from "./person.ts"
import { attemptTimeout, late } from "./settings.ts"
import { judge, type Judgement, makeStage, type StageOptions } from "./stage.ts"

export interface Options extends Pick<
  StageOptions,
  "store" | "payouts" | "workers" | "validity" | "lag" | "contracts"
> {
  /** How many processes are killed with SIGKILL. */
  readonly kills: number
  /** How many processes are asked to end, with SIGTERM. */
  readonly terms: number
  /** How many processes are stopped with SIGSTOP, each for longer than an intent is valid. */
  readonly freezes: number
  /** How often the database crashes, if it is a pair. */
  readonly crashes?: number | undefined
}

export interface Outcome extends Judgement, Decisions {
  readonly kills: number
  readonly terms: number
  readonly freezes: number
  readonly crashes: number
  /** Workers that ended: with SIGTERM, because they had lost their session, or because the ledger stopped. */
  readonly ended: number
  readonly seconds: number
}

const injectFaults = Effect.fnUntraced(function* ({ faults }: CustodyEmulator["Service"]) {
  const often = { times: Infinity }
  const at = (probability: number, seed: number, fault: Fault.Fault) => Fault.sometimes({ probability, seed }, fault)
  yield* faults.next("transactions.send", at(0.1, 1, Fault.answerLost()), often)
  yield* faults.next("transactions.send", at(0.01, 2, Fault.delayed({ request: late })), often)
  yield* faults.next("*", at(0.03, 3, Fault.serverError({ status: 503 })), often)
  yield* faults.next("*", at(0.02, 4, Fault.rateLimited("1 second")), often)
  yield* faults.next("*", at(0.03, 5, Fault.reset()), often)
})

const open = ["ready", "sending", "unknown", "undecided", "accepted"] as const

export const attack = Effect.fnUntraced(function* (options: Options) {
  const began = performance.now()
  // From the first payout, the ledger learns how late the history is; the standby has to know it, too.
  const first = options.store === "async-pair" ? 1 : options.payouts
  const stage = yield* makeStage({ ...options, how: "ledger", first, attemptTimeout, disturb: injectFaults })
  const { crash, inLedger, submit, workers } = stage
  let submitted = first
  const person = makePerson(stage)
  let [kills, terms, freezes, crashes, ended] = [0, 0, 0, 0, 0]
  while (true) {
    yield* Effect.sleep("100 millis")
    const { states } = yield* inLedger(Payouts.progress())
    const isOver = open.every((state) => (states[state] ?? 0) === 0)
    if (isOver && !workers.isFrozen() && submitted >= options.payouts) break
    if (submitted < options.payouts && isOver) {
      yield* Effect.sleep(2 * (options.lag ?? 0))
      submitted = options.payouts
      yield* submit(submitted)
    }
    yield* person.look
    ended += yield* workers.startEnded
    // Kills, ends and freezes are spread over the payouts, however fast the machine is.
    const sent = ((states.accepted ?? 0) + (states.paid ?? 0) + (states.unknown ?? 0)) / options.payouts
    const free = workers.free()
    const victim = free[kills % Math.max(1, free.length)]
    if (kills < options.kills && sent > kills / (options.kills + 1) && victim !== undefined) {
      yield* workers.kill(victim)
      kills++
    }
    if (terms < options.terms && sent > (terms + 0.25) / (options.terms + 1) && free.length > 0) {
      workers.terminate(free[terms % free.length]!)
      terms++
    }
    if (freezes < options.freezes && sent > (freezes + 0.5) / (options.freezes + 1) && free.length > 1) {
      yield* Effect.forkScoped(workers.freeze(free.at(-1)!))
      freezes++
    }
    if (crashes < (options.crashes ?? 0) && sent > (crashes + 0.5) / ((options.crashes ?? 0) + 1)) {
      yield* crash
      crashes++
      // The database may have lost some.
      yield* submit(submitted)
    }
  }
  // What is late arrives.
  yield* Effect.sleep(late + 1_000)
  const seconds = Math.round((performance.now() - began) / 1000)
  return {
    ...(yield* judge(stage)),
    ...person.decisions(),
    kills,
    terms,
    freezes,
    crashes,
    ended,
    seconds
  } satisfies Outcome
}, Effect.scoped)
