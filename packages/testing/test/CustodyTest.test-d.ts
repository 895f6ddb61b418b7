/** Names, inputs, payloads and failures of stubs: the sdk's own. */
// What is wrong on purpose is told by the compiler; Effect's own plugin need not say it again.
// @effect-diagnostics missingEffectError:off
import type { Amount, Id, Page } from "@effect-custody/core"
import type { Clients, Transactions } from "@effect-custody/sdk"
import type * as Operations from "@effect-custody/sdk/Operations"
import { CustodyTest, Generators } from "@effect-custody/testing"
import type { CustodyClient } from "@effect-custody/core"
import { type Arbitrary, Effect, type Layer } from "effect"
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
  | "RequestInvalid"
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

/** A layer of stubs needs nothing and cannot fail. */
export type Stub = Expect<Equal<ReturnType<typeof CustodyTest.stub>, Layer.Layer<CustodyClient>>>

/** What a stub of an operation returns. */
type Stubbed<N extends Operations.Name> = Effect.Success<ReturnType<NonNullable<CustodyTest.Stubs[N]>>>

declare const transaction: Stubbed<"transactions.get">
export const id: string = transaction.id
export const amount: Amount.Amount | undefined = transaction.amount
declare const page: Stubbed<"transactions.list">
export const transactions: Page.Page<{ readonly id: string }> = page

/** Where the service names things, a plain string will do; so does what it gave. */
declare const branded: Id.TransactionId
export const stubs = CustodyTest.stub({
  "transactions.get": ({ transactionId }) => Effect.succeed({ id: transactionId, status: "PENDING" }),
  "transactions.status": () => Effect.succeed({ id: branded, status: "FROZEN", more: 1 }),
  "transactions.send": ({ amount, to }) => Effect.succeed({ id: `${to} ${amount.scale}` }),
  "clients.list": ({ limit = 10 }) => Effect.succeed(CustodyTest.page([{ externalId: String(limit) }])),
  "vaults.details": () => Effect.succeed({})
})

export const wrong = [
  // @ts-expect-error There is no such operation.
  CustodyTest.stub({ "transactions.sennd": () => Effect.succeed({ id: "t-1" }) }),
  // @ts-expect-error A transaction has a status.
  CustodyTest.stub({ "transactions.get": () => Effect.succeed({ id: "t-1" }) }),
  // @ts-expect-error A list gives a page.
  CustodyTest.stub({ "clients.list": () => Effect.succeed([{ externalId: "alice" }]) }),
  // @ts-expect-error An amount is not a number.
  CustodyTest.stub({ "wallets.balance": () => Effect.succeed({ balance: 12.5 }) }),
  // @ts-expect-error A read does not end in doubt.
  CustodyTest.stub({ "vaults.details": () => CustodyTest.outcomeUnknown("transactions.send") }),
  // @ts-expect-error Only what changes something ends in doubt.
  CustodyTest.outcomeUnknown("vaults.details"),
  // @ts-expect-error Vault details are not a resource that may be missing.
  CustodyTest.stub({ "vaults.details": () => CustodyTest.refuse("clients.get", { status: 404 }) })
]

/** What is generated is what is given. */
export const generated: Arbitrary.Arbitrary<Effect.Success<ReturnType<typeof Transactions.get>>> =
  Generators.record("transactions.get")
