/** A contract file: the details of a vault elsewhere, under other names. */
import { Adapter } from "@effect-custody/contract"
import { Vaults } from "@effect-custody/sdk"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Schema from "effect/Schema"

export default Adapter.layer(
  [
    Adapter.make(Vaults.details, {
      request: () => HttpClientRequest.get("/v2/vault"),
      answer: Schema.Struct({ uid: Schema.String }),
      read: ({ uid }) => ({ id: uid, name: undefined, type: undefined })
    })
  ],
  { payload: (body) => body.vault ?? body.data }
)
