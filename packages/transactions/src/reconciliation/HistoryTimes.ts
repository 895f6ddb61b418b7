/**
 * Decides whether a transaction can have a time. A time that was read in the wrong unit is too old or too new. Pure.
 *
 * @siblings `ledger` and `cli` read the times of a history.
 */
import * as DateTime from "effect/DateTime"

/**
 * Says what is wrong with the time of a transaction, as the end of a sentence about it; `undefined` if the transaction may
 * have been created then: in the 15 years before `now`, or in the day after it.
 */
export const timeProblem = (now: DateTime.Utc, createdAt: DateTime.Utc): string | undefined =>
  DateTime.between(createdAt, {
    minimum: DateTime.subtract(now, { years: 15 }),
    maximum: DateTime.add(now, { days: 1 })
  })
    ? undefined
    : `has the time ${DateTime.formatIso(createdAt)}, which cannot be true: confirm the unit of createdAt in the adapter (seconds that are read as milliseconds are in 1970)`
