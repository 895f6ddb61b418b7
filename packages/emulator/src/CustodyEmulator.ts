/**
 * A stateful emulator of the custody service, built from the same contracts as the client. It runs as a layer without
 * sockets, or as an HTTP server.
 *
 * Specification: all of it. Where the specification is silent, {@link Options} says what the emulator assumes.
 *
 * @since 0.1.0
 */
import { TokenStore } from "@effect-custody/authentication/TokenStore"
import type { CustodyClient } from "@effect-custody/core/CustodyClient"
import * as Environment from "@effect-custody/core/Environment"
import type { ConfigurationInvalid } from "@effect-custody/core/SdkError"
import type { TokenService } from "@effect-custody/core/TokenService"
import * as Custody from "@effect-custody/sdk/Custody"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import type { ServeError } from "effect/http/HttpServerError"
import * as Layer from "effect/Layer"
import type { Controls } from "./service/controls.ts"
import { type Emulator, makeEmulator } from "./service/emulator.ts"
import { makeClient } from "./service/inProcess.ts"
import { basePath } from "./service/routes.ts"
import type { Listen } from "./server/server.ts"
import type { Options } from "./model/Options.ts"

/** The address of an emulator, and its controls. */
interface Shape extends Controls {
  /** The base address of the API. In process, the emulator receives requests to every host. */
  readonly baseUrl: string
  /** The base address as an environment, for the SDK's layers. */
  readonly environment: Environment.Environment
}

/** A loopback address, because the SDK accepts plain HTTP only for the loopback. No request leaves the process. */
const inProcessUrl = `http://localhost${basePath}`

const makeShape = ({ controls }: Emulator, baseUrl: string): Shape => ({
  ...controls,
  baseUrl,
  environment: Environment.emulator(baseUrl)
})

/** Loads the Node parts only when a server starts, so that in process the emulator needs no `node:` module. */
const loadServer = Effect.promise(() =>
  Promise.all([import("./server/server.ts"), import("./control/snapshotFile.ts")])
)

/**
 * The emulator's controls, and the layers that start an emulator. The emulator reads the time only from `Clock`, so
 * under a `TestClock` tokens expire and transactions complete when the test moves the clock.
 *
 * A vault has the networks `bitcoin`, `ethereum` and `polygon`, the assets `btc`, `eth`, `pol`, `usdc`, `usdt` and
 * `usdc-polygon`, and no clients. A new client has an empty wallet on each network; `fund` credits a wallet. A send
 * ends as `REJECTED` if its address contains `rejected`, and as `ERROR` if its address contains `error`.
 *
 * The emulator speaks the assumed wire only. It does not read the adapters of a real service.
 *
 * @example
 * ```ts
 * import { Amount } from "@effect-custody/core"
 * import { CustodyEmulator } from "@effect-custody/emulator"
 * import { Clients, Transactions } from "@effect-custody/sdk"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const { fund, ledger } = yield* CustodyEmulator
 *   yield* Clients.create({ externalId: "alice" })
 *   yield* fund({ clientId: "alice", assetId: "usdc", amount: "100" })
 *   const { id } = yield* Transactions.send({
 *     clientId: "alice",
 *     assetId: "usdc",
 *     to: "0x52908400098527886E0F7030069857D2E4169EE7",
 *     amount: Amount.of("12.50")
 *   })
 *   yield* Transactions.awaitFinal(id)
 *   return yield* ledger // the two writes, once each
 * }).pipe(Effect.provide(CustodyEmulator.layer))
 * ```
 *
 * @since 0.1.0
 * @category services
 */
export class CustodyEmulator extends Context.Service<CustodyEmulator, Shape>()(
  "@effect-custody/emulator/CustodyEmulator"
) {
  /** {@link CustodyEmulator.layerHttpClient} with options. */
  static readonly layerHttpClientWith = (
    options: Options
  ): Layer.Layer<CustodyEmulator | HttpClient.HttpClient, ConfigurationInvalid> =>
    Layer.effectContext(
      Effect.map(makeEmulator(options), (emulator) =>
        Context.make(CustodyEmulator, makeShape(emulator, inProcessUrl)).pipe(
          Context.add(HttpClient.HttpClient, makeClient(emulator.service))
        )
      )
    )

  /**
   * The transport alone: an `HttpClient` that sends every request to the emulator, whatever its host.
   */
  static readonly layerHttpClient: Layer.Layer<CustodyEmulator | HttpClient.HttpClient> = Layer.orDie(
    this.layerHttpClientWith({})
  )

  /**
   * A client of the emulator with options of its own, over an `HttpClient` that reaches the emulator. The client has an API
   * key already issued, and its session is in memory. Invalid options are a defect.
   */
  static readonly layerClient = (
    options: Omit<Custody.Options, "environment" | "apiKey"> = {}
  ): Layer.Layer<CustodyClient | TokenService, never, CustodyEmulator | HttpClient.HttpClient> =>
    Layer.unwrap(
      Effect.gen(function* () {
        const { environment, issueApiKey } = yield* CustodyEmulator
        return Custody.layer({ ...options, environment, apiKey: yield* issueApiKey() })
      })
    ).pipe(Layer.provide(Layer.fresh(TokenStore.layerMemory)), Layer.orDie)

  /** {@link CustodyEmulator.layer} with options of the emulator. */
  static readonly layerWith = (
    options: Options
  ): Layer.Layer<CustodyClient | CustodyEmulator | TokenService, ConfigurationInvalid> =>
    // Leaves out the `HttpClient`, so that a test can have another.
    Layer.effectContext(
      Effect.gen(function* () {
        const transport = yield* Layer.build(CustodyEmulator.layerHttpClientWith(options))
        const context = yield* Effect.provideContext(Layer.build(Layer.fresh(CustodyEmulator.layerClient())), transport)
        return Context.add(context, CustodyEmulator, Context.get(transport, CustodyEmulator))
      })
    )

  /**
   * A client of an emulator in the same process, with an API key already issued and the session in memory. The layer uses
   * no sockets and works with `TestClock`.
   */
  static readonly layer: Layer.Layer<CustodyClient | CustodyEmulator | TokenService> = Layer.orDie(this.layerWith({}))

  /**
   * An HTTP server, by default on the loopback and any free port; `baseUrl` is its address. The server also serves the
   * controls under `/emulator/`, and a page at `/`. With a `snapshotFile`, the emulator continues from the file's snapshot
   * if the file exists, and saves a snapshot to the file when the layer closes.
   */
  static readonly layerServer = (
    options: Options & Listen = {}
  ): Layer.Layer<CustodyEmulator, ConfigurationInvalid | ServeError> =>
    Layer.effect(
      this,
      Effect.gen(function* () {
        const { host, port, snapshotFile, ...rest } = options
        const [{ serve }, SnapshotFile] = yield* loadServer
        const saved = snapshotFile === undefined ? undefined : yield* SnapshotFile.load(snapshotFile)
        const emulator = yield* makeEmulator({ ...rest, snapshot: rest.snapshot ?? saved })
        const save =
          snapshotFile === undefined ? undefined : SnapshotFile.save(snapshotFile, emulator.controls.snapshot)
        return makeShape(emulator, yield* serve(emulator, { host, port, save }))
      })
    )
}
