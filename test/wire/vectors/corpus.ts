/**
 * The corpus of wire vectors: the calls of `operations.ts`, and for each operation every answer of the error kind. The
 * files beside it are this, written out: `node test/wire/vectors/generate.ts` writes them, and a test holds them to it.
 */
import type { Json, Operation, Part, Response, Success } from "./operation.ts"
import { categories } from "./operations.ts"

/** A request that is expected. */
export interface ExpectedRequest {
  readonly method: string
  /** Relative to the base address. */
  readonly path: string
  readonly query: Readonly<Record<string, string | ReadonlyArray<string>>>
  /** The headers that matter, in lower case; `null`: must not be there. */
  readonly headers: Readonly<Record<string, string | null>>
  readonly json?: Json
  readonly multipart?: ReadonlyArray<Part>
}

/** What a call fails with: what is named here must be so. */
export type ExpectedError = { readonly tag: string } & Readonly<Record<string, Json>>

/** A request of the client's own, and what it gets. */
export interface LookUp {
  readonly request: ExpectedRequest
  readonly response: Response
}

/** One call. See `README.md` in this directory. */
export interface Vector {
  readonly name: string
  readonly operation: string
  readonly input: Readonly<Record<string, Json>>
  /** `null`: nothing may be sent. */
  readonly request: ExpectedRequest | null
  /** The answers to the first times that the request comes. */
  readonly earlier?: ReadonlyArray<Response>
  /** The answer to every further time. */
  readonly response?: Response
  readonly lookUps?: ReadonlyArray<LookUp>
  readonly result?: Json
  readonly error?: ExpectedError
}

/** The access token of the session that the client holds. */
export const accessToken = "stored-access-token"

const contentType = ({ json, multipart }: Success): string | null =>
  multipart !== undefined ? "multipart/form-data" : json !== undefined ? "application/json" : null

const headersOf = (safety: Operation["safety"], type: string | null) => ({
  accept: "application/json",
  "content-type": type,
  "x-access-token": safety === "session" ? null : accessToken
})

const requestOf = ({ method, safety }: Operation, success: Success): ExpectedRequest => ({
  method,
  path: success.path,
  query: success.query ?? {},
  headers: headersOf(safety, contentType(success)),
  ...(success.json === undefined ? {} : { json: success.json }),
  ...(success.multipart === undefined ? {} : { multipart: success.multipart })
})

/** An error body as the specification shows it. */
const refusal = (status: number, code: string, message: string, fields: Readonly<Record<string, Json>> = {}) => ({
  status,
  json: { status, message, errors: { message, ...fields }, code }
})

interface Case {
  readonly name: string
  readonly response: Response
  readonly error: ExpectedError
  /** Where it can come: everywhere, unless this says no. */
  readonly on?: (operation: Operation) => boolean
}

const takesToken = ({ safety }: Operation) => safety !== "session"
const isRead = ({ safety }: Operation) => safety === "read"
const exchangesKey = ({ operation }: Operation) => operation === "authentication.generateTokens"

/** The tables of codes of the specification: the HTTP status of each, its message, and the tag that both sets meet in. */
const codes: ReadonlyArray<readonly [code: string, status: number, message: string, tag: string]> = [
  ["E00401", 400, "Invalid API key", "InvalidApiKey"],
  ["E01401", 401, "Invalid access token", "InvalidAccessToken"],
  ["E40001", 401, "Invalid access token", "InvalidAccessToken"],
  ["E01402", 401, "Invalid refresh token", "InvalidRefreshToken"],
  ["E40002", 401, "Invalid refresh token", "InvalidRefreshToken"],
  ["E01403", 498, "Token has expired", "TokenExpired"],
  ["E40003", 498, "Token has expired", "TokenExpired"],
  ["E40000", 400, "Bad request", "BadRequest"]
]

const page = "<html><body><h1>Bad Gateway</h1></body></html>"
const html = (status: number): Response => ({ status, headers: { "content-type": "text/html" }, text: page })

/** What any operation may be answered with. */
const cases: ReadonlyArray<Case> = [
  ...codes.map(([code, status, message, tag]) => ({
    name: `${code} (HTTP ${status}) is ${tag}`,
    response: refusal(status, code, message),
    error: { tag, code, status, message, errors: { message } },
    on: (operation: Operation) => code !== "E00401" || exchangesKey(operation)
  })),
  {
    name: "a 401 without a code is InvalidAccessToken",
    response: { status: 401, json: { status: 401, message: "No" } },
    error: { tag: "InvalidAccessToken", code: null, status: 401, message: "No" },
    on: takesToken
  },
  {
    name: "a 401 without a code is OtherApiError, for no access token was sent",
    response: { status: 401, json: { status: 401, message: "No" } },
    error: { tag: "OtherApiError", code: null, status: 401, message: "No" },
    on: (operation) => !takesToken(operation)
  },
  {
    name: "a 498 without a code is TokenExpired",
    response: { status: 498, json: { status: 498, message: "Expired" } },
    error: { tag: "TokenExpired", code: null, status: 498, message: "Expired" }
  },
  {
    name: "E00402 (HTTP 422) is ValidationFailed, with the messages of each field",
    response: refusal(422, "E00402", "Validation error", {
      id: ["must be a string", "should not be empty"],
      amount: "must be positive",
      note: [{ rule: "length" }, "must not exceed 255 characters"]
    }),
    error: {
      tag: "ValidationFailed",
      code: "E00402",
      status: 422,
      message: "Validation error",
      fields: {
        id: ["must be a string", "should not be empty"],
        amount: ["must be positive"],
        note: ["must not exceed 255 characters"]
      }
    }
  },
  {
    name: "another code on a 422 is OtherApiError, with the messages of each field",
    response: refusal(422, "E50001", "Duplicate", { id: ["is taken"] }),
    error: { tag: "OtherApiError", code: "E50001", status: 422, message: "Duplicate", fields: { id: ["is taken"] } }
  },
  {
    name: "a 422 without a code and without errors is ValidationFailed",
    response: { status: 422, json: { status: 422, message: "Wrong" } },
    error: { tag: "ValidationFailed", code: null, status: 422, message: "Wrong", fields: {} }
  },
  {
    name: "a 404 without a code is NotFound",
    response: { status: 404, json: { status: 404, message: "Not found" } },
    error: { tag: "NotFound", code: null, status: 404, message: "Not found" },
    on: ({ isOfResource }) => isOfResource === true
  },
  {
    name: "a 404 with a code of the operation's own is NotFound",
    response: refusal(404, "E20404", "No such thing"),
    error: { tag: "NotFound", code: "E20404", status: 404, message: "No such thing" },
    on: ({ isOfResource }) => isOfResource === true
  },
  {
    name: "a 404 is OtherApiError, for nothing is named that could be missing",
    response: { status: 404, json: { status: 404, message: "Not found" } },
    error: { tag: "OtherApiError", code: null, status: 404, message: "Not found" },
    on: ({ isOfResource }) => isOfResource !== true
  },
  {
    name: "a code that nobody knows is OtherApiError, with everything that came",
    response: refusal(409, "E50001", "Duplicate", { id: ["is taken"] }),
    error: {
      tag: "OtherApiError",
      code: "E50001",
      status: 409,
      message: "Duplicate",
      errors: { message: "Duplicate", id: ["is taken"] }
    }
  },
  {
    name: "the code of another operation is OtherApiError",
    response: refusal(400, "E00401", "Invalid API key"),
    error: { tag: "OtherApiError", code: "E00401", status: 400, message: "Invalid API key" },
    on: (operation) => !exchangesKey(operation)
  },
  {
    name: "a refusal without a code is OtherApiError",
    response: { status: 403, json: { status: 403, message: "Forbidden" } },
    error: { tag: "OtherApiError", code: null, status: 403, message: "Forbidden", errors: {} }
  },
  {
    name: "a page of HTML is OtherApiError, with its text",
    response: html(403),
    error: { tag: "OtherApiError", code: null, status: 403, errors: {}, body: page },
    on: (operation) => isRead(operation) || !takesToken(operation)
  },
  {
    name: "a 429 is RateLimited, with the time that the service asks for",
    response: { status: 429, headers: { "retry-after": "7" }, json: { status: 429, message: "Too many requests" } },
    error: { tag: "RateLimited", code: null, status: 429, message: "Too many requests", retryAfterSeconds: 7 }
  },
  {
    name: "a 500 without a code is OtherApiError",
    response: { status: 500, json: { status: 500, message: "Internal server error", errors: { error: "oops" } } },
    error: {
      tag: "OtherApiError",
      code: null,
      status: 500,
      message: "Internal server error",
      errors: { error: "oops" }
    },
    on: isRead
  },
  {
    name: "a 502 of a proxy is OtherApiError, with its text",
    response: html(502),
    error: { tag: "OtherApiError", code: null, status: 502, body: page },
    on: isRead
  },
  {
    name: "a 200 that is a page of HTML is UnexpectedResponse",
    response: html(200),
    error: { tag: "UnexpectedResponse", status: 200, body: page },
    on: isRead
  },
  {
    name: "a 200 without its payload is UnexpectedResponse",
    response: { status: 200, json: { message: "OK", status: 200 } },
    error: { tag: "UnexpectedResponse", status: 200 },
    on: isRead
  },
  {
    name: "a 200 whose envelope says 500 is UnexpectedResponse, whatever its data",
    response: { status: 200, json: { ...refusal(500, "E50000", "Internal").json, data: [] } },
    error: { tag: "UnexpectedResponse", status: 200 },
    on: isRead
  },
  {
    name: "a 200 with the code of an error is UnexpectedResponse, whatever its data",
    response: { status: 200, json: { ...refusal(200, "E50000", "Internal").json, data: [] } },
    error: { tag: "UnexpectedResponse", status: 200 },
    on: isRead
  },
  {
    name: "a redirect is not followed",
    response: { status: 302, headers: { location: "https://elsewhere.example/" }, text: "" },
    error: { tag: "UnexpectedResponse", status: 302 },
    on: isRead
  }
]

/** The answers after which a call that changes something may have happened. */
const doubts: ReadonlyArray<{ readonly name: string; readonly response: Response }> = [
  {
    name: "a 500",
    response: { status: 500, json: { status: 500, message: "Internal server error", errors: { error: "oops" } } }
  },
  { name: "a 503 with a code that says it was a bad request", response: refusal(503, "E40000", "Bad request") },
  { name: "a 502 of a proxy", response: html(502) },
  { name: "a 403 that is a page of HTML", response: html(403) },
  { name: "a 201 that is a page of HTML", response: html(201) },
  {
    name: "a 201 whose envelope says 500, whatever its data,",
    response: {
      status: 201,
      json: { ...refusal(500, "E50000", "Internal").json, data: { id: "t-1", status: "PENDING" } }
    }
  },
  { name: "a 201 without its payload", response: { status: 201, json: { message: "Created", status: 201 } } },
  {
    name: "a 201 that breaks off",
    response: { status: 201, headers: { "content-type": "application/json" }, text: `{"message":"Created","data":{"i` }
  },
  { name: "a redirect", response: { status: 302, headers: { location: "https://elsewhere.example/" }, text: "" } }
]

const lookUpsOf = (operation: Operation, answer: (data: Json) => Response): ReadonlyArray<LookUp> =>
  (operation.existing ?? []).map(({ data, path }) => ({
    request: { method: "GET", path, query: {}, headers: headersOf("read", null) },
    response: answer(data)
  }))

const doubtsOf = (operation: Operation, base: Pick<Vector, "operation" | "input" | "request">) => {
  const unknown: ExpectedError = { tag: "OutcomeUnknown", lookUp: operation.lookUp ?? null }
  if (operation.safety === "read") return []
  if (operation.safety !== "keyed") {
    const isSession = !takesToken(operation)
    return doubts
      .filter(({ response }) => !isSession || response.status !== 403)
      .map(({ name, response }): Vector => ({
        ...base,
        name: `${name} is OutcomeUnknown`,
        response,
        error: unknown
      }))
  }
  const found = (operation.existing ?? []).map(({ data }) => data)
  return doubts.flatMap(({ name, response }): ReadonlyArray<Vector> => [
    {
      ...base,
      name: `after ${name} it is looked up, and found`,
      response,
      lookUps: lookUpsOf(operation, (data) => ({ status: 200, json: { message: "OK", data, status: 200 } })),
      result: found.length === 1 ? found[0]! : found
    },
    {
      ...base,
      name: `after ${name} it is looked up, and what is not there yet leaves OutcomeUnknown`,
      response,
      lookUps: lookUpsOf(operation, () => refusal(404, "E20404", "No such thing")),
      error: unknown
    }
  ])
}

const vectorsOf = (operation: Operation): ReadonlyArray<Vector> => {
  const { operation: name, successes } = operation
  const [usual] = successes
  const base = { operation: name, input: usual.input, request: requestOf(operation, usual) }
  const replayed = takesToken(operation)
    ? ["E01403", "E40003"].map((code): Vector => ({
        ...base,
        name: `${code} (HTTP 498) is answered by a refresh, and the call goes again with the new token`,
        earlier: [refusal(498, code, "Token has expired")],
        response: usual.response,
        result: usual.result
      }))
    : []
  return [
    ...successes.map((success): Vector => ({
      name: success.name,
      operation: name,
      input: success.input,
      request: requestOf(operation, success),
      response: success.response,
      result: success.result
    })),
    ...replayed,
    ...(operation.refused ?? []).map(({ input, name: why, paths }): Vector => ({
      name: `is not sent: ${why}`,
      operation: name,
      input,
      request: null,
      error: { tag: "InputInvalid", paths }
    })),
    ...cases
      .filter(({ on }) => on === undefined || on(operation))
      .map(({ error, name: what, response }): Vector => ({ ...base, name: what, response, error })),
    ...doubtsOf(operation, base)
  ].map(({ name: what, operation: which, ...rest }) => ({ name: what, operation: which, ...rest }))
}

/** One file of the corpus, as text: a vector to a line. */
const fileOf = (category: string, operations: ReadonlyArray<Operation>): string => {
  const lines = operations.flatMap(vectorsOf).map((vector) => `    ${JSON.stringify(vector)}`)
  return `{\n  "category": ${JSON.stringify(category)},\n  "vectors": [\n${lines.join(",\n")}\n  ]\n}\n`
}

/** The text of every file, by its name. */
export const files: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(categories).map(([category, operations]) => [`${category}.json`, fileOf(category, operations)])
)
