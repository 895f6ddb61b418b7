/** What a file would pay. */
import * as Amount from "@effect-custody/core/Amount"
import type { CustodyClient } from "@effect-custody/core/CustodyClient"
import { trim } from "@effect-custody/core/Text"
import * as LedgerSqlite from "@effect-custody/ledger/LedgerSqlite"
import * as Payouts from "@effect-custody/ledger/Payouts"
import { Clients, Transactions, Wallets } from "@effect-custody/sdk"
import * as BigDecimal from "effect/BigDecimal"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as Client from "../service/client.ts"
import * as ContractFiles from "../service/contractFiles.ts"
import * as Output from "../terminal/output.ts"
import * as Csv from "./csv.ts"
import * as Place from "./place.ts"
import * as States from "./states.ts"

type Orders = ReadonlyArray<Payouts.ReferencedOrder>

interface Sum {
  readonly clientId: string
  readonly assetId: string
  readonly networkId: string
  readonly payouts: number
  readonly amount: Amount.Amount
}

/** The names cannot contain the separator. */
const balanceKey = (...names: ReadonlyArray<string>): string => names.join("\0")

/** The sums by client, asset and network. */
export const sumUp = (orders: Orders): ReadonlyArray<Sum> => {
  const groups = Map.groupBy(orders, ({ assetId, clientId, networkId = "" }) =>
    balanceKey(clientId, assetId, networkId)
  )
  return Array.from(groups.values(), (own) => {
    const { assetId, clientId, networkId = "" } = own[0]!
    return {
      clientId,
      assetId,
      networkId,
      payouts: own.length,
      amount: own.map(({ amount }) => amount).reduce((a, b) => Amount.sum(a, b))
    }
  })
}

const header = ["client", "asset", "network", "payouts", "sum"]

export const sums = (orders: Orders): ReadonlyArray<ReadonlyArray<string>> => [
  header,
  ...sumUp(orders).map(({ amount, assetId, clientId, networkId, payouts }) => [
    clientId,
    assetId,
    networkId,
    `${payouts}`,
    Amount.format(amount)
  ])
]

const few = (names: ReadonlyArray<string>): string =>
  names.length > 4 ? `${names.slice(0, 4).join(", ")} and ${names.length - 4} more` : names.join(", ")

const maxClients = 20
const maxHistory = 20_000

/** The balances of clients by asset, over their wallets, and the clients that the service does not have. */
const balances = Effect.fnUntraced(function* (clients: ReadonlyArray<string>) {
  const found = new Map<string, Amount.Amount>()
  const missing = new Set<string>()
  for (const clientId of clients) {
    const wallets = yield* Stream.runCollect(Wallets.stream({ clientId }))
    const held = wallets.flatMap(({ balances, networkId, ...shown }) =>
      (balances ?? [shown]).map(({ assetId, balance }) => ({ assetId, balance, networkId }))
    )
    for (const { assetId, balance, networkId } of held) {
      if (assetId === undefined || balance === undefined) continue
      for (const network of new Set(["", networkId ?? ""])) {
        const key = balanceKey(clientId, assetId, network)
        const before = found.get(key)
        found.set(key, before === undefined ? balance : Amount.sum(before, balance))
      }
    }
    if (wallets.length > 0) continue
    const client = yield* Effect.result(Clients.get({ externalId: clientId }))
    if (Result.isFailure(client) && client.failure._tag === "NotFound") missing.add(clientId)
  }
  return { found, missing }
})

/** Why a result is not there, in parentheses. */
const describeFailure = (read: Result.Result<unknown, { readonly message: string }> | undefined): string =>
  read !== undefined && Result.isFailure(read) ? ` (${read.failure.message})` : ""

/** What a report shows. */
interface Shown {
  readonly lines: ReadonlyArray<string>
  /** Whether a payout would be refused, or may have been paid already. */
  readonly isBad: boolean
  /** Whether the service has said something. */
  readonly isKnown: boolean
}

const verdicts = { enough: "enough", short: "not enough", missing: "no such client" }

const showBalances = Effect.fnUntraced(function* (orders: Orders): Effect.fn.Return<Shown, never, CustodyClient> {
  const all = sumUp(orders)
  const clients = [...new Set(all.map(({ clientId }) => clientId))]
  const read = clients.length > maxClients ? undefined : yield* Effect.result(balances(clients))
  const known = read === undefined ? undefined : Option.getOrUndefined(Result.getSuccess(read))
  const paint = yield* Output.paint
  const rows = all.map(({ amount, assetId, clientId, networkId, payouts }) => {
    const balance = known?.found.get(balanceKey(clientId, assetId, networkId))
    const verdict = known?.missing.has(clientId)
      ? verdicts.missing
      : balance === undefined
        ? ""
        : BigDecimal.isLessThan(balance, amount)
          ? verdicts.short
          : verdicts.enough
    const shown = balance === undefined ? "?" : Amount.format(balance)
    return [clientId, assetId, networkId, `${payouts}`, Amount.format(amount), shown, verdict]
  })
  const isBad = (line: string): boolean => line.endsWith(verdicts.short) || line.endsWith(verdicts.missing)
  const lines = Output.table([[...header, "balance", ""], ...rows])
  const isKnown = known !== undefined && known.found.size + known.missing.size > 0
  const unknown = isKnown ? [] : [`balances: not known${describeFailure(read)}`]
  return {
    lines: [...lines.map((line) => (isBad(line) ? paint("bad", line) : line)), ...unknown],
    isBad: lines.some(isBad),
    isKnown
  }
})

/** What the history says about the addresses and the notes. */
const showHistory = Effect.fnUntraced(function* (
  orders: Orders,
  isOurs: (reference: string) => boolean
): Effect.fn.Return<Shown, never, CustodyClient> {
  const paid = new Set<string>()
  const notes = new Set<string>()
  let rows = 0
  const read = yield* Effect.result(
    Stream.runForEach(Stream.take(Transactions.stream({ limit: 100 }), maxHistory), ({ note, to }) =>
      Effect.sync(() => {
        rows++
        if (to !== undefined) paid.add(to.toLowerCase())
        if (note !== undefined) notes.add(trim(note))
      })
    )
  )
  if (Result.isFailure(read)) {
    return { lines: [`history: not known (${read.failure.message})`], isBad: false, isKnown: false }
  }
  const scope = rows === maxHistory ? ` in the newest ${maxHistory} transactions` : ""
  const addresses = [...new Set(orders.map(({ to }) => to))]
  const fresh = addresses.filter((to) => !paid.has(to.toLowerCase()))
  const foreign = orders.filter((one) => !isOurs(one.reference) && notes.has((one.note ?? one.reference).trim()))
  const paint = yield* Output.paint
  const fromElsewhere =
    `the history shows ${foreign.length} of these notes, and the ledger does not: ` +
    `they may have been paid from another ledger (${few(foreign.map(({ reference }) => reference))})`
  return {
    lines: [
      `addresses: ${addresses.length}, never paid before${scope}: ${fresh.length}${fresh.length === 0 ? "" : ` (${few(fresh)})`}`,
      ...(foreign.length === 0 ? [] : [paint("bad", fromElsewhere)])
    ],
    isBad: foreign.length > 0,
    isKnown: true
  }
})

/** A ledger that does not exist yet: a look at it makes no file. */
const noLedger = Payouts.layer().pipe(Layer.provide(LedgerSqlite.layer({ filename: ":memory:" })))

const onPlace = <A, E extends { readonly message: string }, R>(
  place: Place.Place,
  look: Effect.Effect<A, E, R | Payouts.Payouts>
) =>
  Effect.flatMap(Place.isNew(place), (isNew) =>
    Output.orFail(isNew ? Effect.provide(look, noLedger) : Effect.provide(look, Place.layer(place)))
  )

/** The mistakes in a file that only the ledger knows, and what it has of the orders. Writes nothing. */
export const foresee = ({ lines, orders }: Csv.Parsed, place: Place.Place) =>
  onPlace(
    place,
    Payouts.preview(orders).pipe(
      Effect.map(({ conflicts, ...found }) => {
        const refused = new Set(conflicts)
        const mistakes = orders.flatMap(({ reference }, index): ReadonlyArray<Csv.Mistake> => {
          const message = `reference: the ledger has another order under ${reference}, or under its note`
          return refused.has(reference) ? [{ line: lines[index] ?? 1, message }] : []
        })
        return { ...found, mistakes }
      }),
      Effect.catchTag("OrdersInvalid", (error) =>
        Effect.succeed({ mistakes: Csv.inLines(error, lines), known: 0, repeats: [] })
      )
    )
  )

/** How many of the orders are in each state. */
const countStates = (orders: Orders, place: Place.Place) =>
  onPlace(
    place,
    Effect.map(
      Effect.forEach(orders, ({ reference }) => Payouts.get(reference)),
      (found) => {
        const ours = found.flatMap(Option.toArray)
        const groups = Map.groupBy(ours, ({ state }) => state)
        return {
          references: new Set(ours.map(({ reference }) => reference)),
          states: Object.fromEntries(Array.from(groups, ([state, of]) => [state, of.length]))
        }
      }
    )
  )

/** Says how many orders are equal to paid ones, of which the file may be another spelling. */
export const describeRepeats = (repeats: Payouts.Preview["repeats"], orders: Orders): ReadonlyArray<string> => {
  const [first] = repeats
  if (first === undefined) return []
  return [
    `look: ${repeats.length} of ${orders.length} payouts are equal to payouts that were paid, or may have been, under ` +
      `other references (${first.reference} is equal to ${first.of}): another month, or the same payouts under other names?`
  ]
}

const refuse = (file: string, mistakes: ReadonlyArray<Csv.Mistake>) =>
  Output.failure(
    [...Csv.describe(file, mistakes), mistakes.length === 1 ? "1 mistake" : `${mistakes.length} mistakes`].join("\n")
  )

/**
 * Fails with exit code 2 if a payout would be refused, or may have been paid already, and if nothing could be checked at
 * the service.
 */
export const report = Effect.fnUntraced(function* (file: string, place: Place.Place, contract: Option.Option<string>) {
  const parsed = yield* Csv.readFile(file)
  const { orders } = parsed
  if (parsed.mistakes.length > 0) return yield* refuse(file, parsed.mistakes)
  if (orders.length === 0) {
    yield* Output.lines([`${file} has no payouts: nothing was checked`])
    return yield* new Output.Open()
  }
  const { known, mistakes, repeats } = yield* foresee(parsed, place)
  if (mistakes.length > 0) return yield* refuse(file, mistakes)
  const { references, states } = yield* countStates(known === 0 ? [] : orders, place)
  const where = Place.describe(place)
  const { fromHistory, fromWallets } = yield* Effect.all({
    fromWallets: showBalances(orders),
    fromHistory: showHistory(orders, (reference) => references.has(reference))
  }).pipe(Effect.provide(Client.under(ContractFiles.layer(contract))), Output.orFail)
  const isChecked = fromWallets.isKnown || fromHistory.isKnown
  const paint = yield* Output.paint
  yield* Output.lines([
    `${file}: ${orders.length} payouts, no mistakes`,
    (yield* Place.isNew(place))
      ? `${where}: a new ledger`
      : `${where}: ${orders.length - known} new, ${known} in it already${known === 0 ? "" : ` (${States.describe(states)})`}`,
    ...describeRepeats(repeats, orders).map((line) => paint("doubtful", line)),
    ...fromWallets.lines,
    ...fromHistory.lines,
    ...(isChecked ? [] : [paint("bad", "nothing was checked at the service")]),
    "nothing was submitted or sent"
  ])
  if (!isChecked || fromWallets.isBad || fromHistory.isBad) return yield* new Output.Open()
})
