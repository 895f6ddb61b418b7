/** What the evidence says of a statement. Pure. */
import type { Answered } from "./exchange.ts"
import { type Evidence, expiryIn, type Question } from "./probe.ts"
import { at, isRecord, kindOf, quoted } from "./values.ts"

export type Verdict = "holds" | "deviates" | "not observable"

export interface Judgement {
  readonly verdict: Verdict
  readonly seen: string
}

export type Check = (evidence: Evidence) => Judgement

export const holds = (seen: string): Judgement => ({ verdict: "holds", seen })
export const deviates = (seen: string): Judgement => ({ verdict: "deviates", seen })
export const unobservable = (seen: string): Judgement => ({ verdict: "not observable", seen })

/** What somebody before the service says, or the service when it cannot: it is no answer to what was asked. */
const busy: ReadonlySet<number> = new Set([429, 502, 503, 504])

export const isAnswer = (exchange: Evidence[Question]): exchange is Answered =>
  exchange._tag === "Answered" && !busy.has(exchange.status)

export const ok = ({ status }: Answered): boolean => status >= 200 && status < 300

export const codeOf = ({ body }: Answered): string | undefined => {
  const code = at(body, "code")
  return typeof code === "string" ? code : undefined
}

/** An answer in short. */
export const told = (answer: Answered): string => {
  const code = codeOf(answer)
  if (answer.body === undefined) return `HTTP ${answer.status}, a body that is not JSON`
  return `HTTP ${answer.status}${code === undefined ? "" : ` ${/^\w{1,12}$/.test(code) ? code : quoted(code)}`}`
}

/** Judges one answer, where there is one. */
export const of =
  (question: Question, judge: (answer: Answered, evidence: Evidence) => Judgement): Check =>
  (evidence) => {
    const exchange = evidence[question]
    if (exchange._tag === "Unanswered") return unobservable(exchange.reason)
    return isAnswer(exchange) ? judge(exchange, evidence) : unobservable(told(exchange))
  }

/** Judges an answer of the success kind, where there is one; another check says that it has to be. */
export const ofSuccess = (question: Question, judge: Parameters<typeof of>[1]): Check =>
  of(question, (answer, evidence) => (ok(answer) ? judge(answer, evidence) : unobservable(told(answer))))

/** It has to be refused with one of some codes. */
export const refused = (question: Question, status: number, ...codes: ReadonlyArray<string>): Check =>
  of(question, (answer) => {
    const code = codeOf(answer)
    return answer.status === status && code !== undefined && codes.includes(code)
      ? holds(told(answer))
      : deviates(`${told(answer)}, not HTTP ${status} ${codes.join(" or ")}`)
  })

/** A call has to be granted, with the access token that another answer brought. */
export const granted = (question: Question, broughtBy: Question): Check =>
  of(question, (answer, evidence) => {
    if (ok(answer)) return holds(told(answer))
    const expiresAt = expiryIn(evidence[broughtBy])
    return answer.status === 498 && expiresAt !== undefined && answer.at >= expiresAt
      ? unobservable("the access token had expired before it could be used")
      : deviates(told(answer))
  })

/** Some of the answers, and what they are called. */
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

/** It has to be so of every one of some answers; the first of which it is not is told. */
export const every =
  ({ from, what }: Selection, wrong: (answer: Answered) => string | undefined): Check =>
  (evidence) => {
    const answers = from(evidence)
    if (answers.length === 0) return unobservable(`there were no ${what}`)
    for (const answer of answers) {
      const found = wrong(answer)
      if (found !== undefined) return deviates(`${found} (${answer.asked})`)
    }
    return holds(`in all ${what}: ${answers.length}`)
  }

/** What is wrong with a field that should be of a type, if anything is. */
export const unless = (type: string, answer: Answered, ...path: ReadonlyArray<string>): string | undefined => {
  const kind = kindOf(at(answer.body, ...path))
  return kind === type
    ? undefined
    : `${path.join(".")} is ${kind}${isRecord(answer.body) ? "" : ": the body is no JSON object"}`
}
