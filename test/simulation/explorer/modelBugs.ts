/** Bugs of `../bugs.ts` in code that only runs with effects, planted in the model instead. */
import type { Bugs } from "../bugs.ts"

const model = "test/simulation/explorer"

export const modelBugs: Bugs = {
  "publish first": [
    {
      file: `${model}/process.ts`,
      from: "goTo(world, index, storing))]",
      to: "goTo(use(world, index, session, true), index, storing))]"
    }
  ],
  "claims are not withdrawn": [
    {
      file: `${model}/process.ts`,
      from: `if (known.unsent.length === 0 || world.store !== "up") return world`,
      to: `if (known.unsent.length >= 0 || world.store !== "up") return world`
    }
  ],
  "sent after the lease": [
    {
      file: `${model}/process.ts`,
      from: `const isHeld = at.holding._tag === "Held" && process.stale < leaseTimeout`,
      to: `const isHeld = at.holding._tag === "Held" || process.stale <= leaseTimeout`
    }
  ],
  /** A process that ends tries to write its unstored tokens only once. */
  "one last write": [
    {
      file: `${model}/environment.ts`,
      from: "if (known.unstored !== undefined) return []",
      to: `if (known.unstored !== undefined && world.store === "up") return []`
    }
  ]
}
