/** The emulator on a port, and the refreshes that it received. */
import { CustodyEmulator, type Options } from "@effect-custody/emulator"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type { Refreshes } from "./accounts.ts"
import { readSender } from "./protocol.ts"

/** The emulator records the token of a request a moment after the request, so the newest ones are read once more. */
const overlap = 500

interface Refresh {
  readonly session: number
  readonly generation: number
  readonly sender: string | undefined
}

/** Starts an emulator. Each session has a vault of its own, which identifies the session. */
export const startEmulator = Effect.fnUntraced(function* (options: Options) {
  const context = yield* Layer.build(Layer.fresh(CustodyEmulator.layerServer(options)))
  const { baseUrl, counts, issueApiKey, received, sessions } = Context.get(context, CustodyEmulator)
  const refreshes = new Map<number, Refresh>()
  let last = 0
  /** Reads the new requests. The emulator keeps the last 100,000, so regular reads miss none. */
  const listen = Effect.gen(function* () {
    const since = last - overlap
    for (const { headers, operation, sequence, token } of yield* received) {
      if (sequence <= since) continue
      last = Math.max(last, sequence)
      if (operation !== "authentication.refreshToken") continue
      const { generation = -1, session = 0 } = token ?? {}
      refreshes.set(sequence, { session, generation, sender: readSender(headers) })
    }
  })
  return {
    baseUrl,
    listen,
    sessions,
    issueApiKey: (vaultId: number) => Effect.map(issueApiKey({ vaultId }), Redacted.value),
    counts: Effect.map(counts, ({ byOperation, rotations }) => ({
      rotations,
      keysRefused: byOperation["authentication.generateTokens"]?.["400"] ?? 0
    })),
    /** The received refreshes, grouped by their token. */
    refreshes: (identityOf: (vaultId: number) => string) =>
      Effect.gen(function* () {
        yield* listen
        const vaults = new Map((yield* sessions).map(({ session, vaultId }) => [session, vaultId]))
        const inOrder = [...refreshes].toSorted(([one], [other]) => one - other).map(([, refresh]) => refresh)
        const byToken = Map.groupBy(inOrder, ({ generation, session }) => `${session} ${generation}`)
        return [...byToken.values()].map((all): Refreshes => ({
          identity: identityOf(vaults.get(all[0]!.session) ?? 0),
          generation: all[0]!.generation,
          received: all.length,
          firstBy: all[0]!.sender
        }))
      })
  }
})
