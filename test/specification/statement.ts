/**
 * What a statement of the specification is here, and the two worlds in which it is tried: the SDK against a service that is
 * written from the specification alone, and a plain `fetch` against the emulator.
 */
import { TokenStore } from "@effect-custody/authentication"
import { CustodyEmulator } from "@effect-custody/emulator"
import { NodeCustody } from "@effect-custody/node"
import { Custody, type CustodyClient, Environment, RetryPolicy, type TokenService } from "@effect-custody/sdk"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { SpecifiedService } from "./service.ts"

/** A statement, in the specification's words where they can stand alone. */
export interface Statement {
  readonly says: string
  /** The module that makes it true, as `package Module`; or why the SDK says nothing about it. */
  readonly where: string
  /** The SDK, against the service of the specification. */
  readonly sdk?: Effect.Effect<unknown, unknown, CustodyClient | TokenService | Specified>
  /** A plain `fetch`, against the emulator. */
  readonly emulator?: Effect.Effect<unknown, unknown, Api | CustodyEmulator>
}

/** A section of the specification, with its statements in its order. */
export interface Section {
  readonly title: string
  readonly statements: ReadonlyArray<Statement>
}

/** The service of the specification, for the test that runs. */
export class Specified extends Context.Service<Specified, SpecifiedService>()("test/Specified") {
  static readonly layer = Layer.effect(
    this,
    Effect.acquireRelease(
      Effect.promise(() => SpecifiedService.start()),
      (service) => Effect.promise(() => service.stop())
    )
  )
}

/** A client of the service with a key of its own. It sends nothing again by itself. */
export const clientOf = (
  service: SpecifiedService,
  options: Partial<Custody.Options> = {},
  store: Layer.Layer<TokenStore> = TokenStore.layerMemory
): Layer.Layer<CustodyClient | TokenService> =>
  Layer.fresh(
    Custody.layer({
      environment: Environment.emulator(service.baseUrl),
      apiKey: Redacted.make(service.issueKey()),
      retry: RetryPolicy.none,
      ...options
    }).pipe(Layer.provide([NodeCustody.layerHttpClient(), store]), Layer.orDie)
  )

/** The world of the SDK. */
export const sdkWorld = Layer.unwrap(Effect.map(Specified, (service) => clientOf(service))).pipe(
  Layer.provideMerge(Specified.layer)
)

/** An answer of the emulator, as `fetch` sees it. */
export interface Seen {
  readonly status: number
  readonly body: any
}

interface Request {
  readonly token?: string
  readonly json?: unknown
  /** A body that is sent as it is, as JSON. */
  readonly text?: string
  readonly form?: FormData
}

const exchange = async (
  method: string,
  url: string,
  { form, json, text = JSON.stringify(json), token }: Request
): Promise<Seen> => {
  const response = await fetch(url, {
    method,
    headers: {
      ...(token === undefined ? {} : { "X-ACCESS-TOKEN": token }),
      ...(text === undefined ? {} : { "content-type": "application/json" })
    },
    ...(text === undefined && form === undefined ? {} : { body: form ?? text })
  })
  return { status: response.status, body: await response.json() }
}

/** A client of the emulator that knows HTTP and the specification, and nothing of the SDK. */
export class Api extends Context.Service<
  Api,
  {
    readonly call: (method: string, path: string, request?: Request) => Effect.Effect<Seen>
    /** Exchanges an API key; the data of the answer. */
    readonly start: Effect.Effect<any>
    /** A call with the access token of this session. */
    readonly as: (method: string, path: string, json?: unknown) => Effect.Effect<Seen>
  }
>()("test/Api") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const { baseUrl, issueApiKey } = yield* CustodyEmulator
      const call = (method: string, path: string, request: Request = {}) =>
        Effect.promise(() => exchange(method, `${baseUrl}${path}`, request))
      const start = Effect.gen(function* () {
        const apiKey = Redacted.value(yield* issueApiKey())
        return (yield* call("POST", "/auth/generate-tokens", { json: { apiKey } })).body.data
      })
      const session = yield* start
      return Api.of({
        call,
        start,
        as: (method, path, json) => call(method, path, { token: session.accessToken, json })
      })
    })
  )
}

/** The world of `fetch`. */
export const emulatorWorld = Api.layer.pipe(Layer.provideMerge(CustodyEmulator.layerServer()), Layer.orDie)
