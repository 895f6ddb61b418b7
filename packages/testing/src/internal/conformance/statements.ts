/** The specification's observable statements, in its order, each with its check. */
import type { WireContract } from "@effect-custody/core/WireContract"
import { errorStatements } from "./errorStatements.ts"
import * as Judge from "./judgement.ts"
import type { Statement } from "./judgement.ts"
import { sessionStatements } from "./sessionStatements.ts"
import { type Endpoint, successOf } from "./spoken.ts"

export const statements: ReadonlyArray<Statement> = [...sessionStatements, ...errorStatements]

/** Statements about parts of bodies that a contract defines anew, such as messages and statuses. */
const replaced: ReadonlySet<string> = new Set([
  "envelope.message",
  "envelope.status",
  "generate.message",
  "error.status",
  "error.errors",
  "code.invalid-access-token-message"
])

const created: Readonly<Record<string, readonly [question: "start" | "refresh", endpoint: Endpoint]>> = {
  "generate.created": ["start", "authentication.generateTokens"],
  "refresh.created": ["refresh", "authentication.refreshToken"]
}

/** The statements about a service whose wire a contract defines. */
export const statementsUnder = (contract: WireContract): ReadonlyArray<Statement> =>
  contract.said === undefined
    ? statements
    : statements.map((statement) => {
        const { id } = statement
        if (replaced.has(id))
          return { ...statement, check: () => Judge.unobservable("the contract defines its own bodies") }
        if (id === "vaults.details") {
          const answers = Judge.answersTo(
            "answers of GET /vaults/details",
            "read",
            "readPrefixed",
            "readNew",
            "readAgain"
          )
          return { ...statement, check: Judge.every(answers, (answer) => Judge.unless("an object", answer, "data")) }
        }
        const [question, endpoint] = created[id] ?? []
        const success = endpoint === undefined ? undefined : successOf(contract, endpoint)
        if (question === undefined || success === undefined) return statement
        const wanted = `Success: HTTP ${success.join(" or ")}, as the contract says`
        return {
          ...statement,
          text: wanted,
          check: Judge.of(question, (answer) =>
            Judge.ok(answer)
              ? Judge.holds(Judge.summary(answer))
              : Judge.deviates(`${Judge.summary(answer)}, not ${success.join(" or ")}`)
          )
        }
      })
