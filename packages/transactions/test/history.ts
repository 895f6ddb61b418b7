/** A payment, rows of a history, and how a service answers with them. */
import { Amount } from "@effect-custody/core"
import { Transactions } from "@effect-custody/transactions"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { sentBy } from "../../../test/support/clients/reportsApi.ts"
import { answer, type Sent } from "../../../test/support/clients/stubHttp.ts"

export const payout = {
  clientId: "alice",
  assetId: "usdc",
  to: "0x52908400098527886E0F7030069857D2E4169EE7",
  amount: Amount.of("12.50"),
  note: "payout 7"
}
/** A row of the history that equals the payout, except for the note. */
export const shown = {
  id: "t-1",
  status: "PENDING",
  clientId: "alice",
  assetId: "usdc",
  to: payout.to,
  amount: "12.5",
  createdAt: "2026-11-20T12:30:00Z"
}
export const ours = { ...shown, note: payout.note }
export const others = Array.from({ length: 5 }, (_, at) => ({
  ...shown,
  id: `t-${at + 10}`,
  amount: "1",
  createdAt: "2026-11-20T11:30:00Z"
}))

export type Respond = (sent: Sent, request: number) => Response
export const page = (rows: ReadonlyArray<object>, meta?: object): Response =>
  answer(200, { message: "", data: rows, meta, status: 200 })

/** The whole history on one page. */
export const history =
  (...rows: ReadonlyArray<object>): Respond =>
  () =>
    page(rows, { hasNextPage: false })

/** The whole history on its first page. */
export const paged =
  (rows: ReadonlyArray<object>): Respond =>
  ({ url }) =>
    page(new URL(url).searchParams.get("page") === "1" ? rows : [])

export const ended = <E, R>(look: Effect.Effect<Transactions.Reconciliation, E, R>) =>
  Effect.match(look, { onFailure: (error) => error, onSuccess: (result) => result })

export const valueOf = <A, E>(program: ReturnType<typeof sentBy<A, E>>) =>
  Effect.map(program, ({ exit }) => {
    assert(exit._tag === "Success", String(exit))
    return exit.value
  })

export const tagOf = <E extends { readonly _tag: string }>(
  found: Result.Result<Transactions.Reconciliation, E>
): string => Result.match(found, { onSuccess: ({ _tag }) => _tag, onFailure: ({ _tag }) => _tag })
