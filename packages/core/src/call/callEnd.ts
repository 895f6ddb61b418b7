/** How far a call has come, and the error with which it ends there. Pure, but for the notes that a call takes. */
import type * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { Declaration } from "../endpoint/Declaration.ts"
import { fingerprint } from "../endpoint/Operation.ts"
import type { Encoded, Wire } from "../endpoint/Wires.ts"
import type { ApiError } from "../errors/ApiError.ts"
import * as Answer from "../answer/Answer.ts"
import {
  NotSent,
  OutcomeUnknown,
  type Phase,
  type SdkError,
  TransportError,
  UnexpectedResponse
} from "../errors/SdkError.ts"
import type { SessionError } from "../errors/SessionError.ts"
import { type Failed, isInDoubt as mayHaveActed } from "../http/Classification.ts"
import { isNotSent, type SendProgress } from "../http/Sender.ts"
import { type Answered, bodyJson } from "../http/Transport.ts"
import * as Secrets from "../secrets/Secrets.ts"

/** Every error of a call. The type of an operation says which of these errors the operation can fail with. */
export type CallError = ApiError | SdkError | SessionError

/** Data from an answer that does not show whether the call took effect. */
type Evidence = Pick<OutcomeUnknown, "status" | "issue" | "payload" | "requestIds">

/** A call that has begun. */
export interface Begun {
  readonly operation: Declaration
  readonly encoded: Encoded
  readonly wire: Wire
  /** The cursor of the page to read, if the service pages by cursor. */
  readonly cursor: string | undefined
  /** The base address of the service. */
  readonly baseUrl: string
  /** The maximum duration of the whole call. */
  readonly deadline: Duration.Duration
  /** Completes the sentence "the deadline passed while …". */
  activity: string
  /** The progress of the current request. Kept after a success, to record that the call has taken effect. */
  progress: SendProgress | undefined
  /** When the last request was sent, in milliseconds since 1970. Before the first request: when the call began. */
  sentAt: number
  /** Why the first attempt with an unknown outcome may have taken effect; `undefined` if there is no such attempt. */
  doubt: string | undefined
  /** Data from the first answer that leaves the outcome unknown. */
  evidence: Evidence | undefined
}

/** The time of the monotonic clock, in seconds. */
export const monotonicSeconds = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe()) / 1e9

/** Notes what the call is doing while no request is under way. */
export const does = (call: Begun, activity: string): void => {
  call.activity = activity
  call.progress = undefined
}

/** Notes that the transport now has a request of the call. */
export const sends = (call: Begun, at: number, progress: SendProgress): void => {
  call.activity = "the request was under way"
  call.progress = progress
  call.sentAt = at
}

/** Notes a failed exchange. Keeps the doubt of an earlier one, except for a read, because a read has no effect. */
export const failed = (call: Begun, outcome: Failed): void => {
  does(call, "the answer was read")
  if (call.operation.safety === "read") call.doubt = undefined
  if (mayHaveActed(outcome)) call.doubt ??= outcome.reason
}

/** `true` if the current request may have reached the service. */
export const mayHaveArrived = ({ progress }: Begun): boolean => progress !== undefined && !isNotSent(progress)

/** `true` if a request of the call may have reached the service and taken effect. */
export const mayHaveHappened = (call: Begun): boolean => call.doubt !== undefined || mayHaveArrived(call)

/** `true` if the call changes something, and an exchange that has ended may have taken effect. */
export const isInDoubt = ({ doubt, operation }: Begun): boolean => operation.safety !== "read" && doubt !== undefined

/** Headers in which a cache reports a hit or a miss: by RFC 9211, and older ones. */
const cacheReports = ["cache-status", "cf-cache-status", "x-cache", "x-cache-status"]

/** `true` if a cache may have given an outdated answer. Ignores `fwd=stale`: then the cache asked the service. */
const isCached = ({ headers = {} }: Answered): boolean =>
  String(headers["age"] ?? "0")
    .split(",")
    .some((age) => Number(age) !== 0) ||
  cacheReports.some((name) => /(?:^|[^a-z=])(?:hit|stale|updating)/i.test(String(headers[name] ?? "")))

/** Makes the error of a call without an answer. The end of a write in doubt is {@link outcomeUnknown}. */
export const noAnswer = (
  { operation, safety }: Pick<Declaration, "operation" | "safety">,
  phase: Phase,
  reason: string
): NotSent | TransportError =>
  safety === "read" || phase !== "NotSent"
    ? new TransportError({ operation, phase, reason })
    : new NotSent({ operation, reason })

/**
 * Describes an answer that is not the service's own. Quotes nothing of an answer to a request for tokens, because it may
 * hold a secret that no one knows yet.
 */
const foreign = ({ operation }: Begun, answer: Answered, { redact }: Secrets.Diagnostics): string =>
  Answer.describeForeign(
    { text: answer.text, body: bodyJson(answer), contentType: [answer.headers?.["content-type"]].flat()[0] },
    operation.safety === "session" ? undefined : (words) => Secrets.excerpt(redact, words)
  )

/**
 * Makes the error of an exchange whose effect is not in doubt. The error repeats no secret, even if the answer does.
 * Without `keepsBodies`, it repeats only the code and the messages of a body.
 */
export const ofExchange = (call: Begun, failed: Failed, limits: Secrets.Diagnostics): CallError => {
  const { operation, wire } = call
  const { keepsBodies, redact, requestIdHeaders } = limits
  const { answer } = failed
  if (answer._tag === "NotAnswered") return noAnswer(operation, answer.phase, answer.reason)
  const { retryAfter, status } = answer
  const requestIds = Secrets.redactHeaders(redact, requestIdHeaders, answer)
  const text = keepsBodies ? Secrets.redactBody(redact, answer.text) : undefined
  if (status >= 400) {
    const sent = bodyJson(answer)
    const reading = wire.error(sent)
    const { body, listsNotFound, tag } = reading
    return Answer.fromAnswer(operation, {
      status,
      body: Secrets.redactValue(redact, body),
      text,
      // A failing server may not have looked for the record, so its answer does not prove that the record is absent.
      tag: failed._tag === "InDoubt" && tag === "NotFound" ? undefined : tag,
      listsNotFound,
      isCached: isCached(answer),
      foreign: Answer.isOwn(status, sent, reading) ? undefined : foreign(call, answer, limits),
      requestIds,
      retryAfter
    })
  }
  const reason = unreadable(call, failed, answer, limits) ?? "no success"
  return new UnexpectedResponse({
    operation: operation.operation,
    status,
    reason,
    requestIds,
    ...(text === undefined ? {} : { body: text })
  })
}

/** Says where a redirect leads, without the query, which may hold a secret. */
const redirect = ({ baseUrl }: Begun, { headers }: Answered, { redact }: Secrets.Diagnostics): string => {
  const [location] = [headers?.["location"]].flat()
  const to = location === undefined ? null : URL.parse(location, baseUrl)
  const where = to === null ? "" : ` to ${Secrets.excerpt(redact, `${to.origin}${to.pathname}`)}`
  return `a redirect${where}, which is not followed: see whether the base address is right`
}

/** What is wrong with an answer that leaves the outcome of a change unknown, or that a read cannot use. */
const unreadable = (call: Begun, failed: Failed, answer: Answered, limits: Secrets.Diagnostics): string | undefined => {
  const { status } = answer
  const body = bodyJson(answer)
  if (status >= 400) {
    return Answer.isOwn(status, body, call.wire.error(body)) ? undefined : foreign(call, answer, limits)
  }
  if (status >= 300) return redirect(call, answer, limits)
  if (Answer.isSuccess(status) && body === undefined && !Answer.isBodiless(status)) return foreign(call, answer, limits)
  const issue = mayHaveActed(failed) ? failed.issue : undefined
  return issue === undefined ? undefined : Secrets.excerpt(limits.redact, issue)
}

const isIdentifying = (name: string): boolean => /^(?:id|status|hash|reference)$|(?:Id|_id|ID)$/.test(name)

/** The maximum length of an identifying value, in characters. */
const maxValue = 128

/** The number of levels of nested objects in which an answer is searched for an id. */
const maxDepth = 3

type Json = Readonly<Record<string, unknown>>

/** Selects the texts and numbers that identify an object. */
const identifyingFields = (object: Json): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(object)
      .filter(([name, value]) => isIdentifying(name) && (typeof value === "string" || typeof value === "number"))
      .map(([name, value]) => [name, String(value)])
      .filter(([, value]) => value !== undefined && value.length > 0 && value.length <= maxValue)
  )

/** Lists the nested objects of an answer, the outer ones first. */
const nestedObjects = (answer: unknown, depth = 0): ReadonlyArray<Json> => {
  if (depth > maxDepth || !Predicate.isReadonlyObject(answer) || Array.isArray(answer)) return []
  return [answer, ...Object.values(answer).flatMap((value) => nestedObjects(value, depth + 1))]
}

const hasId = (fields: Json): boolean => Object.keys(fields).some((name) => name !== "status")

/** The fields that identify the record in an answer whose payload cannot be read. */
const identity = (envelope: unknown): Readonly<Record<string, string>> => {
  const payload = Predicate.isReadonlyObject(envelope) ? envelope["data"] : undefined
  return [...nestedObjects(payload), ...nestedObjects(envelope)].map(identifyingFields).find(hasId) ?? {}
}

/** Collects what an answer shows about a change with an unknown outcome, but not the answer's text. */
export const evidence = (call: Begun, failed: Failed, limits: Secrets.Diagnostics): Evidence | undefined => {
  const { redact, requestIdHeaders } = limits
  const { answer } = failed
  if (!mayHaveActed(failed) || answer._tag === "NotAnswered") return undefined
  const { status } = answer
  const issue = unreadable(call, failed, answer, limits)
  const told = {
    status,
    requestIds: Secrets.redactHeaders(redact, requestIdHeaders, answer),
    ...(issue === undefined ? {} : { issue })
  }
  if (!Answer.isSuccess(status)) return told
  const body = bodyJson(answer)
  const envelope = call.wire.answer({ status, body, headers: answer.headers }, call)
  const payload = identity(envelope !== undefined && Result.isSuccess(envelope) ? envelope.success.envelope : body)
  return { ...told, payload: Secrets.redactValue(redact, payload) as typeof payload }
}

/** Makes the error of a call that may have taken effect. The error says why, and how to look up the outcome. */
export const outcomeUnknown = (
  { doubt, encoded, evidence, operation, sentAt }: Begun,
  ...reasons: ReadonlyArray<string | undefined>
): OutcomeUnknown =>
  new OutcomeUnknown({
    operation: operation.operation,
    fingerprint: fingerprint(encoded),
    sentAt: DateTime.makeUnsafe(sentAt),
    reason: [...new Set([doubt, ...reasons])].filter((reason) => reason !== undefined).join("; then "),
    ...evidence,
    ...(operation.lookUp === undefined ? {} : { lookUp: operation.lookUp().operation })
  })

/** Makes the error of a call that ends before its next request. An earlier one may have taken effect. */
export const beforeRequest = (call: Begun, error: CallError): CallError =>
  isInDoubt(call) ? outcomeUnknown(call, error.message) : error

/** Makes the error of a call whose deadline has passed. The error says whether anything was sent. */
export const deadlinePassed = (call: Begun): CallError => {
  const { activity, deadline, operation } = call
  const reason = `the deadline of ${Duration.format(deadline)} passed while ${activity}`
  const mayHave = mayHaveHappened(call)
  if (mayHave && operation.safety !== "read") return outcomeUnknown(call, reason)
  return noAnswer(operation, mayHave ? "MaybeProcessed" : "NotSent", reason)
}
