/** The statements about error bodies and codes. */
import * as ApiError from "@effect-custody/core/ApiError"
import * as Judge from "./judgement.ts"
import { type Check, codeOf, deviates, every, holds, refused, type Statement, summary, unless } from "./judgement.ts"
import { at, kindOf, quoted } from "./values.ts"

const validations = Judge.only(Judge.refusals, "answers of 422", ({ status }) => status === 422)

/** A message about apiKey says something, in whatever words around it. */
const complains = (question: "keyEmpty" | "keyTooLong" | "keyNumber", words: string): Check =>
  Judge.of(question, ({ body }) => {
    const field = at(body, "errors", "apiKey")
    const messages = Array.isArray(field) ? field.filter((message) => typeof message === "string") : []
    const found = messages.find((message) => message.toLowerCase().includes(words))
    if (found !== undefined) return holds(quoted(found))
    return deviates(messages.length === 0 ? `errors.apiKey is ${kindOf(field)}` : messages.map(quoted).join(", "))
  })

export const errorStatements: ReadonlyArray<Statement> = [
  {
    id: "error.status",
    section: "Error body",
    text: "status is an integer, the HTTP status code",
    check: every(Judge.refusals, Judge.statusMismatch)
  },
  {
    id: "error.message",
    section: "Error body",
    text: "message is a string",
    check: every(Judge.refusals, (answer) => unless("a string", answer, "message"))
  },
  {
    id: "error.errors",
    section: "Error body",
    text: "errors is an object that holds message, the same summary repeated",
    check: every(Judge.refusals, (answer) => {
      const summary = at(answer.body, "errors", "message")
      const wrong = unless("an object", answer, "errors") ?? unless("a string", answer, "errors", "message")
      return wrong ?? (summary === at(answer.body, "message") ? undefined : "errors.message is not the same as message")
    })
  },
  {
    id: "error.fields",
    section: "Error body",
    text: "On a 422 errors holds one key per offending field, whose value is an array of strings",
    check: every(validations, (answer) => {
      const field = answer.asked.includes("/auth/generate-tokens") ? "apiKey" : "refreshToken"
      const messages = at(answer.body, "errors", field)
      if (!Array.isArray(messages)) return `errors.${field} is ${kindOf(messages)}`
      if (messages.length === 0) return `errors.${field} is an empty array`
      const other = messages.find((message) => typeof message !== "string")
      return other === undefined ? undefined : `errors.${field} holds ${kindOf(other)}`
    })
  },
  {
    id: "error.code",
    section: "Error body",
    text: "code is a string: E followed by five digits",
    check: every(Judge.refusals, (answer) => {
      const code = codeOf(answer)
      if (code === undefined) return unless("a string", answer, "code")
      return /^E\d{5}$/.test(code) ? undefined : quoted(code)
    })
  },
  {
    id: "error.must-be-a-string",
    section: "Errors",
    text: `A 422 for apiKey has messages in errors.apiKey such as "must be a string"`,
    check: complains("keyNumber", "must be a string")
  },
  {
    id: "error.must-not-exceed",
    section: "Errors",
    text: `A 422 for apiKey has messages in errors.apiKey such as "must not exceed 255 characters"`,
    check: complains("keyTooLong", "must not exceed 255 characters")
  },
  {
    id: "error.should-not-be-empty",
    section: "Errors",
    text: `A 422 for apiKey has messages in errors.apiKey such as "should not be empty"`,
    check: complains("keyEmpty", "should not be empty")
  },
  {
    id: "code.status",
    section: "Authentication error codes, Common error codes",
    text: "Each code comes with its HTTP status",
    check: every(
      Judge.only(Judge.refusals, "answers with a code of the specification", (answer) =>
        Object.hasOwn(ApiError.answers, codeOf(answer) ?? "")
      ),
      (answer) =>
        ApiError.answers[codeOf(answer) as ApiError.Code].status === answer.status ? undefined : summary(answer)
    )
  },
  {
    id: "code.invalid-access-token-message",
    section: "Authentication error codes",
    text: `The message text of E01401 is "Invalid access token"`,
    check: every(
      Judge.only(Judge.refusals, "answers with E01401", (answer) => codeOf(answer) === "E01401"),
      ({ body }) => {
        const message = at(body, "message")
        if (message === "Invalid access token") return undefined
        return typeof message === "string" ? quoted(message) : `message is ${kindOf(message)}`
      }
    )
  },
  {
    id: "code.malformed",
    section: "Common error codes",
    text: "A malformed body: E40000 (HTTP 400)",
    check: refused("notJson", 400, "E40000")
  },
  {
    id: "code.token-missing",
    section: "Common error codes",
    text: "X-ACCESS-TOKEN is missing: E40001, or E01401 (HTTP 401)",
    check: refused("noToken", 401, "E40001", "E01401")
  },
  {
    id: "code.token-invalid",
    section: "Common error codes",
    text: "X-ACCESS-TOKEN is invalid: E40001, or E01401 (HTTP 401)",
    check: refused("strangeToken", 401, "E40001", "E01401")
  }
]
