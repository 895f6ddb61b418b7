/** A client of a worker: it reports every phase of its session. */
import { type Session, TokenStore } from "@effect-custody/authentication"
import { Environment, sessionEvents, type TokenStoreError } from "@effect-custody/core"
import { Custody } from "@effect-custody/sdk"
import * as Cache from "effect/Cache"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { writeSync } from "node:fs"
import { clock, senderHeader, type Phase, type Message } from "./protocol.ts"

/** Writes unbuffered, so that a message arrives even if the worker is killed next. */
export const report = (message: Message) =>
  Effect.sync(() => void writeSync(1, `${JSON.stringify({ ...message, at: clock() })}\n`))

const readGeneration = ({ session }: Session.SessionRecord): number => session?.generation ?? -1

/** Finds the phase of a write. `held` is the generation of the lease that the writer held before. */
const findPhase = (held: number | undefined, next: Session.SessionRecord): Phase => {
  if (next.lease !== undefined) return held === readGeneration(next) ? "renewed" : "claimed"
  if (next.end !== undefined) return "ended"
  if (held !== undefined && readGeneration(next) > held) return "stored"
  return held === -1 && next.spentKeys.length === 0 ? "withdrawn" : "released"
}

/** Wraps a store so that it reports its use. `claimed` returns the claimed generation of a session. */
const makeReportingStore = (store: TokenStore["Service"]) => {
  /** The generation claimed last, and the generation of the lease held at the last look at the store. */
  const claimed = new Map<string, number>()
  const leases = new Map<string, number>()
  const owners = new Set<string>()
  const seen = new Set<string>()
  const failed = ({ operation, reason }: TokenStoreError) => report({ what: "failed", operation, reason })
  return {
    claimed: (identity: string) => claimed.get(identity) ?? -1,
    store: TokenStore.of({
      load: (identity) =>
        store.load(identity).pipe(
          Effect.tapError(failed),
          Effect.tap((stored) => {
            const record = stored._tag === "Some" ? stored.value.record : undefined
            const owner = record?.lease?.owner
            if (owner === undefined || !owners.has(owner)) leases.delete(identity)
            if (record === undefined || owner === undefined || owners.has(owner)) return Effect.void
            const generation = readGeneration(record)
            const name = `${identity} ${generation} ${owner}`
            if (seen.has(name)) return Effect.void
            seen.add(name)
            return report({ what: "waits", identity, generation })
          })
        ),
      compareAndSwap: Effect.fnUntraced(function* (identity, version, next) {
        // A challenge asks the holder of a lease whether it is alive, and takes nothing from it.
        if (next.lease?.isChallenged === true) {
          return yield* store
            .compareAndSwap(identity, version, next)
            .pipe(Effect.tapErrorTag("TokenStoreError", failed))
        }
        const what = findPhase(leases.get(identity), next)
        const generation = readGeneration(next)
        if (what === "claimed") yield* report({ what: "claims", identity, generation })
        const swapped = yield* store.compareAndSwap(identity, version, next).pipe(
          Effect.tapErrorTag("TokenStoreError", failed),
          Effect.tapErrorTag("VersionConflict", () =>
            what === "claimed" ? report({ what: "yields", identity, generation }) : Effect.void
          )
        )
        if (next.lease === undefined) leases.delete(identity)
        else {
          claimed.set(identity, generation)
          leases.set(identity, generation)
          owners.add(next.lease.owner)
        }
        yield* report({ what, identity, generation })
        return swapped
      })
    })
  }
}

const secretPaths = ["/auth/refresh-token", "/auth/generate-tokens"]

const reportAdoptions = (identity: string) =>
  Effect.gen(function* () {
    const adopted = Stream.filter(sessionEvents, ({ _tag }) => _tag === "Adopted")
    yield* Effect.forkScoped(
      Stream.runForEach(adopted, ({ generation }) => report({ what: "adopted", identity, generation }))
    )
    yield* Effect.yieldNow
  })

/** Keeps one client for each session. A client that could not be built is built again. */
export const makeClients = Effect.fnUntraced(function* (
  name: string,
  options: Omit<Custody.Options, "environment" | "identity" | "apiKey"> & { readonly baseUrl: string }
) {
  const { baseUrl, ...settings } = options
  const scope = yield* Effect.scope
  const { claimed, store } = makeReportingStore(yield* TokenStore)
  const http = HttpClient.mapRequest(yield* HttpClient.HttpClient, HttpClientRequest.setHeader(senderHeader(name), "1"))
  const keys = new Map<string, string>()

  const reportingHttp = (identity: string) =>
    HttpClient.tapRequest(http, ({ url }) =>
      secretPaths.some((path) => url.endsWith(path))
        ? report({ what: "sends", identity, generation: claimed(identity) })
        : Effect.void
    )

  const makeClient = (identity: string) =>
    Layer.effectDiscard(reportAdoptions(identity)).pipe(
      Layer.provideMerge(
        Custody.layer({
          ...settings,
          environment: Environment.emulator(baseUrl),
          identity,
          apiKey: Redacted.make(keys.get(identity)!)
        })
      ),
      Layer.provide([Layer.succeed(TokenStore, store), Layer.succeed(HttpClient.HttpClient, reportingHttp(identity))])
    )

  const clients = yield* Cache.makeWith((identity: string) => Layer.buildWithScope(makeClient(identity), scope), {
    capacity: Number.POSITIVE_INFINITY,
    timeToLive: (built) => (Exit.isSuccess(built) ? Duration.infinity : Duration.zero)
  })
  return ({ apiKey, identity }: { readonly identity: string; readonly apiKey: string }) => {
    keys.set(identity, apiKey)
    return Cache.get(clients, identity)
  }
})
