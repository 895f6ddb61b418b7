/** A call that pays, and the service that it calls. */
import type { Answer, Received, Service } from "../support/faultyServer.ts"

/** Makes one payment: the same one each time. A program that has a key of its own gives it. */
export type Pay = (key?: string) => Promise<unknown>

/** What one cell of the table needs: nothing of it is shared with another cell. */
export interface World {
  readonly service: Service
  readonly payments: () => number | Promise<number>
  readonly connect: (origin: string) => Pay | Promise<Pay>
  readonly close?: () => Promise<void>
}

export interface Contender {
  /** The package whose version stands in the table. */
  readonly package: string
  readonly call: string
  /** The path of the request that pays. */
  readonly pays: RegExp
  /** `false` if the call takes no key beside its required input. */
  readonly takesKey: boolean
  readonly start: () => World | Promise<World>
}

interface Model extends Omit<Contender, "start"> {
  /** The answer to a payment. */
  readonly reply: (payment: number) => unknown
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
  "authorization_id",
  "timestampMs"
]

/** The key of a payment, with the name of its place. */
export const keyOf = ({ body, headers }: Received): readonly [name: string, value: string] | undefined => {
  const fields: Record<string, unknown> = body.startsWith("{") ? JSON.parse(body) : {}
  const name = keyNames.find((name) => (headers[name] ?? fields[name]) !== undefined)
  return name === undefined ? undefined : [name, String(headers[name] ?? fields[name])]
}

/** A call of a service that pays once for each key, and each time without one. */
export const modelled = ({ connect, error, first, reply, ...contender }: Model): Contender => ({
  ...contender,
  start: () => {
    const known = new Map<string, number>()
    let payments = 0
    const pay = (request: Received): number => {
      const key = keyOf(request)?.join()
      const payment = (key === undefined ? undefined : known.get(key)) ?? ++payments
      if (key !== undefined) known.set(key, payment)
      return payment
    }
    const answer = (request: Received): Answer => {
      if (!contender.pays.test(request.path)) return { status: 200, body: JSON.stringify(first?.(request.path) ?? {}) }
      return { status: 200, body: JSON.stringify(reply(pay(request))) }
    }
    return { service: { answer, error }, payments: () => payments, connect }
  }
})
