/**
 * Headers that a program adds to the calls of a scope, for a gateway or for the service's support.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import { dual } from "effect/Function"
import { ScopeHeaders } from "../secrets/Secrets.ts"
import { isHeaderValue } from "../values/Text.ts"
import { ConfigurationInvalid } from "../errors/SdkError.ts"

/** A token of RFC 9110, section 5.6.2. */
const isName = (name: string): boolean => /^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name)

/** Headers that the SDK or its transport sets, for the body and for the connection (hop by hop). */
const reserved: ReadonlySet<string> = new Set([
  "x-access-token",
  "accept",
  "accept-encoding",
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "expect",
  "host",
  "http2-settings",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade"
])

const findFault = (name: string, value: unknown): string | undefined => {
  if (!isName(name)) return "is not a valid header name"
  if (reserved.has(name)) return "is a header of the SDK itself, or of its connection"
  return typeof value === "string" && isHeaderValue(value) ? undefined : "has a value that no header can carry"
}

/**
 * Adds headers to the calls of an effect, in addition to the headers of outer scopes. A rotation of the session belongs
 * to no call, so it does not carry the headers. Do not put secrets into headers: a log of the `HttpClient` may show
 * them.
 *
 * Fails with `ConfigurationInvalid`, before the effect begins, if a header cannot be sent, or belongs to the SDK or to
 * the connection.
 *
 * @example
 * ```ts
 * import { withHeaders } from "@effect-custody/core"
 * import { Vaults } from "@effect-custody/sdk"
 *
 * const program = Vaults.details().pipe(withHeaders({ "x-correlation-id": "5f2b" }))
 * ```
 *
 * @since 0.1.0
 * @category combinators
 */
export const withHeaders: {
  (
    headers: Readonly<Record<string, string>>
  ): <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E | ConfigurationInvalid, R>
  <A, E, R>(
    self: Effect.Effect<A, E, R>,
    headers: Readonly<Record<string, string>>
  ): Effect.Effect<A, E | ConfigurationInvalid, R>
} = dual(
  2,
  <A, E, R>(
    self: Effect.Effect<A, E, R>,
    headers: Readonly<Record<string, string>>
  ): Effect.Effect<A, E | ConfigurationInvalid, R> => {
    const own = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
    for (const [name, value] of own) {
      const reason = findFault(name, value)
      if (reason !== undefined) return Effect.fail(new ConfigurationInvalid({ option: `withHeaders: ${name}`, reason }))
    }
    return Effect.updateService(self, ScopeHeaders, (outer) => ({ ...outer, ...Object.fromEntries(own) }))
  }
)
