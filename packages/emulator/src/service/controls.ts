/** The controls of an emulator, for tests and operators. */
import * as Amount from "@effect-custody/core/Amount"
import * as Id from "@effect-custody/core/Id"
import { ConfigurationInvalid } from "@effect-custody/core/SdkError"
import type * as Operations from "@effect-custody/sdk/Operations"
import type * as BigDecimal from "effect/BigDecimal"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import { findAsset } from "../categories/checks.ts"
import type { Fault } from "../model/Fault.ts"
import type * as Options from "../model/Options.ts"
import type { Settings } from "../model/Settings.ts"
import type { Counts, Received, SessionSummary } from "../model/Received.ts"
import type { Snapshot } from "../model/Snapshot.ts"
import type { Write } from "../model/Write.ts"
import type * as Answer from "../http/answer.ts"
import * as Clients from "../categories/clients.ts"
import type { FaultQueue } from "../state/faultQueue.ts"
import type { RequestJournal } from "../state/requestJournal.ts"
import * as FiatGateway from "../categories/fiatGateway.ts"
import * as Ledger from "../state/ledger.ts"
import { excess } from "../state/money.ts"
import * as PaymentOrders from "../categories/paymentOrders.ts"
import * as Sessions from "../state/sessionTokens.ts"
import { override } from "../model/defaults.ts"
import * as Snapshots from "./snapshots.ts"
import { failNext } from "../categories/transactions.ts"
import type { World } from "../state/world.ts"

/** An amount, as a number or as text. */
type AmountInput = BigDecimal.BigDecimal | string

/** A fault that waits for its requests. */
export interface PendingFault {
  readonly operation: string
  readonly fault: Fault
  /** How often the fault has yet to occur. `Infinity` if it never ends. */
  readonly times: number
}

/** The controls of an emulator, in process and over HTTP. */
export interface Controls {
  /** Issues a one-time API key. `vaultId` (default: 1) is the vault of the session that the key starts. */
  readonly issueApiKey: (options?: { readonly vaultId?: number | undefined }) => Effect.Effect<Redacted.Redacted>
  /** The settings in force. */
  readonly settings: Effect.Effect<Settings>
  /** Changes the given durations, from the next request on. */
  readonly setDurations: (durations: Options.DurationsInput) => Effect.Effect<void, ConfigurationInvalid>
  /** Changes the given quirks, from the next request on. */
  readonly setQuirks: (quirks: Options.QuirksInput) => Effect.Effect<void, ConfigurationInvalid>
  /** Expires every issued access token now. */
  readonly expireTokens: Effect.Effect<void>
  /** Revokes every session. The service then neither accepts nor refreshes the session's tokens. */
  readonly revokeSessions: Effect.Effect<void>
  /** The newest requests, oldest first. */
  readonly received: Effect.Effect<ReadonlyArray<Received>>
  /** Each request when its exchange has ended, from now on. */
  readonly requests: Stream.Stream<Received>
  /** Exact counts since the emulator was created. */
  readonly counts: Effect.Effect<Counts>
  /**
   * Every write that the service carried out, oldest first, whether or not its answer arrived. Refused requests are not
   * writes.
   */
  readonly ledger: Effect.Effect<ReadonlyArray<Write>>
  /** Credits a client with an incoming transaction, and returns its id. Creates the client if it does not exist. */
  readonly fund: (options: {
    readonly clientId: string
    readonly assetId: string
    readonly amount: AmountInput
    /** Default: 1. */
    readonly vaultId?: number | undefined
  }) => Effect.Effect<{ readonly transactionId: string }, ConfigurationInvalid>
  /**
   * Adds a completed transaction of a type that no endpoint makes to the history of a client, and returns its id. Changes
   * no balance. Creates the client if it does not exist.
   */
  readonly addTransaction: (options: {
    readonly type: "SWAP" | "ALLOWANCE"
    readonly clientId: string
    readonly assetId: string
    readonly amount: AmountInput
    /** Default: 1. */
    readonly vaultId?: number | undefined
  }) => Effect.Effect<{ readonly transactionId: string }, ConfigurationInvalid>
  /**
   * Makes the next sends and transfers of a vault end as `REJECTED` (default) or `ERROR`. Sends to an address that
   * contains `rejected` or `error` end with that status without this control.
   */
  readonly failNext: (options?: {
    readonly end?: "REJECTED" | "ERROR" | undefined
    /** The number of failures; 0 cancels the planned ones. Default: 1. */
    readonly times?: number | undefined
    /** Default: 1. */
    readonly vaultId?: number | undefined
  }) => Effect.Effect<void>
  /** Pays a payment order in its selected asset. Returns the id of the incoming transaction. */
  readonly payOrder: (orderId: string) => Effect.Effect<{ readonly transactionId: string }, ConfigurationInvalid>
  /** Pays through a fiat payment link. Returns the id of the deposit, which can be refunded. */
  readonly payLink: (linkId: string) => Effect.Effect<{ readonly transactionId: string }, ConfigurationInvalid>
  /** The sessions, as the service records them. */
  readonly sessions: Effect.Effect<ReadonlyArray<SessionSummary>>
  /** The whole state, from which another emulator can continue. The snapshot contains keys and tokens. */
  readonly snapshot: Effect.Effect<Snapshot>
  /** Injects faults. */
  readonly faults: {
    /**
     * Injects a fault into the next request of an operation, such as `authentication.refreshToken`, or of any operation
     * (`*`). Each request gets at most one of the pending faults. `times` (default: 1) may be `Infinity`.
     */
    readonly next: (
      operation: Operations.Name | "*",
      fault: Fault,
      options?: { readonly times?: number | undefined }
    ) => Effect.Effect<void>
    /** The pending faults, in the order of their injection. */
    readonly pending: Effect.Effect<ReadonlyArray<PendingFault>>
    /** Removes every pending fault. */
    readonly clear: Effect.Effect<void>
  }
}

const defaultVault = 1

const invalid = (option: string, reason: string) => new ConfigurationInvalid({ option, reason })

/** A positive amount within the ledger's range. */
const parseAmount = (input: AmountInput): Result.Result<BigDecimal.BigDecimal, ConfigurationInvalid> => {
  const amount = typeof input === "string" ? Option.getOrUndefined(Amount.fromString(input)) : input
  if (amount === undefined || amount.value <= 0n) return Result.fail(invalid("amount", "must be a decimal above zero"))
  const reason = excess(amount)
  return reason === undefined ? Result.succeed(amount) : Result.fail(invalid("amount", reason))
}

/** Turns a refusal of the service into an error that says that this option is invalid. */
const asInvalidOption =
  (option: string) =>
  <A>(result: Result.Result<A, Answer.Refused>): Result.Result<A, ConfigurationInvalid> =>
    Result.mapError(result, ({ message }) => invalid(option, message))

const isClientId = Schema.is(Id.ClientId)

/** Credits a client, or only records a transaction of another type. */
const fund = (
  world: World,
  {
    amount,
    assetId,
    clientId,
    type,
    vaultId = defaultVault
  }: Parameters<Controls["fund"]>[0] & Partial<Pick<Parameters<Controls["addTransaction"]>[0], "type">>,
  now: number
) =>
  Result.gen(function* () {
    const vault = world.vault(vaultId)
    const sum = yield* parseAmount(amount)
    if (!isClientId(clientId)) return yield* Result.fail(invalid("clientId", "must not be empty"))
    const asset = yield* asInvalidOption("assetId")(findAsset(vault, { assetId }, "E53002"))
    Clients.ensure(vault, clientId, now)
    const ledger = Ledger.at(vault, now)
    const wallet = ledger.open(clientId, asset)
    const { id } =
      type === undefined
        ? ledger.credit(wallet, sum, { from: "outside" })
        : ledger.note(wallet, sum, { from: wallet.address, type })
    return { transactionId: id }
  })

export const makeControls = (options: {
  readonly world: World
  readonly journal: RequestJournal
  readonly faults: FaultQueue
}): Controls => {
  const { faults, journal, world } = options
  const change = (changes: Options.Options): Effect.Effect<void, ConfigurationInvalid> =>
    Effect.suspend(() => Effect.fromResult(override(world.settings, changes))).pipe(
      Effect.map((settings) => {
        world.settings = settings
      })
    )
  const payBy = (option: string, pay: typeof FiatGateway.pay) => (id: string) =>
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
    setDurations: (durations) => change({ durations }),
    setQuirks: (quirks) => change({ quirks }),
    expireTokens: Effect.map(Clock.currentTimeMillis, (now) => Sessions.expireAll(world, now)),
    revokeSessions: Effect.sync(() => Sessions.revokeAll(world)),
    received: Effect.sync(() => journal.received()),
    requests: journal.ended,
    counts: Effect.sync(() => journal.counts(Sessions.rotations(world))),
    ledger: Effect.sync(() => [...world.writes]),
    fund: (options) => Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.fromResult(fund(world, options, now))),
    addTransaction: (options) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.fromResult(fund(world, options, now))),
    failNext: ({ end = "REJECTED", times = 1, vaultId = defaultVault } = {}) =>
      Effect.sync(() => failNext(world.vault(vaultId), end, times)),
    payOrder: payBy("orderId", PaymentOrders.pay),
    payLink: payBy("linkId", FiatGateway.pay),
    sessions: Effect.sync(() => Sessions.summaries(world)),
    snapshot: Effect.sync(() => Snapshots.take(world)),
    faults: {
      next: (operation, fault, options) => Effect.sync(() => faults.add(operation, fault, options?.times ?? 1)),
      pending: Effect.sync(() => faults.pending().map(({ fault, operation, times }) => ({ operation, fault, times }))),
      clear: Effect.sync(() => faults.clear())
    }
  }
}
