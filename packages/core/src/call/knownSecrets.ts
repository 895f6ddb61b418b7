/** The secrets that errors must not repeat. Prepares each secret for redaction once, when an error first needs it. */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import type { Encoded } from "../endpoint/Wires.ts"
import type { AccessToken, TokenService } from "../session/TokenService.ts"
import * as Redaction from "../secrets/Redaction.ts"

/** Says which parts of an answer an error may quote. */
export interface Diagnostics {
  readonly keepsBodies: boolean
  /** The names of the headers that identify a request to the service, in lower case. */
  readonly requestIdHeaders: ReadonlyArray<string>
  readonly redact: Redaction.Redact
}

/** Lists the texts in a body. In a request without an access token, one of these texts is a one-time secret. */
const secretsIn = ({ body }: Encoded): ReadonlyArray<string> =>
  body._tag === "None" ? [] : Object.values(body.fields).filter(Predicate.isString)

/** Says what the error of a request may quote: neither its token nor, without a token, the secret in its body. */
export type DiagnosticsOf = (encoded: Encoded, token: AccessToken | undefined) => Effect.Effect<Diagnostics>

export const make = (options: {
  readonly tokens: TokenService["Service"]
  readonly keepsBodies: boolean
  readonly requestIdHeaders: ReadonlyArray<string>
}): DiagnosticsOf => {
  const { keepsBodies, requestIdHeaders, tokens } = options
  const prepared = new WeakMap<Redacted.Redacted, Redaction.Compiled>()
  const compiled = (secret: Redacted.Redacted): Redaction.Compiled => {
    const known = prepared.get(secret) ?? Redaction.compile(Redacted.value(secret))
    prepared.set(secret, known)
    return known
  }

  /** A cache: what the last error could quote, and the secrets known then. The next error mostly has the same ones. */
  let last: { readonly held: ReadonlyArray<Redacted.Redacted>; readonly diagnostics: Diagnostics } | undefined
  const limits = (redact: Redaction.Redact): Diagnostics => ({ keepsBodies, requestIdHeaders, redact })

  return (encoded, token) =>
    Effect.map(tokens.secrets, (ofSession) => {
      if (token === undefined) {
        return limits(
          Redaction.fromCompiled([...ofSession.map(compiled), ...secretsIn(encoded).map(Redaction.compile)])
        )
      }
      const held = [...ofSession, token.value]
      if (last?.held.length !== held.length || !held.every((secret, at) => secret === last?.held[at])) {
        last = { held, diagnostics: limits(Redaction.fromCompiled(held.map(compiled))) }
      }
      return last.diagnostics
    })
}
