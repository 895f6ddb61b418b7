/** What can be observed of this program from outside. */
import { sessionEvents, Telemetry, TokenService } from "@effect-custody/sdk"
import { Config, Effect, Layer, Option, Stream } from "effect"
import { FetchHttpClient } from "effect/http"
import { Otlp } from "effect/observability"

/** Spans, metrics and logs to a collector, if there is one. The SDK's spans are among them, its secrets are not. */
const exporter = Layer.unwrap(
  Effect.map(Config.option(Config.NonEmptyString("OTEL_EXPORTER_OTLP_ENDPOINT")), (endpoint) =>
    Option.match(endpoint, {
      onNone: () => Layer.empty,
      onSome: (baseUrl) =>
        Otlp.layerJson({ baseUrl, resource: { serviceName: "payouts" } }).pipe(Layer.provide(FetchHttpClient.layer))
    })
  )
)

/** Says why the backend does not start, and in which variable its database is. Some errors have no message of their own. */
export const explain = ({ _tag, cause, message }: Error & { readonly _tag: string }): string => {
  const behind = cause instanceof Error ? cause.message : ""
  // The message of a `ConfigError` is the name of its cause, and the cause's message.
  if (_tag === "ConfigError") return behind
  const said = [message, ...(message.includes(behind) ? [] : [behind])].filter((text) => text !== "").join(": ")
  return _tag === "LedgerError" || _tag === "TokenStoreError" ? `${said}. The database is in DATABASE_URL.` : said
}

/** The exporter, and the SDK's metrics, which `/metrics` shows too. */
export const layer = Layer.merge(exporter, Telemetry.layer())

/** Starts the session before the first payout needs it, and logs what happens to it. */
export const session = Layer.effectDiscard(
  Effect.gen(function* () {
    const { current } = yield* TokenService
    yield* sessionEvents.pipe(
      // What a person has to act on, the SDK logs itself.
      Stream.runForEach(({ _tag, ...about }) => Effect.logDebug(`session: ${_tag}`, about)),
      Effect.forkScoped({ startImmediately: true })
    )
    yield* Effect.catch(current, (error) => Effect.logError(`There is no session: ${error.message}`)).pipe(
      Effect.forkScoped({ startImmediately: true })
    )
  })
)
