/** The emulator as a server, which needs Node. */
import { CustodyEmulator } from "@effect-custody/emulator"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

await Effect.runPromise(Effect.scoped(Layer.build(CustodyEmulator.layerServer({ port: 0 }))))
