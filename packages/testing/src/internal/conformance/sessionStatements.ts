/** The statements about tokens, sessions and the envelope. */
import * as Judge from "./judgement.ts"
import {
  type Check,
  readCode,
  deviates,
  every,
  holds,
  inSection,
  ofSuccess,
  refused,
  type Statement,
  summary,
  unless,
  unobservable
} from "./judgement.ts"
import { expiryIn } from "./probe.ts"
import { at, isRecord, typeName, quoted } from "./values.ts"

const generated = Judge.answersTo("answers of generate-tokens", "start")
const refreshed = Judge.answersTo("answers of refresh-token", "refresh", "refreshAgain")
const sessions = Judge.answersTo("token sets", "start", "refresh", "refreshAgain")

/** Requires a non-empty token in a field. */
const tokenIn = (name: string): Check =>
  every(sessions, (answer) =>
    at(answer.body, "data", name) === "" ? `data.${name} is empty` : unless("a string", answer, "data", name)
  )

/** Requires that a refresh issues a different token. */
const renewed =
  (name: string): Check =>
  (evidence) => {
    const pairs = [
      ["start", "refresh"],
      ["refresh", "refreshAgain"]
    ] as const
    const seen = pairs.flatMap(([before, after]) => {
      const [old, next] = [evidence[before], evidence[after]]
      if (old._tag === "Unanswered" || next._tag === "Unanswered") return []
      const tokens = [at(old.body, "data", name), at(next.body, "data", name)]
      return tokens.every((token) => typeof token === "string") ? [{ same: tokens[0] === tokens[1], next }] : []
    })
    if (seen.length === 0) return unobservable("no refresh returned tokens")
    const same = seen.find((pair) => pair.same)
    return same === undefined
      ? holds(`in all refreshes: ${seen.length}`)
      : deviates(`the same refresh token again (${same.next.asked})`)
  }

const created = (question: "start" | "refresh"): Check =>
  Judge.of(question, (answer) => {
    const { status, success } = answer
    if (success === status) return holds(summary(answer))
    const isOther = status >= 200 && status < 300
    return (isOther ? deviates : unobservable)(`${summary(answer)}${isOther ? `, not HTTP ${success}` : ""}`)
  })

const holdsFields = (question: "start" | "refresh", ...names: ReadonlyArray<string>): Check =>
  ofSuccess(question, ({ body }) => {
    const data = at(body, "data")
    if (!isRecord(data)) return deviates(`data is ${typeName(data)}`)
    const missing = names.filter((name) => !Object.hasOwn(data, name))
    return missing.length === 0 ? holds(names.join(", ")) : deviates(`without ${missing.join(", ")}`)
  })

export const sessionStatements: ReadonlyArray<Statement> = [
  ...inSection("Token session data", [
    ["session.access-token", "accessToken is a string, in the generate and refresh responses", tokenIn("accessToken")],
    [
      "session.refresh-token",
      "refreshToken is a string, in the generate and refresh responses",
      tokenIn("refreshToken")
    ],
    ["session.refresh-token-rotates", "Each refresh returns a new refreshToken", renewed("refreshToken")],
    [
      "session.expires-at",
      "expiresAt is an integer of 13 digits, in the generate and refresh responses",
      every(sessions, (answer) => {
        const wrong = unless("an integer", answer, "data", "expiresAt")
        const digits = String(at(answer.body, "data", "expiresAt")).length
        return wrong ?? (digits === 13 ? undefined : `data.expiresAt has ${digits} digits`)
      })
    ],
    [
      "session.expires-in-the-future",
      "expiresAt is the expiry of the access token, in milliseconds since the Unix epoch: it is in the future",
      every(sessions, (answer) => {
        const expiresAt = expiryIn(answer)
        if (expiresAt === undefined) return "data.expiresAt is not a time in milliseconds"
        return expiresAt > answer.at ? undefined : `it was ${answer.at - expiresAt} ms ago, by this machine's clock`
      })
    ],
    [
      "session.vault-id",
      "vaultId is an integer, in the generate response",
      every(generated, (answer) => unless("an integer", answer, "data", "vaultId"))
    ]
  ]),
  ...inSection("Success envelope", [
    [
      "envelope.message",
      "message is a string",
      every(Judge.successes, (answer) => unless("a string", answer, "message"))
    ],
    ["envelope.data", "data is an object", every(Judge.successes, (answer) => unless("an object", answer, "data"))],
    [
      "envelope.status",
      "status is an integer, the HTTP status code of the response",
      every(Judge.successes, Judge.statusMismatch)
    ]
  ]),
  ...inSection("Request headers", [
    [
      "header.raw-token",
      "X-ACCESS-TOKEN is the raw access token string, with no Bearer prefix",
      (evidence) => {
        const judgement = Judge.granted("read", "start")(evidence)
        const prefixed = evidence.readPrefixed
        return judgement.verdict === "deviates" && Judge.isAnswer(prefixed) && Judge.ok(prefixed)
          ? deviates(`${judgement.seen} to the raw token, HTTP ${prefixed.status} with "Bearer " before it`)
          : judgement
      }
    ],
    [
      "header.required",
      "X-ACCESS-TOKEN is required on every endpoint except the two /auth endpoints",
      Judge.refusedAnyhow("noToken", (answer) => `${summary(answer)} without it`)
    ],
    [
      "header.not-for-auth",
      "The two /auth endpoints need no X-ACCESS-TOKEN",
      (evidence) => {
        const asked = [evidence.start, evidence.refresh].filter(Judge.isAnswer)
        const wanting = asked.find((answer) => ["E01401", "E40001"].includes(readCode(answer) ?? ""))
        if (wanting !== undefined) return deviates(`${summary(wanting)} (${wanting.asked})`)
        const granted = asked.filter(Judge.ok)
        return granted.length === 2 ? holds("both answered without it") : unobservable("not both of them were answered")
      }
    ]
  ]),
  ...inSection("POST /auth/generate-tokens", [
    ["generate.created", "Success: HTTP 201", created("start")],
    [
      "generate.fields",
      "data holds accessToken, refreshToken, expiresAt and vaultId",
      holdsFields("start", "accessToken", "refreshToken", "expiresAt", "vaultId")
    ],
    [
      "generate.message",
      "The message text says the vault API keys were generated",
      ofSuccess("start", ({ body }) => {
        const message = at(body, "message")
        if (typeof message !== "string") return deviates(`message is ${typeName(message)}`)
        return /generated/i.test(message) ? holds(quoted(message)) : deviates(quoted(message))
      })
    ],
    [
      "generate.invalid-key",
      "An invalid API key: E00401 (HTTP 400). One of 255 characters is within the limit",
      refused("keyUnknown", 400, "E00401")
    ],
    ["generate.key-required", "apiKey is required: E00402 (HTTP 422) without it", refused("keyMissing", 422, "E00402")],
    ["generate.key-not-empty", "apiKey is not empty: E00402 (HTTP 422) if it is", refused("keyEmpty", 422, "E00402")],
    [
      "generate.key-length",
      "apiKey has at most 255 characters: E00402 (HTTP 422) if it has 256",
      refused("keyTooLong", 422, "E00402")
    ],
    [
      "generate.key-type",
      "apiKey is a string: E00402 (HTTP 422) if it is a number",
      refused("keyNumber", 422, "E00402")
    ],
    ["generate.key-once", "The API key is one-time: a second use fails", Judge.refusedAnyhow("startAgain")]
  ]),
  ...inSection("POST /auth/refresh-token", [
    ["refresh.created", "Success: HTTP 201", created("refresh")],
    [
      "refresh.fields",
      "data holds accessToken, refreshToken and expiresAt",
      holdsFields("refresh", "accessToken", "refreshToken", "expiresAt")
    ],
    [
      "refresh.no-vault-id",
      "data holds no vaultId",
      every(refreshed, ({ body }) => (at(body, "data", "vaultId") === undefined ? undefined : "data.vaultId is there"))
    ],
    [
      "refresh.token-required",
      "refreshToken is required: E00402 (HTTP 422) without it",
      refused("refreshMissing", 422, "E00402")
    ],
    [
      "refresh.token-type",
      "refreshToken is a string: E00402 (HTTP 422) if it is a number",
      refused("refreshNumber", 422, "E00402")
    ],
    [
      "refresh.invalid-token",
      "An invalid refresh token: E01402, or E40002 of the common set (HTTP 401)",
      refused("refreshUnknown", 401, "E01402", "E40002")
    ],
    [
      "refresh.replacement",
      "The response carries the refresh token's replacement, the latest one issued: it can be refreshed in its turn",
      Judge.of("refreshAgain", (answer) => (Judge.ok(answer) ? holds(summary(answer)) : deviates(summary(answer))))
    ],
    [
      "refresh.invalidates",
      "A successful call invalidates the refresh token that was sent: E01402, or E40002 (HTTP 401), the next time",
      refused("reuse", 401, "E01402", "E40002")
    ]
  ]),
  ...inSection("Other endpoints", [
    [
      "vaults.details",
      "GET /vaults/details answers with the envelope of every successful call",
      every(
        Judge.answersTo("answers of GET /vaults/details", "read", "readPrefixed", "readNew", "readAgain"),
        (answer) => unless("an object", answer, "data")
      )
    ]
  ]),
  ...inSection("Authentication", [
    ["flow.new-access-token", "The refresh token obtains a new access token", renewed("accessToken")],
    [
      "flow.new-access-token-works",
      "A call is made with the new access token after a refresh",
      Judge.granted("readNew", "refresh")
    ],
    [
      "flow.expired",
      "A call after expiresAt returns HTTP 498, E01403 or E40003 (token expired)",
      (evidence) => {
        const judgement = refused("readExpired", 498, "E01403", "E40003")(evidence)
        const { readExpired, refresh } = evidence
        if (judgement.verdict !== "deviates" || !Judge.isAnswer(readExpired) || !Judge.ok(readExpired)) return judgement
        return readExpired.serviceTime <= (expiryIn(refresh) ?? 0)
          ? unobservable("accepted, and expiresAt is still in the future by the service's own clock")
          : judgement
      }
    ],
    [
      "flow.refresh-and-repeat",
      "After a 498 the latest refresh token is refreshed, and the call repeated with the new access token",
      (evidence) => {
        const { readExpired } = evidence
        if (readExpired._tag === "Unanswered") return unobservable(readExpired.reason)
        return readExpired.status === 498
          ? Judge.granted("readAgain", "refreshAgain")(evidence)
          : unobservable("no 498 was seen")
      }
    ]
  ])
]
