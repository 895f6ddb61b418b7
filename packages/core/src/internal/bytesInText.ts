/**
 * Bytes that a text writes one by one, with anything between them: `65 79 4a`, `65:79:4a`, `0x65, 0x79`,
 * `<Buffer 65 79 4a>`, `=65=79=4A` or `[101, 121, 74]`. Pure, and linear in the size of the text.
 */
import { numberIn } from "./digits.ts"

/** Fewer bytes are not a secret. */
const fewest = 8

/** How much may stand between two bytes: a line break, and the blanks of a list that is printed with an indent. */
const widestGap = 32

/** Which units are part of a number or word: letters, digits, and all beyond ASCII. */
const inWord = Uint8Array.from({ length: 0x80 }, (_, unit) =>
  (unit >= 0x30 && unit <= 0x39) || (unit >= 0x61 && unit <= 0x7a) ? 1 : 0
)

const isInWord = (unit: number): boolean => unit >= 0x80 || inWord[unit] === 1

/** Reads a word as a byte. -1: it is none. */
type ReadByte = (units: Uint16Array, from: number, to: number) => number

const hexadecimal: ReadByte = (units, from, to) => {
  const isMarked = to - from > 2 && units[from] === 0x30 && units[from + 1] === 0x78
  const begin = isMarked ? from + 2 : from
  return to - begin === 2 || (isMarked && to - begin === 1) ? numberIn(16, units, begin, to) : -1
}

const decimal: ReadByte = (units, from, to) => {
  const value = to - from <= 3 ? numberIn(10, units, from, to) : -1
  return value <= 0xff ? value : -1
}

/** Calls `see` with each word. */
const eachWord = (
  units: Uint16Array,
  range: readonly [from: number, to: number],
  see: (from: number, to: number) => void
): void => {
  for (let at = range[0]; at < range[1]; at++) {
    if (!isInWord(units[at]!)) continue
    const from = at
    while (at < range[1] && isInWord(units[at]!)) at++
    see(from, at)
  }
}

interface Run {
  from: number
  to: number
  bytes: number
}

const runsOf = (units: Uint16Array, read: ReadByte): ReadonlyArray<Run> => {
  const runs: Array<Run> = []
  let run: Run = { from: 0, to: 0, bytes: 0 }
  const end = () => {
    if (run.bytes >= fewest) runs.push(run)
    run = { from: 0, to: 0, bytes: 0 }
  }
  eachWord(units, [0, units.length], (from, to) => {
    const isByte = read(units, from, to) >= 0
    if (run.bytes > 0 && (!isByte || from - run.to > widestGap)) end()
    if (!isByte) return
    if (run.bytes === 0) run.from = from
    run.to = to
    run.bytes++
  })
  end()
  return runs
}

/** Bytes in hexadecimal digits, and the units of the text in which each stands. */
export interface Bytes {
  readonly units: Uint16Array
  readonly starts: Uint32Array
  readonly ends: Uint32Array
}

const bytesBy = (units: Uint16Array, read: ReadByte): ReadonlyArray<Bytes> => {
  const runs = runsOf(units, read)
  if (runs.length === 0) return []
  const size = runs.reduce((sum, { bytes }) => sum + bytes * 2, 0)
  const found: Bytes = { units: new Uint16Array(size), starts: new Uint32Array(size), ends: new Uint32Array(size) }
  let at = 0
  for (const run of runs) {
    eachWord(units, [run.from, run.to], (from, to) => {
      const byte = read(units, from, to)
      for (const digit of [byte >> 4, byte & 15]) {
        found.units[at] = digit.toString(16).charCodeAt(0)
        found.starts[at] = from
        found.ends[at++] = to
      }
    })
  }
  return [found]
}

/** The bytes of a text in its canonical spelling: read as hexadecimal numbers, and as decimal ones. */
export const bytesIn = (units: Uint16Array): ReadonlyArray<Bytes> => [
  ...bytesBy(units, hexadecimal),
  ...bytesBy(units, decimal)
]
