/**
 * Everything that the emulated service knows: its settings, and the state of each category, for the service as a whole
 * and for each vault.
 */
import { createHash } from "node:crypto"
import type { Settings } from "../Options.ts"
import type { Write } from "../Write.ts"
import { opaque } from "./opaque.ts"
import type { Slice } from "./slice.ts"

/** The slices of one owner, each made when it is first asked for. */
export interface States<Owner> {
  readonly state: <S>(slice: Slice<S, Owner>) => S
  /** The state of a slice that has been asked for. */
  readonly known: <S>(slice: Slice<S, Owner>) => S | undefined
  /** Gives a slice another state than it starts with. */
  readonly put: <S>(slice: Slice<S, Owner>, state: S) => void
}

/** An organizational unit, and all that it holds. */
export interface Vault extends States<Vault> {
  readonly id: number
  readonly world: World
  /** 64 hexadecimal digits that follow from the seed, the vault and a name: always the same. */
  readonly derived: (...name: ReadonlyArray<string>) => string
}

/** How far the world has got with what it numbers. */
export interface Numbers {
  /** Of secrets. */
  readonly serial: number
  readonly nextId: number
}

export interface World extends States<World> {
  /** In force from the next request on. */
  settings: Settings
  readonly vault: (id: number) => Vault
  /** The vaults that anybody has used. */
  readonly vaults: () => Iterable<Vault>
  /** A new opaque string: a secret. */
  readonly opaque: (prefix: string) => string
  /** A new identifier, which nothing else has, in any vault. */
  readonly nextId: () => string
  /** Every write that was carried out, oldest first. */
  readonly writes: Array<Write>
  readonly numbers: () => Numbers
}

const makeStates = <Owner>(owner: () => Owner): States<Owner> => {
  const slices = new Map<string, unknown>()
  return {
    state: <S>({ initial, name }: Slice<S, Owner>): S => {
      if (!slices.has(name)) slices.set(name, initial(owner()))
      return slices.get(name) as S
    },
    known: <S>({ name }: Slice<S, Owner>) => slices.get(name) as S | undefined,
    put: ({ name }, state) => void slices.set(name, state)
  }
}

const beginning: Numbers = { serial: 0, nextId: 1001 }

export const makeWorld = (settings: Settings, from: Numbers = beginning): World => {
  const { seed } = settings
  const vaults = new Map<number, Vault>()
  let { nextId, serial } = from
  const makeVault = (id: number): Vault => {
    const vault: Vault = {
      id,
      world,
      derived: (...name) =>
        createHash("sha256")
          .update(JSON.stringify([seed, id, ...name]))
          .digest("hex"),
      ...makeStates(() => vault)
    }
    return vault
  }
  const world: World = {
    ...makeStates(() => world),
    settings,
    vault: (id) => {
      const known = vaults.get(id)
      if (known !== undefined) return known
      const vault = makeVault(id)
      vaults.set(id, vault)
      return vault
    },
    vaults: () => vaults.values(),
    opaque: (prefix) => opaque(prefix, seed, ++serial),
    nextId: () => String(nextId++),
    writes: [],
    numbers: () => ({ serial, nextId })
  }
  return world
}
