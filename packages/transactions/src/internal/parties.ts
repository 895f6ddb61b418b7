/**
 * Between which clients a transaction moves, and of what type it is: whether that is what was asked for. Pure.
 *
 * Specification: "Other resources": types incoming, outgoing, internal transfer, swap, allowance; their identifiers, and
 * how a record shows the two clients of a transfer, are not shown. What may be ours is never ruled out here.
 */
import { plain } from "@effect-custody/core/Text"
import * as Predicate from "effect/Predicate"
import type { Transaction } from "../Transaction.ts"
import type { Wanted } from "./comparison.ts"
import type { Likeness } from "./note.ts"

type Sought = Pick<Wanted, "clientId" | "toClientId">

/** A text of a record, under the names on the way to it as one: `destinationclientid` for `destination.client_id`. */
interface Shown {
  readonly name: string
  readonly text: string
}

/** How many objects deep a record is read. */
const mostLevels = 3

const textsIn = (name: string, value: unknown, levels = mostLevels): ReadonlyArray<Shown> => {
  if (Array.isArray(value)) return levels === 0 ? [] : value.flatMap((inner) => textsIn(name, inner, levels - 1))
  if (Predicate.isObject(value)) {
    const members = levels === 0 ? [] : Object.entries(value)
    return members.flatMap(([own, inner]) =>
      textsIn(`${name}${own.replace(/[-_ ]/g, "").toLowerCase()}`, inner, levels - 1)
    )
  }
  const text = typeof value === "string" || typeof value === "number" || typeof value === "bigint" ? String(value) : ""
  return text.trim() === "" ? [] : [{ name, text }]
}

/** The texts of a record that may name a client. */
const textsOf = ({ extra, from, to }: Transaction): ReadonlyArray<Shown> => textsIn("", { from, to, ...extra })

/** Whether a record shows a text in a field that is not one of the specification's. */
export const showsElsewhere = (text: string, { extra }: Transaction): boolean =>
  textsIn("", extra).some((shown) => plain(shown.text) === plain(text))

/** Whether a text says something else about a client than its id, such as its email address. */
const isAside = ({ name }: Shown): boolean => /address|email|label|name|network|status|type|wallet/.test(name)

/** Names under which a record shows the client at one end. */
interface End {
  /** A client, whatever else is beside it. */
  readonly client: RegExp
  /** A client or something else: an address, a wallet. */
  readonly party: RegExp
  /** A client where the other end is shown as one; usually an address. */
  readonly place: RegExp
}

const source: End = {
  client: /^(?:from|origin|originator|payer|sender|source)(?:client|customer|external)/,
  party: /^(?:originator|payer|sender)(?:id)?$/,
  place: /^(?:from|origin|source)(?:id)?$/
}

const destination: End = {
  client: /^(?:beneficiary|dest|destination|payee|receiver|recipients?|target|to)(?:client|customer|external)/,
  party: /^(?:beneficiary|payee|receiver|recipients?)(?:id)?$/,
  place: /^(?:dest|destination|target|to)(?:id)?$/
}

/** Whether a text may be an address of a chain: nobody can say to which client it belongs. */
const isPerhapsAddress = (text: string): boolean => /^0x|[\da-z]{25}/i.test(text)

const namedBy = (shown: ReadonlyArray<Shown>, expression: RegExp): ReadonlyArray<string> =>
  shown.filter((one) => expression.test(one.name) && !isAside(one)).map(({ text }) => text)

/** The texts that name the client at one end. `isByClient`: the record shows the other end as a client. */
const clientsAt = (
  shown: ReadonlyArray<Shown>,
  end: End,
  client: string,
  isByClient: boolean
): ReadonlyArray<string> => [
  ...namedBy(shown, end.client),
  ...namedBy(shown, end.party).filter((text) => !isPerhapsAddress(text)),
  ...namedBy(shown, end.place).filter((text) => isByClient || plain(text) === plain(client))
]

const compareNames = (wanted: string, shown: ReadonlyArray<string>): Likeness =>
  shown.length === 0 ? "silent" : shown.some((text) => plain(text) === plain(wanted)) ? "agrees" : "contradicts"

/** Which client a transaction is shown to come from: the one of its own field, if no other says it. */
const sendersOf = (
  shown: ReadonlyArray<Shown>,
  { clientId }: Sought,
  transaction: Transaction
): ReadonlyArray<string> => {
  const senders = clientsAt(shown, source, clientId, false)
  return senders.length > 0 ? senders : textsIn("", transaction.clientId).map(({ text }) => text)
}

const recipientsOf = (shown: ReadonlyArray<Shown>, { clientId, toClientId }: Sought): ReadonlyArray<string> => {
  const isFromClient = namedBy(shown, source.place).some((text) => plain(text) === plain(clientId))
  return toClientId === undefined ? [] : clientsAt(shown, destination, toClientId, isFromClient)
}

/** The type that the specification has for what was asked for. */
export const typeOf = ({ toClientId }: Sought): string => (toClientId === undefined ? "OUTGOING" : "INTERNAL_TRANSFER")

/** The texts that say of what type a transaction is. */
const typesOf = ({ extra, type }: Transaction): ReadonlyArray<string> =>
  textsIn("", { type, ...extra })
    .filter(({ name }) => /^(?:tx|transaction)?(?:direction|kind|type)$/.test(name))
    .map(({ text }) => text)

/** A transaction may be shown from one side as outgoing, and whole as a transfer. */
const compareType = (wanted: Sought, transaction: Transaction): Likeness => {
  const types = typesOf(transaction).map((type) => type.toLowerCase())
  if (types.some((type) => /^in$|incoming|swap|allowance/.test(type))) return "contradicts"
  const [own, other] = wanted.toClientId === undefined ? [/outgoing/, /internal/] : [/internal/, /outgoing/]
  if (types.some((type) => own.test(type))) return "agrees"
  return types.some((type) => other.test(type)) ? "resembles" : "silent"
}

export interface Parties {
  readonly clientId: Likeness
  readonly toClientId: Likeness
  readonly type: Likeness
}

/** How the clients and the type of a transaction compare with those that were asked for. */
export const compare = (wanted: Sought, transaction: Transaction): Parties => {
  const shown = textsOf(transaction)
  return {
    clientId: compareNames(wanted.clientId, sendersOf(shown, wanted, transaction)),
    toClientId: compareNames(wanted.toClientId ?? "", recipientsOf(shown, wanted)),
    type: compareType(wanted, transaction)
  }
}

/** Whether a transaction went to another client, or is of a type that a send or a transfer cannot have. */
export const isAnothers = ({ toClientId, type }: Parties): boolean =>
  toClientId === "contradicts" || type === "contradicts"

/** The texts in which a transaction shows its clients or its type. */
export const shownOf = (wanted: Sought, transaction: Transaction, field: keyof Parties): string | undefined => {
  const shown = textsOf(transaction)
  const texts = {
    clientId: () => sendersOf(shown, wanted, transaction),
    toClientId: () => recipientsOf(shown, wanted),
    type: () => typesOf(transaction)
  }[field]()
  return texts.length === 0 ? undefined : [...new Set(texts)].join(", ")
}
