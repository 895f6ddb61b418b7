/** The contract file of a command: JSON, or a module that exports a contract with code as its default. */
import type * as ContractFile from "@effect-custody/contract/ContractFile"
import * as ServiceContract from "@effect-custody/contract/ServiceContract"
import type * as Wire from "@effect-custody/contract/Wire"
import { CustodyApi } from "@effect-custody/sdk/CustodyApi"
import * as Config from "effect/Config"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import * as Output from "../terminal/output.ts"

/** `--contract FILE`. Default: `CUSTODY_CONTRACT_FILE`. */
export const flag = Flag.File("contract").pipe(
  Flag.withDescription("The contract file to use; default: CUSTODY_CONTRACT_FILE, or none"),
  Flag.withMetavar("FILE"),
  Flag.optional
)

export const usual = "custody.contract.json"

export const variable = "CUSTODY_CONTRACT_FILE"

const configured = Config.option(Config.NonEmptyString(variable))

export const chosen = (given: Option.Option<string>) =>
  Option.isSome(given) ? Effect.succeed(given) : Output.orFail(configured)

/** The file to use. Default: {@link usual}. */
export const chosenOrUsual = (given: Option.Option<string>) =>
  Effect.map(
    chosen(given),
    Option.getOrElse(() => usual)
  )

export type Entry = true | ContractFile.Differences | Wire.Code

/** A contract whose entries are data or code. */
export interface Contract extends Omit<ContractFile.File, "operations"> {
  readonly operations?: Readonly<Record<string, Entry>>
}

/** The contract's layer. Fails if the contract has mistakes. */
export const toLayer = (contract: Contract) =>
  ServiceContract.layer(contract as ServiceContract.ContractOf<typeof CustodyApi>, CustodyApi)

/** `true` for a file that a command cannot change, because it is a module. */
export const isModule = (file: string): boolean => /\.[cm]?[jt]s$/.test(file)

const readModule = Effect.fnUntraced(function* (file: string) {
  const { default: contract }: { readonly default?: unknown } = yield* Effect.tryPromise({
    try: () => import(pathToFileURL(resolve(file)).href),
    catch: (error) => Output.failure(`${file}: ${String(error)}`)
  })
  if (contract === undefined)
    return yield* Output.failure(`${file} has no default export: export default { operations }`)
  const checked = Layer.build(toLayer(contract as Contract))
  yield* Effect.scoped(Effect.mapError(checked, ({ reason }) => Output.failure(`${file}: ${reason}`)))
  return contract as Contract
})

/** Reads a contract. Fails with its mistakes. */
export const read = Effect.fnUntraced(function* (file: string) {
  if (isModule(file)) return yield* readModule(file)
  const contract: Contract = yield* Output.orFail(ServiceContract.readFile(file, CustodyApi))
  return contract
})

/**
 * Changes the text of a contract file, which must stay valid. Renames the file into place, so that no command uses a
 * half-written file.
 */
export const change = Effect.fnUntraced(function* (file: string, edit: (text: string) => string) {
  const fileSystem = yield* FileSystem.FileSystem
  const text = edit(yield* fileSystem.readFileString(file))
  yield* Effect.mapError(Effect.fromResult(ServiceContract.fromJson(text, CustodyApi)), () =>
    Output.failure(`${file} has changed`)
  )
  yield* fileSystem.writeFileString(`${file}.next`, text)
  yield* fileSystem.rename(`${file}.next`, file)
}, Output.orFail)

export const layer = (given: Option.Option<string>) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const file = yield* chosen(given)
      return Option.isNone(file) ? Layer.empty : Layer.orDie(toLayer(yield* read(file.value)))
    })
  )
