/** The emulator, as a server in a process of its own. */
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import { once } from "node:events"
import * as Path from "node:path"
import { createInterface } from "node:readline"
import type { Refreshes } from "./accounts.ts"
import { startChild } from "./children.ts"
import { senderOf } from "./protocol.ts"

const bin = Path.resolve(import.meta.dirname, "../../../packages/emulator/bin/custody-emulator.mjs")

interface Received {
  readonly sequence: number
  readonly operation?: string
  readonly headers: ReadonlyArray<string>
  readonly token?: { readonly session?: number; readonly generation?: number }
}

interface Summary {
  readonly session: number
  readonly vaultId: number
  readonly generation: number
  readonly revoked: boolean
}

interface Counts {
  readonly rotations: number
  /** The number of requests by operation and status. */
  readonly byOperation: Readonly<Record<string, Readonly<Record<string, number>>>>
}

/** A request is written down when it arrives, and its token a moment later: the newest are asked for once more. */
const overlap = 500

/** An emulator whose every session is of a vault of its own, by which it is known. */
export const startEmulator = Effect.fnUntraced(function* (flags: ReadonlyArray<string>) {
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => startChild([bin, "--quiet", ...flags], ["ignore", "pipe", "inherit"])),
    (child) =>
      Effect.promise(() => {
        const ended = once(child, "exit")
        child.kill("SIGKILL")
        return ended
      })
  )
  const baseUrl = yield* Effect.promise(async () => {
    for await (const line of createInterface({ input: child.stdout! })) {
      const url = /listening on (\S+)/.exec(line)?.[1]
      if (url !== undefined) return url
    }
    throw new Error("the emulator did not start")
  })
  child.stdout!.resume()

  const http = HttpClient.filterStatusOk(yield* HttpClient.HttpClient)
  const control = <A>(path: string, body?: object) => {
    const url = new URL(`/emulator/${path}`, baseUrl)
    const request = body === undefined ? HttpClientRequest.get(url) : HttpClientRequest.post(url)
    return http.execute(body === undefined ? request : HttpClientRequest.bodyJsonUnsafe(request, body)).pipe(
      Effect.flatMap(({ json }) => json),
      Effect.map((answer) => answer as A),
      Effect.orDie
    )
  }

  const refreshes = new Map<
    number,
    { readonly session: number; readonly generation: number; readonly sender: string | undefined }
  >()
  let last = 0
  /** Takes note of what was received since. Often enough, none is missed: it remembers the last 100,000. */
  const listen = Effect.gen(function* () {
    const received = yield* control<ReadonlyArray<Received>>(`received?after=${Math.max(0, last - overlap)}`)
    for (const { headers, operation, sequence, token } of received) {
      last = Math.max(last, sequence)
      if (operation !== "authentication.refreshToken") continue
      const { generation = -1, session = 0 } = token ?? {}
      refreshes.set(sequence, { session, generation, sender: senderOf(headers) })
    }
  })
  const sessions = control<ReadonlyArray<Summary>>("sessions")

  return {
    baseUrl,
    listen,
    sessions,
    issueApiKey: (vaultId: number) =>
      Effect.map(control<{ readonly apiKey: string }>("api-keys", { vaultId }), ({ apiKey }) => apiKey),
    counts: Effect.map(control<Counts>("counts"), ({ byOperation, rotations }) => ({
      rotations,
      keysRefused: byOperation["authentication.generateTokens"]?.["400"] ?? 0
    })),
    /** All refreshes that were received, by the token that they came with. */
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
