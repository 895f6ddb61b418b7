/**
 * Checks whether a server is the service that the specification describes, statement by statement, over raw HTTP. A run
 * calls the two authentication endpoints and `GET /vaults/details` only: it moves no money.
 *
 * A run spends its one-time API key, and discards the session at the end.
 *
 * Specification: everything that can be observed without moving money.
 *
 * @since 0.1.0
 */
import * as Environment from "@effect-custody/core/Environment"
import type { ConfigurationInvalid } from "@effect-custody/core/SdkError"
import { WireContract } from "@effect-custody/core/WireContract"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { openQuestions } from "./internal/conformance/openQuestions.ts"
import { probe } from "./internal/conformance/probe.ts"
import * as Statements from "./internal/conformance/statements.ts"

/**
 * The verdict on a statement. `not observable`: this run could not check it.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Verdict = Schema.Literals(["holds", "deviates", "not observable"])
/**
 * @since 0.1.0
 * @category models
 */
export type Verdict = typeof Verdict.Type

/**
 * A statement of the specification, with its verdict.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Finding = Schema.Struct({
  /** A stable identifier, such as `refresh.created`. */
  id: Schema.String,
  /** The section of the specification. */
  section: Schema.String,
  statement: Schema.String,
  verdict: Verdict,
  /** What was observed, or why nothing was. Holds no secrets. */
  seen: Schema.String
})
/**
 * @since 0.1.0
 * @category models
 */
export interface Finding extends Schema.Schema.Type<typeof Finding> {}

/**
 * A question that the specification leaves open ("not shown"), with this server's answer.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Answer = Schema.Struct({
  id: Schema.String,
  section: Schema.String,
  question: Schema.String,
  /** Absent if this run did not observe it. Holds no secrets. */
  answer: Schema.optionalKey(Schema.String)
})
/**
 * @since 0.1.0
 * @category models
 */
export interface Answer extends Schema.Schema.Type<typeof Answer> {}

/**
 * The result of a run.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Report = Schema.Struct({
  baseUrl: Schema.String,
  /** The document of the contract in force, if one is. */
  contract: Schema.optionalKey(Schema.String),
  findings: Schema.Array(Finding),
  answers: Schema.Array(Answer),
  /** Why the run ended early, if it did. Most statements are then not observable. */
  cutShort: Schema.optionalKey(Schema.String)
})
/**
 * @since 0.1.0
 * @category models
 */
export interface Report extends Schema.Schema.Type<typeof Report> {}

/**
 * A statement of the specification.
 *
 * @since 0.1.0
 * @category models
 */
export interface Statement {
  readonly id: string
  readonly section: string
  readonly text: string
}

/**
 * Every checked statement, in the specification's order.
 *
 * @since 0.1.0
 * @category constants
 */
export const statements: ReadonlyArray<Statement> = Statements.statements.map(({ id, section, text }) => ({
  id,
  section,
  text
}))

/**
 * Checks a server. A server that does not answer is no failure: its statements are not observable. Nor are those of an
 * answer of more than 1 MiB, or of one that is nested deeper than 64 levels. A failure of the service, such as an HTTP
 * 500, does not confirm that it refuses something. Fails with `ConfigurationInvalid`, before any request, if secrets may
 * not be sent to the address.
 *
 * Under a `WireContract` the requests and the answers are as the contract says, and the statements hold for what it reads
 * of them. What it replaces, such as the envelope's message, is then not observable.
 *
 * `apiKey` is spent. `keepSession` (default: false) skips the reuse of a spent refresh token, which can revoke the
 * session. `awaitExpiry` (default: 0) is the longest wait for an access token to expire.
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
  readonly keepSession?: boolean | undefined
  readonly awaitExpiry?: Duration.Input | undefined
}): Effect.fn.Return<Report, ConfigurationInvalid, HttpClient.HttpClient> {
  const { baseUrl } = yield* Effect.fromResult(Environment.validate(Environment.local(options.baseUrl)))
  const contract = yield* WireContract
  const { cutShort, evidence } = yield* probe({
    baseUrl,
    contract,
    apiKey: options.apiKey,
    keepSession: options.keepSession ?? false,
    awaitExpiry: Duration.fromInputUnsafe(options.awaitExpiry ?? 0)
  })
  return {
    baseUrl,
    ...(contract.said === undefined ? {} : { contract: contract.said.contract.source?.document ?? "a contract" }),
    findings: Statements.statementsUnder(contract).map(({ check, id, section, text }) => ({
      id,
      section,
      statement: text,
      ...check(evidence)
    })),
    answers: openQuestions.map(({ answer, id, section, text }) => {
      const observed = answer(evidence)
      return { id, section, question: text, ...(observed === undefined ? {} : { answer: observed }) }
    }),
    ...(cutShort === undefined ? {} : { cutShort })
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

/** Adds a heading wherever the section changes. */
const inSections = <A extends { readonly section: string }>(
  all: ReadonlyArray<A>,
  lines: (one: A) => ReadonlyArray<string>
): ReadonlyArray<string> =>
  all.flatMap((one, index) => (one.section === all[index - 1]?.section ? lines(one) : ["", one.section, ...lines(one)]))

/**
 * Formats a report as lines: the statements by section, the open questions, and the totals.
 *
 * @since 0.1.0
 * @category reporting
 */
export const lines = (report: Report): ReadonlyArray<string> => {
  const count = (verdict: Verdict) => report.findings.filter((finding) => finding.verdict === verdict).length
  return [
    `${report.baseUrl}, compared with the specification${report.contract === undefined ? "" : ` under ${report.contract}`}`,
    ...inSections(report.findings, findingLines),
    "",
    `What the specification does not show`,
    ...report.answers.flatMap(answerLines),
    "",
    ...(report.cutShort === undefined ? [] : [`The run was cut short: ${report.cutShort}`]),
    `${report.findings.length} statements: ${count("holds")} hold, ${count("deviates")} deviate, ` +
      `${count("not observable")} not observable here`
  ]
}
