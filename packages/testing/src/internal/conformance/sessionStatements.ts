/** The statements about tokens, sessions and the envelope. */
import * as Judge from "./judgement.ts"
import {
  type Check,
  codeOf,
  deviates,
  every,
  holds,
  ofSuccess,
  refused,
  type Statement,
  summary,
  unless,
  unobservable
} from "./judgement.ts"
import { expiryIn } from "./probe.ts"
import { at, isRecord, kindOf, quoted } from "./values.ts"

const generated = Judge.answersTo("answers of generate-tokens", "start")
const refreshed = Judge.answersTo("answers of refresh-token", "refresh", "refreshAgain")
const sessions = Judge.answersTo("token sets", "start", "refresh", "refreshAgain")

/** Requires a non-empty token in a field. */
const tokenIn = (name: string): Check =>
  every(sessions, (answer) =>
    at(answer.body, "data", name) === "" ? `data.${name} is empty` : unless("a string", answer, "data", name)
  )

/** Requires that a refresh issues a different token. Labels replace the tokens, and equal tokens have equal labels. */
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
  ofSuccess(question, (answer) =>
    answer.status === 201 ? holds(summary(answer)) : deviates(`${summary(answer)}, not HTTP 201`)
  )

const holdsFields = (question: "start" | "refresh", ...names: ReadonlyArray<string>): Check =>
  ofSuccess(question, ({ body }) => {
    const data = at(body, "data")
    if (!isRecord(data)) return deviates(`data is ${kindOf(data)}`)
    const missing = names.filter((name) => !Object.hasOwn(data, name))
    return missing.length === 0 ? holds(names.join(", ")) : deviates(`without ${missing.join(", ")}`)
  })

export const sessionStatements: ReadonlyArray<Statement> = [
  {
    id: "session.access-token",
    section: "Token session data",
    text: "accessToken is a string, in the generate and refresh responses",
    check: tokenIn("accessToken")
  },
  {
    id: "session.refresh-token",
    section: "Token session data",
    text: "refreshToken is a string, in the generate and refresh responses",
    check: tokenIn("refreshToken")
  },
  {
    id: "session.refresh-token-rotates",
    section: "Token session data",
    text: "Each refresh returns a new refreshToken",
    check: renewed("refreshToken")
  },
  {
    id: "session.expires-at",
    section: "Token session data",
    text: "expiresAt is an integer of 13 digits, in the generate and refresh responses",
    check: every(sessions, (answer) => {
      const wrong = unless("an integer", answer, "data", "expiresAt")
      const digits = String(at(answer.body, "data", "expiresAt")).length
      return wrong ?? (digits === 13 ? undefined : `data.expiresAt has ${digits} digits`)
    })
  },
  {
    id: "session.expires-in-the-future",
    section: "Token session data",
    text: "expiresAt is the expiry of the access token, in milliseconds since the Unix epoch: it is in the future",
    check: every(sessions, (answer) => {
      const expiresAt = expiryIn(answer)
      if (expiresAt === undefined) return "data.expiresAt is not a time in milliseconds"
      return expiresAt > answer.at ? undefined : `it was ${answer.at - expiresAt} ms ago, by this machine's clock`
    })
  },
  {
    id: "session.vault-id",
    section: "Token session data",
    text: "vaultId is an integer, in the generate response",
    check: every(generated, (answer) => unless("an integer", answer, "data", "vaultId"))
  },
  {
    id: "envelope.message",
    section: "Success envelope",
    text: "message is a string",
    check: every(Judge.successes, (answer) => unless("a string", answer, "message"))
  },
  {
    id: "envelope.data",
    section: "Success envelope",
    text: "data is an object",
    check: every(Judge.successes, (answer) => unless("an object", answer, "data"))
  },
  {
    id: "envelope.status",
    section: "Success envelope",
    text: "status is an integer, the HTTP status code of the response",
    check: every(Judge.successes, Judge.statusMismatch)
  },
  {
    id: "header.raw-token",
    section: "Request headers",
    text: "X-ACCESS-TOKEN is the raw access token string, with no Bearer prefix",
    check: (evidence) => {
      const judgement = Judge.granted("read", "start")(evidence)
      const prefixed = evidence.readPrefixed
      return judgement.verdict === "deviates" && Judge.isAnswer(prefixed) && Judge.ok(prefixed)
        ? deviates(`${judgement.seen} to the raw token, HTTP ${prefixed.status} with "Bearer " before it`)
        : judgement
    }
  },
  {
    id: "header.required",
    section: "Request headers",
    text: "X-ACCESS-TOKEN is required on every endpoint except the two /auth endpoints",
    check: Judge.refusedAnyhow("noToken", (answer) => `${summary(answer)} without it`)
  },
  {
    id: "header.not-for-auth",
    section: "Request headers",
    text: "The two /auth endpoints need no X-ACCESS-TOKEN",
    check: (evidence) => {
      const asked = [evidence.start, evidence.refresh].filter(Judge.isAnswer)
      const wanting = asked.find((answer) => ["E01401", "E40001"].includes(codeOf(answer) ?? ""))
      if (wanting !== undefined) return deviates(`${summary(wanting)} (${wanting.asked})`)
      const granted = asked.filter(Judge.ok)
      return granted.length === 2 ? holds("both answered without it") : unobservable("not both of them were answered")
    }
  },
  {
    id: "generate.created",
    section: "POST /auth/generate-tokens",
    text: "Success: HTTP 201",
    check: created("start")
  },
  {
    id: "generate.fields",
    section: "POST /auth/generate-tokens",
    text: "data holds accessToken, refreshToken, expiresAt and vaultId",
    check: holdsFields("start", "accessToken", "refreshToken", "expiresAt", "vaultId")
  },
  {
    id: "generate.message",
    section: "POST /auth/generate-tokens",
    text: "The message text says the vault API keys were generated",
    check: ofSuccess("start", ({ body }) => {
      const message = at(body, "message")
      if (typeof message !== "string") return deviates(`message is ${kindOf(message)}`)
      return /generated/i.test(message) ? holds(quoted(message)) : deviates(quoted(message))
    })
  },
  {
    id: "generate.invalid-key",
    section: "POST /auth/generate-tokens",
    text: "An invalid API key: E00401 (HTTP 400). One of 255 characters is within the limit",
    check: refused("keyUnknown", 400, "E00401")
  },
  {
    id: "generate.key-required",
    section: "POST /auth/generate-tokens",
    text: "apiKey is required: E00402 (HTTP 422) without it",
    check: refused("keyMissing", 422, "E00402")
  },
  {
    id: "generate.key-not-empty",
    section: "POST /auth/generate-tokens",
    text: "apiKey is not empty: E00402 (HTTP 422) if it is",
    check: refused("keyEmpty", 422, "E00402")
  },
  {
    id: "generate.key-length",
    section: "POST /auth/generate-tokens",
    text: "apiKey has at most 255 characters: E00402 (HTTP 422) if it has 256",
    check: refused("keyTooLong", 422, "E00402")
  },
  {
    id: "generate.key-type",
    section: "POST /auth/generate-tokens",
    text: "apiKey is a string: E00402 (HTTP 422) if it is a number",
    check: refused("keyNumber", 422, "E00402")
  },
  {
    id: "generate.key-once",
    section: "POST /auth/generate-tokens",
    text: "The API key is one-time: a second use fails",
    check: Judge.refusedAnyhow("startAgain")
  },
  {
    id: "refresh.created",
    section: "POST /auth/refresh-token",
    text: "Success: HTTP 201",
    check: created("refresh")
  },
  {
    id: "refresh.fields",
    section: "POST /auth/refresh-token",
    text: "data holds accessToken, refreshToken and expiresAt",
    check: holdsFields("refresh", "accessToken", "refreshToken", "expiresAt")
  },
  {
    id: "refresh.no-vault-id",
    section: "POST /auth/refresh-token",
    text: "data holds no vaultId",
    check: every(refreshed, ({ body }) =>
      at(body, "data", "vaultId") === undefined ? undefined : "data.vaultId is there"
    )
  },
  {
    id: "refresh.token-required",
    section: "POST /auth/refresh-token",
    text: "refreshToken is required: E00402 (HTTP 422) without it",
    check: refused("refreshMissing", 422, "E00402")
  },
  {
    id: "refresh.token-type",
    section: "POST /auth/refresh-token",
    text: "refreshToken is a string: E00402 (HTTP 422) if it is a number",
    check: refused("refreshNumber", 422, "E00402")
  },
  {
    id: "refresh.invalid-token",
    section: "POST /auth/refresh-token",
    text: "An invalid refresh token: E01402, or E40002 of the common set (HTTP 401)",
    check: refused("refreshUnknown", 401, "E01402", "E40002")
  },
  {
    id: "refresh.replacement",
    section: "POST /auth/refresh-token",
    text: "The response carries the refresh token's replacement, the latest one issued: it can be refreshed in its turn",
    check: Judge.of("refreshAgain", (answer) => (Judge.ok(answer) ? holds(summary(answer)) : deviates(summary(answer))))
  },
  {
    id: "refresh.invalidates",
    section: "POST /auth/refresh-token",
    text: "A successful call invalidates the refresh token that was sent: E01402, or E40002 (HTTP 401), the next time",
    check: refused("reuse", 401, "E01402", "E40002")
  },
  {
    id: "vaults.details",
    section: "Other endpoints",
    text: "GET /vaults/details answers with the envelope of every successful call",
    check: every(
      Judge.answersTo("answers of GET /vaults/details", "read", "readPrefixed", "readNew", "readAgain"),
      (answer) =>
        unless("a string", answer, "message") ??
        unless("an object", answer, "data") ??
        unless("an integer", answer, "status")
    )
  },
  {
    id: "flow.new-access-token",
    section: "Authentication",
    text: "The refresh token obtains a new access token",
    check: renewed("accessToken")
  },
  {
    id: "flow.new-access-token-works",
    section: "Authentication",
    text: "A call is made with the new access token after a refresh",
    check: Judge.granted("readNew", "refresh")
  },
  {
    id: "flow.expired",
    section: "Authentication",
    text: "A call after expiresAt returns HTTP 498, E01403 or E40003 (token expired)",
    check: (evidence) => {
      const judgement = refused("readExpired", 498, "E01403", "E40003")(evidence)
      const { readExpired, refresh } = evidence
      if (judgement.verdict !== "deviates" || !Judge.isAnswer(readExpired) || !Judge.ok(readExpired)) return judgement
      const serviceTime = Date.parse(readExpired.headers["date"] ?? "")
      return serviceTime <= (expiryIn(refresh) ?? 0)
        ? unobservable("accepted, and expiresAt is still in the future by the service's own clock")
        : judgement
    }
  },
  {
    id: "flow.refresh-and-repeat",
    section: "Authentication",
    text: "After a 498 the latest refresh token is refreshed, and the call repeated with the new access token",
    check: (evidence) => {
      const { readExpired } = evidence
      if (readExpired._tag === "Unanswered") return unobservable(readExpired.reason)
      return readExpired.status === 498
        ? Judge.granted("readAgain", "refreshAgain")(evidence)
        : unobservable("no 498 was seen")
    }
  }
]
