/** What every part of a ledger shares. */
import { ConfigurationInvalid } from "@effect-custody/core/SdkError"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as SqlClient from "effect/sql/SqlClient"
import * as Database from "../database/database.ts"
import { Committed } from "../database/identity.ts"
import { migrate } from "../database/migrations.ts"
import { LedgerError } from "./LedgerError.ts"

/**
 * The options of `Payouts.layer`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** The maximum number of payouts that a worker sends at once. Default: 8. */
  readonly inFlight?: number | undefined
  /**
   * For how long a committed intent may be acted on. A worker that slept longer sends nothing. Default: 30 seconds.
   */
  readonly validity?: Duration.Input | undefined
  /**
   * The wait for a payout to appear in the service's history after its intent has expired. Then a person has to decide.
   * Choose more time than the service needs to show a transaction. Default: 26 hours.
   */
  readonly undecidedAfter?: Duration.Input | undefined
  /**
   * Reads the history from this long before a payout was sent, because clocks and time zones differ. Default: 26 hours.
   */
  readonly window?: Duration.Input | undefined
  /**
   * How often an idle worker looks for new payouts, and for the end of sent ones. Default: 500 milliseconds. After a long
   * look-up, the worker pauses for four times as long, or 10 seconds at most.
   */
  readonly pollInterval?: Duration.Input | undefined
  /**
   * How far back a ledger that has claimed nothing reads the history before its first payout: what another ledger or a
   * person has paid is not paid again without a question. Default: 90 days; `"all"` reads everything.
   */
  readonly history?: Duration.Input | "all" | undefined
  /**
   * With `true`, no payout goes alone, and nobody confirms a contract before it pays: a mistake in the contract may pay
   * every payout wrongly.
   */
  readonly risksWrongPayouts?: boolean | undefined
  /** The name of the worker in the events. Default: a random name. Different for every process. */
  readonly worker?: string | undefined
}

export interface Settings {
  readonly inFlight: number
  readonly validity: number
  readonly undecidedAfter: number
  readonly window: number
  readonly pollInterval: number
  readonly worker: string
  readonly history: number | "all"
  readonly risksWrongPayouts: boolean
}

export interface Ledger {
  readonly database: Database.Database
  /** What this process has seen committed. */
  readonly committed: Committed
  readonly settings: Settings
}

/** The milliseconds of a finite duration. */
export const millis = (option: string, input: Duration.Input, min = 0): Effect.Effect<number, ConfigurationInvalid> => {
  const duration = Option.filter(Duration.fromInput(input), (given) => Duration.isFinite(given))
  const value = Option.map(duration, Duration.toMillis)
  const reason = `must be a duration of at least ${Duration.format(Duration.millis(min))}`
  return Option.isSome(value) && value.value >= min
    ? Effect.succeed(value.value)
    : Effect.fail(new ConfigurationInvalid({ option, reason }))
}

const makeSettings = Effect.fnUntraced(function* ({
  history = "90 days",
  inFlight = 8,
  pollInterval = "500 millis",
  risksWrongPayouts = false,
  undecidedAfter = "26 hours",
  validity = "30 seconds",
  window = "26 hours",
  worker = `worker-${SecureRandom.uuidV4Unsafe().slice(0, 8)}`
}: Options): Effect.fn.Return<Settings, ConfigurationInvalid> {
  if (!Number.isSafeInteger(inFlight) || inFlight < 1) {
    return yield* new ConfigurationInvalid({ option: "inFlight", reason: "must be a positive integer" })
  }
  if (worker.trim() === "") return yield* new ConfigurationInvalid({ option: "worker", reason: "must not be blank" })
  const validFor = yield* millis("validity", validity, 100)
  return {
    inFlight,
    worker,
    validity: validFor,
    // A request that was sent in time may still be on its way when the intent has expired.
    undecidedAfter: yield* millis("undecidedAfter", undecidedAfter, validFor),
    window: yield* millis("window", window),
    pollInterval: yield* millis("pollInterval", pollInterval, 1),
    history: history === "all" ? history : yield* millis("history", history),
    risksWrongPayouts
  }
})

/** Opens the ledger of a database, and creates its tables. */
export const open = Effect.fnUntraced(function* (
  options: Options
): Effect.fn.Return<Ledger, LedgerError | ConfigurationInvalid, SqlClient.SqlClient> {
  const settings = yield* makeSettings(options)
  const database = yield* Database.open(Database.make(yield* SqlClient.SqlClient))
  yield* Effect.catchTag(Database.reporting("open")(migrate), "MigrationError", ({ message }) =>
    Effect.fail(new LedgerError({ operation: "open", reason: message }))
  )
  return { database, committed: new Committed(), settings }
})
