/** Starts emulators in process, one after the other, and says how long the quickest start took, in milliseconds. */
import { CustodyEmulator } from "@effect-custody/emulator"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

let least = Number.POSITIVE_INFINITY
for (let start = 0; start < 30; start++) {
  const begin = performance.now()
  await Effect.runPromise(Effect.scoped(Layer.build(Layer.fresh(CustodyEmulator.layer))))
  least = Math.min(least, performance.now() - begin)
}
console.log(least)
process.exit()
