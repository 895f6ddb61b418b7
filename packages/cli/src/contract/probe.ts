/** `custody contract probe`: calls the reads of a sandbox, and compares their answers with the contract. */
import * as Environment from "@effect-custody/core/Environment"
import * as AnswerReport from "@effect-custody/core/unstable/AnswerReport"
import * as Redaction from "@effect-custody/core/unstable/Redaction"
import * as RetryPolicy from "@effect-custody/core/RetryPolicy"
import type { CustodyClient } from "@effect-custody/core/CustodyClient"
import * as Page from "@effect-custody/core/Page"
import { TokenService } from "@effect-custody/core/TokenService"
import type * as ContractFile from "@effect-custody/contract/ContractFile"
import * as ServiceContract from "@effect-custody/contract/ServiceContract"
import * as NodeCustody from "@effect-custody/node/NodeCustody"
import { Clients } from "@effect-custody/sdk"
import * as CliCommand from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as Service from "../service/environment.ts"
import * as Client from "../service/client.ts"
import * as ContractFiles from "../service/contractFiles.ts"
import { type AnyEndpoint, endpoints, decodeInput, type Failure } from "../service/endpoints.ts"
import * as Output from "../terminal/output.ts"
import * as Report from "./probeReport.ts"

const flags = {
  contract: ContractFiles.flag,
  with: Flag.KeyValuePair("with").pipe(
    Flag.withDescription("An id that no list returns, such as tokenId=17"),
    Flag.withMetavar("NAME=VALUE"),
    Flag.withDefault({})
  ),
  notProduction: Flag.Boolean("not-production").pipe(
    Flag.withDescription("Confirm that the service at the address in CUSTODY_BASE_URL is not production"),
    Flag.withDefault(false)
  ),
  yes: Output.yes,
  json: Output.json
}

type Contract = ContractFiles.Contract

const sessionEntries = (entries: Contract["operations"] = {}): Record<string, ContractFiles.Entry> =>
  Record.filter(entries, (_, name) => endpoints.get(name)?.safety === "session")

/**
 * The contract of the probe. It confirms each read as the file confirms it, else as assumed. It confirms no write, so the
 * probe can send none. The session's endpoints stay as in the file.
 */
const readsOnly = ({ defaults = {}, operations }: Contract, more: Contract["operations"] = {}): Contract => ({
  defaults,
  operations: {
    ...Object.fromEntries(Report.reads().map(([name]) => [name, operations?.[name] ?? true])),
    ...sessionEntries(operations),
    ...more
  }
})

/** Failures that end the probe: further calls would show nothing, or do harm. */
const final = ["SessionLost", "NoSession", "RefreshUnavailable", "StoredSessionInvalid", "TransportError"]

const isFinal = (failure: string): boolean => final.some((tag) => failure.startsWith(`${tag}:`))

/** Removes every secret of the session from a text, replaced secrets too. */
const redaction = TokenService.use(({ secrets }) =>
  Effect.map(secrets, (all) => Redaction.make(all.map(Redacted.value)))
)

/** Calls a read with fields of JSON. Fails with a text. */
const call = Effect.fnUntraced(function* (endpoint: AnyEndpoint, fields: Report.Fields) {
  const input = yield* Effect.fromResult(decodeInput(endpoint, fields))
  return yield* Effect.mapError(endpoint(input), ({ _tag, message }) => `${_tag}: ${message}`)
})

/** Calls a list with one filter at a time, and a value of its first row. The row must come back. */
const proveFilters = Effect.fnUntraced(function* (endpoint: AnyEndpoint, result: unknown) {
  const rows = AnswerReport.recordsIn(result)
  const [row] = rows
  const proven: Array<string> = []
  const unproven: Array<string> = []
  for (const filter of row === undefined ? [] : Report.filters(endpoint)) {
    const value = Report.filterValue(rows, filter)
    const objection =
      value === undefined
        ? "the rows do not show what to ask for"
        : yield* Effect.match(call(endpoint, { [filter]: value }), {
            onFailure: (reason) => reason,
            onSuccess: (page) => Report.filterObjection(row!, filter, value, AnswerReport.recordsIn(page))
          })
    if (objection === undefined) proven.push(filter)
    else unproven.push(`${filter} (${objection})`)
  }
  return { proven, unproven }
})

/** Reads two pages of one row. They must have the first two rows of the list. Returns what is wrong with them. */
const readPages = (endpoint: AnyEndpoint, keys: readonly [unknown, unknown]) => {
  const list = (query: object) => endpoint(query) as Effect.Effect<Page.Page<Report.Fields>, Failure, CustodyClient>
  return Page.pages(list, { limit: 1 }).pipe(
    Stream.take(2),
    Stream.runCollect,
    Effect.match({
      onFailure: ({ _tag, message }) => `${_tag}: ${message}`,
      onSuccess: (pages) => Report.pagingObjection(keys, pages)
    })
  )
}

/** Calls the reads in turn. `report` receives each result at once. `paging` says whether a second page has the next row. */
const run = Effect.fnUntraced(function* (
  { defaults, operations = {} }: Contract,
  ids: Readonly<Record<string, string>>,
  report: (probed: Report.Probed) => Effect.Effect<void>
) {
  const { wire } = yield* ServiceContract.ServiceContract
  const all: Array<Report.Probed> = []
  let known = ids
  let stopped: string | undefined
  let paging: { readonly isConfirmed: boolean; readonly text: string } | undefined

  const provePaging = Effect.fnUntraced(function* (endpoint: AnyEndpoint, result: unknown) {
    const entry = operations[endpoint.operation]
    const way = (typeof entry === "object" && "paging" in entry ? entry.paging : undefined) ?? defaults?.paging
    const keys = Report.isPaged(endpoint) && way !== "none" ? Report.firstKeys(result) : undefined
    if (paging?.isConfirmed === true || keys === undefined) return
    const objection = yield* readPages(endpoint, keys)
    if (objection === undefined) {
      paging = { isConfirmed: true, text: `${endpoint.operation}: page 2 has the next row` }
    } else paging ??= { isConfirmed: false, text: `${endpoint.operation}: ${objection}` }
  })

  const probe = Effect.fnUntraced(function* (operation: string, needed: ReadonlyArray<string>) {
    const endpoint = endpoints.get(operation)!
    const unknown = needed.filter((name) => known[name] === undefined)
    const obstacle = unknown.length > 0 ? `no ${unknown.join(", ")} is known: use --with ${unknown[0]}=…` : undefined
    if (stopped !== undefined || obstacle !== undefined) {
      return Report.unanswered(operation, "not tried", stopped ?? obstacle!)
    }
    const result = yield* Effect.result(
      call(
        endpoint,
        Record.filter(known, (_, name) => needed.includes(name))
      )
    )
    if (Result.isFailure(result)) {
      if (isFinal(result.failure)) stopped = `stopped after ${operation} failed`
      return Report.unanswered(operation, "failed", result.failure)
    }
    known = { ...Report.idsIn(operation, result.success), ...known }
    const answered = Report.answered(endpoint, result.success, { redact: yield* redaction, wire: wire(endpoint) })
    yield* provePaging(endpoint, result.success)
    return { ...answered, ...(yield* proveFilters(endpoint, result.success)) }
  })

  for (const [operation, needed] of Report.reads()) {
    const probed = yield* probe(operation, needed)
    all.push(probed)
    yield* report(probed)
  }
  return { all, paging: paging ?? { isConfirmed: false, text: "no list with pages has shown two rows" } }
})

/** An id that no client has. */
const noClient = "custody-probe-no-such-client"

/** The result of a look-up of a client that does not exist: `"absent"` only if the absence is certain. */
const lookUp = (contract: Contract) =>
  Effect.match(Clients.find({ externalId: noClient }), {
    onFailure: ({ _tag, message }) => `${_tag}: ${message}`,
    onSuccess: (found) => (Option.isNone(found) ? "absent" : "a record")
  }).pipe(
    Effect.provideService(RetryPolicy.RetryPolicy, RetryPolicy.none),
    Effect.provide(Client.under(ContractFiles.toLayer(contract)))
  )

/** Says whether a record that does not exist differs from a path that does not exist. */
const compareAbsence = Effect.fnUntraced(function* (contract: Contract) {
  const entry = contract.operations?.["clients.get"]
  const { path: _, ...differences } = entry === true || entry === undefined ? {} : entry
  const moved = { ...differences, path: "/custody-probe-no-such-path/:externalId" } as ContractFiles.Entry
  const result = yield* lookUp(contract)
  if (result !== "absent") return `a client that does not exist gives ${result}`
  return (yield* lookUp(readsOnly(contract, { "clients.get": moved }))) === "absent"
    ? "a path that does not exist looks like a record that does not: list the record's code under errors.tags"
    : undefined
})

/** Writes the proven filters into the entries of the file. */
const record = (contract: Contract, all: ReadonlyArray<Report.Probed>): Contract => {
  const results = new Map(all.map((probed) => [probed.operation, probed]))
  const operations = Record.map(contract.operations ?? {}, (entry, name) => {
    const probed = results.get(name)
    if (probed === undefined || probed.outcome !== "answered" || probed.records === 0) return entry
    const { proven: _, ...rest } = entry === true ? {} : (entry as ContractFile.Differences)
    const next = probed.proven?.length ? { ...rest, proven: probed.proven } : rest
    return Object.keys(next).length === 0 ? true : next
  })
  return { ...contract, operations }
}

/**
 * Fails unless CUSTODY_ENVIRONMENT says sandbox, the service is on this machine, or a person confirms that it is not
 * production. An address alone does not show this.
 */
const assertNoProduction = Effect.fnUntraced(function* (environment: Environment.Environment, isConfirmed: boolean) {
  const { baseUrl, kind } = yield* Output.orFail(Effect.fromResult(Environment.validate(environment)))
  if (kind === "production") {
    return yield* Output.failure("probe is for sandboxes only, and this environment is production")
  }
  if (kind === "sandbox" || isConfirmed || !Environment.isReal(environment)) return
  return yield* Output.failure(
    `nothing shows whether ${baseUrl} is production: use --not-production if it is certainly not. Nothing was done`
  )
})

export const command = CliCommand.make(
  "probe",
  flags,
  Effect.fnUntraced(function* ({ contract: given, json, notProduction, with: ids, yes }) {
    const environment = yield* Service.configured
    yield* assertNoProduction(environment, notProduction)
    const file = Option.getOrUndefined(yield* ContractFiles.chosen(given))
    const contract = file === undefined ? {} : yield* ContractFiles.read(file)
    const reads = readsOnly(contract)
    yield* Output.ask(`Call the ${Report.reads().length} reads of ${environment.baseUrl}?`, yes, json)
    const paint = yield* Output.paint
    const { all, paging } = yield* run(reads, ids, (probed) =>
      json ? Effect.void : Output.lines(Report.lines(probed, paint))
    ).pipe(
      Effect.provideService(RetryPolicy.RetryPolicy, RetryPolicy.none),
      Effect.provide(Client.under(ContractFiles.toLayer(reads))),
      Output.orFail
    )
    const count = (outcome: Report.Probed["outcome"]) => all.filter((probed) => probed.outcome === outcome).length
    const absence = count("answered") === 0 ? undefined : yield* Output.orFail(compareAbsence(reads))
    const protocol = yield* Output.orFail(NodeCustody.negotiateProtocol(environment))
    const isWritten = file !== undefined && !ContractFiles.isModule(file)
    if (isWritten) yield* ContractFiles.write(file, record(contract, all))
    if (json) yield* Output.value({ operations: all, absence: absence ?? null, paging, protocol: protocol ?? null })
    else {
      yield* Output.lines([
        paging.isConfirmed ? paging.text : `${paint("doubtful", "look:")} paging is unconfirmed; ${paging.text}`
      ])
      if (absence !== undefined) yield* Output.lines([`${paint("doubtful", "look:")} ${absence}`])
      if (protocol !== undefined) yield* Console.log(`The service speaks ${protocol}`)
      yield* Console.log(
        `${count("answered")} answered, ${count("failed")} failed, ${count("not tried")} not tried. Nothing was changed` +
          (isWritten ? `; what was proven is in ${file}` : "")
      )
    }
    if (count("failed") > 0) return yield* Output.failure(`${count("failed")} of the reads failed`)
  })
).pipe(
  CliCommand.withDescription(
    "Calls the reads of a sandbox, compares each answer with the contract, and proves filters. Exits with 1 if one fails"
  )
)
