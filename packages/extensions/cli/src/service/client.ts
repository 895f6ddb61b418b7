/** The client and the session of the environment. */
import * as Secrets from "@effect-custody/core/siblings/Secrets"
import { TokenService } from "@effect-custody/core/TokenService"
import * as NodeCustody from "@effect-custody/node/NodeCustody"
import * as Custody from "@effect-custody/sdk/Custody"
import * as EnvironmentConfig from "@effect-custody/sdk/EnvironmentConfig"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Output from "../terminal/output.ts"
import * as ContractFiles from "./contractFiles.ts"
import * as Service from "./environment.ts"
import * as SessionPlace from "./sessionPlace.ts"

/** The configuration without the variable of the contract file. */
const withoutContractFile = ConfigProvider.layer(
  Effect.map(ConfigProvider.ConfigProvider, (provider) =>
    ConfigProvider.make((path) => (path.join("_") === ContractFiles.variable ? Effect.undefined : provider.load(path)))
  )
)

const ofDatabase = Effect.gen(function* () {
  const place = yield* SessionPlace.fromVariables
  const environment = yield* Service.configured
  const keys = yield* Output.orFail(SessionPlace.keys)
  const apiKey = yield* Output.orFail(EnvironmentConfig.apiKey)
  return Custody.layer({ environment, apiKey, secrets: SessionPlace.secrets(keys) }).pipe(
    Layer.provide([NodeCustody.layerHttpClientConfig(), place.store(keys)])
  )
})

/** The client of the environment, whose session is in a file or, with `CUSTODY_SESSION_URL`, in a database. */
const live = Layer.unwrap(
  Effect.gen(function* () {
    const { databaseUrl } = yield* Output.orFail(SessionPlace.variables)
    return Option.isSome(databaseUrl) ? Layer.unwrap(ofDatabase) : NodeCustody.layerConfig()
  })
)

/** The client and the session of the environment under exactly this contract. */
export const under = <E, R>(contract: Layer.Layer<never, E, R>) =>
  live.pipe(Layer.provide(withoutContractFile), Layer.provideMerge(contract))

/** Removes every secret of the session from a text, replaced secrets too. */
export const redaction = TokenService.use(({ secrets }) =>
  Effect.map(secrets, (all) => Secrets.makeRedact(all.map(Redacted.value)))
)
