/** A wire that is defined in code, for what data cannot express. Pure. */
import { identity } from "effect/Function"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as UrlParams from "effect/http/UrlParams"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { Defaults, Differences } from "../../ContractFile.ts"
import type { Encoded } from "../../Operation.ts"
import type { Asked, Code, Inverse, Parts, Wire } from "../../Wire.ts"
import * as SecretRequest from "../secretRequest.ts"
import * as Upload from "../upload.ts"
import * as MissingPayload from "../missingPayload.ts"
import type { Compiled } from "./compile.ts"
import { CodeTypeId } from "./entries.ts"
import * as InverseWire from "./inverse.ts"
import * as Plan from "./plan.ts"
import type { OperationShape } from "./shape.ts"
import * as ClientWire from "./wire.ts"

export const isCode = (u: unknown): u is Code => Predicate.hasProperty(u, CodeTypeId)

const jsonType = "application/json"

const oursOf = (encoded: Encoded): Readonly<Record<string, unknown>> =>
  Object.fromEntries(ClientWire.fieldsOf(encoded).filter(([, value]) => value !== undefined))

/** The result of the user's code, or why there is none: it may throw. */
const asked = <A>(ask: () => A): Result.Result<A, string> =>
  Result.try({
    try: ask,
    catch: (error) => (error instanceof Error ? error.message : "the code of the contract failed")
  })

const query = (given: Readonly<Record<string, unknown>> = {}): UrlParams.Input =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as UrlParams.Input

/** The parts that a wire in code has in common with one in data. */
export const saidOf = ({ method, path, success }: Code): Differences => ({
  method,
  path,
  ...(success === undefined ? {} : { success })
})

/** The two sides of a wire that is defined in code. Prefix, errors and statuses are those of the plan. */
export const compile = (shape: OperationShape, code: Code, defaults: Defaults): Compiled => {
  const plan = Plan.make(shape, saidOf(code), defaults)
  const byData = ClientWire.make(plan)
  const { contentType = jsonType } = defaults
  const isSecret = shape.safety === "session"

  const bodyOf = (body: unknown): HttpBody.HttpBody => {
    if (body === undefined) return HttpBody.empty
    if (shape.body === "Multipart" && Predicate.isReadonlyObject(body)) return Upload.toBody(body)
    if (isSecret && Predicate.isReadonlyObject(body)) return SecretRequest.body(body, contentType)
    // oxlint-disable-next-line effecttsgo/prefer-schema-over-json -- the code says what it sends.
    return HttpBody.text(JSON.stringify(body), contentType)
  }

  const pathOf = ClientWire.filled(plan.route.path)

  const request = ({ encoded }: Asked): ReturnType<Wire["request"]> => {
    const said = asked(() => code.request(oursOf(encoded)))
    if (Result.isFailure(said)) return Result.fail([{ path: [], message: said.failure }])
    const { body, headers = {}, params = {}, query: given } = said.success
    const missing = ClientWire.parametersMissing(plan.route.path, params)
    if (missing.length > 0)
      return Result.fail(missing.map((name) => ({ path: [name], message: "cannot be a segment of a path" })))
    return Result.succeed(
      HttpClientRequest.make(plan.route.method)(pathOf(params), {
        urlParams: UrlParams.fromInput(query(given)),
        headers: { accept: contentType, ...headers },
        body: bodyOf(body)
      })
    )
  }

  const envelope: Wire["envelope"] = (body, status) => {
    const found = Result.getOrUndefined(asked(() => code.answer({ status, body })))
    const expected = { ...ClientWire.expected(plan, status), isPlaceSaid: true }
    switch (MissingPayload.meaning({ status, body, found }, expected)) {
      case "Payload":
        return { data: found }
      case "Nothing":
        return { data: ClientWire.emptyOf(shape.payload._tag === "List") }
      case "Unreadable":
        return {}
    }
  }

  return { wire: { ...byData, request, envelope, place: identity }, inverse: inverseOf(plan, code) }
}

const inverseOf = (plan: Plan.Plan, { inverse }: Code): Inverse | string => {
  const { shape } = plan
  if (inverse === undefined) return `the contract of ${shape.operation} is code without an inverse`
  const byData = InverseWire.make(plan)
  return {
    ...byData,
    // Code may put a body where data has none.
    hasBody: plan.route.method !== "GET",
    input: (request) => {
      const ours = inverse.input(request)
      const parts: { readonly [P in keyof Parts]: Record<string, unknown> } = { params: {}, query: {}, body: {} }
      for (const [name, value] of Object.entries(ours)) {
        const part = shape.input.get(name)?.part ?? "body"
        parts[part === "path" ? "params" : part][name] = value
      }
      return parts
    },
    answer: (envelope, status) =>
      inverse.answer(
        Predicate.isReadonlyObject(envelope) ? envelope["data"] : undefined,
        plan.success?.values().next().value ?? status
      )
  }
}
