/**
 * Everything that the emulated service knows: its settings, and the state of each category, for the service as a whole
 * and for each vault.
 */
import type { Settings } from "../Options.ts"
import { opaque } from "./opaque.ts"

/** A part of the state: its name, and how it is at the start. A category declares its own. */
export interface Slice<S> {
  readonly name: string
  readonly initial: () => S
}

/** The slices of one owner, each made when it is first asked for. */
export interface States {
  readonly state: <S>(slice: Slice<S>) => S
}

/** An organizational unit, and all that it holds. */
export interface Vault extends States {
  readonly id: number
}

export interface World extends States {
  /** In force from the next request on. */
  settings: Settings
  readonly vault: (id: number) => Vault
  /** A new opaque string: a secret or an identifier. */
  readonly opaque: (prefix: string) => string
}

const makeStates = (): States => {
  const slices = new Map<string, unknown>()
  return {
    state: <S>({ initial, name }: Slice<S>): S => {
      if (!slices.has(name)) slices.set(name, initial())
      return slices.get(name) as S
    }
  }
}

export const makeWorld = (settings: Settings): World => {
  const vaults = new Map<number, Vault>()
  let serial = 0
  return {
    ...makeStates(),
    settings,
    vault: (id) => {
      const known = vaults.get(id)
      if (known !== undefined) return known
      const vault = { id, ...makeStates() }
      vaults.set(id, vault)
      return vault
    },
    opaque: (prefix) => opaque(prefix, settings.seed, ++serial)
  }
}
