/** The contract file of a command. */
import * as ServiceContract from "@effect-custody/contract/ServiceContract"
import * as NodeCustody from "@effect-custody/node/NodeCustody"
import { CustodyApi } from "@effect-custody/sdk/CustodyApi"
import * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Output from "../terminal/output.ts"

/** `--contract FILE`. Default: `CUSTODY_CONTRACT_FILE`. */
export const flag = Flag.File("contract").pipe(
  Flag.withDescription("The contract file to use; default: CUSTODY_CONTRACT_FILE, or none"),
  Flag.withMetavar("FILE"),
  Flag.optional
)

export const usual = "custody.contract.json"

const variable = "CUSTODY_CONTRACT_FILE"

const configured = Config.option(Config.NonEmptyString(variable))

export const chosen = (given: Option.Option<string>) =>
  Option.isSome(given) ? Effect.succeed(given) : Output.orFail(configured)

/** The file to use. Default: {@link usual}. */
export const chosenOrUsual = (given: Option.Option<string>) =>
  Effect.map(
    chosen(given),
    Option.getOrElse(() => usual)
  )

export const read = (file: string) => Output.orFail(ServiceContract.readFile(file, CustodyApi))

export const layer = (given: Option.Option<string>) =>
  Layer.unwrap(
    Effect.map(
      chosen(given),
      Option.match({ onNone: () => Layer.empty, onSome: (file) => ServiceContract.layerFile(file, CustodyApi) })
    )
  )

/** The configuration without the variable of the contract file. */
const withoutFile = ConfigProvider.layer(
  Effect.map(ConfigProvider.ConfigProvider, (provider) =>
    ConfigProvider.make((path) => (path.join("_") === variable ? Effect.undefined : provider.load(path)))
  )
)

/** The client and the session of the environment under exactly this contract. */
export const inForce = <E, R>(contract: Layer.Layer<never, E, R>) =>
  NodeCustody.layerConfig().pipe(Layer.provide(withoutFile), Layer.provideMerge(contract))
