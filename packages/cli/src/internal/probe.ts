/** `custody contract probe`: calls the reads of a sandbox, and reports how their answers fit the contract. */
import type * as ContractFile from "@effect-custody/core/ContractFile"
import * as Environment from "@effect-custody/core/Environment"
import * as Redaction from "@effect-custody/core/Redaction"
import * as RetryPolicy from "@effect-custody/core/RetryPolicy"
import { TokenService } from "@effect-custody/core/TokenService"
import * as WireContract from "@effect-custody/core/WireContract"
import { CustodyApi } from "@effect-custody/sdk/CustodyApi"
import * as CliCommand from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Prompt from "effect/cli/Prompt"
import * as TerminalCapabilities from "effect/cli/TerminalCapabilities"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Service from "./environment.ts"
import * as ContractFiles from "./contractFiles.ts"
import { endpoints, inputOf } from "./endpoints.ts"
import * as Output from "./output.ts"
import * as Report from "./probeReport.ts"

const flags = {
  contract: ContractFiles.flag,
  budget: Flag.Int("budget").pipe(
    Flag.withDescription("Maximum number of calls"),
    Flag.withSchema(Schema.Int.check(Schema.isGreaterThan(0))),
    Flag.withDefault(60)
  ),
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

const isOfSession = (name: string): boolean => endpoints.get(name)?.safety === "session"

const ofSession = (entries: ContractFile.File["operations"] = {}): NonNullable<ContractFile.File["operations"]> =>
  Record.filter(entries, (_, name) => isOfSession(name))

/**
 * The contract of the probe: only the reads, each as confirmed, else as proposed, else as assumed. No write is
 * confirmed, so none can be sent. The endpoints of the session are as in the file.
 */
const readsOnly = Effect.fnUntraced(function* (given: Option.Option<string>) {
  const file = yield* ContractFiles.chosen(given)
  const { defaults, operations, proposed } = Option.isNone(file) ? {} : yield* ContractFiles.read(file.value)
  const reads = Object.fromEntries(
    Report.order().map((name) => [name, operations?.[name] ?? proposed?.[name] ?? (true as const)])
  )
  const contract = {
    ...(defaults === undefined ? {} : { defaults }),
    operations: { ...reads, ...ofSession(operations) },
    proposed: ofSession(proposed)
  }
  return WireContract.layer(contract as WireContract.ContractOf<typeof CustodyApi>, CustodyApi)
})

/** Failures after which further calls would say nothing, or do harm. */
const isFinal = (tag: string): boolean =>
  ["SessionLost", "NoSession", "RefreshUnavailable", "StoredSessionInvalid", "TransportError"].includes(tag)

/** Takes every secret of the session out of a text. The session knows the replaced ones too. */
const redaction = Effect.map(
  TokenService.use(({ secrets }) => secrets),
  (secrets) => Redaction.make(secrets.map(Redacted.value))
)

const call = Effect.fnUntraced(function* (operation: string, known: Readonly<Record<string, string>>) {
  const endpoint = endpoints.get(operation)
  if (endpoint === undefined) return { probed: Report.notTried(operation, "there is no such operation"), isLast: false }
  const needed = Report.neededBy(operation)
  const unknown = needed.filter((name) => known[name] === undefined)
  if (unknown.length > 0) {
    const reason = `no ${unknown.join(", ")} is known: use --with ${unknown[0]}=…`
    return { probed: Report.notTried(operation, reason), isLast: false }
  }
  const fields = Object.fromEntries(needed.map((name) => [name, known[name]]))
  const input = inputOf(endpoint, fields)
  if (Result.isFailure(input)) return { probed: Report.notTried(operation, input.failure), isLast: false }
  const { wire } = yield* WireContract.WireContract
  const result = yield* Effect.result(endpoint(input.success))
  const redact = yield* redaction
  return Result.isSuccess(result)
    ? {
        probed: Report.answered(operation, result.success, { redact, wire: wire(operation) }),
        ids: Report.idsIn(operation, result.success),
        isLast: false
      }
    : {
        probed: Report.failed(operation, `${result.failure._tag}: ${result.failure.message}`),
        isLast: isFinal(result.failure._tag)
      }
})

/** Calls the reads one after the other, those first whose answers give the others their ids. */
const run = Effect.fnUntraced(function* (
  { budget, with: given }: { readonly budget: number; readonly with: Readonly<Record<string, string>> },
  said: (probed: Report.Probed) => Effect.Effect<void>
) {
  const all: Array<Report.Probed> = []
  let known = given
  let calls = 0
  let stopped: string | undefined
  for (const operation of Report.order()) {
    if (stopped === undefined && calls >= budget) stopped = "the budget of calls is used up"
    const done =
      stopped === undefined
        ? yield* call(operation, known)
        : { probed: Report.notTried(operation, stopped), isLast: false }
    if (done.probed.outcome !== "not tried") calls++
    if (done.isLast) stopped = `stopped after ${operation} failed`
    known = { ...("ids" in done ? done.ids : {}), ...known }
    all.push(done.probed)
    yield* said(done.probed)
  }
  return all
})

const tones = { answered: "good", failed: "bad", "not tried": "doubtful" } as const

const line = (probed: Report.Probed, paint: (tone: Output.Tone, text: string) => string): ReadonlyArray<string> => {
  const [name = "", outcome = "", ...rest] = Report.cells(probed)
  return [
    `${name.padEnd(32)}${paint(tones[probed.outcome], outcome.padEnd(11))}${rest.filter((cell) => cell !== "").join("; ")}`,
    ...probed.dropped.map((key) => `    ${paint("bad", "dropped:")} ${key} is not of the assumed type`),
    ...Object.entries(probed.proposals).map(([mine, key]) => `    ${paint("doubtful", "propose:")} ${mine} ← ${key}`)
  ]
}

/**
 * Fails unless the service is a sandbox: by CUSTODY_ENVIRONMENT, because it is on this machine, or by the word of a
 * person. An address alone does not show what is behind it.
 */
const assertNoProduction = Effect.fnUntraced(function* (
  environment: Environment.Environment,
  { isConfirmed, json }: { readonly isConfirmed: boolean; readonly json: boolean }
) {
  const { baseUrl, kind } = yield* Output.orFail(Effect.fromResult(Environment.validate(environment)))
  if (kind === "production")
    return yield* Output.failure("probe is for sandboxes only, and this environment is production")
  if (kind === "sandbox" || isConfirmed || !Environment.isReal(environment)) return
  const doubt = `nothing shows whether ${baseUrl} is production`
  const { canPrompt } = yield* TerminalCapabilities.TerminalCapabilities
  if (!canPrompt || json)
    return yield* Output.failure(`${doubt}: use --not-production if it is certainly not. Nothing was done`)
  const message = `${doubt}. Is it certainly not?`
  if (!(yield* Prompt.Confirm({ message }))) return yield* Output.failure("nothing was done")
})

export const command = CliCommand.make(
  "probe",
  flags,
  Effect.fnUntraced(function* ({ contract, json, notProduction, yes, ...options }) {
    const environment = yield* Service.configured
    yield* assertNoProduction(environment, { isConfirmed: notProduction, json })
    const reads = yield* readsOnly(contract)
    yield* Output.ask(`Call the ${Report.order().length} reads of ${environment.baseUrl}?`, yes, json)
    const paint = yield* Output.paint
    const all = yield* run(options, (probed) => (json ? Effect.void : Output.lines(line(probed, paint)))).pipe(
      Effect.provideService(RetryPolicy.RetryPolicy, RetryPolicy.none),
      Effect.provide(ContractFiles.inForce(reads)),
      Output.orFail
    )
    if (json) yield* Output.value(all)
    const count = (outcome: Report.Probed["outcome"]) => all.filter((probed) => probed.outcome === outcome).length
    if (!json) {
      yield* Console.log(
        `${count("answered")} answered, ${count("failed")} failed, ${count("not tried")} not tried. Nothing was changed`
      )
    }
    if (count("failed") > 0) return yield* Output.failure(`${count("failed")} of the reads failed`)
  })
).pipe(
  CliCommand.withDescription(
    "Calls the reads of a sandbox, after confirmation, and compares each answer with the contract: missing fields, " +
      "unused keys, dropped values, and the mappings that it proposes for them. Exits with 1 if a read fails"
  )
)
