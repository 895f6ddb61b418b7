/**
 * SHA-256 (FIPS 180-4) of a text, at once. Web Crypto's takes its time, in which a deadline can pass or an interruption
 * come: what a call says of itself at its end must not wait for anything.
 */

/** The first 32 bits of the fractional parts of the roots of the first primes. */
const fractions = (count: number, root: (prime: number) => number): Uint32Array => {
  const found: Array<number> = []
  for (let candidate = 2; found.length < count; candidate++) {
    let isPrime = true
    for (let divisor = 2; divisor * divisor <= candidate; divisor++) isPrime &&= candidate % divisor !== 0
    if (isPrime) found.push((root(candidate) % 1) * 2 ** 32)
  }
  return Uint32Array.from(found)
}

const constants = fractions(64, Math.cbrt)
const initial = fractions(8, Math.sqrt)

const rotated = (word: number, by: number): number => (word >>> by) | (word << (32 - by))

/** The message in blocks of 64 bytes: a one after its end, and its length in bits at the end of the last block. */
const padded = (message: Uint8Array): DataView => {
  const blocks = new Uint8Array(Math.ceil((message.length + 9) / 64) * 64)
  blocks.set(message)
  blocks[message.length] = 0x80
  const view = new DataView(blocks.buffer)
  view.setBigUint64(blocks.length - 8, BigInt(message.length) * 8n)
  return view
}

/** The hash of a text in UTF-8, hexadecimal. */
export const sha256 = (text: string): string => {
  const blocks = padded(new TextEncoder().encode(text))
  const state = Uint32Array.from(initial)
  const words = new Uint32Array(64)
  for (let offset = 0; offset < blocks.byteLength; offset += 64) {
    for (let at = 0; at < 16; at++) words[at] = blocks.getUint32(offset + at * 4)
    for (let at = 16; at < 64; at++) {
      const early = words[at - 15]!
      const late = words[at - 2]!
      const sigma0 = rotated(early, 7) ^ rotated(early, 18) ^ (early >>> 3)
      const sigma1 = rotated(late, 17) ^ rotated(late, 19) ^ (late >>> 10)
      words[at] = words[at - 16]! + sigma0 + words[at - 7]! + sigma1
    }
    let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number]
    for (let at = 0; at < 64; at++) {
      const sum1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)
      const sum0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)
      const first = (h + sum1 + ((e & f) ^ (~e & g)) + constants[at]! + words[at]!) | 0
      const second = (sum0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
      h = g
      g = f
      f = e
      e = (d + first) | 0
      d = c
      c = b
      b = a
      a = (first + second) | 0
    }
    const worked = [a, b, c, d, e, f, g, h]
    for (let at = 0; at < 8; at++) state[at] = state[at]! + worked[at]!
  }
  return Array.from(state, (word) => word.toString(16).padStart(8, "0")).join("")
}
