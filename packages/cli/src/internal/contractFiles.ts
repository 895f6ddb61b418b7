/** The contract file that a command works under. */
import * as WireContract from "@effect-custody/core/WireContract"
import { CustodyApi } from "@effect-custody/sdk/CustodyApi"
import * as Config from "effect/Config"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Output from "./output.ts"

/** `--contract FILE`, or `CUSTODY_CONTRACT_FILE`. */
export const flag = Flag.File("contract").pipe(
  Flag.withDescription("The contract file in force; default: CUSTODY_CONTRACT_FILE, or none"),
  Flag.withMetavar("FILE"),
  Flag.optional
)

/** The file that is meant where none is named. */
export const usual = "custody.contract.json"

const configured = Config.option(Config.NonEmptyString("CUSTODY_CONTRACT_FILE"))

/** The file that is meant, if there is one. */
export const chosen = (given: Option.Option<string>) =>
  Option.isSome(given) ? Effect.succeed(given) : Output.orFail(configured)

/** Reads and checks a file. */
export const read = (file: string) => Output.orFail(WireContract.readFile(file, CustodyApi))

/** Puts the file in force, if there is one. */
export const layer = (given: Option.Option<string>) =>
  Layer.unwrap(
    Effect.map(
      chosen(given),
      Option.match({ onNone: () => Layer.empty, onSome: (file) => WireContract.layerFile(file, CustodyApi) })
    )
  )
