/** The contract file of a command: a module whose default export is a layer of adapters. */
import * as Adapter from "@effect-custody/contract/Adapter"
import * as NodeCustody from "@effect-custody/node/NodeCustody"
import { CustodyApi } from "@effect-custody/sdk/CustodyApi"
import * as Config from "effect/Config"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Output from "../terminal/output.ts"

/** `--contract FILE`. Default: `CUSTODY_CONTRACT_FILE`. */
export const flag = Flag.File("contract").pipe(
  Flag.withDescription("The contract file to use; default: CUSTODY_CONTRACT_FILE, or none"),
  Flag.withMetavar("FILE"),
  Flag.optional
)

/** The file that `contract check` reads if none is named. */
export const usual = "custody.contract.ts"

export const variable = "CUSTODY_CONTRACT_FILE"

export const chosen = (given: Option.Option<string>) =>
  Option.isSome(given) ? Effect.succeed(given) : Output.orFail(Config.option(Config.NonEmptyString(variable)))

/** The adapters of a contract, and what its service says of all endpoints. */
export type Contract = Pick<Adapter.Contract, "adapters" | "service">

export const toLayer = ({ adapters, service }: Contract) => Adapter.layer(adapters, service)

const everything: Contract = { adapters: CustodyApi.operations.map((one) => Adapter.assumed(one)), service: {} }

/** Reads a contract. Fails with its mistakes. */
export const read = Effect.fnUntraced(function* (file: string) {
  if (!(yield* FileSystem.FileSystem.use((files) => files.exists(file)))) {
    return yield* Output.failure(`there is no contract ${file}: write it, or name its file in ${variable}`)
  }
  const contract = yield* Effect.provide(Adapter.contract, NodeCustody.contractLayer(file), { local: true })
  return contract === undefined ? everything : ({ adapters: contract.adapters, service: contract.service } as Contract)
}, Output.orFail)

/** The contract of the chosen file; without one, a contract that confirms nothing. */
export const chosenOrNone = (given: Option.Option<string>) =>
  Effect.flatMap(chosen(given), (file) =>
    Option.isNone(file) ? Effect.succeed<Contract>({ adapters: [], service: {} }) : read(file.value)
  )

export const find = ({ adapters }: Contract, operation: string): Adapter.Adapter | undefined =>
  adapters.find((adapter) => adapter.operation.operation === operation)

export const layer = (given: Option.Option<string>) =>
  Layer.unwrap(Effect.map(chosenOrNone(given), (contract) => Layer.orDie(toLayer(contract))))
