/** `custody contract probe`: calls the reads of a sandbox, and compares their answers with the contract. */
import type * as ContractFile from "@effect-custody/contract/ContractFile"
import * as Environment from "@effect-custody/core/Environment"
import * as Redaction from "@effect-custody/core/unstable/Redaction"
import * as RetryPolicy from "@effect-custody/core/RetryPolicy"
import { TokenService } from "@effect-custody/core/TokenService"
import * as ServiceContract from "@effect-custody/contract/ServiceContract"
import { CustodyApi } from "@effect-custody/sdk/CustodyApi"
import * as CliCommand from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Service from "../service/environment.ts"
import * as ContractFiles from "../service/contractFiles.ts"
import { endpoints, decodeInput } from "../service/endpoints.ts"
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

const sessionEntries = (entries: ContractFile.File["operations"] = {}): NonNullable<ContractFile.File["operations"]> =>
  Record.filter(entries, (_, name) => endpoints.get(name)?.safety === "session")

/**
 * The contract of the probe. It confirms each read as the file confirms it, else as proposed, else as assumed. It
 * confirms no write, so the probe can send none. The session's endpoints stay as in the file.
 */
const readsOnly = Effect.fnUntraced(function* (given: Option.Option<string>) {
  const file = yield* ContractFiles.chosen(given)
  const { defaults, operations, proposed } = Option.isNone(file) ? {} : yield* ContractFiles.read(file.value)
  const reads = Object.fromEntries(
    Report.reads().map(([name]) => [name, operations?.[name] ?? proposed?.[name] ?? (true as const)])
  )
  const contract = {
    ...(defaults === undefined ? {} : { defaults }),
    operations: { ...reads, ...sessionEntries(operations) },
    proposed: sessionEntries(proposed)
  }
  return ServiceContract.layer(contract as ServiceContract.ContractOf<typeof CustodyApi>, CustodyApi)
})

/** Failures that end the probe: further calls would show nothing, or do harm. */
const final = ["SessionLost", "NoSession", "RefreshUnavailable", "StoredSessionInvalid", "TransportError"]

/** Removes every secret of the session from a text, replaced secrets too. */
const redaction = TokenService.use(({ secrets }) =>
  Effect.map(secrets, (all) => Redaction.make(all.map(Redacted.value)))
)

/** Calls the reads in turn. `report` receives each result at once. */
const run = Effect.fnUntraced(function* (
  ids: Readonly<Record<string, string>>,
  report: (probed: Report.Probed) => Effect.Effect<void>
) {
  const { wire } = yield* ServiceContract.ServiceContract
  const all: Array<Report.Probed> = []
  let known = ids
  let stopped: string | undefined

  const call = Effect.fnUntraced(function* (operation: string, needed: ReadonlyArray<string>) {
    const notTried = (reason: string) => Report.unanswered(operation, "not tried", reason)
    const endpoint = endpoints.get(operation)!
    if (stopped !== undefined) return notTried(stopped)
    const unknown = needed.filter((name) => known[name] === undefined)
    if (unknown.length > 0) return notTried(`no ${unknown.join(", ")} is known: use --with ${unknown[0]}=…`)
    const input = decodeInput(endpoint, Object.fromEntries(needed.map((name) => [name, known[name]])))
    if (Result.isFailure(input)) return notTried(input.failure)
    const result = yield* Effect.result(endpoint(input.success))
    if (Result.isSuccess(result)) {
      known = { ...Report.idsIn(operation, result.success), ...known }
      return Report.answered(endpoint, result.success, { redact: yield* redaction, wire: wire(operation) })
    }
    const { _tag, message } = result.failure
    if (final.includes(_tag)) stopped = `stopped after ${operation} failed`
    return Report.unanswered(operation, "failed", `${_tag}: ${message}`)
  })

  for (const [operation, needed] of Report.reads()) {
    const probed = yield* call(operation, needed)
    all.push(probed)
    yield* report(probed)
  }
  return all
})

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
  Effect.fnUntraced(function* ({ contract, json, notProduction, with: ids, yes }) {
    const environment = yield* Service.configured
    yield* assertNoProduction(environment, notProduction)
    const reads = yield* readsOnly(contract)
    yield* Output.ask(`Call the ${Report.reads().length} reads of ${environment.baseUrl}?`, yes, json)
    const paint = yield* Output.paint
    const all = yield* run(ids, (probed) => (json ? Effect.void : Output.lines(Report.lines(probed, paint)))).pipe(
      Effect.provideService(RetryPolicy.RetryPolicy, RetryPolicy.none),
      Effect.provide(ContractFiles.inForce(reads)),
      Output.orFail
    )
    const count = (outcome: Report.Probed["outcome"]) => all.filter((probed) => probed.outcome === outcome).length
    yield* json
      ? Output.value(all)
      : Console.log(
          `${count("answered")} answered, ${count("failed")} failed, ${count("not tried")} not tried. Nothing was changed`
        )
    if (count("failed") > 0) return yield* Output.failure(`${count("failed")} of the reads failed`)
  })
).pipe(
  CliCommand.withDescription(
    "Calls the reads of a sandbox, and compares each answer with the contract. Exits with 1 if one fails"
  )
)
