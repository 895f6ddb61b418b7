/** Takes and restores snapshots of a world. This module lists the state fields of every category. */
import { ConfigurationInvalid } from "@effect-custody/core/SdkError"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Settings } from "../model/Settings.ts"
import type { Snapshot } from "../model/Snapshot.ts"
import { clientTable } from "../categories/clients.ts"
import { linkTable } from "../categories/fiatGateway.ts"
import { nftTable } from "../categories/nfts.ts"
import { orderTable } from "../categories/paymentOrders.ts"
import { tokenTable } from "../categories/tokens.ts"
import { plannedEnds } from "../categories/transactions.ts"
import { assetTable } from "../state/catalogue.ts"
import { ledgerState } from "../state/ledgerRecords.ts"
import { sessionState } from "../state/sessionTokens.ts"
import type { StateField } from "../state/stateField.ts"
import { makeWorld, type States, type Vault, type World } from "../state/world.ts"

const worldFields: ReadonlyArray<StateField<any, World>> = [sessionState]

const vaultFields: ReadonlyArray<StateField<any, Vault>> = [
  assetTable,
  clientTable,
  ledgerState,
  plannedEnds,
  tokenTable,
  nftTable,
  orderTable,
  linkTable
]

const encodeStates = <Owner>(
  states: States<Owner>,
  fields: ReadonlyArray<StateField<any, Owner>>
): Record<string, Schema.Json> =>
  Object.fromEntries(
    fields.flatMap((field) => {
      const state = states.existing(field)
      return state === undefined ? [] : [[field.name, Result.getOrThrow(Schema.encodeResult(field.codec)(state))]]
    })
  )

export const take = (world: World): Snapshot => ({
  format: "custody-emulator",
  version: 1,
  settings: world.settings,
  numbers: world.counters(),
  writes: [...world.writes],
  world: encodeStates(world, worldFields),
  vaults: Array.from(world.vaults(), (vault) => ({ id: vault.id, states: encodeStates(vault, vaultFields) }))
})

const invalid = (reason: string) => new ConfigurationInvalid({ option: "snapshot", reason })

const restoreStates = <Owner>(
  states: States<Owner>,
  fields: ReadonlyArray<StateField<any, Owner>>,
  encoded: Readonly<Record<string, Schema.Json>>,
  where: string
): Result.Result<void, ConfigurationInvalid> =>
  Result.gen(function* () {
    for (const [name, json] of Object.entries(encoded)) {
      const field = fields.find((field) => field.name === name)
      if (field === undefined) return yield* Result.fail(invalid(`${where} has no ${name}`))
      const state = yield* Result.mapError(
        Schema.decodeResult(field.codec, { onExcessProperty: "error" })(json),
        ({ message }) => invalid(`${name} of ${where}: ${message}`)
      )
      states.restore(field, state)
    }
  })

/** Restores the world of a snapshot under `settings`, which must have the snapshot's seed. */
export const restore = (snapshot: Snapshot, settings: Settings): Result.Result<World, ConfigurationInvalid> =>
  Result.gen(function* () {
    const world = makeWorld(settings, snapshot.numbers)
    world.writes.push(...snapshot.writes)
    yield* restoreStates(world, worldFields, snapshot.world, "the service")
    for (const { id, states } of snapshot.vaults) {
      yield* restoreStates(world.vault(id), vaultFields, states, `vault ${id}`)
    }
    return world
  })
