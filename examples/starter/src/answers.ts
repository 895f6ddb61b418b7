/** What the end of a send means for whoever ordered the payout. Pure, and exhaustive: a new error does not compile. */
import type { OutcomeUnknown } from "@effect-custody/core"
import type { Transactions } from "@effect-custody/sdk"
import type { Effect } from "effect"
import { type Payout, type PayoutId, Refused, Unavailable, Unknown } from "./Api.ts"

type SendError = Effect.Error<ReturnType<typeof Transactions.send>>

/** It may have happened: neither a success nor a failure, and nothing that may be tried again. */
export const unknown = (payoutId: PayoutId): Payout =>
  Unknown.make({
    payoutId,
    detail: "The money may have moved. Ask again later; do not order it under another name.",
    askAt: `/payouts/${payoutId}`
  })

/** It certainly did not happen: because of the order (a 422), or because of something that passes (a 503). */
export const notSent = (error: Exclude<SendError, OutcomeUnknown>): Refused | Unavailable => {
  const detail = error.message
  switch (error._tag) {
    case "ValidationFailed":
      return new Refused({ detail, fields: error.fields })
    case "BadRequest":
    case "NotFound":
    case "RequestInvalid":
      return new Refused({ detail })
    case "UnknownApiError":
      // Endpoints have codes of their own, such as one for too little money.
      return new Refused({ detail, ...(error.code === undefined ? {} : { code: error.code }) })
    case "RefreshUnavailable":
    case "SessionAmbiguous":
      return new Unavailable({ detail, retryAt: error.retryAt })
    case "InvalidAccessToken":
    case "InvalidRefreshToken":
    case "NoSession":
    case "RateLimited":
    case "SessionLost":
    case "SessionOfAnotherEnvironment":
    case "StoredSessionInvalid":
    case "TokenExpired":
    case "TokenStoreError":
    case "TransportError":
    case "UnconfirmedEndpoint":
      return new Unavailable({ detail })
  }
}
