/**
 * What a person who debugs a call sees of it:
 *
 * 1. `Recorder` receives the exchanges of a call as they went over the wire, before any mapping, so that a person compares
 *    a request with the service's own row. The client looks at it once per call;
 * 2. `compare` compares an answer with its endpoint's contract: unreadable fields, missing fields, and keys that are not in
 *    the contract. A report has the names of fields, but no values. At the log level of debugging, the client logs the
 *    dropped fields of each answer.
 *
 * Specification: "Other resources". This section shows no names, types or formats of fields.
 *
 * @siblings `cli` and `ledger` show a person what a call sent and received.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import { identity } from "effect/Function"
import * as Headers from "effect/http/Headers"
import * as UrlParams from "effect/http/UrlParams"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import { type Declaration, type FieldNames, fieldNames } from "../endpoint/Declaration.ts"
import type { Wire } from "../endpoint/Wires.ts"
import * as OperatorLog from "../errors/OperatorLog.ts"
import * as Sender from "../http/Sender.ts"
import type { ExchangeResult } from "../http/Transport.ts"
import * as Secrets from "../secrets/Secrets.ts"

// 1. The exchanges of a call.

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

// 2. An answer against its contract.

/** A field of a record. A field of a nested record has a dotted name: `asset.symbol`. */
interface Field {
  readonly name: string
  /** The path of the field on the wire: its keys, joined by dots. */
  readonly place: string
  /** The number of records in which the field is dropped. */
  readonly records: number
}

/**
 * The differences between the records of an answer and the contract.
 */
export interface AnswerReport {
  /** The number of records. Without records, the report says nothing about fields. */
  readonly records: number
  /** Fields whose type is not the assumed type. Records keep these fields under `extra`. */
  readonly dropped: ReadonlyArray<Field>
  /** Fields that no record has. */
  readonly missing: ReadonlyArray<Field>
  /** The dotted paths of the keys on the wire that the SDK does not read. */
  readonly unused: ReadonlyArray<string>
}

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields => Predicate.isReadonlyObject(value) && !Array.isArray(value)

const getExtra = ({ extra }: Fields): Fields => (isFields(extra) ? extra : {})

/**
 * The records of a result: the items of a page or of a list, or the result itself.
 */
export const recordsIn = (result: unknown): ReadonlyArray<Fields> => {
  const items = isFields(result) && Array.isArray(result["items"]) ? result["items"] : result
  return (Array.isArray(items) ? items : [items]).filter(isFields)
}

/** Compares records with the fields that they can have. `within` is the path of field names to the records. */
const compareRecords = (
  found: Record<"dropped" | "missing", Array<Field>> & { readonly unused: Array<string> },
  records: ReadonlyArray<Fields>,
  fields: FieldNames,
  place: Wire["place"],
  within: ReadonlyArray<string>
): void => {
  const joinPlace = (...names: ReadonlyArray<string>): string =>
    place(["data", ...within, ...names])
      .slice(place(["data"]).length)
      .join(".")
  const parent = within.length === 0 ? "" : `${joinPlace()}.`
  const keys = records.flatMap((record) => Object.keys(getExtra(record))).filter((key) => !fields.has(key))
  found.unused.push(...[...new Set(keys)].toSorted().map((key) => parent + key))
  for (const [name, inner] of fields) {
    const having = records.filter((record) => Object.hasOwn(record, name))
    const dropped = records.filter((record) => Object.hasOwn(getExtra(record), name)).length
    const field = { name: [...within, name].join("."), place: joinPlace(name), records: dropped }
    if (dropped > 0) found.dropped.push(field)
    if (records.length > 0 && having.length + dropped === 0) found.missing.push(field)
    if (inner.size === 0) continue
    const held = having.flatMap((record) => recordsIn(record[name]))
    compareRecords(found, held, inner, place, [...within, name])
  }
}

/**
 * Compares the result of an operation with its contract and its wire format. Without `wire`, the assumed format counts.
 *
 * @example
 * ```ts
 * import * as Debugging from "@effect-custody/core/siblings/Debugging"
 * import { Wires } from "@effect-custody/core/siblings/Wires"
 * import { Wallets } from "@effect-custody/sdk"
 * import { Effect } from "effect"
 *
 * const unused = Effect.gen(function* () {
 *   const { wire } = yield* Wires
 *   const wallets = yield* Wallets.list()
 *   return Debugging.compare(Wallets.list, wire(Wallets.list), wallets).unused
 * })
 * ```
 */
export const compare = (declaration: Declaration, wire: Wire | undefined, result: unknown): AnswerReport => {
  const records = recordsIn(result)
  const found = { dropped: [], missing: [], unused: [] }
  compareRecords(found, records, fieldNames(declaration), wire?.place ?? identity, [])
  return { records: records.length, ...found }
}

/**
 * Logs the dropped fields of a result. Each entry has the field's name, its place on the wire (if different), and the
 * number of records.
 */
export const logDropped = (declaration: Declaration, wire: Wire, result: unknown): Effect.Effect<void> => {
  const { dropped } = compare(declaration, wire, result)
  if (dropped.length === 0) return Effect.void
  const list = dropped.map(({ name, place: at, records }) => `${name}${at === name ? "" : ` at ${at}`} (${records})`)
  return OperatorLog.report("answer.dropped", `${declaration.operation}: ${list.join(", ")}`)
}
