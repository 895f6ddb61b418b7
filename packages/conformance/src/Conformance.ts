/**
 * Whether a server is the service that the specification describes: its observable statements, checked one by one over
 * raw HTTP, without the SDK's session. The session and `GET /vaults/details` are all that is asked for: no money moves.
 *
 * An API key is one-time, and a run spends the one that it is given. The session that it opens is used for nothing else,
 * and thrown away at the end.
 *
 * Specification: the whole, as far as it can be observed without moving anything.
 */
import * as Environment from "@effect-custody/core/Environment"
import type { ConfigurationInvalid } from "@effect-custody/core/SdkError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { openQuestions } from "./internal/conformance/openQuestions.ts"
import { probe } from "./internal/conformance/probe.ts"
import * as Statements from "./internal/conformance/statements.ts"

/** What a run says of a statement. `not observable`: this run, or this server, gave no occasion to see it. */
export const Verdict = Schema.Literals(["holds", "deviates", "not observable"])
export type Verdict = typeof Verdict.Type

/** A statement of the specification, judged. */
export const Finding = Schema.Struct({
  /** Such as `refresh.created`: it stays the same from version to version. */
  id: Schema.String,
  /** The section of the specification. */
  section: Schema.String,
  statement: Schema.String,
  verdict: Verdict,
  /** What was seen, or why nothing was. Holds no secret. */
  seen: Schema.String
})
export interface Finding extends Schema.Schema.Type<typeof Finding> {}

/** A question that the specification leaves open ("not shown"), and what this server showed. */
export const Answer = Schema.Struct({
  id: Schema.String,
  section: Schema.String,
  question: Schema.String,
  /** Absent if this run did not see it. Holds no secret. */
  answer: Schema.optionalKey(Schema.String)
})
export interface Answer extends Schema.Schema.Type<typeof Answer> {}

/** All that a run found. */
export const Report = Schema.Struct({
  baseUrl: Schema.String,
  findings: Schema.Array(Finding),
  answers: Schema.Array(Answer),
  /** Why the run ended before its time, if it did: most statements are then not observable. */
  cutShort: Schema.optionalKey(Schema.String)
})
export interface Report extends Schema.Schema.Type<typeof Report> {}

/** A statement of the specification. */
export interface Statement {
  readonly id: string
  readonly section: string
  readonly text: string
}

/** Every statement that is checked, in the specification's order. */
export const statements: ReadonlyArray<Statement> = Statements.statements.map(({ id, section, text }) => ({
  id,
  section,
  text
}))

/**
 * Asks a server, and judges its answers. It never fails because of the server: what was not answered is not observable.
 * Fails with a `ConfigurationInvalid`, and asks nothing, where the address is none that a secret may be sent to.
 *
 * `apiKey` is spent. `keepSession` (default: no) leaves out the reuse of a spent refresh token, which comes last because
 * it can revoke the session. `awaitExpiry` (default: not at all) is how long to wait, at most, for an access token to
 * expire.
 *
 * @example
 * ```ts
 * import { CustodyEmulator } from "@effect-custody/emulator"
 * import { Conformance } from "@effect-custody/testing"
 * import { Effect } from "effect"
 *
 * const deviations = Effect.gen(function* () {
 *   const { baseUrl, issueApiKey } = yield* CustodyEmulator
 *   const report = yield* Conformance.run({ baseUrl, apiKey: yield* issueApiKey() })
 *   return Conformance.deviations(report)
 * }).pipe(Effect.provide(CustodyEmulator.layerHttpClient))
 * ```
 */
export const run = Effect.fn("Conformance.run")(function* (options: {
  readonly baseUrl: string
  readonly apiKey: Redacted.Redacted
  readonly keepSession?: boolean | undefined
  readonly awaitExpiry?: Duration.Input | undefined
}): Effect.fn.Return<Report, ConfigurationInvalid, HttpClient.HttpClient> {
  const { baseUrl } = yield* Effect.fromResult(Environment.validate(Environment.local(options.baseUrl)))
  const { cutShort, evidence } = yield* probe({
    baseUrl,
    apiKey: options.apiKey,
    keepSession: options.keepSession ?? false,
    awaitExpiry: Duration.fromInputUnsafe(options.awaitExpiry ?? 0)
  })
  return {
    baseUrl,
    findings: Statements.statements.map(({ check, id, section, text }) => ({
      id,
      section,
      statement: text,
      ...check(evidence)
    })),
    answers: openQuestions.map(({ answer, id, section, text }) => {
      const said = answer(evidence)
      return { id, section, question: text, ...(said === undefined ? {} : { answer: said }) }
    }),
    ...(cutShort === undefined ? {} : { cutShort })
  }
})

/** The statements that do not hold. */
export const deviations = ({ findings }: Report): ReadonlyArray<Finding> =>
  findings.filter(({ verdict }) => verdict === "deviates")

const marks: Readonly<Record<Verdict, string>> = { holds: "✓", deviates: "✗", "not observable": "?" }

const found = ({ seen, statement, verdict }: Finding): ReadonlyArray<string> => [
  `  ${marks[verdict]} ${statement}`,
  `      ${verdict}: ${seen}`
]

const asked = ({ answer, question }: Answer): ReadonlyArray<string> => [
  `  · ${question}`,
  `      ${answer ?? "not shown by this run"}`
]

/** Lines with a heading wherever the section changes. */
const inSections = <A extends { readonly section: string }>(
  all: ReadonlyArray<A>,
  lines: (one: A) => ReadonlyArray<string>
): ReadonlyArray<string> =>
  all.flatMap((one, index) => (one.section === all[index - 1]?.section ? lines(one) : ["", one.section, ...lines(one)]))

/** A report in lines: statements by section, the open questions, and the sum. */
export const lines = (report: Report): ReadonlyArray<string> => {
  const count = (verdict: Verdict) => report.findings.filter((finding) => finding.verdict === verdict).length
  return [
    `${report.baseUrl}, compared with the specification`,
    ...inSections(report.findings, found),
    "",
    `What the specification does not show`,
    ...report.answers.flatMap(asked),
    "",
    ...(report.cutShort === undefined ? [] : [`The run was cut short: ${report.cutShort}`]),
    `${report.findings.length} statements: ${count("holds")} hold, ${count("deviates")} deviate, ` +
      `${count("not observable")} not observable here`
  ]
}
