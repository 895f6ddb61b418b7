/** Handles one request to an operation: reads its body, checks it, and answers. */
import * as Declaration from "@effect-custody/core/siblings/Declaration"
import * as ExactJson from "@effect-custody/core/siblings/ExactJson"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { HttpServerError } from "effect/http/HttpServerError"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { Write } from "../model/Write.ts"
import * as Sessions from "../state/sessionTokens.ts"
import type { World } from "../state/world.ts"
import * as Answer from "../http/answer.ts"
import { isRecord, makeReply, type OwnReply } from "../http/outcome.ts"
import type { Entry } from "../state/requestJournal.ts"
import { named, type Route, type ServerRequest } from "./routes.ts"
import * as Uploads from "../http/uploads.ts"
import type { Fields } from "../http/validation.ts"

export const refuse = (world: World, entry: Entry, refused: Answer.Refused): OwnReply => {
  if (refused.code !== undefined) entry.code = refused.code
  return makeReply(refused.status, Answer.errorBody(refused, world.settings.quirks))
}

/** Leaves out the absent fields of a record. */
const present = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(present)
  if (!isRecord(value)) return value
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined)
  return Object.fromEntries(entries.map(([name, inner]) => [name, present(inner)]))
}

/** Encodes a success as declared. */
const succeed = (route: Route, granted: Answer.Granted<unknown>): OwnReply => {
  const { status: success } = route.declaration
  const { counts, message } = granted
  const payload = present(granted.data)
  const data = Declaration.isList(route.declaration) ? { items: payload, ...counts } : payload
  return makeReply(success, route.encode({ message, data, status: success }))
}

/** The first of the named fields that is a string. */
const firstText = (fields: unknown, names: ReadonlyArray<string>): string | undefined =>
  Predicate.isReadonlyObject(fields)
    ? names.map((name) => fields[name]).find((value) => typeof value === "string")
    : undefined

const recordWrite = (
  world: World,
  write: { readonly operation: string; readonly vaultId: number; readonly at: number },
  input: Uploads.Fields,
  data: unknown
): void => {
  const marker = firstText(input, ["note", "reason", "name", "externalId"])
  const id = firstText(data, ["id", "transactionId", "externalId"])
  const recorded: Write = {
    sequence: world.writes.length + 1,
    at: DateTime.makeUnsafe(write.at),
    vaultId: write.vaultId,
    operation: write.operation,
    ...(marker === undefined ? {} : { marker }),
    input: Uploads.describeFiles(input),
    ...(id === undefined ? {} : { id })
  }
  world.writes.push(recorded)
}

/** The id of the access token's vault, or the refusal of the token. */
const authenticate = (world: World, accessToken: string | undefined, now: number): number | Answer.Refused => {
  const result = Sessions.authenticate(world, accessToken, now)
  if (typeof result === "object") return result.vaultId
  const { quirks } = world.settings
  return result === "expired" ? Answer.tokenExpired(quirks) : Answer.invalidAccessToken(quirks)
}

export type Body = Result.Result<Uploads.Fields, Answer.Refused>

/** Parses the fields of a JSON body. An empty body has no fields. */
const parseFields = (text: string): Body => {
  const body = text === "" ? {} : ExactJson.parseIfJson(text)
  if (body === undefined) return Result.fail(Answer.malformed("Request body is not JSON"))
  return Predicate.isReadonlyObject(body)
    ? Result.succeed(body)
    : Result.fail(Answer.malformed("Request body is not a JSON object"))
}

export interface RoutedRequest {
  readonly route: Route
  readonly request: ServerRequest
  /** The refusal, if the body could not be read. */
  readonly unread: Answer.Refused | undefined
}

/** The fields of a body as JSON, with the records of files in their place. Empty if there are none. */
export const describeBody = (found: RoutedRequest | undefined): string => {
  const fields = Uploads.describeFiles(found?.request.body ?? {})
  return Object.keys(fields).length === 0 ? "" : JSON.stringify(fields)
}

/** Authenticates, validates and handles a request, synchronously. */
export const handle = (
  world: World,
  entry: Entry,
  found: RoutedRequest,
  accessToken: string | undefined,
  now: number
): OwnReply => {
  const { request, route, unread } = found
  const { operation, safety } = route.declaration
  const vaultId = safety === "session" ? undefined : authenticate(world, accessToken, now)
  if (typeof vaultId === "object") return refuse(world, entry, vaultId)
  const { body, params, query } = named(route, request)
  const checked = <A>(part: Result.Result<A, Fields>) =>
    Result.mapError(part, (fields) => Answer.invalid(fields, route.validationCode))
  const input = Result.all({
    params: checked(route.params(params)),
    query: checked(route.query(query)),
    payload:
      unread !== undefined
        ? Result.fail(unread)
        : route.payload === undefined
          ? Result.succeed(undefined)
          : checked(route.payload(body))
  })
  if (Result.isFailure(input)) return refuse(world, entry, input.failure)
  const answer = route.handler({
    world,
    vault: vaultId === undefined ? undefined : world.vault(vaultId),
    now,
    input: Object.assign({}, ...Object.values(input.success)),
    used: (use) => {
      entry.token = use
    }
  } as Parameters<Route["handler"]>[0])
  if (answer._tag === "Refused") return refuse(world, entry, answer)
  if (safety !== "read" && vaultId !== undefined) {
    recordWrite(world, { operation, vaultId, at: now }, { ...params, ...body }, answer.data)
  }
  return succeed(route, answer)
}

const unreadable = (error: HttpServerError): Answer.Refused =>
  error.reason._tag === "RequestParseError" && error.reason.reason === "BodyTooLarge"
    ? Answer.tooLarge
    : Answer.malformed("Request body cannot be read")

export const noFields: Body = Result.succeed({})

/** Reads the body of a request to its end, if the endpoint takes one. */
export const readBody = (
  request: HttpServerRequest.HttpServerRequest,
  route: Route | undefined
): Effect.Effect<Body> => {
  if (route === undefined || route.declaration.payload === undefined) return Effect.succeed(noFields)
  if (route.declaration.isMultipart) return Uploads.read(request)
  return Effect.map(Effect.result(request.text), (text) =>
    Result.flatMap(Result.mapError(text, unreadable), parseFields)
  )
}
