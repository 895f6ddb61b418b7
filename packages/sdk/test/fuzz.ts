/**
 * Answers that nobody would give, for every operation: each case is made from its number alone, so that any can be run
 * again by itself.
 */
import { ApiError, CustodyClient, Environment, RetryPolicy, TokenService } from "@effect-custody/core"
import { Transport } from "@effect-custody/core/siblings/Transport"
import * as BigDecimal from "effect/BigDecimal"
import * as Cause from "effect/Cause"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { random as randomOf, type Source } from "../../../test/support/random.ts"
import type { Json, Operation } from "../../../test/wire/vectors/operation.ts"
import { categories } from "../../../test/wire/vectors/operations.ts"
import { inputOf, operations } from "../../../test/wire/vectors/run.ts"

const token = "secret-access-token-of-the-session"

const words = (text: string): ReadonlyArray<string> => text.trim().split(/\s+/)

const keys = [
  ...words(`__proto__ constructor prototype toString hasOwnProperty then toJSON data meta message status code errors id
    amount balance accessToken _tag 0 length`),
  "",
  "\u0000",
  "\uD800"
]

const numbers = [
  ...words(`0 -0 -0.0 1 -1 0.1 9007199254740993 0.10000000000000000001 1e400 -1e400 1e-400 1e999999999999
    1e-999999999999 0e999999999`),
  `1${"0".repeat(1_001)}`,
  `0.${"0".repeat(1_001)}1`,
  "9".repeat(20_000),
  `1e${"9".repeat(400)}`
]

const strings = [
  ...words(`0 NaN Infinity -1 1e-18 1e999999999 E40001 E40003 E01401 E00402 E99999 e40001 <script> __proto__ PENDING
    one-time-api-key latest-refresh-token true null`),
  "",
  " ",
  "9".repeat(1_500),
  "x".repeat(5_000),
  token,
  `Bearer ${token}`,
  "\u0000",
  "\uD800",
  "\uDC00\uD800",
  "\u2028"
]

/** A JSON text: not a value, for what is odd is in the text. */
const anyText = (random: Source, depth = 0): string => {
  switch (random.below(depth > 4 ? 5 : 8)) {
    case 0:
      return random.pick(["null", "true", "false"])
    case 1:
      return random.pick(numbers)
    case 2:
      return String(random.below(1_000_000) - 500_000)
    case 3:
    case 4:
      return JSON.stringify(random.pick(strings))
    case 5:
      return `[${Array.from({ length: random.below(4) }, () => anyText(random, depth + 1)).join(",")}]`
    default: {
      const members = Array.from(
        { length: random.below(5) },
        () => `${JSON.stringify(random.pick(keys))}:${anyText(random, depth + 1)}`
      )
      return `{${members.join(",")}}`
    }
  }
}

const isObject = (value: Json): value is { readonly [key: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A JSON value as text, with something else in some of its places. */
const mutated = (random: Source, value: Json, share: number): string => {
  if (random.chance(share)) return anyText(random, 2)
  if (Array.isArray(value)) {
    const items = (value as ReadonlyArray<Json>).map((item) => mutated(random, item, share))
    if (random.chance(share)) items.push(anyText(random, 3))
    return `[${items.join(",")}]`
  }
  if (!isObject(value)) return JSON.stringify(value)
  const members = Object.entries(value)
    .filter(() => !random.chance(share))
    .map(([key, member]) => {
      const name = random.chance(share) ? random.pick(keys) : key
      return `${JSON.stringify(name)}:${mutated(random, member, share)}`
    })
  // A key for the second time, or one that means something to JavaScript.
  if (random.chance(share * 2)) members.push(`${JSON.stringify(random.pick(keys))}:${anyText(random, 2)}`)
  if (random.chance(share)) members.push(...members.slice(0, 1))
  return `{${members.join(",")}}`
}

/** A text that is broken off, with some of its characters gone, or others in between. */
const scratched = (random: Source, text: string): string => {
  let rest = text
  for (let times = 1 + random.below(4); times > 0; times--) {
    const at = random.below(rest.length + 1)
    const between = random.pick(["", "\u0000", "\uFEFF", '"', "\\", "{", "}", "[", "]", ",", ":", "-", "e", "\\ud800"])
    rest = rest.slice(0, at) + between + (random.chance(0.25) ? "" : rest.slice(at + random.below(3)))
  }
  return rest
}

const bytes = (random: Source): Uint8Array => Uint8Array.from({ length: random.below(400) }, () => random.below(256))

const nested = (random: Source): string => {
  const depth = random.chance(0.02) ? 100_000 : 1 + random.below(3_000)
  const [open, close] = random.pick<readonly [string, string]>([
    ["[", "]"],
    ['{"data":', "}"],
    ['{"__proto__":', "}"],
    ['{"errors":[', "]}"]
  ])
  const heart = random.pick(["1", "1.00000000000000000001", '"x"', "null", ""])
  return open.repeat(depth) + heart + (random.chance(0.7) ? close.repeat(depth) : "")
}

/** An answer of the error kind, more or less. */
const refusal = (random: Source, status: number): string => {
  const message = random.pick(strings)
  const code = random.pick(words("E40000 E40001 E40002 E40003 E01401 E01402 E01403 E00401 E00402 E77777"))
  return mutated(
    random,
    { status, message, errors: { message, amount: ["must be positive"], id: message }, code },
    0.12
  )
}

const statuses = [
  202, 203, 204, 206, 299, 300, 301, 302, 303, 304, 307, 308, 400, 401, 402, 403, 404, 405, 408, 409, 410, 413, 415,
  418, 422, 425, 429, 431, 451, 498, 499, 500, 501, 502, 503, 504, 520, 522, 598, 599
] as const

/** One answer. */
export interface Answer {
  readonly status: number
  readonly body: string | Uint8Array
  readonly headers: Readonly<Record<string, string>>
  /** The body breaks off with an error of the connection. */
  readonly breaks: boolean
}

const bodyOf = (random: Source, status: number, valid: Json): string | Uint8Array => {
  switch (random.below(12)) {
    case 0:
      return bytes(random)
    case 1:
      return random.pick(["", " ", "null", "true", "0", '""', "[]", "{}", "OK", "<html></html>", "\uFEFF{}", "\u0000"])
    case 2:
      return nested(random)
    case 3:
      return anyText(random)
    case 4:
      return `{"data":${anyText(random)}}`
    case 5:
      return scratched(random, JSON.stringify(valid))
    case 6:
      return scratched(random, mutated(random, valid, 0.05))
    case 7:
    case 8:
      return status >= 400 ? refusal(random, status) : mutated(random, valid, 0.08)
    default:
      return mutated(random, valid, random.pick([0.01, 0.04, 0.15, 0.4]))
  }
}

const headers: ReadonlyArray<readonly [name: string, share: number, values: ReadonlyArray<string>]> = [
  ["content-type", 0.8, ["application/json", "text/html", "application/json; charset=utf-16", ";;", "*"]],
  ["retry-after", 0.1, ["0", "7", "-1", "1e9", "soon", "Wed, 21 Oct 2065 07:28:00 GMT", "9".repeat(40), ""]],
  ["content-length", 0.05, ["0", "-1", "NaN", "99999999999", "x"]],
  ["content-encoding", 0.03, ["gzip", "br", "identity", "?"]]
]

const answerOf = (random: Source, valid: Json): Answer => {
  const status = random.chance(0.55) ? random.pick([200, 201]) : random.pick(statuses)
  const sent = headers
    .filter(([, share]) => random.chance(share))
    .map(([name, , values]) => [name, random.pick(values)] as const)
  return { status, body: bodyOf(random, status, valid), headers: Object.fromEntries(sent), breaks: random.chance(0.02) }
}

const all: ReadonlyArray<Operation> = Object.values(categories).flat()

/** One case: a call, and the answers it gets, the last one again and again. */
export interface Case {
  readonly operation: string
  readonly safety: Operation["safety"]
  readonly input: Readonly<Record<string, Json>>
  readonly answers: ReadonlyArray<Answer>
}

/** The case of a number. */
export const caseOf = (number: number): Case => {
  const random = randomOf(number)
  const operation = all[random.below(all.length)]!
  const { input, response } = operation.successes[random.below(operation.successes.length)]!
  const valid = response.json ?? (JSON.parse(response.text ?? "null") as Json)
  const found: Json = { data: operation.existing?.[0]?.data ?? null }
  return {
    operation: operation.operation,
    safety: operation.safety,
    input,
    // What a keyed creation is looked up by gets answers of its own.
    answers: [answerOf(random, valid), ...(operation.safety === "keyed" ? [answerOf(random, found)] : [])]
  }
}

const breaking = (body: string | Uint8Array): ReadableStream<Uint8Array> =>
  new ReadableStream({
    pull: (controller) => {
      controller.enqueue(typeof body === "string" ? new TextEncoder().encode(body.slice(0, 100)) : body)
      controller.error(Object.assign(new Error("reset"), { code: "ECONNRESET" }))
    }
  })

const withoutBody = [204, 205, 304]

const responseOf = ({ body, breaks, headers, status }: Answer): Response =>
  new Response(withoutBody.includes(status) ? null : breaks ? breaking(body) : (body as BodyInit), { status, headers })

/** Whether a value is made of plain objects, lists, decimals and times, all the way down. */
const isPlain = (value: unknown, depth = 0): boolean => {
  if (typeof value !== "object" || value === null || depth > 200) return true
  if (Redacted.isRedacted(value)) return typeof Redacted.value(value) === "string"
  if (BigDecimal.isBigDecimal(value)) return true
  if (DateTime.isDateTime(value)) return DateTime.isUtc(value) && Number.isFinite(DateTime.toEpochMillis(value))
  const prototype: unknown = Object.getPrototypeOf(value)
  if (Array.isArray(value)) return prototype === Array.prototype && value.every((item) => isPlain(item, depth + 1))
  return prototype === Object.prototype && Object.values(value).every((member) => isPlain(member, depth + 1))
}

/** The errors that an outcome may be, beside the answers that the operation declares. */
const ofOurSide: Readonly<Record<Operation["safety"], ReadonlyArray<string>>> = {
  read: ["UnexpectedResponse", "TransportError"],
  keyed: ["OutcomeUnknown"],
  write: ["OutcomeUnknown"],
  session: ["OutcomeUnknown"]
}

/** What is wrong with how a case ended, if anything is. */
const faultOf = ({ answers, input, operation, safety }: Case, exit: Exit.Exit<unknown, { readonly _tag: string }>) => {
  const { breaks, headers, status } = answers[0]!
  if (Exit.isSuccess(exit)) {
    if (!isPlain(exit.value)) return "the result is not made of plain values"
    // A creation that is looked up may be found, whatever it was answered with. New tokens are taken under any status and
    // from an answer that breaks off after them: the service has already replaced the old ones.
    const mayBe = (status >= 200 && status < 300 && !breaks) || safety === "session" || safety === "keyed"
    return mayBe ? undefined : `HTTP ${status} is no success`
  }
  const error = Cause.findErrorOption(exit.cause)
  if (Option.isNone(error)) return `a defect: ${Cause.pretty(exit.cause).slice(0, 500)}`
  const { _tag } = error.value
  const declared = new Set<string>([
    ...ApiError.ofEveryEndpoint,
    ...operations.get(operation)!.refusals.map(ApiError.tagOf)
  ])
  if (!declared.has(_tag) && !ofOurSide[safety].includes(_tag)) return `${_tag} is not in the operation's type`
  // A call knows the secret that it was sent with, and keeps it out of its error even if the answer repeats it.
  const secret = safety === "session" ? JSON.stringify(Object.values(input)[0]).slice(1, -1) : token
  if (JSON.stringify(error.value).includes(secret)) return `${_tag} holds the secret of the call`
  // 408 and 499 are a proxy's, 498 and 429 say all without a body.
  const isDoubtful = status < 400 || status >= 500 || status === 408 || status === 499
  const isTooLarge = Number(headers["content-length"]) > 10 * 1024 * 1024
  const isBroken = (breaks || isTooLarge) && !withoutBody.includes(status) && status !== 498 && status !== 429
  if (safety !== "read" && (isDoubtful || isBroken)) {
    return _tag === "OutcomeUnknown" ? undefined : `HTTP ${status} is ${_tag}, not OutcomeUnknown`
  }
  if (safety === "read" && !isBroken) {
    if (status < 400) return _tag === "UnexpectedResponse" ? undefined : `HTTP ${status} is ${_tag}`
    return declared.has(_tag) ? undefined : `HTTP ${status} is ${_tag}`
  }
  return undefined
}

/** How a run ended: what went wrong, how often each tag came, and the longest case in milliseconds. */
export interface Report {
  readonly faults: ReadonlyArray<{ readonly number: number; readonly operation: string; readonly what: string }>
  readonly counts: Readonly<Record<string, number>>
  readonly longest: { readonly number: number; readonly millis: number }
}

/** A session without a store: every rotation succeeds. */
const session = Layer.sync(TokenService, () => {
  let generation = 0
  const current = Effect.sync(() => ({ value: Redacted.make(token), generation }))
  return TokenService.of({
    current,
    rotate: () => {
      generation++
      return current
    },
    reload: () => current,
    start: () => current,
    awaitStored: Effect.void,
    secrets: Effect.succeed([]),
    status: Effect.succeed({
      identity: "fuzz",
      state: "serving",
      generation: Option.none(),
      expiresAt: Option.none(),
      vaultId: Option.none(),
      hasUnusedKey: false
    }),
    subscribe: () => Effect.void
  })
})

/** Longer than this, a case counts as one that hangs. */
const patience = 2_000

/** Runs the cases of the numbers from one on. */
export const run = (from: number, cases: number): Effect.Effect<Report> => {
  let answers: ReadonlyArray<Answer> = []
  let sent = 0
  const http = Layer.succeed(
    HttpClient.HttpClient,
    HttpClient.make((request) =>
      Effect.sync(() => {
        const answer = answers[Math.min(sent++, answers.length - 1)]!
        return HttpClientResponse.fromWeb(request, responseOf(answer))
      })
    )
  )
  const client = CustodyClient.layer({ retry: RetryPolicy.none }).pipe(
    Layer.provide([
      Transport.layer({ environment: Environment.emulator("http://127.0.0.1/api/integration") }).pipe(
        Layer.provide(http)
      ),
      session
    ]),
    Layer.orDie
  )
  const prototypeKeys = Object.getOwnPropertyNames(Object.prototype).length
  return Effect.gen(function* () {
    const faults: Array<Report["faults"][number]> = []
    const counts: Record<string, number> = {}
    let longest = { number: from, millis: 0 }
    for (let number = from; number < from + cases; number++) {
      const one = caseOf(number)
      answers = one.answers
      sent = 0
      const startedAt = performance.now()
      const exit = yield* Effect.exit(operations.get(one.operation)!(inputOf(one)))
      const millis = performance.now() - startedAt
      if (millis > longest.millis) longest = { number, millis }
      const tag = Exit.isSuccess(exit)
        ? "Success"
        : Option.match(Cause.findErrorOption(exit.cause), { onNone: () => "Defect", onSome: ({ _tag }) => _tag })
      counts[tag] = (counts[tag] ?? 0) + 1
      const what =
        faultOf(one, exit) ??
        (millis > patience ? `it took ${Math.round(millis)} ms` : undefined) ??
        (Object.getOwnPropertyNames(Object.prototype).length > prototypeKeys ? "Object.prototype has grown" : undefined)
      if (what !== undefined) faults.push({ number, operation: one.operation, what })
    }
    return { faults, counts, longest }
  }).pipe(Effect.provide(client))
}
