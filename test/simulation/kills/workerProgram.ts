/** The inside of a worker: one client per session over one store, each of which says what it does. */
import { type Session, TokenStore } from "@effect-custody/authentication"
import { Environment, RetryPolicy, TokenService, type TokenStoreError } from "@effect-custody/core"
import { NodeCustody } from "@effect-custody/node"
import { Custody, Vaults } from "@effect-custody/sdk"
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
import { createInterface } from "node:readline"
import { clock, headerOf, type Phase, type Saying, type Start, type Told } from "./protocol.ts"
import { storeOf } from "./stores.ts"

/** Unbuffered, so that a report arrives even if the next instruction never runs. */
const say = (saying: Saying) => Effect.sync(() => void writeSync(1, `${JSON.stringify({ ...saying, at: clock() })}\n`))

const generationOf = ({ session }: Session.SessionRecord): number => session?.generation ?? -1

/** How far whoever writes a record is, if the lease that they held before was for this generation. */
const phaseOf = (held: number | undefined, next: Session.SessionRecord): Phase => {
  if (next.lease !== undefined) return held === generationOf(next) ? "renewed" : "claimed"
  if (next.end !== undefined) return "ended"
  if (held !== undefined && generationOf(next) > held) return "stored"
  return held === -1 && next.spentKeys.length === 0 ? "withdrawn" : "released"
}

/** A store that says what is done with it; and which generation of a session was claimed here. */
const watched = (store: TokenStore["Service"]) => {
  /** The generation that was claimed last, and the one that is held as far as the store was seen. */
  const claimed = new Map<string, number>()
  const leases = new Map<string, number>()
  const owners = new Set<string>()
  const seen = new Set<string>()
  const failed = ({ operation, reason }: TokenStoreError) => say({ what: "failed", operation, reason })
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
            const generation = generationOf(record)
            const name = `${identity} ${generation} ${owner}`
            if (seen.has(name)) return Effect.void
            seen.add(name)
            return say({ what: "waits", identity, generation })
          })
        ),
      compareAndSwap: Effect.fnUntraced(function* (identity, version, next) {
        // A challenge asks the holder of a lease whether it is alive, and takes nothing from it.
        if (next.lease?.isChallenged === true) {
          return yield* store
            .compareAndSwap(identity, version, next)
            .pipe(Effect.tapErrorTag("TokenStoreError", failed))
        }
        const what = phaseOf(leases.get(identity), next)
        const generation = generationOf(next)
        if (what === "claimed") yield* say({ what: "claims", identity, generation })
        const swapped = yield* store.compareAndSwap(identity, version, next).pipe(
          Effect.tapErrorTag("TokenStoreError", failed),
          Effect.tapErrorTag("VersionConflict", () =>
            what === "claimed" ? say({ what: "yields", identity, generation }) : Effect.void
          )
        )
        if (next.lease === undefined) leases.delete(identity)
        else {
          claimed.set(identity, generation)
          leases.set(identity, generation)
          owners.add(next.lease.owner)
        }
        yield* say({ what, identity, generation })
        return swapped
      })
    })
  }
}

const secretPaths = ["/auth/refresh-token", "/auth/generate-tokens"]

const lines = Stream.fromAsyncIterable(createInterface({ input: process.stdin }), () => "closed" as const)

const main = Effect.fnUntraced(function* ({ baseUrl, leaseMillis, requestMillis }: Start, name: string) {
  const { claimed, store } = watched(yield* TokenStore)
  const http = HttpClient.mapRequest(yield* HttpClient.HttpClient, HttpClientRequest.setHeader(headerOf(name), "1"))
  const keys = new Map<string, string>()

  const saying = (identity: string) =>
    HttpClient.tapRequest(http, ({ url }) =>
      secretPaths.some((path) => url.endsWith(path))
        ? say({ what: "sends", identity, generation: claimed(identity) })
        : Effect.void
    )

  const listening = (identity: string) =>
    Effect.gen(function* () {
      const { events } = yield* TokenService
      const adopted = Stream.filter(events, ({ _tag }) => _tag === "Adopted")
      yield* Effect.forkScoped(
        Stream.runForEach(adopted, ({ generation }) => say({ what: "adopted", identity, generation }))
      )
      yield* Effect.yieldNow
    })

  const clientOf = (identity: string) =>
    Layer.effectDiscard(listening(identity)).pipe(
      Layer.provideMerge(
        Custody.layer({
          environment: Environment.local(baseUrl),
          identity,
          apiKey: Redacted.make(keys.get(identity)!),
          retry: RetryPolicy.none,
          timing: {
            leaseTimeout: Duration.millis(leaseMillis),
            ...(requestMillis === undefined ? {} : { requestTimeout: Duration.millis(requestMillis) })
          }
        })
      ),
      Layer.provide([Layer.succeed(TokenStore, store), Layer.succeed(HttpClient.HttpClient, saying(identity))])
    )

  /** One per session, however many reads wait for it. A store that could not be read yet is asked again. */
  const clients = yield* Cache.makeWith((identity: string) => Layer.build(clientOf(identity)), {
    capacity: Number.POSITIVE_INFINITY,
    timeToLive: (built) => (Exit.isSuccess(built) ? Duration.infinity : Duration.zero)
  })

  const read = ({ apiKey, identity, round }: Told) => {
    keys.set(identity, apiKey)
    return Cache.get(clients, identity).pipe(
      Effect.flatMap((client) => Effect.provideContext(Vaults.details(), client)),
      Effect.match({ onFailure: ({ _tag }) => _tag, onSuccess: () => "ok" }),
      // A read that dies is an answer too: nobody waits for it for ever.
      Effect.catchDefect((defect) => Effect.succeed(`defect: ${String(defect)}`)),
      Effect.flatMap((tag) => say({ what: "read", identity, round, tag }))
    )
  }

  yield* say({ what: "ready" })
  yield* Effect.ignore(Stream.runForEach(lines, (line) => Effect.forkScoped(read(JSON.parse(line)))))
})

/** Works until it is killed, or until nobody has anything more to say to it. */
export const work = async (start: Start, name: string): Promise<void> => {
  const store = await storeOf(start)
  await Effect.runPromise(
    main(start, name).pipe(Effect.scoped, Effect.provide(Layer.merge(store, NodeCustody.layerHttpClient())))
  )
}
