/** Keys and tokens that look random and are derived from a seed and a serial number: equal runs issue equal secrets. */

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

/** One step of sfc32, a small generator with a state of four integers. */
const step = (state: Uint32Array): number => {
  const sum = (state[0]! + state[1]! + state[3]!) >>> 0
  state[3] = state[3]! + 1
  state[0] = state[1]! ^ (state[1]! >>> 9)
  state[1] = state[2]! + (state[2]! << 3)
  state[2] = ((state[2]! << 21) | (state[2]! >>> 11)) + sum
  return sum
}

/** `length` characters after a prefix, by which a search finds secrets. */
export const seededSecret = (prefix: string, seed: number, serial: number, length = 40): string => {
  const state = Uint32Array.of(seed, Math.floor(seed / 2 ** 32), serial, prefix.charCodeAt(0))
  for (let mixed = 0; mixed < 16; mixed++) step(state)
  let text = `${prefix}_`
  for (let index = 0; index < length; index++) text += alphabet[step(state) % alphabet.length]
  return text
}
