/**
 * What the operator, who has the service's own documentation, says of the endpoints whose wire is only assumed.
 *
 * Specification: "Other endpoints": methods, paths, parameters, bodies and responses not shown.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type { PlatformError } from "effect/PlatformError"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as JsonText from "./internal/jsonText.ts"
import * as WireCheck from "./internal/wireCheck.ts"
import { ConfigurationInvalid } from "./SdkError.ts"

const Renames = Schema.Record(Schema.String, Schema.String)

/** How an endpoint's wire differs from what is assumed. Every part may be left out. */
export const Differences = Schema.Struct({
  method: Schema.optionalKey(Schema.Literals(["GET", "POST", "PUT", "PATCH", "DELETE"])),
  /** A read that the service takes by POST, such as a search: a person has seen that it changes nothing. */
  readOnly: Schema.optionalKey(Schema.Literal(true)),
  /** The path with the same parameter names, such as `/wallets/detail/:walletId`. */
  path: Schema.optionalKey(Schema.String),
  /** Query keys: ours to the service's. */
  query: Schema.optionalKey(Renames),
  /** Body keys: ours to the service's. */
  body: Schema.optionalKey(Renames),
  /** The envelope's key that holds the payload. Default: `data`. */
  payload: Schema.optionalKey(Schema.String),
  /** Keys of the payload, or of each item of a list: the service's to ours. */
  response: Schema.optionalKey(Renames)
})
export interface Differences extends Schema.Schema.Type<typeof Differences> {}

/** Per operation, such as `transactions.send`: `true` as assumed, or what differs. */
export type Confirmations = Readonly<Record<string, true | Differences>>

/** The API whose operations are confirmed: any `HttpApi`, such as the sdk's `CustodyApi`. */
export type Api = WireCheck.Api

/** The names of an API's operations, such as `"transactions.send"`. */
export type OperationName<A extends Api> = {
  readonly [G in keyof A["groups"] & string]: `${G}.${keyof A["groups"][G]["endpoints"] & string}`
}[keyof A["groups"] & string]

/** Confirmations of the operations of one API. */
export type ConfirmationsOf<A extends Api> = { readonly [N in OperationName<A>]?: true | Differences }

/** What has been confirmed. Nothing, unless a layer says otherwise. */
export interface WireContract {
  /** The differences of an operation if it was confirmed, `undefined` if it was not. */
  readonly confirmed: (operation: string) => Differences | undefined
}

/** The confirmations in force. */
export const WireContract = Context.Reference<WireContract>("@effect-custody/core/WireContract", {
  defaultValue: () => ({ confirmed: () => undefined })
})

const asAssumed: Differences = {}

const inForce = (confirmations: Confirmations): Layer.Layer<never> =>
  Layer.succeed(WireContract, {
    confirmed: (operation) => {
      const said = Object.hasOwn(confirmations, operation) ? confirmations[operation] : undefined
      return said === true ? asAssumed : said
    }
  })

/**
 * Confirms the operations of an API that are named, and no others. All of it is checked before any of it is in force, as
 * a contract file is: see {@link fromJson}.
 *
 * Fails with `ConfigurationInvalid`, which holds everything that is wrong.
 *
 * @example
 * ```ts
 * import { WireContract } from "@effect-custody/core"
 * import { CustodyApi } from "@effect-custody/sdk"
 *
 * const confirmed = WireContract.layer(
 *   {
 *     "wallets.get": true,
 *     "clients.create": { payload: "client" },
 *     "transactions.list": { path: "/transactions/history", query: { clientId: "client_id" } }
 *   },
 *   CustodyApi
 * )
 * ```
 */
export const layer = <A extends Api>(
  confirmations: ConfirmationsOf<A>,
  api: A
): Layer.Layer<never, ConfigurationInvalid> =>
  Layer.unwrap(
    Effect.suspend(() => {
      const problems = WireCheck.check(Differences, api, confirmations)
      if (problems.length === 0) return Effect.succeed(inForce(confirmations as Confirmations))
      const lines = problems.map(
        ({ expected, message, path }) => `${path.join(" → ")}: ${message}. Expected: ${expected}`
      )
      return Effect.fail(new ConfigurationInvalid({ option: "WireContract", reason: lines.join("\n") }))
    })
  )

/**
 * Confirms every operation as it is assumed, at once: an explicit choice, for whoever has compared them all.
 */
export const acceptAssumed: Layer.Layer<never> = Layer.succeed(WireContract, { confirmed: () => asAssumed })

/** One thing that is wrong with a contract file. */
export const FileIssue = Schema.Struct({
  /** Keys from the root, such as `["wallets.get", "path"]`. */
  path: Schema.Array(Schema.Union([Schema.String, Schema.Int])),
  /** The line of the file, from 1. */
  line: Schema.Int,
  /** The column of the line, from 1. */
  column: Schema.Int,
  message: Schema.String,
  /** What would be right. */
  expected: Schema.String
})
export interface FileIssue extends Schema.Schema.Type<typeof FileIssue> {}

/** A contract file says what cannot be. Nothing of it is in force; `issues` holds all that is wrong, and where. */
export class ContractFileInvalid extends Schema.TaggedError<ContractFileInvalid>()("ContractFileInvalid", {
  file: Schema.String,
  issues: Schema.Array(FileIssue)
}) {
  override get message(): string {
    const lines = this.issues.map(({ column, expected, line, message, path }) => {
      const where = path.length === 0 ? "" : `${path.join(" → ")}: `
      return `${this.file}:${line}:${column}: ${where}${message}. Expected: ${expected}`
    })
    return lines.join("\n")
  }
}

const byPlace = (a: FileIssue, b: FileIssue): number => a.line - b.line || a.column - b.column

/**
 * The confirmations in the text of a contract file, for the operations of an API; or everything that is wrong with it: an
 * unknown operation, a path without one of its parameters, a rename of a key that is not there, two keys renamed to one.
 *
 * @example
 * ```ts
 * import { WireContract } from "@effect-custody/core"
 * import { CustodyApi } from "@effect-custody/sdk"
 * import { Result } from "effect"
 *
 * const checked = WireContract.fromJson(`{ "wallets.get": { "path": "/wallets/detail/:id" } }`, CustodyApi)
 * if (Result.isFailure(checked)) {
 *   for (const { expected, line, message } of checked.failure) console.error(`${line}: ${message}; expected ${expected}`)
 * }
 * ```
 */
export const fromJson = (text: string, api: Api): Result.Result<Confirmations, ReadonlyArray<FileIssue>> => {
  const parsed = JsonText.parse(text)
  if (Result.isFailure(parsed)) {
    return Result.fail(
      parsed.failure.map((mistake) => ({ path: [], ...mistake, message: `not JSON: ${mistake.message}` }))
    )
  }
  const { duplicates, positionOf, value } = parsed.success
  const problems = [
    ...duplicates.map((path) => ({ path, message: "the key stands here a second time", expected: "each key once" })),
    ...WireCheck.check(Differences, api, value)
  ]
  if (problems.length === 0) return Result.succeed(value as Confirmations)
  return Result.fail(problems.map((problem): FileIssue => ({ ...problem, ...positionOf(problem.path) })).sort(byPlace))
}

/** The confirmations of a contract file, for the operations of an API. */
export const readFile = (
  file: string,
  api: Api
): Effect.Effect<Confirmations, ContractFileInvalid | PlatformError, FileSystem.FileSystem> =>
  Effect.flatMap(
    FileSystem.FileSystem.use((fileSystem) => fileSystem.readFileString(file)),
    (text) =>
      Effect.mapError(Effect.fromResult(fromJson(text, api)), (issues) => new ContractFileInvalid({ file, issues }))
  )

/**
 * Confirms the operations that a contract file names, and no others. The file is checked whole before anything of it is
 * in force: see {@link fromJson}. `custody-contract --check FILE` tells the same on the command line.
 *
 * Fails with `ContractFileInvalid` if the file says what cannot be, and with `PlatformError` if it cannot be read.
 *
 * @example
 * ```ts
 * import { WireContract } from "@effect-custody/core"
 * import { CustodyApi } from "@effect-custody/sdk"
 * import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
 * import { Layer } from "effect"
 *
 * const confirmed = WireContract.layerFile("custody.contract.json", CustodyApi).pipe(
 *   Layer.provide(NodeFileSystem.layer)
 * )
 * ```
 */
export const layerFile = (
  file: string,
  api: Api
): Layer.Layer<never, ContractFileInvalid | PlatformError, FileSystem.FileSystem> =>
  Layer.unwrap(Effect.map(readFile(file, api), inForce))
