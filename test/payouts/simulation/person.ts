/** A person who decides what a ledger asks. What the ledger only suspects, the person knows. */
import type { CustodyClient } from "@effect-custody/core"
import { type LedgerError, type Payout, Payouts } from "@effect-custody/ledger"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Source } from "../../support/random.ts"
import type { World } from "./network.ts"

const signed = { by: "ada", reason: "looked" }

export interface Person {
  /** The number of decisions. */
  decided: number
  /** The number of first payouts that were confirmed. */
  confirmed: number
  /** The payouts that were undecided before they were sent. */
  readonly suspected: Set<string>
  /** The alarms, each with its payout. */
  readonly alarms: Set<string>
  /** The payouts that a person has decided about, or looked at after an alarm. */
  readonly asked: Set<string>
  /** The payouts whose other candidates, which a refusal has named, the person has looked at: no decision about them waits. */
  readonly lookedAt: Set<string>
  /** What the person says wrong of the ledger. */
  readonly complaints: Set<string>
}

export const makePerson = (): Person => ({
  decided: 0,
  confirmed: 0,
  suspected: new Set(),
  alarms: new Set(),
  asked: new Set(),
  lookedAt: new Set(),
  complaints: new Set()
})

interface Given {
  readonly world: World
  readonly dice: Source
  /** The client with which the person looks at the history before a decision; `undefined` for one who does not. */
  readonly client: Context.Context<CustodyClient> | undefined
  /** `true` if the database went back: then nothing but a person tells payouts apart that are equal. */
  readonly hasGoneBack: boolean
  /** All payouts, also the archived ones. */
  readonly find: Effect.Effect<ReadonlyArray<Payout>, LedgerError, Payouts.Payouts>
}

/** Decides everything that the ledger shows, once. */
export const decide = Effect.fnUntraced(function* (person: Person, { client, dice, find, hasGoneBack, world }: Given) {
  const { clock, emulator, history, showing } = world
  const say = (what: string) => history.push(`${clock.currentTimeMillisUnsafe()} ms: ada ${what}`)
  const ownerOf = new Map((yield* find).map(({ reference, transactionId }) => [transactionId, reference]))
  const sends = (yield* emulator.ledger).filter(({ operation }) => operation === "transactions.send")
  const isFree = (id: string, reference: string) => (ownerOf.get(id) ?? reference) === reference
  const ownOf = (reference: string) =>
    sends.find(({ id = "", marker }) => marker === reference && isFree(id, reference))?.id
  const settle = Effect.fnUntraced(function* (reference: string, id: string | undefined, why: string) {
    person.decided++
    person.asked.add(reference)
    say(`decides ${reference} ${id ?? "not paid"}: ${why}`)
    const step =
      id !== undefined
        ? Payouts.decide(reference, { paid: id, unchecked: true }, signed)
        : client === undefined || person.lookedAt.has(reference)
          ? Payouts.decide(reference, { notPaid: true, unchecked: true }, signed)
          : Effect.provideContext(Payouts.decide(reference, { notPaid: true }, signed), client)
    yield* Effect.catch(step, ({ message }) =>
      Effect.sync(() => {
        say(`cannot: ${message}`)
        if (message.includes("does not name")) person.lookedAt.add(reference)
      })
    )
    if (id !== undefined) ownerOf.set(id, reference)
  })

  const { alarms, confirmations } = yield* Payouts.progress()
  for (const { alarm, detail, reference } of alarms) {
    person.alarms.add(`${alarm} ${reference}`)
    const own = ownOf(reference)
    if (alarm === "clash" || alarm === "reversed") {
      person.asked.add(reference)
      say(`acknowledges ${alarm} of ${reference}: ${detail}`)
      yield* Effect.ignore(Payouts.acknowledge(reference, signed))
      continue
    }
    if (alarm === "mismatch" || own === undefined) person.complaints.add(`${reference} is called ${alarm}: ${detail}`)
    yield* settle(reference, own, `${alarm} ${detail}`)
  }
  for (const first of confirmations) {
    if (first.shownAt === null || !sends.some(({ marker }) => marker === first.reference)) continue
    person.confirmed++
    say(`confirms ${first.reference}`)
    yield* Effect.ignore(Payouts.confirm(first, { by: "ada" }))
  }
  for (const { attempt, detail, reference } of yield* Payouts.list({ state: "undecided" })) {
    const isSuspected = detail?.includes("No payout owns them") === true
    if (isSuspected) person.suspected.add(`${reference}#${attempt}`)
    const named = sends.find(({ id = "" }) => id !== "" && isFree(id, reference) && detail?.includes(`${id} `))?.id
    // A person trusts the ledger when the history shows nothing. Without notes, any of the candidates may be the one.
    const showsNothing = /does not show it|each candidate is/.test(detail ?? "")
    const trusts = !isSuspected && !hasGoneBack && (showsNothing || (showing.note === "hidden" && named !== undefined))
    yield* settle(reference, trusts ? named : ownOf(reference), detail ?? "")
  }
  for (const { reference } of yield* Payouts.list({ state: "refused" })) {
    if (!dice.chance(0.2)) continue
    const retried = { by: "ada", reason: "funded" }
    yield* Effect.ignore(
      client === undefined
        ? Payouts.sendAgain(reference, { ...retried, unchecked: true })
        : Effect.provideContext(Payouts.sendAgain(reference, retried), client)
    )
  }
})
