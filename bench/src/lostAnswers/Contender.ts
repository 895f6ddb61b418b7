/** A call that pays, and the service that it calls. */
import type { Answer, Received, Service } from "../support/faultyServer.ts"

/** Makes one payment: the same one each time. A program that has a key of its own gives it. */
export interface Pay {
  (key?: string): Promise<unknown>
  readonly close?: () => Promise<void>
}

/** What one cell of the table needs: nothing of it is shared with another cell. */
export interface World {
  readonly service: Service
  readonly payments: () => number | Promise<number>
  readonly connect: (origin: string) => Pay | Promise<Pay>
  readonly close?: () => Promise<void>
}

/** What marks two requests as the same payment. */
export interface Key {
  readonly name: string
  readonly value: string
}

export interface Contender {
  /** The package whose version stands in the table. */
  readonly package: string
  readonly call: string
  /** The path of the request that pays. */
  readonly pays: RegExp
  /** Whether the program gives the call a key, or why it cannot. */
  readonly programKey: "optional" | "required" | { readonly none: string }
  /** The key in a request that pays. */
  readonly keyOf: (request: Received) => Key | undefined
  readonly start: () => World | Promise<World>
}

export interface Model extends Omit<Contender, "start" | "keyOf"> {
  readonly keyOf?: Contender["keyOf"]
  /** The answer to a payment. */
  readonly reply: (payment: number) => unknown
  /** The answer to a key that it knows, unless that is the first answer. */
  readonly duplicate?: Answer
  /** The answers to what the package asks first. */
  readonly first?: (path: string) => unknown
  readonly error?: Service["error"]
  readonly connect: World["connect"]
}

/** Where the packages carry the key of a payment: a header, or a field of the body. */
const keyNames = [
  "idempotency-key",
  "x-idempotency-key",
  "idempotencyKey",
  "externalId",
  "externalTxId",
  "authorization_id"
]

export const keyNamed =
  (names: ReadonlyArray<string>): Contender["keyOf"] =>
  ({ body, headers }) => {
    const fields: Record<string, unknown> = body.startsWith("{") ? JSON.parse(body) : {}
    const name = names.find((name) => (headers[name] ?? fields[name]) !== undefined)
    return name === undefined ? undefined : { name, value: String(headers[name] ?? fields[name]) }
  }

/** A call of a service that pays once for each key, and each time without one. */
export const modelled = ({
  connect,
  duplicate,
  error,
  first,
  keyOf = keyNamed(keyNames),
  reply,
  ...contender
}: Model): Contender => ({
  ...contender,
  keyOf,
  start: () => {
    const known = new Map<string, number>()
    let payments = 0
    const ok = (body: unknown): Answer => ({ status: 200, body: JSON.stringify(body) })
    const answer = (request: Received): Answer => {
      if (!contender.pays.test(request.path)) return ok(first?.(request.path) ?? {})
      const key = keyOf(request)?.value
      const earlier = key === undefined ? undefined : known.get(key)
      if (earlier !== undefined) return duplicate ?? ok(reply(earlier))
      payments++
      if (key !== undefined) known.set(key, payments)
      return ok(reply(payments))
    }
    return { service: { answer, error }, payments: () => payments, connect }
  }
})
