/**
 * All state of the emulated service: its settings, and the state of each category, for the service and for each vault.
 */
import { sha256, sha512 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import type { Settings } from "../model/Settings.ts"
import type { Write } from "../model/Write.ts"
import type { StateField } from "./stateField.ts"

/** The state fields of one owner. The first call of `state` for a field creates its initial value. */
export interface States<Owner> {
  readonly state: <S>(field: StateField<S, Owner>) => S
  /** The value of a field, or `undefined` if neither `state` nor `restore` has created one. */
  readonly existing: <S>(field: StateField<S, Owner>) => S | undefined
  readonly restore: <S>(field: StateField<S, Owner>, state: S) => void
}

/** An organizational unit, and its state. */
export interface Vault extends States<Vault> {
  readonly id: number
  readonly world: World
  /** Derives 64 hexadecimal digits from the seed, the vault and a name. */
  readonly derive: (...name: ReadonlyArray<string>) => string
}

/** The counters from which secrets and identifiers are made. */
export interface Counters {
  /** The number of secrets issued. */
  readonly serial: number
  readonly nextId: number
}

export interface World extends States<World> {
  /** A change takes effect with the next request. */
  settings: Settings
  readonly vault: (id: number) => Vault
  /** The vaults used so far. */
  readonly vaults: () => Iterable<Vault>
  readonly newSecret: (prefix: string) => string
  /** Issues a new identifier, unique in all vaults. */
  readonly nextId: () => string
  /** Every write that the service carried out, oldest first. */
  readonly writes: Array<Write>
  readonly counters: () => Counters
}

const makeStates = <Owner>(owner: () => Owner): States<Owner> => {
  const values = new Map<string, unknown>()
  return {
    state: <S>({ initial, name }: StateField<S, Owner>): S => {
      if (!values.has(name)) values.set(name, initial(owner()))
      return values.get(name) as S
    },
    existing: <S>({ name }: StateField<S, Owner>) => values.get(name) as S | undefined,
    restore: ({ name }, state) => void values.set(name, state)
  }
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

/** Makes a key or token that looks random. Equal runs issue equal secrets. Its prefix makes it easy to search for. */
const seededSecret = (prefix: string, seed: number, serial: number): string => {
  const bytes = sha512(utf8ToBytes(JSON.stringify([prefix, seed, serial]))).subarray(0, 40)
  return `${prefix}_${Array.from(bytes, (byte) => alphabet[byte % alphabet.length]).join("")}`
}

const initialCounters: Counters = { serial: 0, nextId: 1001 }

export const makeWorld = (settings: Settings, from: Counters = initialCounters): World => {
  const { seed } = settings
  const vaults = new Map<number, Vault>()
  let { nextId, serial } = from
  const makeVault = (id: number): Vault => {
    const vault: Vault = {
      id,
      world,
      derive: (...name) => bytesToHex(sha256(utf8ToBytes(JSON.stringify([seed, id, ...name])))),
      ...makeStates(() => vault)
    }
    return vault
  }
  const world: World = {
    ...makeStates(() => world),
    settings,
    vault: (id) => {
      const existing = vaults.get(id)
      if (existing !== undefined) return existing
      const vault = makeVault(id)
      vaults.set(id, vault)
      return vault
    },
    vaults: () => vaults.values(),
    newSecret: (prefix) => seededSecret(prefix, seed, ++serial),
    nextId: () => String(nextId++),
    writes: [],
    counters: () => ({ serial, nextId })
  }
  return world
}
