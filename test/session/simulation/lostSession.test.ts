import { assert, describe, it } from "@effect/vitest"
import { chance } from "./chance.ts"
import { Kernel, type Process } from "./kernel.ts"
import { type History, judgeLoss } from "./lostSession.ts"
import type { Rotation } from "./service.ts"
import type { Sent } from "./world.ts"

const kernel = new Kernel(chance(1, 0))

/** A process with a pause of 10 s, longer than its lease. */
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

/** p3 rotates and cannot store its tokens. p1 sends the old token, and the service revokes the session. */
const history = (options: {
  readonly holder?: Process
  readonly sentAt?: number
  /** Milliseconds between the stored claim of the second request and its send. */
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
const unpaused = () => kernel.process("p3")

describe("judgeLoss", () => {
  it.each<[string, Parameters<typeof history>[0], string | undefined]>([
    ["stored in time", { durableAt: 26_000 }, avoidable],
    ["stored when the session was revoked already", { durableAt: 29_772 }, undefined],
    ["stored late, while no process sent the old token", { durableAt: 29_772, sentAt: 30_000 }, avoidable],
    [
      "stored late, and the old token was neither refused nor revoked",
      { durableAt: 29_772, isRevoked: false },
      avoidable
    ],
    ["stored late, and the old token was refused", { durableAt: 29_772, isRevoked: false, isRefused: true }, undefined],
    ["stored after a claim for the old token", { durableAt: 29_772, sentAt: 30_000, claimed: 400 }, undefined],
    ["stored before a claim for the old token", { durableAt: 29_772, sentAt: 30_000, claimed: 200 }, avoidable],
    ["stored late by a holder that was not paused", { durableAt: 29_772, holder: unpaused() }, avoidable],
    ["stored nowhere by a holder that was not paused", { holder: unpaused() }, avoidable],
    [
      "stored late after three bad writes in one lease",
      { durableAt: 29_772, holder: unpaused(), writeFaults: [18_100, 18_600, 19_900] },
      undefined
    ],
    [
      "stored late after three bad writes in two leases",
      { durableAt: 29_772, holder: unpaused(), writeFaults: [18_100, 18_600, 20_200] },
      avoidable
    ]
  ])("judgeLoss judges a lost session whose tokens were %s", (_, options, expected) => {
    assert.strictEqual(judgeLoss(history(options), {}, "p2"), expected)
  })

  it("judgeLoss requires an error that reports the lost answer after a pause past the lease", () => {
    assert.isUndefined(judgeLoss(history({}), { answerLostAt: 27_000 }, "p2"))
    assert.strictEqual(judgeLoss(history({}), {}, "p2"), "p2 does not say that an answer was lost")
  })
})
