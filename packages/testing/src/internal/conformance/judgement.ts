/** Judges statements by the evidence. Pure functions. */
import type { Answered } from "./exchange.ts"
import { type Evidence, expiryIn, type Question } from "./probe.ts"
import { at, isRecord, typeName, quoted } from "./values.ts"

export type Verdict = "holds" | "deviates" | "not observable"

export interface Judgement {
  readonly verdict: Verdict
  readonly seen: string
}

export type Check = (evidence: Evidence) => Judgement

/** A statement of the specification, and its check. */
export interface Statement {
  readonly id: string
  /** The section of the specification that makes it. */
  readonly section: string
  readonly text: string
  readonly check: Check
}

/** The statements of a section. */
export const inSection = (
  section: string,
  statements: ReadonlyArray<readonly [id: string, text: string, check: Check]>
): ReadonlyArray<Statement> => statements.map(([id, text, check]) => ({ id, section, text, check }))

export const holds = (seen: string): Judgement => ({ verdict: "holds", seen })
export const deviates = (seen: string): Judgement => ({ verdict: "deviates", seen })
export const unobservable = (seen: string): Judgement => ({ verdict: "not observable", seen })

/** Statuses of a proxy or an overloaded service, which do not answer the request. */
const busy: ReadonlySet<number> = new Set([429, 502, 503, 504])

export const isAnswer = (exchange: Evidence[Question]): exchange is Answered =>
  exchange._tag === "Answered" && !busy.has(exchange.status)

export const ok = ({ isSuccess }: Answered): boolean => isSuccess

/**
 * Statuses that refuse the request itself. Other statuses may have other reasons: a failure of the service, a missing path
 * or method, a redirect.
 */
const refusing: ReadonlySet<number> = new Set([400, 401, 403, 409, 410, 422, 498])

export const refuses = ({ isSuccess, status }: Answered): boolean => !isSuccess && refusing.has(status)

export const readCode = ({ body }: Answered): string | undefined => {
  const code = at(body, "code")
  return typeof code === "string" ? code : undefined
}

/** Formats a code for a report. Quotes a long code, and a code that is no word. */
export const formatCode = (code: string): string => (/^\w{1,12}$/.test(code) ? code : quoted(code))

/** Status and code of an answer. */
export const summary = (answer: Answered): string => {
  const code = readCode(answer)
  if (answer.body === undefined) return `HTTP ${answer.status}, a body that is not JSON`
  return `HTTP ${answer.status}${code === undefined ? "" : ` ${formatCode(code)}`}`
}

/** Judges one answer. A statement without an answer is not observable. */
export const of =
  (question: Question, judge: (answer: Answered, evidence: Evidence) => Judgement): Check =>
  (evidence) => {
    const exchange = evidence[question]
    if (exchange._tag === "Unanswered") return unobservable(exchange.reason)
    return isAnswer(exchange) ? judge(exchange, evidence) : unobservable(summary(exchange))
  }

/** Judges one successful answer. Another statement checks that it is successful. */
export const ofSuccess = (question: Question, judge: Parameters<typeof of>[1]): Check =>
  of(question, (answer, evidence) => (ok(answer) ? judge(answer, evidence) : unobservable(summary(answer))))

/** Requires a refusal with any code. An answer that neither grants nor refuses is not observable. */
export const refusedAnyhow = (question: Question, inWords = summary): Check =>
  of(question, (answer) =>
    ok(answer) ? deviates(inWords(answer)) : (refuses(answer) ? holds : unobservable)(inWords(answer))
  )

/** Requires a refusal with one of the codes. */
export const refused = (question: Question, status: number, ...codes: ReadonlyArray<string>): Check =>
  of(question, (answer) => {
    const code = readCode(answer)
    return answer.status === status && code !== undefined && codes.includes(code)
      ? holds(summary(answer))
      : deviates(`${summary(answer)}, not HTTP ${status} ${codes.join(" or ")}`)
  })

/** Requires that a call succeeds with the access token of another answer. */
export const granted = (question: Question, broughtBy: Question): Check =>
  of(question, (answer, evidence) => {
    if (ok(answer)) return holds(summary(answer))
    const expiresAt = expiryIn(evidence[broughtBy])
    return answer.status === 498 && expiresAt !== undefined && answer.at >= expiresAt
      ? unobservable("the access token had expired before it could be used")
      : deviates(summary(answer))
  })

/** A selection of answers, and its name. */
export interface Selection {
  readonly what: string
  readonly from: (evidence: Evidence) => ReadonlyArray<Answered>
}

const among = (evidence: Evidence): ReadonlyArray<Answered> => Object.values(evidence).filter(isAnswer)

export const successes: Selection = {
  what: "successful answers",
  from: (evidence) => among(evidence).filter(ok)
}

export const refusals: Selection = {
  what: "error bodies",
  from: (evidence) => among(evidence).filter(({ status }) => status >= 400)
}

export const only = (selection: Selection, what: string, wanted: (answer: Answered) => boolean): Selection => ({
  what,
  from: (evidence) => selection.from(evidence).filter(wanted)
})

export const answersTo = (what: string, ...asked: ReadonlyArray<Question>): Selection => ({
  what,
  from: (evidence) =>
    asked
      .map((question) => evidence[question])
      .filter(isAnswer)
      .filter(ok)
})

/** Requires that no selected answer has an objection. Reports the first one. */
export const every =
  ({ from, what }: Selection, objection: (answer: Answered) => string | undefined): Check =>
  (evidence) => {
    const answers = from(evidence)
    if (answers.length === 0) return unobservable(`there were no ${what}`)
    for (const answer of answers) {
      const found = objection(answer)
      if (found !== undefined) return deviates(`${found} (${answer.asked})`)
    }
    return holds(`in all ${what}: ${answers.length}`)
  }

/** An objection unless a field has the type. */
export const unless = (type: string, answer: Answered, ...path: ReadonlyArray<string>): string | undefined => {
  const kind = typeName(at(answer.body, ...path))
  return kind === type
    ? undefined
    : `${path.join(".")} is ${kind}${isRecord(answer.body) ? "" : ": the body is not a JSON object"}`
}

/** An objection unless a body repeats its HTTP status. */
export const statusMismatch = (answer: Answered): string | undefined => {
  const status = at(answer.body, "status")
  if (typeof status !== "number" || !Number.isInteger(status)) return unless("an integer", answer, "status")
  const shown = status >= 0 && status < 1_000 ? String(status) : "no HTTP status"
  return status === answer.status ? undefined : `status is ${shown}, and HTTP ${answer.status}`
}
