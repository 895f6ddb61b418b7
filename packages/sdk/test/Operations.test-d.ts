/** The types of operations by name: the functions' own. */
import type { Clients, Transactions } from "@effect-custody/sdk"
import type * as Operations from "@effect-custody/sdk/Operations"
import type { Effect } from "effect"
import type { Equal, Expect, IsAny } from "../../../test/support/types.ts"

/** None of them lost its types on the way. */
export type NoneIsAny = Expect<
  Equal<
    {
      [N in Operations.Name]: true extends IsAny<Operations.Payload<N>> | IsAny<Operations.Input<N>> ? N : never
    }[Operations.Name],
    never
  >
>

export type Types = [
  Expect<Equal<Operations.Failure<"transactions.send">, Effect.Error<ReturnType<typeof Transactions.send>>>>,
  Expect<Equal<Operations.Failure<"clients.list">, Effect.Error<ReturnType<typeof Clients.list>>>>,
  Expect<Equal<Operations.Payload<"clients.get">, Effect.Success<ReturnType<typeof Clients.get>>>>,
  Expect<Equal<Operations.Payload<"clients.list">, Effect.Success<ReturnType<typeof Clients.list>>>>,
  Expect<Equal<Operations.Input<"transactions.send">, Parameters<typeof Transactions.send>[0]>>,
  Expect<Equal<Operations.Refusal<"clients.get">["_tag"], Exclude<Operations.Failure<"clients.get">["_tag"], Ours>>>
]
type Ours =
  | "InputInvalid"
  | "UnconfirmedEndpoint"
  | "TransportError"
  | "UnexpectedResponse"
  | "NoSession"
  | "SessionLost"
  | "SessionAmbiguous"
  | "RefreshUnavailable"
  | "StoredSessionInvalid"
  | "SessionOfAnotherEnvironment"
  | "TokenStoreError"
