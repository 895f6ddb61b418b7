/**
 * A stateful stand-in for the custody service, made from the same contracts as the client: as a layer without sockets,
 * and as a real HTTP server.
 *
 * Specification: the whole; where it is silent, {@link Options} says what is assumed.
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
import type { Controls } from "./internal/controls.ts"
import { type Emulator, makeEmulator } from "./internal/emulator.ts"
import { clientOf } from "./internal/inProcess.ts"
import { basePath } from "./internal/routes.ts"
import { type Listen, serve } from "./internal/server.ts"
import * as SnapshotFile from "./internal/snapshotFile.ts"
import type { Options } from "./Options.ts"

/** Where the emulator can be reached, and what can be done to it. */
interface Shape extends Controls {
  /** The base address of the API. In process, a name only: every host leads to the emulator. */
  readonly baseUrl: string
  /** The same, as the SDK's layers take it. */
  readonly environment: Environment.Environment
}

/** No request to it leaves the process, and the SDK accepts plain HTTP for it. */
const inProcessUrl = `http://localhost${basePath}`

const shapeOf = ({ controls }: Emulator, baseUrl: string): Shape => ({
  ...controls,
  baseUrl,
  environment: Environment.local(baseUrl)
})

/**
 * The emulator's controls, and the layers that start one. All its time comes from `Clock`: under a `TestClock`, tokens
 * expire and transactions are completed when the test says so.
 *
 * A vault comes with the networks `bitcoin`, `ethereum` and `polygon`, the assets `btc`, `eth`, `pol`, `usdc`, `usdt` and
 * `usdc-polygon`, and no clients. A new client has an empty wallet on each network: `fund` fills them. A send to an
 * address with `rejected` or `error` in it ends so.
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
 *   yield* Clients.create({ id: "alice" })
 *   yield* fund({ clientId: "alice", assetId: "usdc", amount: "100" })
 *   const { id } = yield* Transactions.send({
 *     clientId: "alice",
 *     assetId: "usdc",
 *     to: "0x52908400098527886E0F7030069857D2E4169EE7",
 *     amount: Amount.fromString("12.50")
 *   })
 *   yield* Transactions.awaitFinal(id)
 *   return yield* ledger // the two writes, once each
 * }).pipe(Effect.provide(CustodyEmulator.layer))
 * ```
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
        Context.make(CustodyEmulator, shapeOf(emulator, inProcessUrl)).pipe(
          Context.add(HttpClient.HttpClient, clientOf(emulator.service))
        )
      )
    )

  /**
   * Only the transport: an `HttpClient` whose every request ends up at the emulator, whatever its host.
   *
   * @example
   * ```ts
   * import { CustodyEmulator } from "@effect-custody/emulator"
   * import { Effect } from "effect"
   * import { HttpClient } from "effect/http"
   *
   * const program = Effect.gen(function* () {
   *   const { baseUrl } = yield* CustodyEmulator
   *   const response = yield* HttpClient.get(`${baseUrl}/vaults/details`)
   *   return response.status // 401: no access token
   * }).pipe(Effect.provide(CustodyEmulator.layerHttpClient))
   * ```
   */
  static readonly layerHttpClient: Layer.Layer<CustodyEmulator | HttpClient.HttpClient> = Layer.orDie(
    this.layerHttpClientWith({})
  )

  /** {@link CustodyEmulator.layer} with options. */
  static readonly layerWith = (
    options: Options
  ): Layer.Layer<CustodyClient | CustodyEmulator | TokenService, ConfigurationInvalid> => {
    const client = Layer.unwrap(
      Effect.gen(function* () {
        const { environment, issueApiKey } = yield* CustodyEmulator
        return Custody.layer({ environment, apiKey: yield* issueApiKey() })
      })
    ).pipe(
      Layer.provide(Layer.fresh(TokenStore.layerMemory)),
      // The environment and the empty store are ours: neither can be refused.
      Layer.orDie
    )
    return Layer.effectContext(
      Effect.gen(function* () {
        const transport = yield* Layer.build(CustodyEmulator.layerHttpClientWith(options))
        const context = yield* Effect.provideContext(Layer.build(client), transport)
        return Context.add(context, CustodyEmulator, Context.get(transport, CustodyEmulator))
      })
    )
  }

  /**
   * A ready client of an emulator in the same process: an API key is issued and exchanged, and the session is kept in
   * memory. No sockets; `TestClock` works.
   *
   * @example
   * ```ts
   * import { CustodyEmulator } from "@effect-custody/emulator"
   * import { Vaults } from "@effect-custody/sdk"
   * import { Effect } from "effect"
   *
   * const program = Effect.gen(function* () {
   *   const vault = yield* Vaults.details()
   *   const { requests } = yield* (yield* CustodyEmulator).counts
   *   return { vault, requests }
   * }).pipe(Effect.provide(CustodyEmulator.layer))
   * ```
   */
  static readonly layer: Layer.Layer<CustodyClient | CustodyEmulator | TokenService> = Layer.orDie(this.layerWith({}))

  /**
   * A real HTTP server, on the loopback and any free port unless told otherwise. `baseUrl` says where. The controls are
   * also there over HTTP, under `/emulator/`, and for people as a page, at `/`. With a `snapshotFile` it goes on from what
   * the file says, if there is one, and writes all that it knows to it when the layer is closed.
   *
   * @example
   * ```ts
   * import { CustodyEmulator } from "@effect-custody/emulator"
   * import { Effect } from "effect"
   *
   * const program = Effect.gen(function* () {
   *   const emulator = yield* CustodyEmulator
   *   yield* Effect.log(`listening on ${emulator.baseUrl}`)
   *   return yield* Effect.never
   * }).pipe(Effect.provide(CustodyEmulator.layerServer({ port: 4010 })))
   * ```
   */
  static readonly layerServer = (
    options: Options & Listen = {}
  ): Layer.Layer<CustodyEmulator, ConfigurationInvalid | ServeError> =>
    Layer.effect(
      this,
      Effect.gen(function* () {
        const { host, port, snapshotFile, ...rest } = options
        if (snapshotFile === undefined) {
          const emulator = yield* makeEmulator(rest)
          return shapeOf(emulator, yield* serve(emulator, { host, port }))
        }
        const snapshot = rest.snapshot ?? (yield* SnapshotFile.load(snapshotFile))
        const emulator = yield* makeEmulator({ ...rest, snapshot })
        const save = SnapshotFile.save(snapshotFile, emulator.controls.snapshot)
        const baseUrl = yield* serve(emulator, { host, port, save })
        return shapeOf(emulator, baseUrl)
      })
    )
}
