/** Bugs of `../bugs.ts` whose places only run with effects: the same mistake in the model. */
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
  /** A process that ends writes its unstored tokens once, and not until the store takes them. */
  "one last write": [
    {
      file: `${model}/environment.ts`,
      from: "if (known.unstored !== undefined) return []",
      to: `if (known.unstored !== undefined && world.store === "up") return []`
    }
  ]
}
