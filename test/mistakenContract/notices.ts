/** What is noticed of each mutation. */
import { CustodyEmulator } from "@effect-custody/emulator"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { TestClock } from "effect/testing"
import { type Mutation, mutations as changed, unchanged } from "./mutations.ts"
import * as Notice from "./notice.ts"
import { durations } from "./sockets.ts"
import { play, type Result } from "./stage.ts"
import type { Subject } from "./subject.ts"
import { inProcess } from "./virtual.ts"

export interface Noticed {
  readonly mutation: Mutation
  readonly check: string | undefined
  readonly compiler: string | undefined
  readonly probe: string | undefined
  readonly show: string | undefined
  /** `undefined` if the contract is invalid, so that nothing can be paid. */
  readonly payout: Result | undefined
}

/** `true` if nothing notices the mutation: no tool, no person who is shown the first payout, and no stop. */
export const isSilent = ({ check, compiler, payout, probe, show }: Noticed): boolean =>
  [check, compiler, probe, show].every((each) => each === undefined) &&
  payout?.stopped === undefined &&
  (payout?.objections ?? ["is shown nothing"]).length === 0

/** Looks at each mutation with all tools. Those of one service share the service. */
export const notices = Effect.gen(function* () {
  const mutations = [...unchanged, ...changed]
  const refused = new Set(yield* Notice.refusedByCompiler(mutations))
  const ofSubject = (subject: Subject) =>
    Effect.gen(function* () {
      const service = yield* Notice.openService(subject)
      return yield* Effect.forEach(
        mutations.filter((mutation) => mutation.subject === subject),
        (mutation) =>
          Effect.gen(function* () {
            const { contract, name } = mutation
            const isValid = Notice.isValid(contract)
            const noticed: Noticed = {
              mutation,
              check: yield* Notice.check(mutation),
              compiler: refused.has(mutation) ? "refused" : undefined,
              probe: isValid ? (yield* Notice.probe(service, contract)).notice : undefined,
              show: isValid ? yield* Notice.show(mutation) : undefined,
              payout: isValid
                ? yield* Effect.provide(play(subject, { name, contract }, inProcess), Layer.fresh(TestClock.layer()))
                : undefined
            }
            return noticed
          }),
        { concurrency: 4 }
      )
    }).pipe(Effect.provide(Layer.fresh(CustodyEmulator.layerServer({ durations }))))
  const subjects = [...new Set(mutations.map(({ subject }) => subject))]
  return (yield* Effect.forEach(subjects, ofSubject)).flat()
})
