/**
 * Checks whether a server is the service that the specification describes, statement by statement, over raw HTTP. A run
 * calls the two authentication endpoints and `GET /vaults/details` only: it moves no money. It spends its one-time API
 * key, and discards the session.
 *
 * @since 0.1.0
 */
import * as Environment from "@effect-custody/core/Environment"
import type { ConfigurationInvalid } from "@effect-custody/core/SdkError"
import * as Secrets from "@effect-custody/core/siblings/Secrets"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import type * as Redacted from "effect/Redacted"
import { errorStatements } from "./internal/conformance/errorStatements.ts"
import * as Judge from "./internal/conformance/judgement.ts"
import { openQuestions } from "./internal/conformance/openQuestions.ts"
import { probe } from "./internal/conformance/probe.ts"
import { sessionStatements } from "./internal/conformance/sessionStatements.ts"

/**
 * The verdict on a statement. `not observable`: this run could not check it.
 *
 * @since 0.1.0
 * @category models
 */
export type Verdict = Judge.Verdict

/**
 * A statement of the specification, with its verdict.
 *
 * @since 0.1.0
 * @category models
 */
export interface Finding {
  /** A stable identifier, such as `refresh.created`. */
  readonly id: string
  /** The section of the specification. */
  readonly section: string
  readonly statement: string
  readonly verdict: Verdict
  /** The observation, or the reason for its absence. A text that holds a secret is `<redacted>`. */
  readonly seen: string
}

/**
 * A question that the specification leaves open ("not shown"), with this server's answer.
 *
 * @since 0.1.0
 * @category models
 */
export interface Answer {
  readonly id: string
  readonly question: string
  /** Absent if this run did not observe it. A text that holds a secret is `<redacted>`. */
  readonly answer?: string
}

/**
 * The result of a run. It is plain JSON.
 *
 * @since 0.1.0
 * @category models
 */
export interface Report {
  readonly baseUrl: string
  readonly findings: ReadonlyArray<Finding>
  readonly answers: ReadonlyArray<Answer>
  /** The reason if the run ended early. Most statements are then not observable. */
  readonly cutShort?: string
}

const statements = [...sessionStatements, ...errorStatements]

/**
 * Checks a server. The statements about a request are not observable if the server does not answer it, or answers with
 * more than 1 MiB. A failure of the service, such as an HTTP 500, confirms no refusal. The checks do not require the
 * specification's examples, such as the words of a validation message. They do not read the adapters of a service with
 * another wire.
 *
 * `apiKey` is spent. `awaitExpiry` (default: 0) is the maximum wait for an access token to expire. Fails with
 * `ConfigurationInvalid`, before any request, if secrets may not be sent to the address.
 *
 * @example
 * ```ts
 * import { CustodyEmulator } from "@effect-custody/emulator"
 * import * as Conformance from "@effect-custody/testing/Conformance"
 * import { Effect } from "effect"
 *
 * const deviations = Effect.gen(function* () {
 *   const { baseUrl, issueApiKey } = yield* CustodyEmulator
 *   const report = yield* Conformance.run({ baseUrl, apiKey: yield* issueApiKey() })
 *   return Conformance.deviations(report)
 * }).pipe(Effect.provide(CustodyEmulator.layerHttpClient))
 * ```
 *
 * @since 0.1.0
 * @category running
 */
export const run = Effect.fn("Conformance.run")(function* (options: {
  readonly baseUrl: string
  readonly apiKey: Redacted.Redacted
  readonly awaitExpiry?: Duration.Input | undefined
}): Effect.fn.Return<Report, ConfigurationInvalid, HttpClient.HttpClient> {
  const { baseUrl } = yield* Effect.fromResult(Environment.validate(Environment.at(options.baseUrl)))
  const { cutShort, evidence, secrets } = yield* probe({
    baseUrl,
    apiKey: options.apiKey,
    awaitExpiry: Duration.fromInputUnsafe(options.awaitExpiry ?? 0)
  })
  const redact = Secrets.makeRedact(secrets)
  return {
    baseUrl,
    findings: statements.map((statement) => {
      const { seen, verdict } = statement.check(evidence)
      return { id: statement.id, section: statement.section, statement: statement.text, verdict, seen: redact(seen) }
    }),
    answers: openQuestions.map(({ answer, id, text }) => {
      const observed = answer(evidence)
      return { id, question: text, ...(observed === undefined ? {} : { answer: redact(observed) }) }
    }),
    ...(cutShort === undefined ? {} : { cutShort: redact(cutShort) })
  }
})

/**
 * The statements that deviate.
 *
 * @since 0.1.0
 * @category reporting
 */
export const deviations = ({ findings }: Report): ReadonlyArray<Finding> =>
  findings.filter(({ verdict }) => verdict === "deviates")

const marks: Readonly<Record<Verdict, string>> = { holds: "✓", deviates: "✗", "not observable": "?" }

const findingLines = ({ seen, statement, verdict }: Finding): ReadonlyArray<string> => [
  `  ${marks[verdict]} ${statement}`,
  `      ${verdict}: ${seen}`
]

const answerLines = ({ answer, question }: Answer): ReadonlyArray<string> => [
  `  · ${question}`,
  `      ${answer ?? "not shown by this run"}`
]

/**
 * Formats a report as lines: the statements by section, the open questions, and the totals.
 *
 * @since 0.1.0
 * @category reporting
 */
export const lines = ({ answers, baseUrl, cutShort, findings }: Report): ReadonlyArray<string> => {
  const count = (verdict: Verdict) => findings.filter((finding) => finding.verdict === verdict).length
  return [
    `${baseUrl}, compared with the specification`,
    ...findings.flatMap((finding, index) =>
      finding.section === findings[index - 1]?.section
        ? findingLines(finding)
        : ["", finding.section, ...findingLines(finding)]
    ),
    "",
    `What the specification does not show`,
    ...answers.flatMap(answerLines),
    "",
    ...(cutShort === undefined ? [] : [`The run was cut short: ${cutShort}`]),
    `${findings.length} statements: ${count("holds")} hold, ${count("deviates")} deviate, ` +
      `${count("not observable")} not observable here`
  ]
}
