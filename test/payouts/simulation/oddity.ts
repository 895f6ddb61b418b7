/** What the service itself does wrong in some schedules, and what a ledger then must not take for certain. */
import type * as Clock from "effect/Clock"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type { Payout, Payouts } from "@effect-custody/ledger"
import { Amount } from "@effect-custody/core"
import type { Source } from "../../support/random.ts"

/**
 * - `misreads`: it pays a hundredth, and shows a fee in the network's coin.
 * - `deposits`: outsiders deposit equal sums, with the payouts' references as their notes.
 * - `changes`: an end changes a quarter of an hour later, such as by a reorganisation.
 * - `lies`: it refuses payments that it makes.
 */
export type Oddity = "none" | "misreads" | "deposits" | "changes" | "lies"

/** What a schedule's service has at hand. */
interface Service {
  readonly oddity: Oddity
  readonly random: Source
  readonly clock: Clock.Clock
}

const weights = { none: 8, misreads: 1, deposits: 1, changes: 1, lies: 1 } satisfies Record<Oddity, number>

/**
 * A refusal that is not true can be noticed only in a history that is complete at once. An end that changes is certainly
 * noticed at the next look only if that look sees every row.
 */
export const drawOddity = (
  random: Source,
  { lag, moves }: { readonly lag: number; readonly moves: boolean }
): Oddity => {
  const drawn = random.weighted(weights)
  const isMissed = { none: false, misreads: false, deposits: false, changes: moves, lies: moves || lag > 0 }
  return isMissed[drawn] ? "none" : drawn
}

/** For how long a schedule goes on at least, in milliseconds: the workers look at what has ended once an hour. */
export const lasts: Readonly<Record<Oddity, number>> = {
  none: 0,
  misreads: 0,
  deposits: 0,
  changes: 1.75 * 3_600_000,
  lies: 1_200_000
}

/** A row of the history. */
export interface Row {
  readonly id: string | number
  readonly type?: string
  readonly status?: string
  readonly note?: string
  readonly createdAt?: string
  readonly updatedAt?: string
}

export const lies = ({ oddity, random }: Service): boolean => oddity === "lies" && random.chance(0.3)

/** A send as the service understands it. */
export const carriedOut = (
  { oddity }: Service,
  request: HttpClientRequest.HttpClientRequest
): HttpClientRequest.HttpClientRequest => {
  if (oddity !== "misreads" || request.body._tag !== "Uint8Array") return request
  const input = JSON.parse(new TextDecoder().decode(request.body.body))
  return HttpClientRequest.bodyJsonUnsafe(request, { ...input, amount: `${Number(input.amount) / 100}` })
}

/** The end that a transaction shows later than its first one. */
export const reversed = (status: string): string => (status === "COMPLETED" ? "ERROR" : "COMPLETED")

const changesAfter = 900_000

/** A transaction as the service shows it now. */
export const shownRow = ({ clock, oddity }: Service, row: Row): Row => {
  if (row.type !== "OUTGOING") return row
  if (oddity === "misreads") return Object.assign({}, row, { fee: "27.3" })
  const { status = "", updatedAt = "" } = row
  const hasEnded = ["COMPLETED", "REJECTED", "ERROR"].includes(status)
  const isOld = Date.parse(updatedAt) + changesAfter <= clock.currentTimeMillisUnsafe()
  return oddity === "changes" && hasEnded && isOld ? { ...row, status: reversed(status) } : row
}

/** How long after a payment the workers have certainly looked at its second end, in milliseconds. */
const seenAfter = changesAfter + 4_200_000

/** What a ledger has done wrong of a payout that was sent once. */
export const oddMistake = (
  { clock, oddity }: Service,
  { reference, state, to }: Payout,
  { sentAt, wasAsked }: { readonly sentAt: number; readonly wasAsked: boolean }
): string | undefined => {
  if (oddity === "misreads" && state === "paid" && !wasAsked) {
    return `${reference} was paid with another amount, and nobody was asked`
  }
  const isOld = sentAt + seenAfter <= clock.currentTimeMillisUnsafe()
  const end = to.includes("rejected") ? "paid" : "failed"
  return oddity === "changes" && isOld && (state !== end || !wasAsked)
    ? `${reference} was paid, ended in another way later, and is ${state}`
    : undefined
}

/** The deposits of outsiders for some orders. They show no recipient, and their type is in no contract. */
export const depositsFor = (
  oddity: Oddity,
  orders: ReadonlyArray<Payouts.ReferencedOrder>,
  from: number
): ReadonlyArray<Row> =>
  oddity !== "deposits"
    ? []
    : orders.map(({ amount, assetId, clientId, reference }, at) => ({
        id: `deposit-${at}`,
        type: "DEPOSIT",
        status: "COMPLETED",
        clientId,
        assetId,
        amount: Amount.format(amount),
        note: reference,
        createdAt: new Date(from + 30_000 * (at + 1)).toISOString()
      }))
