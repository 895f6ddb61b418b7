/** What the benchmark of payments pays to: the emulator on a socket, behind a server that loses answers. */
import { Fault } from "@effect-custody/emulator"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import { random } from "../../../test/support/random.ts"
import { ledgerFixture } from "../../../test/support/worlds/ledgerFixture.ts"
import { findMark } from "../../../test/support/worlds/writes.ts"
import { startEmulator } from "../support/emulatorService.ts"
import { startFaulty } from "../support/faultyServer.ts"

/** What happens to a request, and how often; each payment has its own series, the same for every client. */
const weights = {
  none: 70,
  resetBeforeRead: 5,
  resetAfterRead: 5,
  halfAnswer: 4,
  silence: 4,
  errorBefore: 4,
  errorAfter: 4,
  throttled: 2,
  expired: 2
}
type Name = keyof typeof weights

const faults: Readonly<Record<Name, Fault.Fault | undefined>> = {
  none: undefined,
  resetBeforeRead: Fault.reset(),
  resetAfterRead: Fault.answerLost(),
  halfAnswer: Fault.truncated(20),
  silence: Fault.silence(),
  errorBefore: Fault.serverError({ status: 503 }),
  errorAfter: Fault.serverError({ status: 502, acts: true }),
  throttled: Fault.rateLimited(0),
  expired: Fault.answered({
    status: 498,
    body: { status: 498, message: "No", errors: { message: "No" }, code: "E40003" }
  })
}

export interface PaymentService {
  /** The base address of the API, by way of the server that loses answers. */
  readonly baseUrl: string
  readonly apiKey: Redacted.Redacted
  /** How often each payment was made, by its note: what the emulator's ledger says. */
  readonly paid: () => Promise<ReadonlyMap<string, number>>
  /** How many requests to pay came. */
  readonly requests: () => number
  readonly close: () => Promise<void>
}

export const makePaymentService = async (seed: number): Promise<PaymentService> => {
  const { apiKey, snapshot } = await Effect.runPromise(ledgerFixture)
  const { close, emulator, pathname, service } = await startEmulator({ snapshot })
  const known = (await Effect.runPromise(emulator.ledger)).length
  const series = new Map<string, () => Name>()
  let requests = 0

  const faultOf = (mark: string): Name => {
    const known = series.get(mark)
    if (known !== undefined) return known()
    const dice = random(seed * 1_000_003 + Number(mark.slice(mark.indexOf("-") + 1)))
    const next = () => dice.weighted(weights)
    series.set(mark, next)
    return next()
  }

  const server = await startFaulty({
    service,
    faultOf: ({ body, path }) => {
      if (path.includes("/auth/")) return undefined
      requests++
      return faults[faultOf(findMark(body)!)]
    }
  })
  return {
    baseUrl: `${server.origin}${pathname}`,
    apiKey,
    paid: async () => {
      const paid = new Map<string, number>()
      for (const { marker = "" } of await Effect.runPromise(emulator.ledgerAfter(known))) {
        paid.set(marker, (paid.get(marker) ?? 0) + 1)
      }
      return paid
    },
    requests: () => requests,
    close: async () => {
      await server.close()
      await close()
    }
  }
}
