/** What is noticed of each mutation. */
import { CustodyEmulator } from "@effect-custody/emulator"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { TestClock } from "effect/testing"
import { load, type Mutation, write, writeAgreeing } from "./mutated.ts"
import { mutations as changed, unchanged } from "./mutations.ts"
import * as Notice from "./notice.ts"
import { durations } from "./sockets.ts"
import { play, type Result } from "./stage.ts"
import type { Subject } from "./subject.ts"
import { inProcess } from "./virtual.ts"

export interface Noticed {
  readonly mutation: Mutation
  readonly compiler: string | undefined
  /** What the check says with the examples of the service's document. */
  readonly example: string | undefined
  /** What it says with examples in which their author was mistaken, too: that the way back does not find the input. */
  readonly back: string | undefined
  /** What the probe says with such examples. */
  readonly probe: string | undefined
  /** `undefined` if the adapters cannot be in force even with such examples, so that nothing can be paid. */
  readonly payout: Result | undefined
}

const isSeenByPerson = (payout: Result | undefined): boolean =>
  payout?.stopped !== undefined || (payout?.objections ?? ["is shown nothing"]).length > 0

/** `true` if nothing notices the mutation: no tool, no person who is shown the first payout, and no stop. */
export const isSilent = ({ example, ...noticed }: Noticed): boolean =>
  example === undefined && isSilentWithoutExamples(noticed)

/** `true` if nothing but the examples of the document could notice the mutation. */
export const isSilentWithoutExamples = ({ back, compiler, payout, probe }: Omit<Noticed, "example">): boolean =>
  [back, compiler, probe].every((each) => each === undefined) && !isSeenByPerson(payout)

/** Looks at each mutation with all tools. Those of one service share the service. */
export const notices = Effect.gen(function* () {
  const all = [...unchanged, ...changed].map((mutation) => ({ mutation, file: write(mutation) }))
  const refused = yield* Notice.refusedByCompiler(all.map(({ file }) => file))
  const ofSubject = (subject: Subject) =>
    Effect.gen(function* () {
      const service = yield* Notice.openService(subject)
      return yield* Effect.forEach(
        all.filter(({ mutation }) => mutation.subject === subject),
        ({ file, mutation }) =>
          Effect.gen(function* () {
            const contract = yield* Effect.promise(() => load(file))
            const agreeing = writeAgreeing(file)
            const back = yield* Notice.check(agreeing)
            const played = yield* Effect.exit(
              Effect.provide(
                play(subject, { name: mutation.name, contract }, inProcess),
                Layer.fresh(TestClock.layer())
              )
            )
            const noticed: Noticed = {
              mutation,
              compiler: refused.has(file) ? "refused" : undefined,
              example: yield* Notice.check(file),
              back,
              probe: back === undefined ? (yield* Notice.probe(service, agreeing)).notice : undefined,
              payout: Exit.isSuccess(played) ? played.value : undefined
            }
            return noticed
          }),
        { concurrency: 2 }
      )
    }).pipe(Effect.provide(Layer.fresh(CustodyEmulator.layerServer({ durations }))))
  const subjects = [...new Set(all.map(({ mutation }) => mutation.subject))]
  return (yield* Effect.forEach(subjects, ofSubject)).flat()
})
