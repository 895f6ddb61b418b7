/** `custody openapi`: writes the API as an OpenAPI 3.1 document, as assumed or under a contract. */
import * as ContractDocument from "@effect-custody/contract/ContractDocument"
import * as ServiceContract from "@effect-custody/contract/ServiceContract"
import { CustodyApi } from "@effect-custody/sdk/CustodyApi"
import * as CliCommand from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as OpenApi from "effect/http-api/OpenApi"
import * as ContractFiles from "../service/contractFiles.ts"
import * as Output from "../terminal/output.ts"

const config = { contract: ContractFiles.flag, out: Output.out("openapi.json"), force: Output.force, json: Output.json }

export const command = CliCommand.make(
  "openapi",
  config,
  Effect.fnUntraced(function* ({ contract, force, json, out }) {
    const checked = ServiceContract.ServiceContract.use(({ checked }) => Effect.succeed(checked))
    const underContract = yield* Output.orFail(Effect.provide(checked, ContractFiles.layer(contract)))
    const document = ContractDocument.make(OpenApi.fromApi(CustodyApi), underContract)
    const under = underContract === undefined ? "" : ", under the contract"
    const operations = `${CustodyApi.operations.length} operations`
    yield* Output.write(json ? "-" : out, document, `OpenAPI ${document.openapi}, ${operations}${under}`, force)
  })
).pipe(
  CliCommand.withDescription("Writes the API as an OpenAPI 3.1 document: as it is assumed, or as a contract file says")
)
