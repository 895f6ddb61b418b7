/** Every secret, every call, every failure, every sink: which of them are looked at, and what was found. */
import * as Effect from "effect/Effect"
import { detector } from "./detector.ts"
import type { emulated } from "./emulated.ts"
import { failures, someFailures } from "./failures.ts"
import { kinds, sizes } from "./secrets.ts"
import type { Sinks } from "./sinks.ts"
import { type Case, calls, type Role, roles, run, secretsWith } from "./world.ts"

export interface Leak {
  readonly where: string
  readonly sink: string
  readonly excerpt: string
}

export interface Count {
  cases: number
  texts: number
  readonly sinks: Set<string>
  readonly secrets: Set<string>
  readonly leaks: Array<Leak>
}

export const count = (): Count => ({ cases: 0, texts: 0, sinks: new Set(), secrets: new Set(), leaks: [] })

/** One secret in one part of the world, and what is tried with it. */
export interface Row {
  readonly name: string
  readonly role: Role
  readonly secret: string
  readonly tried: ReadonlyArray<Pick<Case, "call" | "failure">>
}

/** A call that reads, one that writes, one that uploads, and those of the session. */
const fewCalls = ["vaults.details", "transactions.send", "tokens.mint", "a start", "a refresh"]

/** Which secrets a call has access to when it fails. */
const held = (call: string): ReadonlyArray<Role> => {
  if (call === "a start" || call === "authentication.generateTokens") return ["apiKey", "option"]
  return call === "authentication.refreshToken" ? ["refresh", "apiKey", "option"] : roles
}

/** A log of what goes over the wire knows the secrets that went over it by their names. */
const isKnownTo = (sink: string, role: Role, call: string): boolean =>
  !sink.startsWith("WireLog") || (role !== "option" && !(role === "apiKey" && call === "authentication.refreshToken"))

const pairs = (role: Role, of: ReadonlyArray<string>, all: typeof failures): Row["tried"] =>
  of.filter((call) => held(call).includes(role)).flatMap((call) => all.map((failure) => ({ call, failure })))

/**
 * The whole matrix: every call with every kind of failure, for each kind of secret; and every spelling in every place, for
 * secrets of each kind, size and part.
 */
export const whole = (): ReadonlyArray<Row> =>
  Object.keys(kinds).flatMap((kind, nth) =>
    sizes.flatMap((size, at) => {
      const secret = kinds[kind]!(size, size + nth)
      return roles.flatMap((role, part): ReadonlyArray<Row> => {
        const round = nth + at * 3 + part * 5
        const name = `${kind}, ${size} characters, as ${role}`
        const row = (of: ReadonlyArray<string>, all: typeof failures) => [
          { name, role, secret, tried: pairs(role, of, all) }
        ]
        if (size === 100_000) return row([fewCalls[round % 3]!, "a refresh"], someFailures(round))
        if (size === 300)
          return part === nth % roles.length ? row(calls, someFailures(round)) : row(fewCalls, someFailures(round))
        return row([fewCalls[round % 3]!], failures)
      })
    })
  )

/** A part of it: every row, with so many of its cases. */
export const sample = (rows: ReadonlyArray<Row>, perRow: number): ReadonlyArray<Row> =>
  rows.map((row, nth) => {
    const step = Math.max(1, Math.floor(row.tried.length / perRow))
    return { ...row, tried: row.tried.filter((_, at) => at % step === nth % step).slice(0, perRow) }
  })

const search = (
  counted: Count,
  where: string,
  sinks: Sinks,
  find: (sink: string, text: string) => string | undefined
) => {
  counted.cases++
  for (const [sink, text] of Object.entries(sinks)) {
    counted.texts++
    counted.sinks.add(sink)
    const excerpt = find(sink, text)
    if (excerpt !== undefined) counted.leaks.push({ where, sink, excerpt })
  }
}

/** Makes every call of a row, and looks for its secrets in every sink. */
export const look = Effect.fnUntraced(function* ({ name, role, secret, tried }: Row, counted: Count) {
  const secrets = secretsWith(role, secret)
  const { find } = detector(Object.values(secrets))
  counted.secrets.add(name)
  for (const { call, failure } of tried) {
    const { sinks } = yield* run({ call, failure, secrets, secret })
    search(counted, `${name}: ${call}, ${failure.name}`, sinks, (sink, text) =>
      isKnownTo(sink, role, call) ? find(text) : undefined
    )
  }
})

/** Makes calls of an emulator, each with a fault, and looks for the secrets that it has issued. */
export const lookAtEmulator = Effect.fnUntraced(function* (
  of: ReadonlyArray<(typeof emulated)[number]>,
  counted: Count
) {
  for (const { run: make, where } of of) {
    const { secrets, sinks } = yield* make
    const { find } = detector(secrets)
    search(counted, where, sinks, (_, text) => find(text))
  }
})
