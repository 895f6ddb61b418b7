/** The emulator as the service behind a server that loses answers. */
import { CustodyEmulator, type Options } from "@effect-custody/emulator"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Http from "node:http"
import { passOn, type Service } from "./faultyServer.ts"

export const startEmulator = async (options: Options = {}) => {
  const scope = Scope.makeUnsafe()
  const context = await Effect.runPromise(Layer.buildWithScope(CustodyEmulator.layerServer(options), scope))
  const emulator = Context.get(context, CustodyEmulator)
  const { origin, pathname } = new URL(emulator.baseUrl)
  const agent = new Http.Agent({ keepAlive: true })
  const service: Service = { answer: passOn(origin, agent) }
  const close = async () => {
    agent.destroy()
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }
  return { emulator, service, pathname, close }
}
