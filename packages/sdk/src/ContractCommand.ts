/**
 * The command `custody-contract`: what is known of every operation's wire, and what a contract file confirms.
 *
 * @since 0.1.0
 */
import * as WireContract from "@effect-custody/core/WireContract"
import * as CliError from "effect/cli/CliError"
import * as CliCommand from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { CustodyApi, type Operation } from "./CustodyApi.ts"
import { version } from "./internal/version.ts"

/**
 * How many operations the specification counts in each category ("Endpoint categories").
 *
 * @since 0.1.0
 * @category constants
 */
export const counts: Readonly<Record<string, number>> = {
  authentication: 2,
  clients: 4,
  wallets: 4,
  vaults: 9,
  transactions: 5,
  assets: 2,
  tokens: 7,
  nfts: 5,
  paymentOrders: 5,
  fiatGateway: 4
}

/**
 * What the wire of an operation rests on.
 *
 * @since 0.1.0
 * @category models
 */
export type Standing = "specified" | "assumed" | "confirmed" | "confirmed with differences"

type Said = true | WireContract.Differences | undefined

/** What the confirmations say of an operation. */
const saidOf = ({ name }: Operation, confirmations: WireContract.Confirmations): Said =>
  Object.hasOwn(confirmations, name) ? confirmations[name] : undefined

const standingOf = ({ provenance }: Operation, said: Said): Standing => {
  if (said === undefined) return provenance
  if (said !== true && Object.keys(said).length > 0) return "confirmed with differences"
  return provenance === "specified" ? provenance : "confirmed"
}

const renames = (part: string, names: Readonly<Record<string, string>> | undefined): ReadonlyArray<string> =>
  Object.entries(names ?? {}).map(([from, to]) => `${part} ${from} → ${to}`)

/** The differences in words, but for method and path, which have columns. */
const inWords = (said: Said): string =>
  said === undefined || said === true
    ? ""
    : [
        ...renames("query", said.query),
        ...renames("body", said.body),
        ...(said.payload === undefined ? [] : [`payload in ${said.payload}`]),
        ...renames("response", said.response)
      ].join(", ")

const aligned = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const widths = rows.reduce<ReadonlyArray<number>>(
    (widest, row) => row.map((cell, column) => Math.max(cell.length, widest[column] ?? 0)),
    []
  )
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join("  ")
      .trimEnd()
  )
}

/** How many of each. */
const tally = <A extends string>(of: ReadonlyArray<A>): ReadonlyMap<A, number> =>
  of.reduce((counted, each) => counted.set(each, (counted.get(each) ?? 0) + 1), new Map<A, number>())

/**
 * A line for each operation (name, method, path, what its wire rests on), then the totals.
 *
 * @since 0.1.0
 * @category formatting
 */
export const table = (confirmations: WireContract.Confirmations): ReadonlyArray<string> => {
  const told = CustodyApi.operations.map((operation) => {
    const said = saidOf(operation, confirmations)
    const { method = operation.method, path = operation.path } = said === true ? {} : (said ?? {})
    const { category, name } = operation
    return { category, cells: [name, method, path, standingOf(operation, said), inWords(said)] as const }
  })
  const totals = (of: ReadonlyArray<string>) => [...tally(of)].map(([each, count]) => `${count} ${each}`).join(", ")
  return [
    ...aligned(told.map(({ cells }) => cells)),
    "",
    totals(told.map(({ category }) => category)),
    `${told.length} operations: ${totals(told.map(({ cells }) => cells[3]))}`
  ]
}

/**
 * The categories whose number of operations is not that of the specification, a line for each.
 *
 * @since 0.1.0
 * @category validation
 */
export const miscounted = (operations: ReadonlyArray<Operation>): ReadonlyArray<string> => {
  const found = tally(operations.map(({ category }) => category))
  return [...new Set([...Object.keys(counts), ...found.keys()])]
    .filter((category) => found.get(category) !== counts[category])
    .map(
      (category) => `${category}: ${found.get(category) ?? 0}, and the specification counts ${counts[category] ?? 0}`
    )
}

/** An end that is shown, each line indented as the first is. */
const failure = (message: string, cause?: unknown) =>
  new CliError.UserError({ cause, userMessage: message.replaceAll("\n", "\n  ") })

const flags = {
  check: Flag.File("check").pipe(
    Flag.withDescription("A contract file to check; the table then shows what it confirms"),
    Flag.withMetavar("FILE"),
    Flag.optional
  )
}

/**
 * The command `custody-contract`. Prints every operation. Fails if the contracts do not agree with the specification,
 * or the file with the contracts.
 *
 * @since 0.1.0
 * @category commands
 */
export const command = CliCommand.make(
  "custody-contract",
  flags,
  Effect.fnUntraced(function* ({ check }) {
    const confirmations = Option.isNone(check)
      ? {}
      : yield* Effect.mapError(WireContract.readFile(check.value, CustodyApi), (error) => failure(error.message, error))
    yield* Effect.forEach(table(confirmations), (line) => Console.log(line), { discard: true })
    if (Option.isSome(check)) {
      yield* Console.log(`${check.value} is valid: it confirms ${Object.keys(confirmations).length} operations`)
    }
    const wrong = miscounted(CustodyApi.operations)
    if (wrong.length > 0) return yield* failure(wrong.join("\n"))
  })
).pipe(
  CliCommand.withDescription("What is known of every operation's wire: specified, assumed, or confirmed by a file")
)

/**
 * Runs the command with the arguments of the process. Needs the platform's services, such as `NodeServices.layer`.
 *
 * @since 0.1.0
 * @category commands
 */
export const main = CliCommand.run(command, { version })
