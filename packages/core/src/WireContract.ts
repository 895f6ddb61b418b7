/**
 * What the operator, who has the service's own documentation, says of the endpoints whose wire is assumed.
 *
 * Specification: "Other endpoints": methods, paths, parameters, bodies and responses not shown.
 *
 * @since 0.1.0
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

/**
 * The codec of {@link Differences}.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Differences = Schema.Struct({
  method: Schema.optionalKey(Schema.Literals(["GET", "POST", "PUT", "PATCH", "DELETE"])),
  /** A read that the service takes as POST, such as a search. Say so only if the documentation says that it changes nothing. */
  readOnly: Schema.optionalKey(Schema.Literal(true)),
  /** The path with the same parameter names, such as `/wallets/detail/:walletId`. */
  path: Schema.optionalKey(Schema.String),
  /** New names of query keys: from ours to the service's. */
  query: Schema.optionalKey(Renames),
  /** New names of body keys: from ours to the service's. */
  body: Schema.optionalKey(Renames),
  /** The envelope's key that holds the payload. Default: `data`. */
  payload: Schema.optionalKey(Schema.String),
  /** New names of the payload's keys, or of those of each item of a list: from the service's to ours. */
  response: Schema.optionalKey(Renames)
})
/**
 * How an endpoint's wire differs from what is assumed. Each part may be left out.
 *
 * @since 0.1.0
 * @category models
 */
export interface Differences extends Schema.Schema.Type<typeof Differences> {}

/**
 * For each operation, such as `transactions.send`: `true` if its wire is as assumed, or the differences.
 *
 * @since 0.1.0
 * @category models
 */
export type Confirmations = Readonly<Record<string, true | Differences>>

/**
 * The API whose operations are confirmed: any `HttpApi`, such as the sdk's `CustodyApi`.
 *
 * @since 0.1.0
 * @category models
 */
export type Api = WireCheck.Api

/**
 * The names of an API's operations, such as `"transactions.send"`.
 *
 * @since 0.1.0
 * @category utility types
 */
export type OperationName<A extends Api> = {
  readonly [G in keyof A["groups"] & string]: `${G}.${keyof A["groups"][G]["endpoints"] & string}`
}[keyof A["groups"] & string]

/**
 * {@link Confirmations} of the operations of one API.
 *
 * @since 0.1.0
 * @category utility types
 */
export type ConfirmationsOf<A extends Api> = { readonly [N in OperationName<A>]?: true | Differences }

/**
 * The operations that have been confirmed.
 *
 * @since 0.1.0
 * @category models
 */
export interface WireContract {
  /** The differences of an operation if it was confirmed, `undefined` if it was not. */
  readonly confirmed: (operation: string) => Differences | undefined
}

/**
 * The confirmations in force. Default: none.
 *
 * @since 0.1.0
 * @category services
 */
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
 * Confirms the operations that are named, and no others. Everything is checked before any of it is in force, as with a
 * contract file: see {@link fromJson}.
 *
 * Fails with `ConfigurationInvalid`, which lists everything that is wrong.
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
 *
 * @since 0.1.0
 * @category layers
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
 * Confirms every operation as it is assumed. Use it only after comparing all of them with the service's documentation.
 *
 * @since 0.1.0
 * @category layers
 */
export const acceptAssumed: Layer.Layer<never> = Layer.succeed(WireContract, { confirmed: () => asAssumed })

/**
 * The codec of a {@link FileIssue}.
 *
 * @since 0.1.0
 * @category schemas
 */
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
/**
 * One thing that is wrong with a contract file.
 *
 * @since 0.1.0
 * @category models
 */
export interface FileIssue extends Schema.Schema.Type<typeof FileIssue> {}

/**
 * A contract file is not valid. Nothing of it is in force. `issues` lists everything that is wrong, and where.
 *
 * @since 0.1.0
 * @category errors
 */
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
 * Reads the text of a contract file for the operations of an API. Gives the confirmations, or everything that is
 * wrong: an unknown operation, a path without one of its parameters, a rename of an unknown key, two keys with the
 * same new name.
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
 *
 * @since 0.1.0
 * @category reading
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

/**
 * Reads a contract file for the operations of an API.
 *
 * Fails with {@link ContractFileInvalid} if the file is not valid, and with `PlatformError` if it cannot be read.
 *
 * @since 0.1.0
 * @category reading
 */
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
 * Confirms the operations that a contract file names, and no others. The whole file is checked before any of it is in
 * force: see {@link fromJson}. `custody contract check FILE` makes the same check on the command line.
 *
 * Fails with {@link ContractFileInvalid} if the file is not valid, and with `PlatformError` if it cannot be read.
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
 *
 * @since 0.1.0
 * @category layers
 */
export const layerFile = (
  file: string,
  api: Api
): Layer.Layer<never, ContractFileInvalid | PlatformError, FileSystem.FileSystem> =>
  Layer.unwrap(Effect.map(readFile(file, api), inForce))
