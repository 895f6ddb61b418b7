/**
 * The front door: everything between an `HttpClient`, a `TokenStore` and a `CustodyClient`.
 */
import * as TokenServiceLayer from "@effect-custody/authentication/TokenService"
import type { TokenStore } from "@effect-custody/authentication/TokenStore"
import { CustodyClient } from "@effect-custody/core/CustodyClient"
import type * as Environment from "@effect-custody/core/Environment"
import type * as RetryPolicy from "@effect-custody/core/RetryPolicy"
import type { ConfigurationInvalid } from "@effect-custody/core/SdkError"
import type { SessionOfAnotherEnvironment, TokenStoreError } from "@effect-custody/core/SessionError"
import type { TokenService } from "@effect-custody/core/TokenService"
import { type Limits, Transport } from "@effect-custody/core/Transport"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"

/** How to reach the service, and as whom. */
export interface Options extends TokenServiceLayer.Options {
  readonly environment: Environment.Environment
  /** The policy of calls that bring none of their own. */
  readonly retry?: RetryPolicy.RetryPolicy | undefined
  /** Bounds on one exchange. */
  readonly limits?: Partial<Limits> | undefined
}

/** Why the layer could not be built. Nothing was sent, and nothing stored was changed. */
export type LayerError = ConfigurationInvalid | SessionOfAnotherEnvironment | TokenStoreError

/** Keeps what runs elsewhere from starting where tokens must not be. */
const refuseBrowsers = (): void => {
  if ("window" in globalThis && "document" in globalThis) {
    throw new Error(
      "effect-custody does not run in a browser: keep tokens and the API key out of client-side applications."
    )
  }
}
refuseBrowsers()

/**
 * A client for one session of one environment.
 *
 * Specification: "Authentication".
 *
 * @example
 * ```ts
 * import { TokenStore } from "@effect-custody/authentication"
 * import { Environment } from "@effect-custody/core"
 * import { Custody } from "@effect-custody/sdk"
 * import { Layer, Redacted } from "effect"
 * import { FetchHttpClient } from "effect/http"
 *
 * const live = Custody.layer({
 *   environment: Environment.sandbox({ subdomain: "acme", host: "sandbox.custody.example" }),
 *   apiKey: Redacted.make("one-time key")
 * }).pipe(Layer.provide([TokenStore.layerMemory, FetchHttpClient.layer]))
 * ```
 */
export const layer = (
  options: Options
): Layer.Layer<CustodyClient | TokenService, LayerError, HttpClient.HttpClient | TokenStore> =>
  CustodyClient.layer({ retry: options.retry }).pipe(
    Layer.provideMerge(TokenServiceLayer.TokenService.layer(options)),
    Layer.provide(Transport.layer({ environment: options.environment, limits: options.limits }))
  )
