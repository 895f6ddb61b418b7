/** The real client on the emulator, with a wire log between them. */
import { TokenStore } from "@effect-custody/authentication/TokenStore"
import type { CustodyClient } from "@effect-custody/core/CustodyClient"
import type { TokenService } from "@effect-custody/core/TokenService"
import { CustodyEmulator } from "@effect-custody/emulator/CustodyEmulator"
import type * as Emulator from "@effect-custody/emulator/Options"
import * as Custody from "@effect-custody/sdk/Custody"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { WireLog } from "../WireLog.ts"

/** The services of a test. */
export type Kit = CustodyClient | TokenService | CustodyEmulator | WireLog

/** The options of the client and the emulator. Each has a default. */
export interface Options extends Omit<Custody.Options, "environment" | "apiKey"> {
  readonly emulator?: Emulator.Options | undefined
}

/** Builds the services. `keyed`: the client has an API key to start a session with. */
export const kit = ({ emulator: made, ...options }: Options, keyed: boolean) => {
  const transport = WireLog.layer.pipe(Layer.provideMerge(CustodyEmulator.layerHttpClientWith(made ?? {})))
  const client = Layer.unwrap(
    Effect.gen(function* () {
      const { environment, issueApiKey } = yield* CustodyEmulator
      return Custody.layer({ ...options, environment, ...(keyed ? { apiKey: yield* issueApiKey() } : {}) })
    })
  ).pipe(Layer.provide(Layer.fresh(TokenStore.layerMemory)))
  return Layer.effectContext(
    Effect.gen(function* () {
      const below = yield* Layer.build(transport)
      const above = yield* Effect.provideContext(Layer.build(client), below)
      return Context.merge(above, Context.pick(CustodyEmulator, WireLog)(below))
    })
  )
}
