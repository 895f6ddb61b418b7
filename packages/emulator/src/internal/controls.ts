/** What a test, a checker or an operator can do to the service. */
import * as Amount from "@effect-custody/core/Amount"
import { ConfigurationInvalid } from "@effect-custody/core/SdkError"
import type * as BigDecimal from "effect/BigDecimal"
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { Fault } from "../Fault.ts"
import * as Options from "../Options.ts"
import type { Counts, Received, SessionSummary } from "../Received.ts"
import type { Snapshot } from "../Snapshot.ts"
import type { Write } from "../Write.ts"
import type * as Answer from "./answer.ts"
import { findAsset } from "./catalogue.ts"
import * as Clients from "./clients.ts"
import type { Faults } from "./faults.ts"
import type { Journal } from "./journal.ts"
import * as FiatGateway from "./fiatGateway.ts"
import * as Ledger from "./ledger.ts"
import { excess } from "./money.ts"
import * as PaymentOrders from "./paymentOrders.ts"
import * as Sessions from "./sessions.ts"
import * as Snapshots from "./snapshots.ts"
import { failNext } from "./transactions.ts"
import type { World } from "./world.ts"

/** An amount that is not one of the service's answers: exact, or as text. */
type AmountInput = BigDecimal.BigDecimal | string

/** The controls of an emulator, the same in process and behind a socket. */
export interface Controls {
  /** A new one-time API key. `vaultId` (default: 1) is the vault that its session will belong to. */
  readonly issueApiKey: (options?: { readonly vaultId?: number | undefined }) => Effect.Effect<Redacted.Redacted>
  /** What is in force now. */
  readonly settings: Effect.Effect<Options.Settings>
  /** How long the access tokens live that are issued from now on. */
  readonly setTokenLifetime: (lifetime: Duration.Input) => Effect.Effect<void, ConfigurationInvalid>
  /** Changes the durations that are given, for what begins from the next request on. */
  readonly setDurations: (durations: Options.DurationsInput) => Effect.Effect<void, ConfigurationInvalid>
  /** Changes the quirks that are given, from the next request on. */
  readonly setQuirks: (quirks: Options.QuirksInput) => Effect.Effect<void, ConfigurationInvalid>
  /** Every access token that was issued expires now. */
  readonly expireTokens: Effect.Effect<void>
  /** No token that was issued is accepted from now on, and none can be refreshed. */
  readonly revokeSessions: Effect.Effect<void>
  /** The requests that were received, oldest first; with `after`, those with a higher sequence. */
  readonly received: Effect.Effect<ReadonlyArray<Received>>
  readonly receivedAfter: (sequence: number) => Effect.Effect<ReadonlyArray<Received>>
  /** The requests that are received from now on, each when it has been answered. */
  readonly exchanges: Stream.Stream<Received>
  /** The service's own counts, exact from the start. */
  readonly counts: Effect.Effect<Counts>
  /**
   * Every write that the service has carried out, oldest first, whether or not its answer arrived; with `after`, those
   * with a higher sequence. What was refused is not in it.
   */
  readonly ledger: Effect.Effect<ReadonlyArray<Write>>
  readonly ledgerAfter: (sequence: number) => Effect.Effect<ReadonlyArray<Write>>
  /** An amount of an asset arrives for a client, as an incoming transaction, whose id this gives. */
  readonly fund: (options: {
    readonly clientId: string
    readonly assetId: string
    readonly amount: AmountInput
    /** Default: 1. */
    readonly vaultId?: number | undefined
  }) => Effect.Effect<{ readonly transactionId: string }, ConfigurationInvalid>
  /**
   * The next sends and transfers of a vault end as `REJECTED` (default) or `ERROR`. A send to an address with `rejected`
   * or `error` in it ends so in any case.
   */
  readonly failNext: (options?: {
    readonly end?: "REJECTED" | "ERROR" | undefined
    /** Default: 1. */
    readonly times?: number | undefined
    /** Default: 1. */
    readonly vaultId?: number | undefined
  }) => Effect.Effect<void>
  /** Somebody pays a payment order, in the asset that was chosen. Gives the id of the incoming transaction. */
  readonly payOrder: (orderId: string) => Effect.Effect<{ readonly transactionId: string }, ConfigurationInvalid>
  /** Somebody pays by a fiat payment link. Gives the id of the deposit, which can be refunded. */
  readonly payLink: (linkId: string) => Effect.Effect<{ readonly transactionId: string }, ConfigurationInvalid>
  /** The sessions as the service knows them. */
  readonly sessions: Effect.Effect<ReadonlyArray<SessionSummary>>
  /** All that the service knows, for another emulator to go on from. It holds keys and tokens. */
  readonly snapshot: Effect.Effect<Snapshot>
  /** What goes wrong next. */
  readonly faults: {
    /**
     * Plays a fault on the next request of an operation, such as `authentication.refreshToken`, or `*` for any; several
     * are played one after the other. `times` (default: 1) may be `Infinity`.
     */
    readonly next: (
      operation: string,
      fault: Fault,
      options?: { readonly times?: number | undefined }
    ) => Effect.Effect<void>
    /** How many are still to be played, by operation. */
    readonly pending: Effect.Effect<Readonly<Record<string, number>>>
    /** Nothing goes wrong from now on. */
    readonly clear: Effect.Effect<void>
  }
}

const defaultVault = 1

const invalid = (option: string, reason: string) => new ConfigurationInvalid({ option, reason })

/** An amount to move, or why it is none. */
const amountOf = (input: AmountInput): Result.Result<BigDecimal.BigDecimal, ConfigurationInvalid> => {
  const amount = typeof input === "string" ? Option.getOrUndefined(Amount.fromStringOption(input)) : input
  const wrong = amount === undefined || amount.value <= 0n ? "must be a decimal above zero" : excess(amount)
  return amount === undefined || wrong !== undefined
    ? Result.fail(invalid("amount", wrong ?? ""))
    : Result.succeed(amount)
}

/** What the service would refuse is an option that is wrong. */
const orInvalid =
  (option: string) =>
  <A>(result: Result.Result<A, Answer.Refused>): Result.Result<A, ConfigurationInvalid> =>
    Result.mapError(result, ({ message }) => invalid(option, message))

const fund = (
  world: World,
  { amount, assetId, clientId, vaultId = defaultVault }: Parameters<Controls["fund"]>[0],
  now: number
) =>
  Result.gen(function* () {
    const vault = world.vault(vaultId)
    const sum = yield* amountOf(amount)
    yield* orInvalid("clientId")(Clients.known(vault, clientId, ""))
    const asset = yield* orInvalid("assetId")(findAsset(vault, { assetId }, ""))
    const ledger = Ledger.at(vault, now)
    const { id } = ledger.credit(ledger.open(clientId, asset), sum, { from: "outside" })
    return { transactionId: id }
  })

export const makeControls = (options: {
  readonly world: World
  readonly journal: Journal
  readonly faults: Faults
}): Controls => {
  const { faults, journal, world } = options
  const change = (changes: Options.Options): Effect.Effect<void, ConfigurationInvalid> =>
    Effect.suspend(() => Effect.fromResult(Options.settle(world.settings, changes))).pipe(
      Effect.map((settings) => {
        world.settings = settings
      })
    )
  const receivedAfter = (sequence: number) => Effect.sync(() => journal.received(sequence))
  const ledgerAfter = (sequence: number) => Effect.sync(() => world.writes.slice(Math.max(sequence, 0)))
  const paid = (option: string, pay: typeof FiatGateway.pay) => (id: string) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Effect.fromResult(
        Result.mapBoth(pay(world, id, now), {
          onSuccess: (transaction) => ({ transactionId: transaction.id }),
          onFailure: (reason) => invalid(option, reason)
        })
      )
    )
  return {
    issueApiKey: (options) =>
      Effect.sync(() =>
        Redacted.make(Sessions.issueApiKey(world, options?.vaultId ?? defaultVault), { label: "apiKey" })
      ),
    settings: Effect.sync(() => world.settings),
    setTokenLifetime: (tokenLifetime) => change({ tokenLifetime }),
    setDurations: (durations) => change({ durations }),
    setQuirks: (quirks) => change({ quirks }),
    expireTokens: Effect.map(Clock.currentTimeMillis, (now) => Sessions.expireAll(world, now)),
    revokeSessions: Effect.sync(() => Sessions.revokeAll(world)),
    received: receivedAfter(0),
    receivedAfter,
    exchanges: Stream.callback<Received>((queue) =>
      Effect.acquireRelease(
        Effect.sync(() => journal.listen((received) => void Queue.offerUnsafe(queue, received))),
        (stop) => Effect.sync(stop)
      )
    ),
    counts: Effect.sync(() => journal.counts(Sessions.rotations(world))),
    ledger: ledgerAfter(0),
    ledgerAfter,
    fund: (options) => Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.fromResult(fund(world, options, now))),
    failNext: ({ end = "REJECTED", times = 1, vaultId = defaultVault } = {}) =>
      Effect.sync(() => failNext(world.vault(vaultId), end, times)),
    payOrder: paid("orderId", PaymentOrders.pay),
    payLink: paid("linkId", FiatGateway.pay),
    sessions: Effect.sync(() => Sessions.summaries(world)),
    snapshot: Effect.sync(() => Snapshots.take(world)),
    faults: {
      next: (operation, fault, options) => Effect.sync(() => faults.add(operation, fault, options?.times ?? 1)),
      pending: Effect.sync(() => faults.pending()),
      clear: Effect.sync(() => faults.clear())
    }
  }
}
