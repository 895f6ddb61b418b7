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
import * as Effect from "effect/Effect"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as Client from "../service/client.ts"
import * as ContractFiles from "../service/contractFiles.ts"
import { type AnyEndpoint, decodeInput, endpoints, type Failure, type Fields } from "../service/endpoints.ts"
import * as Service from "../service/environment.ts"
import * as Output from "../terminal/output.ts"
import * as Findings from "./findings.ts"

type Contract = ContractFiles.Contract

const textOf = ({ _tag, message }: Failure): string => `${_tag}: ${message}`

/**
 * The contract of the probe. It confirms some reads as the file confirms them, else as assumed. It confirms no write, so
 * the probe can send none. The session's endpoints stay as in the file.
 */
const readsOnly = (contract: Contract, reads: Findings.Texts): Contract => ({
  service: contract.service,
  adapters: [
    ...reads.map((name) => ContractFiles.find(contract, name) ?? Adapter.assumed(endpoints.get(name)!)),
    ...contract.adapters.filter(({ operation }) => operation.safety === "session")
  ]
})

/** Calls a read with fields of JSON. Fails with a text. */
const call = Effect.fnUntraced(function* (endpoint: AnyEndpoint, fields: Fields) {
  const input = yield* Effect.fromResult(decodeInput(endpoint, fields))
  return yield* Effect.mapError(endpoint(input), textOf)
})

/** Reads two pages of two rows. Returns what is wrong with them. */
const tryPages = (endpoint: AnyEndpoint, rows: Findings.Rows) => {
  const list = (query: object) => endpoint(query) as Effect.Effect<Page.Page<Fields>, Failure, CustodyClient>
  const pages = Stream.runCollect(Stream.take(Page.pages(list, { limit: 2 }), 2))
  return Effect.match(pages, { onFailure: textOf, onSuccess: (pages) => Findings.pagingObjection(rows, pages) })
}

/** The number of rows that a list is asked for: as many as the ledger and `find` ask for. */
const limit = 100

const limitOf = (endpoint: AnyEndpoint, omits: Findings.Texts) =>
  Declaration.isPaged(endpoint) && !omits.includes("limit") ? { limit } : {}

/** Tries a filter: it must show some of the known rows, and hide others. Says what is wrong; `undefined` if it works. */
const tryFilter = Effect.fnUntraced(function* (
  endpoint: AnyEndpoint,
  rows: Findings.Rows,
  omits: Findings.Texts,
  [filter, trials]: readonly [filter: string, trials: ReadonlyArray<Findings.Trial>]
) {
  let objection: string | undefined
  for (const trial of trials) {
    objection = yield* Effect.match(call(endpoint, { ...limitOf(endpoint, omits), [filter]: trial.value }), {
      onFailure: (reason) => reason,
      onSuccess: (page) => Findings.filterObjection(rows, trial, Findings.recordsIn(page), limit)
    })
    // A value for which the service has several words cannot be sent. Another value may be.
    if (objection?.startsWith("InputInvalid:") !== true) break
  }
  return objection
})

/** Tries the pages of a list and, one at a time, its filters. */
const tryList = Effect.fnUntraced(function* (endpoint: AnyEndpoint, rows: Findings.Rows, omits: Findings.Texts) {
  const isPaged = Declaration.isPaged(endpoint)
  const paging = isPaged && rows.length >= 3 ? yield* tryPages(endpoint, rows) : undefined
  const looks = paging === undefined ? [] : [`paging: ${paging}`]
  const unseen = isPaged && rows.length < 3 ? ["pages"] : []
  const proven: Array<string> = []
  for (const filter of Findings.filters(endpoint).filter((name) => !omits.includes(name))) {
    const trials = Findings.trials(rows, filter)
    const objection = yield* tryFilter(endpoint, rows, omits, [filter, trials])
    if (trials.length === 0) unseen.push(filter)
    else if (objection === undefined) proven.push(filter)
    else looks.push(`the filter ${filter}: ${objection}`)
  }
  return { looks, notes: Findings.triedNotes(proven, unseen) }
})

/** Says whether a client that does not exist differs from a path that does not exist. */
const compareAbsence = Effect.fnUntraced(function* ({ adapters, service }: Contract) {
  const lookUp = Effect.match(Clients.find({ externalId: "custody-probe-no-such-client" }), {
    onFailure: textOf,
    onSuccess: (found) => (Option.isNone(found) ? undefined : "a record")
  })
  const found = yield* lookUp
  if (found !== undefined) return [`a client that does not exist gives ${found}`]
  const request: Adapter.Service["request"] = (own, operation) => {
    const made = service.request?.(own, operation) ?? own
    const isMoved = operation.operation === "clients.get"
    return isMoved ? HttpClientRequest.setUrl(made, "/custody-probe-no-such-path/none") : made
  }
  // The moved requests are not those of the examples.
  const moved = { adapters: adapters.map((one) => ({ ...one, examples: [] })), service: { ...service, request } }
  // `local`: without it, Effect would give the client that it has already built.
  const elsewhere = yield* Effect.provide(lookUp, Client.under(ContractFiles.toLayer(moved)), { local: true })
  return elsewhere === undefined
    ? ["a path that does not exist looks like a record that does not: say which code means NotFound"]
    : []
})

/** Failures that end the probe: further calls would show nothing, or do harm. */
const isFinal = (failure: string): boolean =>
  /^(?:SessionLost|NoSession|RefreshUnavailable|StoredSessionInvalid|TransportError):/.test(failure)

interface Probed extends Pick<Findings.Found, "looks" | "notes"> {
  readonly outcome: "answered" | "failed" | "not tried"
  /** The number of records, or why there is none. */
  readonly said: string
}

const tones = { answered: "good", failed: "bad", "not tried": "doubtful" } as const

const lines = (operation: string, { looks, notes, outcome, said }: Probed, paint: Output.Paint): Findings.Texts => [
  `${operation.padEnd(32)}${paint(tones[outcome], outcome.padEnd(11))}${said}`,
  ...looks.map((look) => `    ${paint("doubtful", "look:")} ${look}`),
  ...notes.map((note) => `    ${note}`)
]

/** Calls some reads in turn, and prints each result at once. */
const run = Effect.fnUntraced(function* (contract: Contract, ids: Readonly<Record<string, string>>) {
  const { wire } = yield* Wires
  const paint = yield* Output.paint
  const seen = new Map<string, Fields>()
  let known = ids
  let stopped: string | undefined
  const none = (outcome: Probed["outcome"], said: string): Probed => ({ outcome, said, looks: [], notes: [] })

  const probe = Effect.fnUntraced(function* (endpoint: AnyEndpoint, needed: Findings.Texts) {
    const unknown = needed.find((name) => known[name] === undefined)
    const obstacle = stopped ?? (unknown && `no ${unknown} is known: use --with ${unknown}=…`)
    if (obstacle !== undefined) return none("not tried", obstacle)
    const omits = wire(endpoint)?.omits ?? []
    const input = { ...Record.filter(known, (_, name) => needed.includes(name)), ...limitOf(endpoint, omits) }
    const result = yield* Effect.result(call(endpoint, input))
    if (Result.isFailure(result)) {
      if (isFinal(result.failure)) stopped = `stopped after ${endpoint.operation} failed`
      return none("failed", result.failure)
    }
    const answer = result.success
    known = { ...Findings.idsIn(endpoint.operation, answer), ...known }
    const given = { redact: yield* Client.redaction, now: yield* DateTime.now, seen }
    const { looks, notes, problem, records } = Findings.compare(endpoint, answer, given)
    if (problem !== undefined) return none("failed", problem)
    const absence = endpoint.operation === "clients.get" ? yield* compareAbsence(contract) : []
    const tried = Declaration.isList(endpoint)
      ? yield* tryList(endpoint, Findings.recordsIn(answer), omits)
      : { looks: absence, notes: [] }
    const probed: Probed = {
      outcome: "answered",
      said: `${records} ${records === 1 ? "record" : "records"}`,
      looks: [...looks, ...tried.looks],
      notes: [...notes, ...tried.notes]
    }
    return probed
  })

  const all: Array<Probed> = []
  for (const [operation, needed] of Findings.reads()) {
    if (ContractFiles.find(contract, operation) === undefined) continue
    const probed = yield* probe(endpoints.get(operation)!, needed)
    all.push(probed)
    yield* Output.lines(lines(operation, probed, paint))
  }
  return all
})

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
    const contract = yield* ContractFiles.chosenOrNone(given)
    const names = Findings.reads().flatMap(([name]) =>
      isAll || ContractFiles.find(contract, name) !== undefined ? [name] : []
    )
    if (names.length === 0) return yield* Output.failure("the contract confirms no read: use --all")
    const reads = readsOnly(contract, names)
    yield* Output.ask(`Call ${names.length} reads of ${environment.baseUrl}?`, yes)
    const all = yield* run(reads, ids).pipe(
      Effect.provideService(RetryPolicy.RetryPolicy, RetryPolicy.none),
      Effect.provide(Client.under(ContractFiles.toLayer(reads))),
      Output.orFail
    )
    const count = (outcome: Probed["outcome"]) => all.filter((probed) => probed.outcome === outcome).length
    const protocol = yield* Output.orFail(NodeCustody.negotiateProtocol(environment))
    const looks = all.flatMap((probed) => probed.looks).length
    yield* Output.lines([
      ...(protocol === undefined ? [] : [`The service speaks ${protocol}`]),
      `${count("answered")} answered, ${count("failed")} failed, ${count("not tried")} not tried, ${looks} to look at`
    ])
    if (count("failed") > 0) return yield* Output.failure(`${count("failed")} of the reads failed`)
    if (looks > 0) return yield* new Output.Open()
  })
).pipe(
  CliCommand.withDescription(
    "Calls the contract's reads in a sandbox, and compares their answers with it. Exits with 1 if one fails, with 2 if there is something to look at"
  )
)
