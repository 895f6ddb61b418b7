/** The secrets that errors must not repeat. Each is prepared for redaction once, when it is first needed. */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Ref from "effect/Ref"
import type { Encoded } from "../Operation.ts"
import type { AccessToken, TokenService } from "../TokenService.ts"
import * as Redaction from "./redaction.ts"

/** How errors are kept free of secrets, and whether they keep bodies at all. */
export interface Diagnostics {
  readonly keepsBodies: boolean
  /** The names of the headers by which the service finds a request again, in lower case. */
  readonly requestIdHeaders: ReadonlyArray<string>
  readonly redact: Redaction.Redact
}

/** The one-time secret in the body of a request without an access token. */
const secretsIn = ({ body }: Encoded): ReadonlyArray<string> =>
  body._tag === "None" ? [] : Object.values(body.fields).filter(Predicate.isString)

/** The secrets that are known, and what takes them out of a text. */
interface Known {
  readonly held: ReadonlyArray<Redacted.Redacted>
  readonly compiled: ReadonlyMap<Redacted.Redacted, Redaction.Compiled>
  readonly redact: Redaction.Redact
}

const none: Known = { held: [], compiled: new Map(), redact: Redaction.by([]) }

/** The same secrets, prepared. Those that are prepared already stay so. */
const prepared =
  (held: ReadonlyArray<Redacted.Redacted>) =>
  (before: Known): Known => {
    if (held.length === before.held.length && held.every((secret, at) => secret === before.held[at])) return before
    const compiled = new Map(
      held.map((secret) => [secret, before.compiled.get(secret) ?? Redaction.compile(Redacted.value(secret))])
    )
    return { held, compiled, redact: Redaction.by([...compiled.values()]) }
  }

export const make = (options: {
  readonly tokens: TokenService["Service"]
  readonly keepsBodies: boolean
  readonly requestIdHeaders: ReadonlyArray<string>
  /** Further secrets of the process. */
  readonly others: ReadonlyArray<Redacted.Redacted>
}) => {
  const { keepsBodies, others, requestIdHeaders, tokens } = options
  const known = Ref.makeUnsafe(none)

  /** For the error of a request that went with this token, or with the secret in its body. */
  return (encoded: Encoded, token: AccessToken | undefined): Effect.Effect<Diagnostics> =>
    Effect.flatMap(tokens.secrets, (ofSession) => {
      const held = [...others, ...ofSession, ...(token === undefined ? [] : [token.value])]
      return Effect.map(Ref.updateAndGet(known, prepared(held)), ({ compiled, redact }) => {
        if (token !== undefined) return { keepsBodies, requestIdHeaders, redact }
        const values = new Set(held.map(Redacted.value))
        const own = secretsIn(encoded).filter((secret) => !values.has(secret))
        const all = Redaction.by([...compiled.values(), ...own.map(Redaction.compile)])
        return { keepsBodies, requestIdHeaders, redact: all }
      })
    })
}
