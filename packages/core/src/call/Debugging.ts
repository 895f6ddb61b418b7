/**
 * `Recorder` receives the exchanges of a call as they went over the wire, before any mapping, so that a person compares a
 * request with the service's own row. The client looks for it once per call.
 *
 * @siblings `cli` and `ledger` show a person what a call sent and received.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Headers from "effect/http/Headers"
import * as UrlParams from "effect/http/UrlParams"
import * as Record from "effect/Record"
import * as OperatorLog from "../errors/OperatorLog.ts"
import * as Sender from "../http/Sender.ts"
import type { ExchangeResult } from "../http/Transport.ts"
import * as Secrets from "../secrets/Secrets.ts"

/**
 * One exchange: a request that may have reached the service, and its answer. A part that holds a secret of the session
 * is `<redacted>` as a whole.
 */
export interface WireRecord {
  /** The operation, such as `transactions.send`. A call that looks something up has exchanges of two operations. */
  readonly operation: string
  readonly method: string
  /** The whole address. */
  readonly url: string
  /**
   * Headers by name in lower case. The value of the access token is `<redacted>`, and so is each header that
   * `Headers.CurrentRedactedNames` names.
   */
  readonly headers: Readonly<Record<string, string>>
  /** The text of the body, exactly as it was sent. Absent if there is no body, or if the body is multipart. */
  readonly body: string | undefined
  /** The answer, or the part that arrived. Absent if no answer began, or if the call was interrupted. */
  readonly answer:
    | {
        readonly status: number
        /** The text of the body, exactly as it was received. */
        readonly body: string
        readonly isWhole: boolean
      }
    | undefined
}

/**
 * Receives each exchange of the calls to which it is provided, in order, right after the exchange has ended. Must be
 * quick. A defect in it is reported and changes no outcome. Requests without an access token (those of the session) are
 * not recorded, and neither is a request that was certainly not sent. A middleware that replaces a request while it is
 * being sent is not seen.
 *
 * @example
 * ```ts
 * import * as Debugging from "@effect-custody/core/siblings/Debugging"
 * import { Vaults } from "@effect-custody/sdk"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const records: Array<Debugging.WireRecord> = []
 *   yield* Effect.provideService(Vaults.details(), Debugging.Recorder, (record) => records.push(record))
 *   return records
 * })
 * ```
 */
export const Recorder = Context.Reference<((record: WireRecord) => void) | undefined>(
  "@effect-custody/core/WireRecord/Recorder",
  { defaultValue: () => undefined }
)

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true })

const answerOf = (result: ExchangeResult | undefined): WireRecord["answer"] => {
  const isWhole = result?._tag === "Answered"
  const arrived = isWhole ? result : result?.partial
  return arrived && { status: arrived.status, body: arrived.text, isWhole }
}

/** `true` if the request certainly did not reach the service. Without a result, the exchange was interrupted. */
const isNotSent = (result: ExchangeResult | undefined, progress: Sender.SendProgress): boolean =>
  result === undefined ? Sender.isNotSent(progress) : result._tag === "NotAnswered" && result.phase === "NotSent"

/** Begins the record of an exchange, which a {@link Recorder} receives. */
export const record = (
  fiber: Fiber.Fiber<unknown, unknown>,
  operation: string,
  receive: (record: WireRecord) => void
) => {
  const secretHeaders = [...fiber.getRef(Headers.CurrentRedactedNames), Secrets.accessTokenHeader]
  const secretParams = fiber.getRef(UrlParams.CurrentRedactedNames)
  let sent: Sender.SentRequest | undefined

  const report = (request: Sender.SentRequest, result: ExchangeResult | undefined, { redact }: Secrets.Diagnostics) => {
    const answer = answerOf(result)
    receive({
      operation,
      method: request.method,
      url: redact(UrlParams.redactUrl(request.url, secretParams)),
      headers: Record.map(request.headers, (value, name) =>
        Headers.isRedactedName(name, secretHeaders) ? Secrets.redacted : redact(value)
      ),
      body: request.body && redact(utf8.decode(request.body)),
      answer: answer && { ...answer, body: redact(answer.body) }
    })
  }

  return {
    onRequest: (request: Sender.SentRequest): void => {
      sent = request
    },
    /** Reports an exchange after its end, also after an interruption. */
    follow: <E>(
      exchange: Effect.Effect<ExchangeResult, E>,
      progress: Sender.SendProgress,
      diagnostics: Effect.Effect<Secrets.Diagnostics>
    ): Effect.Effect<ExchangeResult, E> =>
      Effect.onExit(exchange, (exit) => {
        const result = Exit.isSuccess(exit) ? exit.value : undefined
        const request = sent
        if (request === undefined || isNotSent(result, progress)) return Effect.void
        return Effect.map(diagnostics, (limits) => report(request, result, limits)).pipe(
          Effect.catchCause((cause) => OperatorLog.defect("the recorder of exchanges failed", cause))
        )
      })
  }
}
