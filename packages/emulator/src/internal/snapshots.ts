/** From a world to a snapshot, and back. */
import { ConfigurationInvalid } from "@effect-custody/core/SdkError"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Snapshot } from "../Snapshot.ts"
import type { Settings } from "../Options.ts"
import type { Slice } from "./slice.ts"
import * as Slices from "./slices.ts"
import { makeWorld, type States, type World } from "./world.ts"

const told = <Owner>(states: States<Owner>, slices: ReadonlyArray<Slice<any, Owner>>): Record<string, Schema.Json> =>
  Object.fromEntries(
    slices.flatMap((slice) => {
      const state = states.known(slice)
      return state === undefined ? [] : [[slice.name, Result.getOrThrow(Schema.encodeResult(slice.codec)(state))]]
    })
  )

/** All that a world knows. */
export const take = (world: World): Snapshot => ({
  format: "custody-emulator",
  version: 1,
  settings: world.settings,
  numbers: world.numbers(),
  writes: [...world.writes],
  world: told(world, Slices.ofWorld),
  vaults: Array.from(world.vaults(), (vault) => ({ id: vault.id, states: told(vault, Slices.ofVault) }))
})

const invalid = (reason: string) => new ConfigurationInvalid({ option: "snapshot", reason })

const put = <Owner>(
  states: States<Owner>,
  slices: ReadonlyArray<Slice<any, Owner>>,
  written: Readonly<Record<string, Schema.Json>>,
  where: string
): Result.Result<void, ConfigurationInvalid> =>
  Result.gen(function* () {
    for (const [name, json] of Object.entries(written)) {
      const slice = slices.find((slice) => slice.name === name)
      if (slice === undefined) return yield* Result.fail(invalid(`${where} has no ${name}`))
      const state = yield* Result.mapError(
        Schema.decodeResult(slice.codec, { onExcessProperty: "error" })(json),
        ({ message }) => invalid(`${name} of ${where}: ${message}`)
      )
      states.put(slice, state)
    }
  })

/** A world that knows all that a snapshot says, under the settings that are given: their seed is the snapshot's. */
export const worldOf = (snapshot: Snapshot, settings: Settings): Result.Result<World, ConfigurationInvalid> =>
  Result.gen(function* () {
    const world = makeWorld(settings, snapshot.numbers)
    world.writes.push(...snapshot.writes)
    yield* put(world, Slices.ofWorld, snapshot.world, "the service")
    for (const { id, states } of snapshot.vaults) {
      yield* put(world.vault(id), Slices.ofVault, states, `vault ${id}`)
    }
    return world
  })
