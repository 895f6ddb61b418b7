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

export const make = (options: {
  readonly tokens: TokenService["Service"]
  readonly keepsBodies: boolean
  readonly requestIdHeaders: ReadonlyArray<string>
  /** Further secrets of the process. */
  readonly others: ReadonlyArray<Redacted.Redacted>
}) => {
  const { keepsBodies, others, requestIdHeaders, tokens } = options
  const compiled = Ref.makeUnsafe<ReadonlyMap<Redacted.Redacted, Redaction.Compiled>>(new Map())

  /** For the error of a request that went with this token, or with the secret in its body. */
  return Effect.fnUntraced(function* (encoded: Encoded, token: AccessToken | undefined): Effect.fn.Return<Diagnostics> {
    const held = [...others, ...(yield* tokens.secrets), ...(token === undefined ? [] : [token.value])]
    const known = yield* Ref.updateAndGet(
      compiled,
      (before) =>
        new Map(held.map((secret) => [secret, before.get(secret) ?? Redaction.compile(Redacted.value(secret))]))
    )
    const values = new Set(held.map(Redacted.value))
    const own = token === undefined ? secretsIn(encoded).filter((secret) => !values.has(secret)) : []
    return { keepsBodies, requestIdHeaders, redact: Redaction.by([...known.values(), ...own.map(Redaction.compile)]) }
  })
}
