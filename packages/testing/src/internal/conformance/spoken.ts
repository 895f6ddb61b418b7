/**
 * What the three endpoints of a run look like on the wire: as the specification has them or, where a contract says
 * otherwise, as the contract has them. Without a contract nothing of the SDK is used.
 */
import * as ApiError from "@effect-custody/core/ApiError"
import type { Wire } from "@effect-custody/core/unstable/Wires"
import type { ServiceContract } from "@effect-custody/contract/ServiceContract"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Result from "effect/Result"

export type Endpoint = "authentication.generateTokens" | "authentication.refreshToken" | "vaults.details"

/** The fields of a body, or a text that is sent as it is. */
export type Sent = Readonly<Record<string, unknown>> | string | undefined

export interface Spoken {
  /** The request, relative to the base address, or why the contract cannot say it. */
  readonly request: (sent: Sent) => Result.Result<HttpClientRequest.HttpClientRequest, string>
  readonly isSuccess: (status: number) => boolean
  /** The statuses that a success has. */
  readonly success: ReadonlyArray<number>
  /** The answer as the specification has it. */
  readonly read: (status: number, json: unknown) => unknown
}

const specified: Readonly<Record<Endpoint, readonly [method: "GET" | "POST", path: string, status: number]>> = {
  "authentication.generateTokens": ["POST", "/auth/generate-tokens", 201],
  "authentication.refreshToken": ["POST", "/auth/refresh-token", 201],
  "vaults.details": ["GET", "/vaults/details", 200]
}

const asSpecified = (endpoint: Endpoint): Spoken => {
  const [method, path, status] = specified[endpoint]
  const request = HttpClientRequest.make(method)(path, { headers: { accept: "application/json" } })
  return {
    request: (sent) => {
      if (sent === undefined) return Result.succeed(request)
      return Result.succeed(
        typeof sent === "string"
          ? HttpClientRequest.bodyText(request, sent, "application/json")
          : HttpClientRequest.bodyJsonUnsafe(request, sent)
      )
    },
    isSuccess: (given) => given >= 200 && given < 300,
    success: [status],
    read: (_, json) => json
  }
}

/** An error body with the specification's code for the meaning that the contract gives it. */
const errorOf = ({ error }: Wire, json: unknown): unknown => {
  const { body, tag } = error(json)
  const [code] =
    tag !== undefined && Object.hasOwn(ApiError.codes, tag) ? ApiError.codes[tag as keyof typeof ApiError.codes] : []
  return code === undefined ? body : { ...(body as object), code }
}

const underContract = (wire: Wire, success: ReadonlyArray<number>): Spoken => ({
  request: (sent) => {
    const fields = typeof sent === "object" ? sent : {}
    const made = Result.mapError(
      wire.request({
        encoded: { params: {}, query: {}, body: sent === undefined ? { _tag: "None" } : { _tag: "Json", fields } }
      }),
      (issues) => issues.map(({ message, path }) => `${path.join(".")} ${message}`).join("; ")
    )
    if (typeof sent !== "string") return made
    return Result.flatMap(made, (request) =>
      request.body._tag === "Empty"
        ? Result.fail("the contract has no body here")
        : Result.succeed(HttpClientRequest.setBody(request, HttpBody.text(sent, request.body.contentType)))
    )
  },
  isSuccess: wire.isSuccess,
  success,
  read: (status, json) => {
    if (status >= 400) return errorOf(wire, json)
    return wire.isSuccess(status) ? wire.envelope(json, status, undefined) : json
  }
})

/** An endpoint, as the contract in force has it. */
export const spokenBy = ({ checked, wire: wireOf }: ServiceContract, endpoint: Endpoint): Spoken => {
  const assumed = asSpecified(endpoint)
  const wire = wireOf(endpoint)
  if (wire === undefined) return assumed
  const entry = checked?.contract.operations?.[endpoint]
  const own = typeof entry === "object" ? entry.success : undefined
  return underContract(wire, own ?? checked?.contract.defaults?.success ?? assumed.success)
}
