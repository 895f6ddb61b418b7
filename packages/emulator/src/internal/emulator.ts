/** One emulator: its state, its service and its controls. */
import type { ConfigurationInvalid } from "@effect-custody/core/SdkError"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Options from "../Options.ts"
import { type Controls, makeControls } from "./controls.ts"
import { makeFaults } from "./faults.ts"
import { makeJournal } from "./journal.ts"
import { makeService, type Service } from "./service.ts"
import { makeWorld } from "./world.ts"

export interface Emulator {
  readonly service: Service
  readonly controls: Controls
}

export const makeEmulator = Effect.fnUntraced(function* (
  options: Options.Options
): Effect.fn.Return<Emulator, ConfigurationInvalid, Scope.Scope> {
  const settings = yield* Effect.fromResult(Options.settle(Options.defaults, options))
  const world = makeWorld(settings)
  const journal = makeJournal(settings.journalLimit)
  const faults = makeFaults()
  const scope = yield* Effect.scope
  return {
    service: makeService({ world, journal, faults, scope }),
    controls: makeControls({ world, journal, faults })
  }
})
