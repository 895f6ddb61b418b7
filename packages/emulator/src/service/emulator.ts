/** One emulator: its state, its service and its controls. */
import { ConfigurationInvalid } from "@effect-custody/core/SdkError"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { Options } from "../model/Options.ts"
import { profiles } from "../model/faultProfiles.ts"
import type { Settings } from "../model/Settings.ts"
import { type Controls, makeControls } from "./controls.ts"
import { makeRequestJournal } from "../state/requestJournal.ts"
import { makeService, type Service } from "./service.ts"
import { defaults, override } from "../model/defaults.ts"
import { makeFaultQueue } from "../state/faultQueue.ts"
import * as Snapshots from "./snapshots.ts"
import { makeWorld, type World } from "../state/world.ts"

export interface Emulator {
  readonly service: Service
  readonly controls: Controls
  readonly world: World
}

/** Options override the snapshot. */
const resolveSettings = (base: Settings, options: Options) =>
  override(base, { ...options, faults: undefined, snapshot: undefined })

const startWorld = (options: Options): Result.Result<World, ConfigurationInvalid> =>
  Result.gen(function* () {
    const { seed, snapshot } = options
    if (snapshot === undefined) return makeWorld(yield* resolveSettings(defaults, options))
    // The seed cannot change, because the snapshot's secrets and addresses derive from its seed.
    if (seed !== undefined && seed !== snapshot.settings.seed) {
      const reason = `must be ${snapshot.settings.seed}, the snapshot's seed, or absent`
      return yield* Result.fail(new ConfigurationInvalid({ option: "seed", reason }))
    }
    return yield* Snapshots.restore(snapshot, yield* resolveSettings(snapshot.settings, options))
  })

export const makeEmulator = Effect.fnUntraced(function* (
  options: Options
): Effect.fn.Return<Emulator, ConfigurationInvalid, Scope.Scope> {
  const world = yield* Effect.fromResult(startWorld(options))
  const journal = yield* makeRequestJournal()
  const faults = makeFaultQueue()
  const profile = options.faults === undefined ? undefined : profiles[options.faults]
  for (const [operation, fault] of profile?.faults ?? []) faults.add(operation, fault, Infinity)
  const scope = yield* Effect.scope
  return {
    service: makeService({ world, journal, faults, scope }),
    controls: makeControls({ world, journal, faults }),
    world
  }
})
