/**
 * The wires of the three endpoints of a run, by the contract in force or by the specification. Without a contract, nothing
 * of the SDK is used.
 */
import * as ApiError from "@effect-custody/core/ApiError"
import type { Wire } from "@effect-custody/core/Wires"
import type { ServiceContract } from "@effect-custody/contract/ServiceContract"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Result from "effect/Result"

export type Endpoint = "authentication.generateTokens" | "authentication.refreshToken" | "vaults.details"

/** The fields of a body, or a text to send unchanged. */
export type Sent = Readonly<Record<string, unknown>> | string | undefined

export interface EndpointWire {
  /** Makes the request, relative to the base address. Fails if the contract cannot express it. */
  readonly request: (sent: Sent) => Result.Result<HttpClientRequest.HttpClientRequest, string>
  readonly isSuccess: (status: number) => boolean
  /** The statuses of a success. */
  readonly success: ReadonlyArray<number>
  /** Translates the answer to the form of the specification. */
  readonly read: (status: number, json: unknown) => unknown
}

const specified: Readonly<Record<Endpoint, readonly [method: "GET" | "POST", path: string, status: number]>> = {
  "authentication.generateTokens": ["POST", "/auth/generate-tokens", 201],
  "authentication.refreshToken": ["POST", "/auth/refresh-token", 201],
  "vaults.details": ["GET", "/vaults/details", 200]
}

const asSpecified = (endpoint: Endpoint): EndpointWire => {
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

/** Gives an error body the specification's code for its meaning in the contract. */
const translateError = ({ error }: Wire, json: unknown): unknown => {
  const { body, tag } = error(json)
  const [code] =
    tag !== undefined && Object.hasOwn(ApiError.codes, tag) ? ApiError.codes[tag as keyof typeof ApiError.codes] : []
  return code === undefined ? body : { ...(body as object), code }
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300

const underContract = (
  wire: Wire,
  named: ReadonlyArray<number> | undefined,
  success: ReadonlyArray<number>
): EndpointWire => ({
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
  isSuccess: named === undefined ? isSuccess : (status) => named.includes(status),
  success,
  read: (status, json) => {
    if (status >= 400) return translateError(wire, json)
    const read =
      (named?.includes(status) ?? isSuccess(status)) ? wire.answer({ body: json, status }, undefined) : undefined
    return read !== undefined && Result.isSuccess(read) ? read.success.envelope : json
  }
})

/** The wire of an endpoint under the contract in force. */
export const endpointWire = ({ checked, wire: wireOf }: ServiceContract, endpoint: Endpoint): EndpointWire => {
  const assumed = asSpecified(endpoint)
  const declaration = Object.values(checked?.api.categories ?? {})
    .flatMap((endpoints) => Object.values(endpoints))
    .find(({ operation }) => operation === endpoint)
  const wire = declaration && wireOf(declaration)
  if (wire === undefined) return assumed
  const entry = checked?.contract.operations?.[endpoint]
  const own = typeof entry === "object" ? entry.success : undefined
  const named = own ?? checked?.contract.defaults?.success
  return underContract(wire, named, named ?? assumed.success)
}
