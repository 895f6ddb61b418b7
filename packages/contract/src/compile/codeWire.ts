/** Compiles wires that are defined in code. Pure. */
import { constVoid, identity } from "effect/Function"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as UrlParams from "effect/http/UrlParams"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as Result from "effect/Result"
import type { Code } from "../language/Wire.ts"
import { pathParameters } from "@effect-custody/core/unstable/Declaration"
import type { Inverse, Wire } from "@effect-custody/core/unstable/Wires"
import { makeBody, makePath, queryObjection, isSegment, omitUndefined } from "@effect-custody/core/unstable/AssumedWire"
import * as FalseSuccess from "@effect-custody/core/unstable/FalseSuccess"
import { isSuccess } from "@effect-custody/core/unstable/StatusCode"
import * as MissingPayload from "@effect-custody/core/unstable/MissingPayload"
import { isHeaderValue } from "@effect-custody/core/unstable/Text"
import * as Multipart from "@effect-custody/core/unstable/Multipart"
import * as InverseWire from "./inverseWire.ts"
import * as Plan from "../plan/plan.ts"
import * as ClientWire from "./clientWire.ts"

/** Throws for a promise, because nothing awaits it. Handles its rejection, which would otherwise end the process. */
const sync = <A>(value: A): A => {
  if (!Predicate.isPromiseLike(value)) return value
  value.then(constVoid, constVoid)
  throw new Error("the code of the contract gave a promise, and nothing waits for it")
}

const guarded = <A>(run: () => A): Result.Result<A, string> =>
  Result.try({
    try: () => sync(run()),
    catch: (error) => (error instanceof Error ? String(error.message) : "the code of the contract failed")
  })

/** Throws for a value that JSON would silently drop or change. */
const refuseUnsendable = (key: string, value: unknown): unknown => {
  if (["function", "symbol"].includes(typeof value) || (typeof value === "number" && !Number.isFinite(value))) {
    throw new Error(`${key} is ${String(value)}, which cannot be sent`)
  }
  return Multipart.isFile(value) ? null : sync(value)
}

const isText = (value: unknown, isUsable: (text: string) => boolean): boolean =>
  typeof value === "string" && isUsable(value)

const assertSendable = (request: ReturnType<Code["request"]>, path: string, isMultipart: boolean): void => {
  if (!Predicate.isReadonlyObject(sync(request))) throw new Error("the code of the contract gave no request")
  // oxlint-disable-next-line effecttsgo/prefer-schema-over-json -- the code says what it sends.
  JSON.stringify(request, refuseUnsendable)
  const { body, headers = {}, params = {}, query = {} } = request
  const parts = isMultipart && Predicate.isReadonlyObject(body) ? body : {}
  const unusable = [
    ...pathParameters(path).filter((name) => !isText(params[name], isSegment)),
    ...Object.keys(headers).filter((name) => !isText(headers[name], isHeaderValue)),
    ...Object.keys(query).filter((name) => queryObjection(query[name]) !== undefined),
    ...Object.keys(parts).filter((name) => Multipart.objection(parts[name]) !== undefined)
  ]
  if (unusable.length > 0) throw new Error(`${unusable.join(", ")} cannot be sent in its place as it is`)
}

const requestBuilder = ({ route, shape }: Plan.Plan, code: Code): Wire["request"] => {
  const fillPath = makePath(route.path)
  const kind = shape.body === "Multipart" ? shape.body : "Json"
  return ({ encoded }) => {
    const made = guarded(() => {
      const request = code.request(ClientWire.encodedFields(encoded))
      assertSendable(request, route.path, kind === "Multipart")
      const { body, headers, params = {}, query = {} } = request
      return HttpClientRequest.make(route.method)(fillPath(params), {
        urlParams: UrlParams.fromInput(omitUndefined(query) as UrlParams.Input),
        headers: { accept: "application/json", ...headers },
        body: Predicate.isReadonlyObject(body)
          ? makeBody(shape.declaration.safety, { _tag: kind, fields: body })
          : body === undefined
            ? HttpBody.empty
            : HttpBody.jsonUnsafe(body)
      })
    })
    return Result.mapError(made, (message) => [{ path: [], message }])
  }
}

const answerReader = (plan: Plan.Plan, code: Code): Wire["answer"] => {
  const isList = Plan.isList(plan.shape)
  const { success } = plan
  return ({ body, headers: received = {}, status }) => {
    const isSecret = plan.shape.declaration.safety === "session"
    if (!isSecret && !(success === undefined ? isSuccess(status) : success.has(status))) return undefined
    const headers = Record.filter(received, Predicate.isString)
    const expected = { ...ClientWire.expected(plan, status), isPlaceDeclared: true }
    const refusal = isSecret ? undefined : FalseSuccess.certainRefusal({ ...expected, isList, status, body })
    if (refusal !== undefined) return Result.fail(refusal)
    const payload = guarded(() => code.answer({ status, headers, body }))
    if (Result.isFailure(payload)) return Result.succeed({})
    switch (MissingPayload.meaning({ status, body, found: payload.success }, expected)) {
      case "Payload":
        return Result.succeed({ data: payload.success })
      case "Nothing":
        return Result.succeed({ data: ClientWire.emptyPayload(plan) })
      case "Unreadable":
        return Result.succeed({})
    }
  }
}

/** Compiles a wire in code. The prefix, errors and statuses come from the plan. */
export const make = (plan: Plan.Plan, code: Code): Wire => ({
  ...ClientWire.make(plan),
  request: requestBuilder(plan, code),
  answer: answerReader(plan, code),
  place: identity,
  inverse: makeInverse(plan, code)
})

/** Compiles the service's side of a wire in code, or returns the reason why there is none. */
const makeInverse = (plan: Plan.Plan, { inverse }: Code): Inverse | string => {
  const { route, shape, success } = plan
  if (inverse === undefined) return `the contract of ${shape.declaration.operation} is code without an inverse`
  return {
    ...InverseWire.make(plan),
    // The plan does not know whether the code makes a body. Only a GET certainly has none.
    hasBody: route.method !== "GET",
    input: (request) => {
      const parts: Record<"path" | "query" | "body", Record<string, unknown>> = { path: {}, query: {}, body: {} }
      for (const [name, value] of Object.entries(omitUndefined(inverse.input(request)))) {
        parts[shape.input.get(name)?.part ?? "body"][name] = value
      }
      return { params: parts.path, query: parts.query, body: parts.body }
    },
    answer: (envelope, status) =>
      inverse.answer(
        Predicate.hasProperty(envelope, "data") ? envelope.data : undefined,
        success?.values().next().value ?? status
      )
  }
}
