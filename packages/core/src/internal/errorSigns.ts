/**
 * The table of what says an error beside or in a payload, and what does not. Names and words count in any letter case,
 * with or without `-`, `_` and blanks. Pure.
 *
 * Specification: "Error body", for a status and a code that are certain; everything else is a habit of other services.
 */
import * as Predicate from "effect/Predicate"
import * as StatusNames from "./statusNames.ts"

type Json = Readonly<Record<string, unknown>>
type Says = (value: unknown) => boolean

export const isErrorStatus = (status: unknown): boolean =>
  (typeof status === "number" || typeof status === "string") && /^[45]\d\d$/.test(String(status))

export const isErrorCode = (code: unknown): boolean => typeof code === "string" && /^E\d{5}$/.test(code)

const isPlain = (text: string): boolean => !/[^a-z]/.test(text)

const plainOf = (text: string): string => (isPlain(text) ? text : text.toLowerCase().replaceAll(/[-_\s.!]/g, ""))

/** A longer text is no word. */
const longestWord = 32

const textOf = (value: unknown): string | undefined => {
  if (typeof value === "string") return value.trim()
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined
}

const isWord = (...lists: ReadonlyArray<string>): Says => {
  const words = new Set(lists.flatMap((list) => list.split(" ")))
  return (value) => {
    if (typeof value === "number") return words.has(String(value))
    const text = textOf(value)
    return text !== undefined && text.length <= longestWord && words.has(plainOf(text))
  }
}

const isNumber =
  (form: RegExp): Says =>
  (value) => {
    const text = textOf(value)
    return text !== undefined && form.test(text)
  }

const failures =
  "err error exception fail failed failure false ko nok notok declined denied forbidden invalid refused rejected " +
  "timedout timeout unauthorised unauthorized unavailable unsuccessful"
const successes =
  "ok okay eok sok success successful successfully succeeded accepted approved complete completed created done"

const isFailure = isWord(failures)
const isFalse = isWord(failures, "0 n no")
const isTrue = isWord("true")
const isYes = isWord("true 1 y yes")
const isWell = isWord(successes)
const isZero = isNumber(/^0+$/)
const isNumeric = isNumber(/^\d+$/)
const isSuccessNumber = isNumber(/^2\d\d$/)
const isErrorNumber = isNumber(/^(?:-[1-9]\d*|[4-9]\d{2,})$/)
/** A service may number its successes so, or its errors. */
const isOwnNumber = isNumber(/^[1-3]\d{3,}$/)
const isCertainName = isWord(StatusNames.certain)
const isStateName = isWord(StatusNames.alsoStates)

/** The name of an error, alone or after its number, as in `404 NOT_FOUND`. */
const isErrorName: Says = (value) => {
  if (typeof value !== "string") return false
  const text = value.trim()
  const name = text.slice(3)
  return isCertainName(text) || (isErrorStatus(text.slice(0, 3)) && (isCertainName(name) || isStateName(name)))
}

const isNoError = isWord(successes, "", "false n/a na nil no noerror noerrors none null undefined")

/** How services name a status, beside `status` itself, and a code. */
const statuses = "statuscode httpstatus httpstatuscode httpcode"
const ownCodes = "code resultcode responsecode returncode respcode"

const codes: ReadonlySet<string> = new Set(`${statuses} ${ownCodes} errcode errno errorcode retcode status`.split(" "))

/** How deep an error is searched for something that it says. */
const deepest = 8

/** Whether a value says nothing: it is blank, zero, false or a word such as `none`, and so is all that it holds. */
const isNothing = (value: unknown, depth = 0): boolean => {
  if (value === undefined || value === null) return true
  if (!Predicate.isObjectOrArray(value)) return isNoError(value) || isZero(value)
  return (
    depth < deepest &&
    Object.entries(value).every(
      ([name, each]) => isNothing(each, depth + 1) || (codes.has(plainOf(name)) && isSuccessNumber(each))
    )
  )
}

const isSomething: Says = (value) => !isNothing(value)
const isCodeOfError: Says = (value) => isSomething(value) && !isSuccessNumber(value)
const isStatusOfError: Says = (value) => isFailure(value) || isErrorNumber(value) || isErrorName(value)
const isOwnCodeOfError: Says = (value) => isErrorStatus(value) || isErrorCode(value) || isErrorName(value)

const named = (names: string, says: Says): ReadonlyArray<readonly [string, Says]> =>
  names.split(" ").map((name) => [name, says])

/** A word about the whole answer: in a payload too, it speaks of the request. */
const flags: ReadonlyMap<string, Says> = new Map([
  ...named("success ok succeeded issuccess issuccessful isok successful", isFalse),
  ...named("iserror haserror haserrors isfailed isfailure", isYes)
])

const flagsWithoutCounts = [...flags].map(([name, says]): readonly [string, Says] => [
  name,
  (value) => typeof value !== "number" && says(value)
])

const reasons = named(
  "error errors exception errormessage errormsg errmsg errordescription errordetail errordetails failurereason",
  isSomething
)

/** What says an error beside any payload. */
const errors: ReadonlyMap<string, Says> = new Map([
  ...flags,
  ...reasons,
  ...named("failed", isTrue),
  ...named("timedout", isYes),
  ...named(`status ${statuses}`, isStatusOfError),
  ...named("result outcome", isFailure),
  ...named("errcode errorcode", isCodeOfError),
  ...named(ownCodes, isOwnCodeOfError)
])

/** What may say an error or a success: an error only beside an empty payload, and no message such as `OK`. */
const ambiguous: ReadonlyMap<string, Says> = new Map([
  ...named(
    `${ownCodes} retcode errno`,
    (value) => typeof value !== "boolean" && textOf(value) !== undefined && isCodeOfError(value)
  ),
  ...named("status", (value) => isZero(value) || isOwnNumber(value) || isStateName(value)),
  ...named(statuses, (value) => isOwnNumber(value) || isStateName(value))
])

/** What says errors in one object, and what may. */
interface Signs {
  readonly errors: ReadonlyMap<string, Says>
  readonly ambiguous: ReadonlyMap<string, Says>
}

const outer: Signs = { errors, ambiguous }

/** Objects beside a payload that say how the request went. A `code` in a status may name a state, as a status may. */
const inner: ReadonlyMap<string, Signs> = new Map([
  [
    "status",
    {
      errors: new Map([...errors, ...named("code", (value) => isStatusOfError(value) || isErrorCode(value))]),
      ambiguous: new Map(named("code", (value) => isStateName(value) || (isNumeric(value) && isCodeOfError(value))))
    }
  ],
  [
    "meta",
    {
      // Its numbers may be counts, its words those of the filter of a list, and its codes those of an asset.
      errors: new Map([
        ...flagsWithoutCounts,
        ...reasons,
        ...named(`status ${statuses} ${ownCodes}`, isOwnCodeOfError)
      ]),
      ambiguous: new Map()
    }
  ]
])

/** Fields of a record that may be about its own past, or its own name. */
const ofRecord: ReadonlySet<string> = new Set(`status ${statuses} ${ownCodes}`.split(" "))

/** The messages that go with the names of {@link ownCodes}. */
const messages: ReadonlySet<string> = new Set(
  ["result", "response", "return", "ret", "resp"].flatMap((of) =>
    ["message", "msg", "description", "desc"].map((name) => of + name)
  )
)

const messageOf = (object: Json): unknown =>
  object["message"] ?? object["msg"] ?? Object.entries(object).find(([name]) => messages.has(plainOf(name)))?.[1]

/** The name of the field beside a payload that says an error. */
export const beside = (
  object: object,
  payload: { readonly key: string; readonly isEmpty: boolean }
): string | undefined => {
  const found = (within: Json, { ambiguous, errors }: Signs): string | undefined =>
    Object.keys(within).find((name) => {
      if (within === object && name === payload.key) return false
      const [plain, value] = [plainOf(name), within[name]]
      if (errors.get(plain)?.(value) === true) return true
      if (!payload.isEmpty || ambiguous.get(plain)?.(value) !== true) return false
      return isErrorNumber(value) || !isWell(messageOf(within) ?? messageOf(object as Json))
    })
  const direct = found(object as Json, outer)
  if (direct !== undefined) return direct
  for (const [name, value] of Object.entries(object)) {
    const signs = name === payload.key || !Predicate.isReadonlyObject(value) ? undefined : inner.get(plainOf(name))
    const said = signs === undefined ? undefined : found(value, signs)
    if (said !== undefined) return `${name}.${said}`
  }
  return undefined
}

/** Whether a payload is the specification's error body: its code, with the status of an error or a text about one. */
const isErrorBody = ({ code, error, errorMessage, errors: all, message, status }: Json): boolean =>
  isErrorCode(code) && (Number(status) >= 400 || [error, errorMessage, all, message].some(isSomething))

/** The name of the field that says an error in what a change is answered with. */
export const inside = (
  record: Json,
  { isEcho, isPromised }: { readonly isEcho: (name: string) => boolean; readonly isPromised: boolean }
): string | undefined => {
  if (isErrorBody(record) && !isEcho("code")) return "code"
  const found = Object.entries(record).find(([name, value]) => {
    const plain = plainOf(name)
    const says = isPromised || ofRecord.has(plain) ? flags.get(plain) : errors.get(plain)
    return says?.(value) === true && !isEcho(name)
  })
  return found?.[0]
}
