/** A wire that is defined in code, for what data cannot express. Pure. */
import { constVoid, identity } from "effect/Function"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as UrlParams from "effect/http/UrlParams"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { Defaults } from "../../ContractFile.ts"
import { type Code, CodeTypeId, type Inverse, type Issue, type Parts, type Wire } from "../../Wire.ts"
import { filled, garbled, isSegment, present } from "../assumedWire.ts"
import * as FalseSuccess from "../falseSuccess.ts"
import * as MissingPayload from "../missingPayload.ts"
import { isHeaderValue } from "../requestHeaders.ts"
import type { OperationShape } from "../shape.ts"
import * as Upload from "../upload.ts"
import type { Compiled } from "./compile.ts"
import * as InverseWire from "./inverse.ts"
import * as Plan from "./plan.ts"
import * as ClientWire from "./wire.ts"

export const isCode = (u: unknown): u is Code => Predicate.hasProperty(u, CodeTypeId)

/** Throws for a promise: nothing waits for it. Its rejection must not end the process. */
const sync = <A>(value: A): A => {
  if (!Predicate.isPromiseLike(value)) return value
  value.then(constVoid, constVoid)
  throw new Error("the code of the contract gave a promise, and nothing waits for it")
}

/** What the code of a contract gives, or why it is of no use. */
const guarded = <A>(ask: () => A): Result.Result<A, string> =>
  Result.try({
    try: () => sync(ask()),
    catch: (error) => (error instanceof Error ? String(error.message) : "the code of the contract failed")
  })

/** Throws for what JSON has no form of, and would drop or change without a word. */
const refuseOdd = (key: string, value: unknown): unknown => {
  if (["function", "symbol"].includes(typeof value) || (typeof value === "number" && !Number.isFinite(value))) {
    throw new Error(`${key} is ${String(value)}, which cannot be sent`)
  }
  return Upload.isFile(value) ? null : sync(value)
}

/** Why a request of code cannot be sent. */
const issuesOf = (
  path: string,
  { body, headers = {}, params = {}, query = {} }: ReturnType<Code["request"]>
): ReadonlyArray<Issue> => {
  const texts = Predicate.isReadonlyObject(body) ? Object.values(body).map(Upload.unsendable) : []
  const checks: ReadonlyArray<readonly [name: string, message: string | undefined]> = [
    ...Plan.parametersOf(path).map((name) => {
      const value: unknown = params[name]
      const isUsable = typeof value === "string" && isSegment(value)
      return [name, isUsable ? undefined : "has to be a text that can be a segment of the path"] as const
    }),
    ...Object.entries<unknown>(headers).map(([name, value]) => {
      const isUsable = typeof value === "string" && isHeaderValue(value)
      return [name, isUsable ? undefined : "has to be a text that a header can carry"] as const
    }),
    ...Object.entries(query).map(([name, value]) => [name, garbled(value)] as const),
    ...texts.map((message) => ["body", message] as const)
  ]
  return checks.flatMap(([name, message]) => (message === undefined ? [] : [{ path: [name], message }]))
}

const requestOf = ({ route, shape }: Plan.Plan, code: Code): Wire["request"] => {
  const pathOf = filled(route.path)
  const bodyOf = (body: unknown): HttpBody.HttpBody => {
    if (body === undefined) return HttpBody.empty
    if (!Predicate.isReadonlyObject(body)) return HttpBody.jsonUnsafe(body)
    return ClientWire.bodyOf(shape, shape.body === "Multipart" ? "Multipart" : "Json", present(body))
  }
  return ({ encoded }) => {
    const made = guarded(() => {
      const given = code.request(ClientWire.oursOf(encoded))
      if (!Predicate.isReadonlyObject(sync(given))) throw new Error("the code of the contract gave no request")
      // oxlint-disable-next-line effecttsgo/prefer-schema-over-json -- the code says what it sends.
      JSON.stringify(given, refuseOdd)
      const issues = issuesOf(route.path, given)
      if (issues.length > 0) return Result.fail(issues)
      return Result.succeed(
        HttpClientRequest.make(route.method)(pathOf(given.params ?? {}), {
          urlParams: UrlParams.fromInput(present(given.query ?? {}) as UrlParams.Input),
          headers: { accept: "application/json", ...given.headers },
          body: bodyOf(given.body)
        })
      )
    })
    return Result.isSuccess(made) ? made.success : Result.fail([{ path: [], message: made.failure }])
  }
}

const envelopeOf = (plan: Plan.Plan, code: Code): Wire["envelope"] => {
  const isList = Plan.isList(plan.shape)
  return (body, status) => {
    const expected = { ...ClientWire.expected(plan, status), isPlaceSaid: true }
    const refusal =
      plan.shape.safety === "session" ? undefined : FalseSuccess.unmistakable({ ...expected, isList, status, body })
    if (refusal !== undefined) {
      return { ...(Predicate.isReadonlyObject(body) ? body : {}), [FalseSuccess.unreadable]: refusal }
    }
    const said = guarded(() => code.answer({ status, body }))
    if (Result.isFailure(said)) return {}
    switch (MissingPayload.meaning({ status, body, found: said.success }, expected)) {
      case "Payload":
        return { data: said.success }
      case "Nothing":
        return { data: ClientWire.emptyOf(plan) }
      case "Unreadable":
        return {}
    }
  }
}

const inverseOf = (plan: Plan.Plan, { inverse }: Code): Inverse | string => {
  const { shape } = plan
  if (inverse === undefined) return `the contract of ${shape.operation} is code without an inverse`
  return {
    ...InverseWire.make(plan),
    // Code may put a body where data has none.
    hasBody: plan.route.method !== "GET",
    input: (request) => {
      const parts: { readonly [P in keyof Parts]: Record<string, unknown> } = { params: {}, query: {}, body: {} }
      for (const [name, value] of Object.entries(inverse.input(request))) {
        const part = shape.input.get(name)?.part ?? "body"
        parts[part === "path" ? "params" : part][name] = value
      }
      return parts
    },
    answer: (envelope, status) =>
      inverse.answer(
        Predicate.hasProperty(envelope, "data") ? envelope.data : undefined,
        plan.success?.values().next().value ?? status
      )
  }
}

/** The two sides of a wire that is defined in code. Prefix, errors and statuses are those of the plan. */
export const compile = (shape: OperationShape, code: Code, defaults: Defaults): Compiled => {
  const plan = Plan.make(shape, saidOf(code), defaults)
  return {
    wire: {
      ...ClientWire.make(plan),
      request: requestOf(plan, code),
      envelope: envelopeOf(plan, code),
      place: identity
    },
    inverse: inverseOf(plan, code)
  }
}

/** The parts that a wire in code has in common with one in data. */
export const saidOf = ({ method, path, success }: Code) => ({
  method,
  path,
  ...(success === undefined ? {} : { success })
})
