/** Bugs that the simulation of the ledger must find. The explorer finds some of them in the functions that both run. */
import * as Effect from "effect/Effect"
import { believingEmpty, moneyBugs } from "../../money/simulation/bugs.ts"
import { type Bugs, moduleAt } from "../../support/simulation/plant.ts"

const archiving = moduleAt<typeof import("../../../packages/extensions/ledger/src/archive.ts")>(
  "packages/extensions/ledger/src/archive.ts"
)
const compare = moduleAt<typeof import("../../../packages/extensions/ledger/src/compare.ts")>(
  "packages/extensions/ledger/src/compare.ts"
)
const foreign = moduleAt<typeof import("../../../packages/extensions/ledger/src/foreign.ts")>(
  "packages/extensions/ledger/src/foreign.ts"
)
const identity = moduleAt<typeof import("../../../packages/extensions/ledger/src/database.ts")>(
  "packages/extensions/ledger/src/database.ts"
)
const readHistory = moduleAt<typeof import("../../../packages/extensions/ledger/src/history.ts")>(
  "packages/extensions/ledger/src/history.ts"
)
const people = moduleAt<typeof import("../../../packages/extensions/ledger/src/people.ts")>(
  "packages/extensions/ledger/src/people.ts"
)
const evidence = moduleAt<typeof import("../../../packages/extensions/ledger/src/evidence.ts")>(
  "packages/extensions/ledger/src/evidence.ts"
)
const sender = moduleAt<typeof import("../../../packages/core/src/http/Sender.ts")>("packages/core/src/http/Sender.ts")
const transitions = moduleAt<typeof import("../../../packages/extensions/ledger/src/siblings/Transitions.ts")>(
  "packages/extensions/ledger/src/siblings/Transitions.ts"
)

/** Bugs in functions that the explorer runs, too. */
export const sharedBugs = {
  /** What may have been sent is sent again. */
  "an unknown payout is ready": [
    transitions({
      stepRule: (stepRule) => ({ ...stepRule, expired: { ...stepRule.expired, to: "ready" } }),
      decide: (decide) => (state, step) => {
        const to = decide(state, step)
        return to !== undefined && step === "expired" ? "ready" : to
      }
    })
  ],
  /** An answer that was lost counts as a request that was not sent. */
  "a lost answer is no payment": [
    evidence({
      afterSend:
        (afterSend) =>
        (...send) => {
          const after = afterSend(...send)
          return after.step === "lost" ? { ...after, step: "notSent" } : after
        }
    })
  ]
} satisfies Bugs

type Judgement = ReturnType<typeof import("../../../packages/extensions/ledger/src/evidence.ts").judge>

/** The judge, who takes some rows with a payout's transaction or note for the payout, although they cannot tell. */
const believing = (isBelieved: (judgement: Judgement) => boolean) =>
  evidence({
    judge:
      (judge) =>
      (...of) => {
        const judged = judge(...of)
        if (judged.link === undefined || judged.verdict !== "unsure" || !isBelieved(judged)) return judged
        return { ...judged, verdict: "is", isOfUnknownType: false, contradicts: false }
      }
  })

export const ledgerBugs = {
  ...sharedBugs,
  /** A process that slept sends after its intent has expired. */
  "an intent does not expire": [
    sender({
      makeProgress:
        (makeProgress) =>
        (mayStart, ...rest) => {
          // The ledger still sees that it would be asked.
          const asked = () => mayStart?.() !== undefined
          return makeProgress(mayStart === undefined ? undefined : asked, ...rest)
        }
    })
  ],
  /** A history without rows under a filter counts as complete. */
  "an empty filter is believed": [
    readHistory({
      readForward:
        (readForward) =>
        (list, ...rest) =>
          readForward(believingEmpty(list), ...rest),
      readBackward:
        (readBackward) =>
        (list, ...rest) =>
          readBackward(believingEmpty(list), ...rest)
    }),
    ...moneyBugs["an empty filter is believed"]
  ],
  /** A payout is sent that a row of the history may be: the rows are compared by their notes only. */
  "no suspicion": [
    foreign({
      noteForeign: (noteForeign) => (database, foreign) => noteForeign(database, foreign, true)
    })
  ],
  /** A worker claims from a database that has changed, before it has compared the ledger with the history. */
  "no comparison after a change": [
    identity({
      isUnchanged:
        () =>
        ({ sql }) =>
          sql`true`
    }),
    compare({
      compare: () =>
        Effect.fnUntraced(function* () {
          // A worker only starts if its client asks whether it may send.
          const { MayStart } = yield* Effect.promise(() => import("../../../packages/core/src/http/Sender.ts"))
          const mayStart = yield* MayStart
          mayStart?.()
          return true
        })
    })
  ],
  /** The payouts are not compared with the rows of the history that no payout owns. */
  "a foreign row is never compared": [foreign({ compareAllUnsent: () => () => Effect.void })],
  /** A fee explains any amount. */
  "a fee explains any amount": [believing(({ contradicts, isOfUnknownType }) => !contradicts && !isOfUnknownType)],
  /** A row of any type with the payout's note is the payout: so is an outsider's deposit. */
  "a deposit is a payment": [believing(({ isOfUnknownType }) => isOfUnknownType)],
  /** What cannot tell is certainly another payment, in a search for what may be missing. */
  "what cannot tell is another": [
    evidence({
      decideSearch:
        (decideSearch) =>
        (...about) =>
        (rows) => {
          const found = decideSearch(...about)(rows)
          return found._tag === "SeveralCandidates" ? { _tag: "NotFoundSoFar" } : found
        }
    })
  ],
  /** A refused payout is sent again without a look at the history. */
  "what is sent again is not looked for": [
    people({
      findPaid: (findPaid) => (ledger, target, name) =>
        name === "send again" ? Effect.void : findPaid(ledger, target, name)
    })
  ],
  /** A refusal by a proxy is the service's. */
  "a page is a refusal": moneyBugs["a page is a refusal"],
  /** The archive forgets the references of the payouts that it takes. */
  "archive forgets a reference": [
    archiving({
      archive:
        (archive) =>
        (ledger, ...rest) =>
          Effect.tap(archive(ledger, ...rest), () => ledger.database.sql`DELETE FROM archived_payouts`)
    })
  ],
  /** What has ended has ended. */
  "an end does not change": [
    evidence({
      stepsOf:
        (stepsOf) =>
        (...of) =>
          stepsOf(...of).filter(({ step }) => step !== "reversed" && step !== "revived")
    })
  ]
} satisfies Bugs
