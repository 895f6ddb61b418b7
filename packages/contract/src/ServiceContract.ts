/**
 * Confirms endpoints whose wire (their HTTP form) is assumed. The confirmation is a contract that the operator writes
 * from the service's documentation.
 *
 * Specification: "Other endpoints": methods, paths, parameters, bodies and responses not shown.
 *
 * @since 0.1.0
 */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { PlatformError } from "effect/PlatformError"
import * as Result from "effect/Result"
import type * as ContractFile from "./language/ContractFile.ts"
import type { Declaration } from "@effect-custody/core/Declaration"
import type * as Endpoint from "@effect-custody/core/Endpoint"
import { checkContract } from "./check/checkContract.ts"
import type { Problem } from "./check/problem.ts"
import * as ClientWire from "./compile/clientWire.ts"
import * as Fingerprint from "./compile/fingerprint.ts"
import { type Api, type CheckedContract, type Contract, findEntry, operationShapes } from "./language/contract.ts"
import * as JsonText from "./language/JsonText.ts"
import { ConfigurationInvalid } from "@effect-custody/core/SdkError"
import type { AnswerName, Code, DifferencesOf } from "./language/Wire.ts"
import * as Plan from "./plan/plan.ts"
import { type Wire, Wires } from "@effect-custody/core/Wires"

type OperationName<A extends Api> = {
  readonly [C in keyof A["categories"] & string]: `${C}.${keyof A["categories"][C] & string}`
}[keyof A["categories"] & string]

type EndpointOf<A extends Api, N extends string> = N extends `${infer C}.${infer F}`
  ? C extends keyof A["categories"]
    ? F extends keyof A["categories"][C]
      ? A["categories"][C][F]
      : never
    : never
  : never

type InputName<A extends Api> = {
  readonly [N in OperationName<A>]: keyof Endpoint.Input<EndpointOf<A, N>> & string
}[OperationName<A>]
type AnyAnswerName<A extends Api> = {
  readonly [N in OperationName<A>]: AnswerName<EndpointOf<A, N>>
}[OperationName<A>]

interface DefaultsOf<A extends Api> extends Omit<ContractFile.Defaults, "fields" | "response"> {
  readonly fields?: { readonly [F in InputName<A>]?: ContractFile.Place }
  readonly response?: { readonly [F in AnyAnswerName<A>]?: ContractFile.Place }
}

/**
 * A contract for the operations of one API: the content of a contract file, and code where data is not enough.
 *
 * @since 0.1.0
 * @category utility types
 */
export interface ContractOf<A extends Api> extends Omit<ContractFile.File, "defaults" | "operations"> {
  readonly defaults?: DefaultsOf<A>
  /** The confirmed operations. `true` confirms the assumed wire, with the defaults applied. */
  readonly operations?: {
    readonly [N in OperationName<A>]?: true | DifferencesOf<EndpointOf<A, N>> | Code<EndpointOf<A, N>>
  }
}

/**
 * The wires in force, and the contract that defines them. By default, no operation is confirmed, and every wire is the
 * assumed one.
 *
 * @since 0.1.0
 * @category services
 */
export interface ServiceContract extends Wires {
  /** The contract that defines the wires; absent if every wire is the assumed one. */
  readonly checked?: CheckedContract | undefined
}
export const ServiceContract: Context.Reference<ServiceContract> = Wires

const inForce = (contract: Contract, api: Api): Layer.Layer<never> =>
  Layer.sync(ServiceContract, () => {
    const { defaults = {} } = contract
    const wires = new Map<Declaration, Wire>(
      [...operationShapes(api)].map(([name, shape]) => [
        shape.declaration,
        ClientWire.make(Plan.make(shape, findEntry(contract, name), defaults))
      ])
    )
    return {
      confirms: (operation) => wires.has(operation) && findEntry(contract, operation.operation) !== undefined,
      wire: (operation) => wires.get(operation),
      fingerprint: (operation) => (wires.has(operation) ? Fingerprint.make(contract, operation.operation) : undefined),
      checked: { contract, api }
    }
  })

/**
 * Confirms the listed operations, and no others. `defaults` apply to every operation of the API. The layer
 * checks the whole contract first, like a contract file: see {@link fromJson}.
 *
 * Fails with `ConfigurationInvalid`, which lists up to 100 mistakes.
 *
 * @example
 * ```ts
 * import { ServiceContract } from "@effect-custody/contract"
 * import { CustodyApi } from "@effect-custody/sdk"
 *
 * const confirmed = ServiceContract.layer(
 *   {
 *     defaults: { casing: "snake_case", payload: "result" },
 *     operations: {
 *       "wallets.get": true,
 *       "transactions.list": { route: "/transactions/history", response: { status: "state" } },
 *       "transactions.send": {
 *         route: "PUT /accounts/:clientId/payouts",
 *         fields: { to: "destination.address" }
 *       }
 *     }
 *   },
 *   CustodyApi
 * )
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = <A extends Api>(contract: ContractOf<A>, api: A): Layer.Layer<never, ConfigurationInvalid> =>
  Layer.unwrap(
    Effect.suspend(() => {
      const problems = checkContract(api, contract).slice(0, maxIssues)
      return problems.length === 0 ? Effect.succeed(inForce(contract as Contract, api)) : Effect.fail(invalid(problems))
    })
  )

/**
 * Confirms every operation with its assumed wire. First compare all operations with the service's documentation.
 *
 * @since 0.1.0
 * @category layers
 */
export const acceptAssumed: Layer.Layer<never> = Layer.succeed(ServiceContract, {
  confirms: () => true,
  wire: () => undefined,
  fingerprint: () => undefined
})

/** A mistake in a contract file, and its place. */
interface FileIssue extends Problem, JsonText.Position {}

const issue = (message: string): FileIssue => ({ path: [], line: 1, column: 1, message })

const maxIssues = 100

/** Names each mistake with its keys from the root. `before` says where it is in a file. */
const invalid = <P extends Problem>(problems: ReadonlyArray<P>, before: (problem: P) => string = () => "") => {
  const lines = problems.map((problem) => {
    const where = problem.path.length === 0 ? "" : `${problem.path.join(" → ")}: `
    return `${before(problem)}${where}${problem.message}`
  })
  return new ConfigurationInvalid({ option: "ServiceContract", reason: lines.join("\n") })
}

/** The maximum size of a file in bytes, and of a text in characters. */
const maxSize = 1024 * 1024

const tooLarge = (size: number) => [issue(`the file has a size of ${size}: a contract has at most ${maxSize} bytes`)]

const byPlace = (a: FileIssue, b: FileIssue): number => a.line - b.line || a.column - b.column

/**
 * Reads the text of a contract file for the operations of an API. Returns the contract, or up to 100 mistakes.
 *
 * @since 0.1.0
 * @category reading
 */
export const fromJson = (text: string, api: Api): Result.Result<ContractFile.File, ReadonlyArray<FileIssue>> => {
  if (text.length > maxSize) return Result.fail(tooLarge(text.length))
  // The message quotes nothing, because a file given by mistake may contain a key.
  if (!/^\s*\{|^\s*$/.test(JsonText.withoutMark(text))) {
    return Result.fail([issue("the file is not a JSON object")])
  }
  return Result.match(JsonText.parse(text), {
    onFailure: (mistake) => Result.fail([{ path: [], ...mistake, message: `not JSON: ${mistake.message}` }]),
    onSuccess: ({ duplicates, positionOf, value }) => {
      const issues = [
        ...duplicates.map(({ path, ...position }) => ({ path, ...position, message: "the key is repeated here" })),
        ...checkContract(api, value)
          .slice(0, maxIssues)
          .map((problem) => ({ ...problem, ...positionOf(problem.path) }))
      ]
      return issues.length === 0 ? Result.succeed(value as ContractFile.File) : Result.fail(issues.toSorted(byPlace))
    }
  })
}

/**
 * Reads a contract file for the operations of an API. Refuses a file of more than 1 MiB without reading it.
 *
 * Fails with `ConfigurationInvalid`, which lists the mistakes with their lines, and with `PlatformError` if the file
 * cannot be read.
 *
 * @since 0.1.0
 * @category reading
 */
export const readFile = Effect.fnUntraced(function* (
  file: string,
  api: Api
): Effect.fn.Return<ContractFile.File, ConfigurationInvalid | PlatformError, FileSystem.FileSystem> {
  const fileSystem = yield* FileSystem.FileSystem
  const info = yield* Effect.option(fileSystem.stat(file))
  const size = Number(Option.getOrUndefined(info)?.size ?? 0)
  const checked = size > maxSize ? Result.fail(tooLarge(size)) : fromJson(yield* fileSystem.readFileString(file), api)
  return yield* Effect.mapError(Effect.fromResult(checked), (issues) =>
    invalid(issues, ({ column, line }) => `${file}:${line}:${column}: `)
  )
})

/**
 * Confirms the operations that a contract file lists, and no others. The layer checks the whole file first: see
 * {@link fromJson}. `custody contract check FILE` makes the same check on the command line.
 *
 * Fails with `ConfigurationInvalid`, which lists the mistakes with their lines, and with `PlatformError` if the file
 * cannot be read.
 *
 * @example
 * ```ts
 * import { ServiceContract } from "@effect-custody/contract"
 * import { CustodyApi } from "@effect-custody/sdk"
 * import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
 * import { Layer } from "effect"
 *
 * const confirmed = ServiceContract.layerFile("custody.contract.json", CustodyApi).pipe(
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
): Layer.Layer<never, ConfigurationInvalid | PlatformError, FileSystem.FileSystem> =>
  Layer.unwrap(Effect.map(readFile(file, api), (contract) => inForce(contract, api)))
