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
import * as FalseSuccess from "../falseSuccess.ts"
import * as SecretRequest from "../secretRequest.ts"
import * as Upload from "../upload.ts"
import * as MissingPayload from "../missingPayload.ts"
import type { Compiled } from "./compile.ts"
import { CodeTypeId } from "./entries.ts"
import * as InverseWire from "./inverse.ts"
import * as Plan from "./plan.ts"
import type { OperationShape } from "./shape.ts"
import * as SaidInCode from "./saidInCode.ts"
import * as ClientWire from "./wire.ts"

export const isCode = (u: unknown): u is Code => Predicate.hasProperty(u, CodeTypeId)

const jsonType = "application/json"

const oursOf = (encoded: Encoded): Readonly<Record<string, unknown>> =>
  Object.fromEntries(ClientWire.fieldsOf(encoded).filter(([, value]) => value !== undefined))

const query = (given: Readonly<Record<string, unknown>>): UrlParams.Input =>
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

  const isMultipart = shape.body === "Multipart"

  const bodyOf = ({ body, text }: SaidInCode.Sendable): HttpBody.HttpBody => {
    if (isMultipart && Predicate.isReadonlyObject(body)) return Upload.toBody(body)
    if (isSecret && Predicate.isReadonlyObject(body)) return SecretRequest.body(body, contentType)
    return text === undefined ? HttpBody.empty : HttpBody.text(text, contentType)
  }

  const pathOf = ClientWire.filled(plan.route.path)

  const made = (sendable: SaidInCode.Sendable): HttpClientRequest.HttpClientRequest =>
    HttpClientRequest.make(plan.route.method)(pathOf(sendable.params), {
      urlParams: UrlParams.fromInput(query(sendable.query)),
      headers: { accept: contentType, ...sendable.headers },
      body: bodyOf(sendable)
    })

  const request = ({ encoded }: Asked): ReturnType<Wire["request"]> => {
    const said = SaidInCode.said(() => code.request(oursOf(encoded)))
    if (Result.isFailure(said)) return Result.fail([{ path: [], message: said.failure }])
    // What it returned may have getters, and they may throw too.
    const checked = SaidInCode.said(() =>
      Result.map(SaidInCode.sendable(said.success, { path: plan.route.path, isMultipart }), made)
    )
    return Result.isSuccess(checked) ? checked.success : Result.fail([{ path: [], message: checked.failure }])
  }

  const isList = shape.payload._tag === "List"

  const envelope: Wire["envelope"] = (body, status) => {
    const expected = { ...ClientWire.expected(plan, status), isPlaceSaid: true }
    const refusal = isSecret ? undefined : FalseSuccess.unmistakable({ ...expected, isList, status, body })
    if (refusal !== undefined) {
      return { ...(Predicate.isReadonlyObject(body) ? body : {}), [FalseSuccess.unreadable]: refusal }
    }
    const said = SaidInCode.said(() => SaidInCode.payload(code.answer({ status, body })))
    if (Result.isFailure(said)) return {}
    const found = said.success
    switch (MissingPayload.meaning({ status, body, found }, expected)) {
      case "Payload":
        return { data: found }
      case "Nothing":
        return { data: ClientWire.emptyOf(isList) }
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
