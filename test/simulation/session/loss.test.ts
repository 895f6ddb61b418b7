/** The judge of the session simulation: which lost sessions it forgives. */
import { assert, describe, it } from "@effect/vitest"
import { chance } from "./chance.ts"
import { Kernel, type Process } from "./kernel.ts"
import { type History, judgeLoss } from "./loss.ts"
import type { Rotation } from "./service.ts"
import type { Sent } from "./world.ts"

const kernel = new Kernel(chance(1, 0))

/** A process that was paused for 10 s, longer than its lease, from a moment on. */
const pausedAt = (name: string, from: number): Process => {
  const process = kernel.process(name)
  process.pauses.push({ from, to: from + 10_000 })
  return process
}

const rotation = (durableAt: number | undefined): Rotation => ({
  session: 1,
  at: 17_778,
  from: "token 2",
  gave: "token 3",
  to: "p3",
  isDelivered: true,
  durableAt
})

const sentBy = (by: Process, at: number, claimedAt = at): Sent => ({
  token: "token 2",
  by,
  at,
  claimedAt,
  isAwaited: false,
  isUnderWay: false,
  mayHaveActed: true,
  wasRefused: true,
  notBefore: undefined,
  ofPausedHolder: false
})

/** p3 rotates and cannot store its tokens; p1 sends the token that they replace, and the service revokes the session. */
const history = (options: {
  readonly holder?: Process
  readonly sentAt?: number
  /** How long before it was sent the claim for the second request was stored, in milliseconds. */
  readonly claimed?: number
  readonly durableAt?: number
  readonly isRevoked?: boolean
  readonly isRefused?: boolean
  readonly writeFaults?: ReadonlyArray<number>
}): History => {
  const holder = options.holder ?? pausedAt("p3", 23_076)
  const other = kernel.process("p1")
  const at = options.sentAt ?? 26_304
  return {
    sent: [
      sentBy(holder, 17_759),
      { ...sentBy(other, at, at - (options.claimed ?? 0)), wasRefused: options.isRefused ?? false }
    ],
    writeFaults: new Map([[holder, options.writeFaults ?? []]]),
    slowBothWays: new Set(),
    wasRevoked: false,
    wasRestored: false,
    counted: { pausedHolders: 0 },
    members: [holder, other].map((process) => ({ process, isStopping: false })),
    service: {
      rotations: [rotation(options.durableAt)],
      reuses: options.isRevoked === false ? [] : [{ token: "token 2", by: "p1", at: at + 47 }]
    }
  }
}

const avoidable = "p2 lost a session that could have been kept"

describe("a session that was lost", () => {
  it("after a pause past the lease, with its tokens stored nowhere", () => {
    assert.isUndefined(judgeLoss(history({}), { answerLostAt: 27_000 }, "p2"))
    assert.strictEqual(judgeLoss(history({}), {}, "p2"), "p2 does not say that an answer was lost")
  })

  it("after a pause past the lease, with its tokens stored when the session was revoked already", () => {
    assert.isUndefined(judgeLoss(history({ durableAt: 29_772 }), {}, "p2"))
  })

  it("with its tokens stored in time is avoidable", () => {
    assert.strictEqual(judgeLoss(history({ durableAt: 26_000 }), {}, "p2"), avoidable)
  })

  it("with its tokens stored late is avoidable, if nobody has sent the old token meanwhile", () => {
    assert.strictEqual(judgeLoss(history({ durableAt: 29_772, sentAt: 30_000 }), {}, "p2"), avoidable)
    assert.strictEqual(judgeLoss(history({ durableAt: 29_772, sentAt: 17_000 }), {}, "p2"), avoidable)
  })

  it("with its tokens stored between the claim for the old token and its acknowledgement", () => {
    const claimedFor = (claimed: number, holder?: Process) =>
      judgeLoss(history({ durableAt: 29_772, sentAt: 30_000, claimed, ...(holder && { holder }) }), {}, "p2")
    assert.isUndefined(claimedFor(400))
    assert.strictEqual(claimedFor(200), avoidable)
    // Its lease had expired when it was sent.
    assert.strictEqual(claimedFor(1_600), avoidable)
    assert.strictEqual(claimedFor(400, kernel.process("p3")), avoidable)
  })

  it("with its tokens stored late is avoidable, if the service has neither revoked it for the old token nor refused that", () => {
    assert.strictEqual(judgeLoss(history({ durableAt: 29_772, isRevoked: false }), {}, "p2"), avoidable)
    assert.isUndefined(judgeLoss(history({ durableAt: 29_772, isRevoked: false, isRefused: true }), {}, "p2"))
  })

  it("after several pauses that are together too long for the lease", () => {
    const pausedFor = (millis: number) => {
      const holder = kernel.process("p3")
      for (const from of [17_900, 19_300]) holder.pauses.push({ from, to: from + millis })
      return judgeLoss(history({ holder, durableAt: 29_772 }), {}, "p2")
    }
    assert.isUndefined(pausedFor(650))
    assert.strictEqual(pausedFor(450), avoidable)
  })

  it("after three writes within one lease that went wrong", () => {
    const afterFaults = (...writeFaults: ReadonlyArray<number>) =>
      judgeLoss(history({ holder: kernel.process("p3"), durableAt: 29_772, writeFaults }), {}, "p2")
    assert.isUndefined(afterFaults(18_100, 18_600, 19_900))
    assert.strictEqual(afterFaults(18_100, 18_600, 20_200), avoidable)
    assert.strictEqual(afterFaults(18_100, 18_600), avoidable)
    // What went wrong after another process had sent the token is no excuse.
    assert.strictEqual(afterFaults(26_400, 26_500, 26_600), avoidable)
  })

  it("with its tokens stored late is avoidable, if its holder could have kept its lease", () => {
    assert.strictEqual(judgeLoss(history({ durableAt: 29_772, holder: kernel.process("p3") }), {}, "p2"), avoidable)
  })

  it("with its tokens stored nowhere is avoidable, if its holder could have kept its lease", () => {
    assert.strictEqual(judgeLoss(history({ holder: kernel.process("p3") }), {}, "p2"), avoidable)
  })
})
