/** `custody contract probe`: calls the reads of a sandbox, and compares their answers with the contract. */
import * as Adapter from "@effect-custody/contract/Adapter"
import type { CustodyClient } from "@effect-custody/core/CustodyClient"
import * as Page from "@effect-custody/core/Page"
import * as RetryPolicy from "@effect-custody/core/RetryPolicy"
import * as Declaration from "@effect-custody/core/siblings/Declaration"
import { Wires } from "@effect-custody/core/siblings/Wires"
import * as NodeCustody from "@effect-custody/node/NodeCustody"
import { Clients } from "@effect-custody/sdk"
import * as CliCommand from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as DateTime from "effect/DateTime"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as Service from "../service/environment.ts"
import * as Client from "../service/client.ts"
import * as ContractFiles from "../service/contractFiles.ts"
import { type AnyEndpoint, endpoints, decodeInput, type Failure } from "../service/endpoints.ts"
import * as Output from "../terminal/output.ts"
import * as Report from "./probeReport.ts"

type Contract = ContractFiles.Contract
type Rows = ReadonlyArray<Report.Fields>
type Texts = ReadonlyArray<string>
type Names = Array<string>

/**
 * The contract of the probe. It confirms some reads as the file confirms them, else as assumed. It confirms no write, so
 * the probe can send none. The session's endpoints stay as in the file.
 */
const readsOnly = (contract: Contract, reads: ReadonlyArray<string>): Contract => ({
  service: contract.service,
  adapters: [
    ...reads.map((name) => ContractFiles.find(contract, name) ?? Adapter.assumed(endpoints.get(name)!)),
    ...contract.adapters.filter(({ operation }) => operation.safety === "session")
  ]
})

/** Failures that end the probe: further calls would show nothing, or do harm. */
const isFinal = (failure: string): boolean =>
  /^(?:SessionLost|NoSession|RefreshUnavailable|StoredSessionInvalid|TransportError):/.test(failure)

/** Calls a read with fields of JSON. Fails with a text. */
const call = Effect.fnUntraced(function* (endpoint: AnyEndpoint, fields: Report.Fields) {
  const input = yield* Effect.fromResult(decodeInput(endpoint, fields))
  return yield* Effect.mapError(endpoint(input), ({ _tag, message }) => `${_tag}: ${message}`)
})

/** Reads two pages of two rows. They must have the first rows of the list. Returns what is wrong with them. */
const tryPages = (endpoint: AnyEndpoint, rows: Rows) => {
  const list = (query: object) => endpoint(query) as Effect.Effect<Page.Page<Report.Fields>, Failure, CustodyClient>
  return Page.pages(list, { limit: 2 }).pipe(
    Stream.take(2),
    Stream.runCollect,
    Effect.match({
      onFailure: ({ _tag, message }) => `${_tag}: ${message}`,
      onSuccess: (pages) => {
        const [first] = pages
        // A list that says that it ends, and ignores how many rows were asked for, is whole.
        const isWhole = first?.hasNext === false && first.items.length === rows.length
        return isWhole ? Report.roundObjection(rows.length) : Report.pagingObjection(rows, pages)
      }
    })
  )
}

/** The number of rows that a list is asked for: as many as the ledger and `find` ask for. */
const limit = 100

const limitOf = (endpoint: AnyEndpoint, omits: Texts) =>
  Declaration.isPaged(endpoint) && !omits.includes("limit") ? { limit } : {}

/** Tries the pages of a list and, one at a time, its filters: each must show some of the known rows, and hide others. */
const tryList = Effect.fnUntraced(function* (endpoint: AnyEndpoint, rows: Rows, omits: Texts) {
  const [proven, refuted, hints, unseen] = [[], [], [], []] as [Names, Names, Names, Names]
  if (Declaration.isPaged(endpoint)) {
    if (rows.length < 3) unseen.push("pages")
    else {
      const objection = yield* tryPages(endpoint, rows)
      if (objection !== undefined) hints.push(`paging: ${objection}`)
    }
  }
  for (const filter of Report.filters(endpoint).filter((name) => !omits.includes(name))) {
    const trials = Report.trials(rows, filter)
    let objection: string | undefined
    for (const trial of trials) {
      objection = yield* Effect.match(call(endpoint, { ...limitOf(endpoint, omits), [filter]: trial.value }), {
        onFailure: (reason) => reason,
        onSuccess: (page) => Report.filterObjection(rows, trial, Report.recordsIn(page), limit)
      })
      // A value for which the service has several words cannot be sent. Another value may be.
      if (objection?.startsWith("InputInvalid:") !== true) break
    }
    if (trials.length === 0) unseen.push(filter)
    else if (objection === undefined) proven.push(filter)
    else {
      refuted.push(filter)
      hints.push(`the filter ${filter}: ${objection}`)
    }
  }
  return { proven, refuted, hints, notes: Report.titled("could not be tried with these rows", unseen) }
})

/** Says whether a client that does not exist differs from a path that does not exist. Hints for `clients.get`. */
const compareAbsence = Effect.fnUntraced(function* ({ adapters, service }: Contract) {
  const moved: Adapter.Service = {
    ...service,
    request: (own, operation) => {
      const request = service.request?.(own, operation) ?? own
      return operation.operation === "clients.get"
        ? HttpClientRequest.setUrl(request, "/custody-probe-no-such-path/none")
        : request
    }
  }
  // The moved requests are not those of the examples.
  const withoutExamples = adapters.map((adapter) => ({ ...adapter, examples: [] }))
  const lookUp = Effect.match(Clients.find({ externalId: "custody-probe-no-such-client" }), {
    onFailure: ({ _tag, message }) => `${_tag}: ${message}`,
    onSuccess: (found) => (Option.isNone(found) ? undefined : "a record")
  })
  const found = yield* lookUp
  if (found !== undefined) return [`a client that does not exist gives ${found}`]
  const elsewhere = yield* Effect.provide(
    lookUp,
    Client.under(ContractFiles.toLayer({ adapters: withoutExamples, service: moved })),
    // Without it, Effect would give the client that it has already built.
    { local: true }
  )
  return elsewhere === undefined
    ? ["a path that does not exist looks like a record that does not: say which code means NotFound"]
    : []
})

/** Calls some reads in turn. `report` receives each result at once. */
const run = Effect.fnUntraced(function* (
  contract: Contract,
  ids: Readonly<Record<string, string>>,
  report: (probed: Report.Probed) => Effect.Effect<void>
) {
  const { wire } = yield* Wires
  const all: Array<Report.Probed> = []
  const seen = new Map<string, Report.Fields>()
  let known = ids
  let stopped: string | undefined

  const probe = Effect.fnUntraced(function* (operation: string, needed: ReadonlyArray<string>) {
    const endpoint = endpoints.get(operation)!
    const unknown = needed.filter((name) => known[name] === undefined)
    const obstacle = unknown.length > 0 ? `no ${unknown.join(", ")} is known: use --with ${unknown[0]}=…` : undefined
    if (stopped !== undefined || obstacle !== undefined) {
      return Report.unanswered(operation, "not tried", stopped ?? obstacle!)
    }
    const omits = wire(endpoint)?.omits ?? []
    const input = { ...Record.filter(known, (_, name) => needed.includes(name)), ...limitOf(endpoint, omits) }
    const result = yield* Effect.result(call(endpoint, input))
    if (Result.isFailure(result)) {
      if (isFinal(result.failure)) stopped = `stopped after ${operation} failed`
      return Report.unanswered(operation, "failed", result.failure)
    }
    known = { ...Report.idsIn(operation, result.success), ...known }
    const answered = Report.answered(endpoint, result.success, {
      redact: yield* Client.redaction,
      now: yield* DateTime.now,
      wire: wire(endpoint),
      seen
    })
    if (operation === "clients.get" && answered.outcome === "answered") {
      return { ...answered, hints: [...answered.hints, ...(yield* compareAbsence(contract))] }
    }
    if (answered.outcome === "failed" || !Declaration.isList(endpoint)) return answered
    const found = yield* tryList(endpoint, Report.recordsIn(result.success), omits)
    return {
      ...answered,
      ...found,
      hints: [...answered.hints, ...found.hints],
      notes: [...answered.notes, ...found.notes]
    }
  })

  for (const [operation, needed] of Report.reads()) {
    if (ContractFiles.find(contract, operation) === undefined) continue
    const probed = yield* probe(operation, needed)
    all.push(probed)
    yield* report(probed)
  }
  return all
})

/** The reads that a contract confirms, or all. */
const chooseReads = (contract: Contract, all: boolean) => {
  const names = Report.reads().flatMap(([name]) =>
    all || ContractFiles.find(contract, name) !== undefined ? [name] : []
  )
  return names.length > 0 ? Effect.succeed(names) : Output.failure("the contract confirms no read: use --all")
}

export const command = CliCommand.make(
  "probe",
  {
    contract: ContractFiles.flag,
    all: Flag.Boolean("all").pipe(
      Flag.withDescription("Call every read, also those that the contract does not confirm, as assumed"),
      Flag.withDefault(false)
    ),
    with: Flag.KeyValuePair("with").pipe(
      Flag.withDescription("An id that no list returns, such as tokenId=17"),
      Flag.withMetavar("NAME=VALUE"),
      Flag.withDefault({})
    ),
    notProduction: Service.notProduction,
    yes: Output.yes
  },
  Effect.fnUntraced(function* ({ all: isAll, contract: given, notProduction, with: ids, yes }) {
    const environment = yield* Service.configured
    yield* Service.assertNoProduction("probe", environment, notProduction)
    const file = Option.getOrUndefined(yield* ContractFiles.chosen(given))
    const contract = file === undefined ? ContractFiles.none : yield* ContractFiles.read(file)
    const names = yield* chooseReads(contract, isAll)
    const reads = readsOnly(contract, names)
    yield* Output.ask(`Call ${names.length} reads of ${environment.baseUrl}?`, yes)
    const paint = yield* Output.paint
    const all = yield* run(reads, ids, (probed) => Output.lines(Report.lines(probed, paint))).pipe(
      Effect.provideService(RetryPolicy.RetryPolicy, RetryPolicy.none),
      Effect.provide(Client.under(ContractFiles.toLayer(reads))),
      Output.orFail
    )
    const count = (outcome: Report.Probed["outcome"]) => all.filter((probed) => probed.outcome === outcome).length
    const protocol = yield* Output.orFail(NodeCustody.negotiateProtocol(environment))
    const hints = all.flatMap((probed) => probed.hints).length
    const summary = `${count("answered")} answered, ${count("failed")} failed, ${count("not tried")} not tried, ${hints} to look at`
    yield* Output.lines([...(protocol === undefined ? [] : [`The service speaks ${protocol}`]), summary])
    if (count("failed") > 0) return yield* Output.failure(`${count("failed")} of the reads failed`)
    if (hints > 0) return yield* new Output.Open()
  })
).pipe(
  CliCommand.withDescription(
    "Calls the contract's reads in a sandbox, and compares their answers with it. Exits with 1 if one fails, with 2 if there is something to look at"
  )
)
