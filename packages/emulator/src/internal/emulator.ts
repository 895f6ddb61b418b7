/** One emulator: its state, its service and its controls. */
import { ConfigurationInvalid } from "@effect-custody/core/SdkError"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Options from "../Options.ts"
import type { Snapshot } from "../Snapshot.ts"
import { type Controls, makeControls } from "./controls.ts"
import { makeFaults } from "./faults.ts"
import { makeJournal } from "./journal.ts"
import { makeService, type Service } from "./service.ts"
import * as Snapshots from "./snapshots.ts"
import { makeWorld, type World } from "./world.ts"

export interface Emulator {
  readonly service: Service
  readonly controls: Controls
  readonly world: World
}

const settings = (base: Options.Settings, options: Options.Options) =>
  Options.settle(base, { ...options, snapshot: undefined })

/** Everything that is derived follows from the seed: what was made with one makes no sense with another. */
const restored = (snapshot: Snapshot, options: Options.Options) =>
  Result.gen(function* () {
    const { seed } = snapshot.settings
    if (options.seed !== undefined && options.seed !== seed) {
      const reason = `must be ${seed}, that of the snapshot, or left out`
      return yield* Result.fail(new ConfigurationInvalid({ option: "seed", reason }))
    }
    return yield* Snapshots.worldOf(snapshot, yield* settings(snapshot.settings, options))
  })

const worldOf = (options: Options.Options): Result.Result<World, ConfigurationInvalid> =>
  options.snapshot === undefined
    ? Result.map(settings(Options.defaults, options), (settings) => makeWorld(settings))
    : restored(options.snapshot, options)

export const makeEmulator = Effect.fnUntraced(function* (
  options: Options.Options
): Effect.fn.Return<Emulator, ConfigurationInvalid, Scope.Scope> {
  const world = yield* Effect.fromResult(worldOf(options))
  const journal = makeJournal(world.settings.journalLimit)
  const faults = makeFaults()
  const scope = yield* Effect.scope
  return {
    service: makeService({ world, journal, faults, scope }),
    controls: makeControls({ world, journal, faults }),
    world
  }
})
