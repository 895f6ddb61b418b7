/** Each extra of the session, and the change that takes it away. Where `rotation.ts` runs effects, the model changes. */
import type { Bugs } from "../bugs.ts"

const decision = "authentication/src/internal/decision"
const model = "test/simulation/explorer"

export const extras: Bugs = {
  challenges: [
    {
      file: "authentication/src/internal/lease.ts",
      from: 'return watched >= leaseTimeout * untilChallenge ? "Silent" : "Alive"',
      to: 'return watched >= leaseTimeout ? "Dead" : "Alive"'
    }
  ],
  "held at the first byte": [
    {
      file: `${model}/process.ts`,
      from: `const isHeld = at.holding._tag === "Held" && process.stale < leaseTimeout`,
      to: `const isHeld = at.holding._tag === "Held" || process.stale <= leaseTimeout`
    }
  ],
  unsent: [
    {
      file: `${model}/process.ts`,
      from: "known.unsent.reduce((rest, one) => withoutClaim(rest, owner, one), record)",
      to: "known.unsent.slice(0, 0).reduce((rest, one) => withoutClaim(rest, owner, one), record)"
    }
  ],
  "the mark beside the claim": [
    {
      file: `${decision}/onRequest.ts`,
      from: "spentKeys: marksOfOthers(record, key.fingerprint)",
      to: "spentKeys: [...marksOfOthers(record, key.fingerprint), markOf(key.fingerprint, owner)]"
    }
  ],
  rejectedSecrets: [
    {
      file: "authentication/src/internal/sessionMemory.ts",
      from: "rejectedSecrets.find((one) => sameSecret(one.secret, secret))",
      to: "undefined"
    }
  ],
  endedSessions: [
    {
      file: "authentication/src/internal/sessionMemory.ts",
      from: "session && endedSessions.find((one) => isUpTo(session, one.session))?.end",
      to: "session && endedSessions.slice(0, 0).find((one) => isUpTo(session, one.session))?.end"
    }
  ],
  sent: [
    {
      file: "authentication/src/internal/sessionMemory.ts",
      from: "sent.find(({ secret }) => sameSecret(secret, secretOf(purpose)))?.at",
      to: "sent.slice(0, 0).find(({ secret }) => sameSecret(secret, secretOf(purpose)))?.at"
    },
    {
      file: "authentication/src/internal/sessionMemory.ts",
      from: "(mark === undefined || spentKeys.includes(mark) ? [] : [mark])",
      to: "(mark === undefined || mark !== undefined ? [] : [mark])"
    }
  ],
  "sessions newer than the record": [
    {
      file: `${decision}/onRequest.ts`,
      from: "const newest = withNewest(loaded, local)\n",
      to: "const newest = withNewest(loaded, loaded.session)\n"
    },
    {
      file: `${decision}/onRequest.ts`,
      from: `const record = purpose._tag === "Refresh" ? withNewest(newest, purpose.session) : newest`,
      to: "const record = newest"
    }
  ],
  "the loop over unstored tokens at the end": [
    {
      file: `${model}/environment.ts`,
      from: "const stillUnstored = (world: World, _index: number): World => world",
      to: `const stillUnstored = (world: World, index: number): World =>
  world.processes[index]!.at._tag === "Closing" ? change(world, index, { at: { _tag: "Closed" } }) : world`
    }
  ],
  "the rewriter of unstored tokens": [
    {
      file: `${model}/environment.ts`,
      from: `if (known.unstored !== undefined && at._tag !== "Storing")`,
      to: `if (known.unstored !== undefined && at._tag === "Closing")`
    }
  ],
  "the pending intent of a start": [
    {
      file: `${decision}/model.ts`,
      from: `intent?._tag === "Start" ? intent.pending : intent`,
      to: `intent?._tag === "Start" ? undefined : intent`
    }
  ],
  "the once more of a first doubt": [
    {
      file: `${model}/process.ts`,
      from: `response._tag === "InDoubt" &&`,
      to: `response._tag === "Tokens" &&`
    }
  ]
}

/** Bugs of `../bugs.ts` whose places only run with effects: the same mistake in the model. */
export const modelBugs: Bugs = {
  "publish first": [
    {
      file: `${model}/process.ts`,
      from: "const ready = world",
      to: "const ready = use(world, index, decision.session, true)"
    }
  ],
  "claims are not withdrawn": extras["unsent"]!,
  "sent after the lease": extras["held at the first byte"]!
}
