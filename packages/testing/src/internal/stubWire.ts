/** Carries the calls of stubs as the contract in force would: refuses what it cannot send, and drops what it does not carry. */
import * as ExactJson from "@effect-custody/core/unstable/ExactJson"
import * as Operation from "@effect-custody/core/unstable/Operation"
import { RequestInvalid } from "@effect-custody/core/SdkError"
import type { ServerRequest, WireInput, Wires } from "@effect-custody/core/unstable/Wires"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as UrlParams from "effect/http/UrlParams"
import * as Result from "effect/Result"

/** An encoded envelope of the specification. */
interface Envelope {
  readonly data: unknown
  readonly meta?: { readonly hasNextPage?: boolean }
}

/** A carried call. */
export interface Carried {
  /** The requested page, if the contract expresses it differently. */
  readonly page: number | undefined
  /** Reads the envelope from the service's answer, as the client does. */
  readonly answer: (envelope: Envelope) => Result.Result<unknown, string>
  /** `true` if the contract lists a status as doubtful. */
  readonly isDoubtful: (status: number) => boolean
}

/** The parts of a request that select the page. */
const listRequest = ({ urlParams }: HttpClientRequest.HttpClientRequest): ServerRequest => {
  const query = new URLSearchParams(UrlParams.toString(urlParams))
  return { params: {}, query: Object.fromEntries(query), headers: {}, body: {} }
}

/** Carries a call. Fails with the reason if the contract cannot send it. */
export const carry = (
  contract: Wires,
  endpoint: Operation.Any,
  input: WireInput
): Result.Result<Carried, RequestInvalid> => {
  const { operation } = endpoint
  const given = contract.wire(endpoint)
  const wire = given ?? Operation.codec(endpoint).wire
  const request = wire.request(input)
  if (Result.isFailure(request)) return Result.fail(new RequestInvalid({ operation, issues: request.failure }))
  const { isDoubtful } = wire
  const inverse = given?.inverse
  if (inverse === undefined) return Result.succeed({ page: undefined, answer: Result.succeed, isDoubtful })
  const server = listRequest(request.success)
  return Result.succeed({
    isDoubtful,
    page: input.cursor === undefined ? undefined : Number(inverse.input(server).query["page"]),
    answer: (envelope) => {
      const { data, meta } = envelope
      // A stub sets the counts of its pages. Without `hasNextPage`, only an empty page ends the list.
      const hasNextPage = meta?.hasNextPage ?? (Array.isArray(data) && data.length > 0)
      const { body, headers, status } = inverse.answer({ ...envelope, meta: { ...meta, hasNextPage } }, 200, server)
      const read = wire.answer(
        { body: body === undefined ? undefined : ExactJson.parse(JSON.stringify(body)), status, headers },
        input
      )
      return Result.map(read ?? Result.fail("its status is not a success"), (read) => ({
        ...(read as object),
        ...(meta === undefined ? { meta: {} } : { meta })
      }))
    }
  })
}
