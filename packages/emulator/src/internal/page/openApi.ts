/** The OpenAPI documents of the emulator: the API, and the controls. */
import * as ContractDocument from "@effect-custody/core/ContractDocument"
import type { WireContract } from "@effect-custody/core/WireContract"
import { CustodyApi } from "@effect-custody/sdk/CustodyApi"
import * as OpenApi from "effect/http-api/OpenApi"
import { ControlApi } from "../control/controlContract.ts"
import { inventedCodes } from "../http/inventedCodes.ts"

/** A document that lists the emulator's own error codes. */
export interface ApiDocument extends OpenApi.OpenAPISpec {
  readonly "x-emulator-codes": Readonly<Record<string, string>>
}

const codesNote =
  "This emulator answers some errors with codes of its own, E50001 and up: the specification shows none for them. " +
  "`x-emulator-codes` lists them."

const makeApi = ({ said }: WireContract): ApiDocument => {
  const document = ContractDocument.make(OpenApi.fromApi(CustodyApi), said)
  const { description = "" } = document.info
  return {
    ...document,
    info: { ...document.info, description: `${description} ${codesNote}`.trim() },
    "x-emulator-codes": inventedCodes
  }
}

const apis = new WeakMap<WireContract, ApiDocument>()
let controls: OpenApi.OpenAPISpec | undefined

/** The API under the emulator's contract, at the emulator's address. */
export const apiDocument = (baseUrl: string, contract: WireContract): ApiDocument => {
  const api = apis.get(contract) ?? makeApi(contract)
  apis.set(contract, api)
  return { ...api, servers: [{ url: baseUrl, description: "This emulator." }] }
}

/** The controls. */
export const controlDocument = (): OpenApi.OpenAPISpec => (controls ??= OpenApi.fromApi(ControlApi))
