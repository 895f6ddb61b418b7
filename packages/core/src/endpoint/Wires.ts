/**
 * The wires in force. A wire turns an input into a request, and an answer into the envelope that our schemas read. Pure.
 *
 * 1. `Wire` is what an adapter or a contract says of an operation; `select` finds it, and `factsOf` reads it;
 * 2. `assumedWire` is used without either. It sends and reads the SDK's JSON unchanged;
 * 3. `multipart` makes a `multipart/form-data` body from fields and files.
 *
 * @siblings `contract` makes the wires of another service, and `emulator`, `cli` and `testing` speak those in force.
 */
import * as Context from "effect/Context"
import { randomBytesUnsafe } from "effect/crypto/SecureRandom"
import * as Hex from "effect/encoding/Hex"
import { identity } from "effect/Function"
import * as Headers from "effect/http/Headers"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as UrlParams from "effect/http/UrlParams"
import { isReadonlyObject as isObject } from "effect/Predicate"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as Answer from "../answer/Answer.ts"
import type { Tag } from "../errors/ApiError.ts"
import * as ExactJson from "../json/ExactJson.ts"
import * as Secrets from "../secrets/Secrets.ts"
import * as Upload from "../values/Upload.ts"
import { type Declaration, isList, isPaged, needsPayload, type Page, type Route, type Safety } from "./Declaration.ts"

/** The parts of an encoded input, under the SDK's field names. */
export interface Encoded {
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, unknown>>
  readonly body: EncodedBody
}

/** An encoded body by its content type. */
export type EncodedBody =
  | { readonly _tag: "None" }
  | { readonly _tag: "Json" | "Multipart"; readonly fields: Readonly<Record<string, unknown>> }

/** The reason why a wire cannot send a field of an input. */
export interface Issue {
  readonly path: ReadonlyArray<string>
  readonly message: string
}

/** The encoded input of a call and, for a list that pages by cursor, the cursor of the page. */
export interface WireInput {
  readonly encoded: Encoded
  readonly cursor?: string | undefined
  /** The base address of the service, for an answer with the address of the next page. */
  readonly baseUrl?: string | undefined
}

/** What a request is made from: also the values that were encoded, as the caller gave them. */
export interface RequestInput extends WireInput {
  readonly given: Readonly<Record<string, unknown>>
}

/** An error body in the specification's form, and the meaning that the contract gives to its code. */
export interface ErrorReading {
  readonly body: unknown
  readonly tag: Tag | undefined
  /**
   * `true` if a contract says what codes mean, or that a 404 is doubtful. Then `NotFound` is certain only if the answer
   * has a code with this meaning.
   */
  readonly listsNotFound?: boolean | undefined
  /**
   * `true` if the contract recognises the body as an error of the service, `false` if it does not. Absent: the
   * specification's error body decides. A body with a `tag` is always recognised.
   */
  readonly isOwn?: boolean | undefined
}

/** The headers of an answer, by their names in lower case. */
export type AnswerHeaders = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/** An answer, as the transport gives it to a wire. */
export interface Received {
  readonly status: number
  /** The JSON of the body; `undefined` if there is none. */
  readonly body: unknown
  readonly headers?: AnswerHeaders | undefined
}

/** A success: the SDK's envelope and, if the service pages by cursor, where the list goes on. */
export interface Success extends Pick<Page<unknown>, "nextCursor" | "hasNext"> {
  readonly envelope: unknown
  /** `true` if the envelope's `data` is the SDK's own record already, or the rows of a list. */
  readonly isDecoded?: boolean
}

/** A success, or the reason why it is no success after all. */
export type Reading = Result.Result<Success, string>

/** The wire of an operation: pure functions from the SDK's JSON to a request, and from an answer to the SDK's JSON. */
export interface Wire {
  /** The method and path, relative to the base address. */
  readonly route: Route
  /** Makes the request of a call, relative to the base address, or says why it cannot be sent. */
  readonly request: (input: RequestInput) => Result.Result<HttpClientRequest.HttpClientRequest, ReadonlyArray<Issue>>
  /** Reads an answer. `undefined`: its status is not a success. */
  readonly answer: (received: Received, input: WireInput | undefined) => Reading | undefined
  /** Reads the body of an error answer. */
  readonly error: (body: unknown) => ErrorReading
  /** `true` if the contract lists the status as doubtful: the service may have acted. */
  readonly isDoubtful: (status: number) => boolean
  /**
   * Takes the path of a field in our envelope, such as `["data", "id"]`, and returns the path of keys that leads to
   * this field in the service's answer. List indices may be left out.
   */
  readonly place: (names: ReadonlyArray<string>) => ReadonlyArray<string>
  /** The filters of a list that work, according to the contract. Absent: none. */
  readonly proven?: ReadonlyArray<string> | undefined
  /** The fields of the input that the contract does not send. A call that gives an optional one of them is refused. */
  readonly omits?: ReadonlyArray<string> | undefined
}

/** The wires in force. A contract belongs to the declarations of its API: another endpoint with the same name has none. */
export interface Wires {
  /** `true` if an operation is confirmed, so that it may be called on a real service. */
  readonly confirms: (operation: Declaration) => boolean
  /** Gets the wire of an operation, or `undefined` for the assumed wire. */
  readonly wire: (operation: Declaration) => Wire | undefined
  /**
   * Gets a hash of the part of the contract that defines an operation's wire, or `undefined` for the assumed wire. Equal
   * hashes mean equal wires, unless code calls something whose change no example shows.
   */
  readonly fingerprint: (operation: Declaration) => string | undefined
}

/** The wires in force. Default: no operation is confirmed, and every wire is assumed. */
export const Wires = Context.Reference<Wires>("@effect-custody/core/Wire/Wires", {
  defaultValue: () => ({ confirms: () => false, wire: () => undefined, fingerprint: () => undefined })
})

/** Selects the contract of an operation, and says whether the contract confirms the operation. */
export const select = (
  operation: Declaration,
  ofClient: Wires,
  ofCall: Wires
): readonly [Wires, isConfirmed: boolean] => {
  // The client's contract comes first, because the contract provided to a call may belong to another client.
  if (ofClient.confirms(operation)) return [ofClient, true]
  if (ofCall.confirms(operation)) return [ofCall, true]
  return [ofClient.wire(operation) === undefined ? ofCall : ofClient, false]
}

/** What a contract says of one operation. */
export interface OperationFacts {
  /**
   * `false` if no contract confirms the operation. A call then fails with `UnconfirmedEndpoint`, except a read of a
   * sandbox.
   */
  readonly isConfirmed: boolean
  /** The filters of a list that work. */
  readonly proven: ReadonlyArray<string>
  /** The fields of the input that are not sent. A call that gives an optional one of them is refused. */
  readonly omits: ReadonlyArray<string>
  /** The path to a field in the service's answer, from its path in the SDK's envelope: `["data", "id"]`. */
  readonly place: Wire["place"]
}

/** What the wires in force say of an operation. */
export const factsOf = (wires: Wires, operation: Declaration): OperationFacts => {
  const { omits = [], place = identity, proven = [] } = wires.wire(operation) ?? {}
  return { isConfirmed: wires.confirms(operation) || operation.provenance === "specified", proven, omits, place }
}

/** The {@link fingerprint} if the wire of every operation is assumed. */
export const assumed = "assumed"

/** Combines the hashes of several operations, in any order. `select` gets the contract of an operation. */
export const fingerprint = (
  operations: ReadonlyArray<Declaration>,
  select: (operation: Declaration) => Wires
): string => {
  const each = [...new Set(operations)]
    .map((one) => [one.operation, select(one).fingerprint(one)] as const)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
  return each.every(([, hash]) => hash === undefined) ? assumed : ExactJson.hash(each).slice(0, 16)
}

// 2. The wire that is used without a contract.

type Json = Readonly<Record<string, unknown>>

/** `true` if a path parameter can be a segment of a path: well-formed Unicode that is not empty, `.` or `..`. */
export const isSegment = (text: string): boolean => text !== "" && text !== "." && text !== ".." && text.isWellFormed()

/** Says why a path parameter cannot be a segment of a path, or returns `undefined`. */
export const segmentObjection = (value: unknown): string | undefined =>
  isSegment(String(value)) ? undefined : "cannot be a segment of a path"

/**
 * Says why a query cannot hold a value, or returns `undefined`. Refuses a lone surrogate, because UTF-8 would replace
 * it with U+FFFD.
 */
export const queryObjection = (value: unknown): string | undefined =>
  [value].flat().every((each) => typeof each !== "string" || each.isWellFormed())
    ? undefined
    : "has half a character (a lone surrogate), which a query cannot carry"

export const omitUndefined = (fields: Json): Json => {
  const names = Object.keys(fields)
  return names.every((name) => fields[name] !== undefined)
    ? fields
    : Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

/** Returns a function that fills in the parameters of a path. */
export const makePath = (path: string): ((params: Readonly<Record<string, string>>) => string) => {
  const segments = path.split("/")
  const names = segments.map((segment) => (segment.startsWith(":") ? segment.slice(1) : undefined))
  if (names.every((name) => name === undefined)) return () => path
  return (params) =>
    segments
      .map((segment, at) => (names[at] === undefined ? segment : encodeURIComponent(params[names[at]] ?? "")))
      .join("/")
}

/** Makes a body, whose fields may be under any names. The body of a session's request is kept out of logs. */
export const makeBody = (safety: Safety, body: EncodedBody): HttpBody.HttpBody => {
  if (body._tag === "None") return HttpBody.empty
  const fields = omitUndefined(body.fields)
  if (body._tag === "Multipart") return multipart(fields)
  return safety === "session" ? Secrets.body(fields) : HttpBody.jsonUnsafe(fields)
}

/** Converts the SDK's name to the assumed query name. */
export const queryName = (name: string): string => (name === "sortKey" ? "sort_key" : name)

/** Converts the assumed query name to the SDK's name. */
export const fieldName = (name: string): string => (name === "sort_key" ? "sortKey" : name)

const renameQuery = (query: Json): Json =>
  query["sortKey"] === undefined
    ? query
    : Object.fromEntries(Object.entries(query).map(([name, value]) => [queryName(name), value]))

export const notPagedByCursor = "the service does not page by cursor"

const noTag = (body: unknown) => ({ body, tag: undefined })
const never = () => false

/** Makes the wire of an operation from its declaration. */
export const assumedWire = (declaration: Declaration): Wire => {
  const { route, safety } = declaration
  const isSecret = safety === "session"
  const hasPages = isPaged(declaration)
  const expected = {
    isList: isList(declaration),
    isRead: safety === "read",
    needsPayload: needsPayload(declaration),
    isPlaceDeclared: false,
    isStatusNamed: false,
    at: ["data"]
  }
  const empty = HttpClientRequest.make(route.method)(route.path, { acceptJson: true })
  const fillPath = makePath(route.path)
  return {
    route,
    request: ({ cursor, encoded: { body, params, query } }) => {
      if (cursor !== undefined && hasPages) return Result.fail([{ path: ["page"], message: notPagedByCursor }])
      const urlParams = UrlParams.fromInput(omitUndefined(hasPages ? renameQuery(query) : query) as UrlParams.Input)
      const make = (headers: Headers.Headers) =>
        HttpClientRequest.makeWith(route.method, fillPath(params), urlParams, empty.hash, headers, HttpBody.empty)
      return Result.succeed(
        body._tag === "None"
          ? make(empty.headers)
          : HttpClientRequest.acceptJson(HttpClientRequest.setBody(make(Headers.empty), makeBody(safety, body)))
      )
    },
    answer: ({ body, status }) => {
      // Any answer to a session's request may hold tokens.
      if (isSecret) return Result.succeed({ envelope: body })
      if (!Answer.isSuccess(status)) return undefined
      const refusal = Answer.refusal({ ...expected, status, body })
      if (refusal !== undefined) return Result.fail(refusal)
      const isNothing =
        isObject(body) && body["data"] === null && Answer.holds({ status, body, found: null }, expected) === "Nothing"
      return Result.succeed({ envelope: isNothing ? { ...body, data: {} } : body })
    },
    isDoubtful: never,
    error: noTag,
    place: identity
  }
}

// 3. A body of `multipart/form-data`.

/** Finds the name of the first file that cannot be read again. */
export const findSpent = (fields: Readonly<Record<string, unknown>>): string | undefined =>
  Object.values(fields)
    .filter(Upload.isFile)
    .find((file) => file.isSpent())?.name

const encoder = new TextEncoder()

/** Quotes a Content-Disposition parameter according to HTML's rules for multipart encoding. */
const quote = (text: string): string => `"${text.replaceAll(/[\r\n"]/g, (character) => encodeURIComponent(character))}"`

const toOneLine = (text: string): string => text.replaceAll(/[\r\n]+/g, " ")

const head = (boundary: string, name: string, value: unknown): string => {
  const disposition = `Content-Disposition: form-data; name=${quote(name)}`
  return Upload.isFile(value)
    ? `--${boundary}\r\n${disposition}; filename=${quote(value.name)}\r\nContent-Type: ${toOneLine(value.contentType)}\r\n\r\n`
    : `--${boundary}\r\n${disposition}\r\n\r\n`
}

const toText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

/**
 * Says why a field cannot be sent, or returns `undefined`. Refuses a lone surrogate, because UTF-8 would replace it
 * with U+FFFD.
 */
export const multipartObjection = (value: unknown): string | undefined =>
  (Upload.isFile(value) ? [value.name, value.contentType] : [value]).every((text) => toText(text).isWellFormed())
    ? undefined
    : "has half a character (a lone surrogate), which multipart/form-data cannot carry"

const part = (text: string): Pick<Upload.File, "size" | "bytes"> => {
  const bytes = encoder.encode(text)
  return { size: bytes.byteLength, bytes: Stream.make(bytes) }
}

/**
 * Makes a body from fields and files, in the order of the record. The body has a length if every file's size is known.
 */
export const multipart = (fields: Readonly<Record<string, unknown>>): HttpBody.HttpBody => {
  const boundary = `effect-custody-${Hex.encode(randomBytesUnsafe(16))}`
  const pieces = [
    ...Object.entries(fields).flatMap(([name, value]) => [
      part(head(boundary, name, value)),
      Upload.isFile(value) ? value : part(toText(value)),
      part("\r\n")
    ]),
    part(`--${boundary}--\r\n`)
  ]
  const length = pieces.reduce<number | undefined>(
    (sum, { size }) => (sum === undefined || size === undefined ? undefined : sum + size),
    0
  )
  const bytes = Stream.flatMap(Stream.fromIterable(pieces), (piece) => piece.bytes)
  return HttpBody.stream(bytes, `multipart/form-data; boundary=${boundary}`, length)
}
