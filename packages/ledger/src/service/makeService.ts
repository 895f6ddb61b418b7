/** The service of payouts over a database. */
import * as Span from "@effect-custody/core/Span"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Database from "../database/database.ts"
import { awaitEnd } from "./awaitEnd.ts"
import { checkPaid, findPaid } from "../people/checkDecision.ts"
import * as Gates from "../payouts/firstPayoutConfirmation.ts"
import type { Ledger } from "../payouts/ledger.ts"
import { StepRefused } from "../payouts/LedgerError.ts"
import { toColumns } from "../payouts/orders.ts"
import * as People from "../people/steps.ts"
import * as Read from "../payouts/read.ts"
import { makeReview, refuseApproval } from "../people/review.ts"
import type { Service } from "./service.ts"
import * as Submit from "../payouts/submit.ts"

const notShown = ({ reference }: Gates.Pair) =>
  new StepRefused({
    step: "confirm",
    subject: reference,
    reason: "the service does not show it yet, or it was confirmed before"
  })

/** The steps of people. */
const makePeople = (
  ledger: Ledger
): Pick<Service, "approve" | "cancel" | "confirm" | "acknowledge" | "decide" | "decideUnchecked" | "retry"> => {
  const { database } = ledger
  const take = (target: People.Target, step: People.PersonStep) =>
    Database.reporting(step.name)(People.take(database, target, step))
  const decide: Service["decideUnchecked"] = (target, outcome, signed) =>
    "paid" in outcome
      ? take(target, {
          name: "decide",
          step: "decidedPaid",
          transactionId: outcome.paid,
          unchecked: outcome.unchecked,
          ...signed
        })
      : take(target, { name: "decide", step: "decidedNotPaid", ...signed })
  return {
    approve: (batch, signed) =>
      take(
        { batch },
        {
          name: "approve",
          step: "approved",
          by: signed.by,
          refuse: (held) => refuseApproval(makeReview(batch, held), signed)
        }
      ),
    cancel: (target, signed) => take(target, { name: "cancel", step: "cancelled", ...signed }),
    retry: (target, signed) => take(target, { name: "retry", step: "retried", ...signed }),
    confirm: (first, { by }) =>
      Effect.filterOrFail(
        Database.reporting("confirm")(Database.durably(database)(Gates.confirm(database, first, by))),
        (isDone) => isDone,
        () => notShown(first)
      ),
    acknowledge: (reference, signed) =>
      Database.reporting("acknowledge")(People.acknowledge(database, reference, signed)),
    decide: (target, outcome, signed) =>
      Effect.andThen(
        "paid" in outcome ? checkPaid(ledger, target, outcome.paid) : findPaid(ledger, target),
        decide(target, outcome, signed)
      ),
    decideUnchecked: decide
  }
}

/** The service over a database. */
export const make = (ledger: Ledger, run: Service["run"]): Service => {
  const { database, settings } = ledger
  const read = Database.reporting("read")
  const submit: Service["submit"] = ({ batch, by, held = false, orders }) =>
    Effect.flatMap(Effect.fromResult(toColumns(orders)), (columns) =>
      Database.reporting("submit")(Submit.submit(database, { batch, by, held }, columns))
    ).pipe(Span.around("payouts.submit"))
  const get = (reference: string) => read(Read.get(database, reference))
  const hold: Service["hold"] = ({ order, ...input }) =>
    Effect.fromResult(toColumns([order])).pipe(
      Effect.flatMap(([columns]) => Database.reporting("hold")(Submit.hold(database, input, columns!))),
      Effect.andThen(get(order.reference)),
      Effect.map(Option.getOrThrow),
      Span.around("payouts.hold")
    )
  const progress = (batch?: string) => read(Read.progress(database, batch))
  return {
    ...makePeople(ledger),
    run,
    submit,
    hold,
    get,
    progress,
    findConflicts: (orders) =>
      Effect.flatMap(Effect.fromResult(toColumns(orders)), (columns) => read(Submit.findConflicts(database, columns))),
    pay: (reference, order, { by = settings.worker } = {}) =>
      Database.outsideTransactions(database, "pay").pipe(
        Effect.andThen(submit({ batch: reference, by, orders: [{ ...order, reference }] })),
        Effect.andThen(awaitEnd({ get, progress }, reference)),
        Span.around("payouts.pay")
      ),
    list: (filter) => read(Read.list(database, filter)),
    batches: read(Read.batches(database)),
    events: (reference) => read(Read.events(database, reference)),
    changes: (cursor) => read(Read.changes(database, cursor)),
    review: (batch) =>
      Effect.map(read(Read.list(database, { batch, state: "held", limit: 2 ** 31 - 1 })), (held) =>
        makeReview(batch, held)
      ),
    confirmations: read(Gates.findAwaited(database))
  }
}
