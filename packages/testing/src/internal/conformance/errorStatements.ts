/** The statements about error bodies and codes. */
import * as ApiError from "@effect-custody/core/ApiError"
import * as Judge from "./judgement.ts"
import { readCode, every, inSection, refused, type Statement, summary, unless } from "./judgement.ts"
import { at, typeName, quoted } from "./values.ts"

const validations = Judge.only(Judge.refusals, "answers of 422", ({ status }) => status === 422)

export const errorStatements: ReadonlyArray<Statement> = [
  ...inSection("Error body", [
    ["error.status", "status is an integer, the HTTP status code", every(Judge.refusals, Judge.statusMismatch)],
    ["error.message", "message is a string", every(Judge.refusals, (answer) => unless("a string", answer, "message"))],
    [
      "error.errors",
      "errors is an object that holds message, the same summary repeated",
      every(Judge.refusals, (answer) => {
        const summary = at(answer.body, "errors", "message")
        const wrong = unless("an object", answer, "errors") ?? unless("a string", answer, "errors", "message")
        return (
          wrong ?? (summary === at(answer.body, "message") ? undefined : "errors.message is not the same as message")
        )
      })
    ],
    [
      "error.fields",
      "On a 422 errors holds one key per offending field, whose value is an array of strings",
      every(validations, (answer) => {
        const field = answer.asked.includes("/auth/generate-tokens") ? "apiKey" : "refreshToken"
        const messages = at(answer.body, "errors", field)
        if (!Array.isArray(messages)) return `errors.${field} is ${typeName(messages)}`
        if (messages.length === 0) return `errors.${field} is an empty array`
        const other = messages.find((message) => typeof message !== "string")
        return other === undefined ? undefined : `errors.${field} holds ${typeName(other)}`
      })
    ],
    [
      "error.code",
      "code is a string: E followed by five digits",
      every(Judge.refusals, (answer) => {
        const code = readCode(answer)
        if (code === undefined) return unless("a string", answer, "code")
        return /^E\d{5}$/.test(code) ? undefined : quoted(code)
      })
    ]
  ]),
  ...inSection("Authentication error codes, Common error codes", [
    [
      "code.status",
      "Each code comes with its HTTP status",
      every(
        Judge.only(Judge.refusals, "answers with a code of the specification", (answer) =>
          Object.hasOwn(ApiError.answers, readCode(answer) ?? "")
        ),
        (answer) =>
          ApiError.answers[readCode(answer) as ApiError.Code].status === answer.status ? undefined : summary(answer)
      )
    ]
  ]),
  ...inSection("Authentication error codes", [
    [
      "code.invalid-access-token-message",
      `The message text of E01401 is "Invalid access token"`,
      every(
        Judge.only(Judge.refusals, "answers with E01401", (answer) => readCode(answer) === "E01401"),
        ({ body }) => {
          const message = at(body, "message")
          if (message === "Invalid access token") return undefined
          return typeof message === "string" ? quoted(message) : `message is ${typeName(message)}`
        }
      )
    ]
  ]),
  ...inSection("Common error codes", [
    ["code.malformed", "A malformed body: E40000 (HTTP 400)", refused("notJson", 400, "E40000")],
    [
      "code.token-missing",
      "X-ACCESS-TOKEN is missing: E40001, or E01401 (HTTP 401)",
      refused("noToken", 401, "E40001", "E01401")
    ],
    [
      "code.token-invalid",
      "X-ACCESS-TOKEN is invalid: E40001, or E01401 (HTTP 401)",
      refused("strangeToken", 401, "E40001", "E01401")
    ]
  ])
]
