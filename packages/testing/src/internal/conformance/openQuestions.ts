/** The questions that the specification leaves open ("not shown"), and the answers that the evidence gives. */
import * as Duration from "effect/Duration"
import type { Answered } from "./exchange.ts"
import { readCode, isAnswer, ok, refuses, formatCode, summary } from "./judgement.ts"
import { type Evidence, expiryIn, type Question } from "./probe.ts"
import { at } from "./values.ts"

export interface OpenQuestion {
  readonly id: string
  readonly text: string
  /** The answer, if the evidence gives one. */
  readonly answer: (evidence: Evidence) => string | undefined
}

const answerTo = (evidence: Evidence, question: Question): Answered | undefined => {
  const exchange = evidence[question]
  return isAnswer(exchange) ? exchange : undefined
}

/** The answer if it grants or refuses the request. Any other answer, such as a failure of the service, says nothing. */
const decided = (evidence: Evidence, question: Question): Answered | undefined => {
  const answer = answerTo(evidence, question)
  return answer !== undefined && (ok(answer) || refuses(answer)) ? answer : undefined
}

const of =
  (question: Question, say: (answer: Answered, evidence: Evidence) => string | undefined) =>
  (evidence: Evidence): string | undefined => {
    const answer = decided(evidence, question)
    return answer === undefined ? undefined : say(answer, evidence)
  }

/** The distinct codes of the answers with a status. */
const codes =
  (status: number, ...asked: ReadonlyArray<Question>) =>
  (evidence: Evidence): string | undefined => {
    const seen = asked
      .flatMap((question) => answerTo(evidence, question) ?? [])
      .filter((answer) => answer.status === status)
      .map(readCode)
      .map((code) => (code === undefined ? "no code" : formatCode(code)))
    return seen.length === 0 ? undefined : [...new Set(seen)].join(" and ")
  }

const lifetimes = (evidence: Evidence): string | undefined => {
  const seen = (["start", "refresh", "refreshAgain"] as const).flatMap((question) => {
    const answer = answerTo(evidence, question)
    const expiresAt = expiryIn(evidence[question])
    return answer === undefined || expiresAt === undefined ? [] : [Math.round((expiresAt - answer.at) / 1_000)]
  })
  if (seen.length === 0) return undefined
  const inWords = seen.map((seconds) => Duration.format(Duration.seconds(seconds)))
  return `${[...new Set(inWords)].join(", ")}, to the nearest second, by expiresAt and this machine's clock`
}

const readToken = (answer: Answered | undefined): unknown => at(answer?.body, "data", "refreshToken")

export const openQuestions: ReadonlyArray<OpenQuestion> = [
  {
    id: "lifetime",
    text: "How long does an access token live?",
    answer: lifetimes
  },
  {
    id: "old-access-token",
    text: "Is the old access token still accepted after a refresh?",
    answer: of("readOld", (answer) => (ok(answer) ? "yes, right after it" : `no: ${summary(answer)}`))
  },
  {
    id: "reuse-grace",
    text: "Is a refresh token accepted again for a moment after it was spent?",
    answer: of("reuse", (answer, evidence) => {
      const rotation = answerTo(evidence, "refreshAgain")
      const after = rotation === undefined ? "" : ` ${answer.at - rotation.at} ms after it was spent`
      if (!ok(answer)) return `no: ${summary(answer)}${after}`
      return `yes:${after}, with ${readToken(rotation) === readToken(answer) ? "the same tokens again" : "other tokens"}`
    })
  },
  {
    id: "reuse-revokes",
    text: "Does the reuse of a refresh token revoke the session?",
    answer: of("refreshAfterReuse", (answer, evidence) => {
      const reuse = decided(evidence, "reuse")
      // An accepted reuse was an ordinary refresh.
      if (reuse === undefined || ok(reuse)) return undefined
      const read = decided(evidence, "readAfterReuse")
      const access =
        read === undefined ? "" : `; the access token is ${ok(read) ? "still accepted" : `refused: ${summary(read)}`}`
      return ok(answer)
        ? `no: the latest refresh token works${access}`
        : `yes: ${summary(answer)} to the latest refresh token${access}`
    })
  },
  {
    id: "codes.access-token",
    text: "Which code set: a missing or invalid access token?",
    answer: codes(401, "noToken", "strangeToken", "readOld", "readAfterReuse")
  },
  {
    id: "codes.refresh-token",
    text: "Which code set: an invalid refresh token?",
    answer: codes(401, "refreshUnknown", "reuse", "refreshAfterReuse")
  },
  {
    id: "codes.expired",
    text: "Which code set: an expired access token?",
    answer: codes(498, "readExpired")
  },
  {
    id: "bearer",
    text: "Is the access token also accepted in another form?",
    answer: (evidence) => {
      const [prefixed, authorized] = [decided(evidence, "readPrefixed"), decided(evidence, "readAuthorized")]
      const forms = [
        ...(prefixed !== undefined && ok(prefixed) ? [`with "Bearer " before it`] : []),
        ...(authorized !== undefined && ok(authorized) ? ["in Authorization, without X-ACCESS-TOKEN"] : [])
      ]
      if (forms.length > 0) return `yes: ${forms.join(", and ")}`
      return prefixed === undefined || authorized === undefined ? undefined : "no"
    }
  }
]
