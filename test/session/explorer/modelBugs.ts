/** Bugs where the product decides between effects: they wrap the model's own rules. */
import { type Bugs, moduleAt } from "../../support/simulation/plant.ts"

const rules = moduleAt<typeof import("./rules.ts")>("test/session/explorer/rules.ts")

export const modelBugs: Bugs = {
  /** A process sends a claimed secret after its lease has expired. */
  "sent after the lease": [rules({ isHeld: () => () => true })],
  /** A process that ends tries to write its unstored tokens only once. */
  "one last write": [
    rules({
      mayClose:
        () =>
        ({ unstored }, { store }) =>
          unstored === undefined || store !== "up"
    })
  ]
}
