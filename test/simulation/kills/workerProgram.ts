/** The program of a worker: one client for each session over one store. It reports every phase. */
import { type Session, TokenStore } from "@effect-custody/authentication"
import { Environment, RetryPolicy, SessionEvents, type TokenStoreError } from "@effect-custody/core"
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
import { clock, senderHeader, type Phase, type Message, type Start, type Instruction } from "./protocol.ts"
import { openStore } from "./stores.ts"

/** Writes unbuffered, so that a message arrives even if the worker is killed next. */
const report = (message: Message) =>
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

const lines = Stream.fromAsyncIterable(createInterface({ input: process.stdin }), () => "closed" as const)

const main = Effect.fnUntraced(function* ({ baseUrl, leaseMillis, requestMillis }: Start, name: string) {
  const { claimed, store } = makeReportingStore(yield* TokenStore)
  const http = HttpClient.mapRequest(yield* HttpClient.HttpClient, HttpClientRequest.setHeader(senderHeader(name), "1"))
  const keys = new Map<string, string>()

  const reportingHttp = (identity: string) =>
    HttpClient.tapRequest(http, ({ url }) =>
      secretPaths.some((path) => url.endsWith(path))
        ? report({ what: "sends", identity, generation: claimed(identity) })
        : Effect.void
    )

  const reportAdoptions = (identity: string) =>
    Effect.gen(function* () {
      const adopted = Stream.filter(SessionEvents.stream, ({ _tag }) => _tag === "Adopted")
      yield* Effect.forkScoped(
        Stream.runForEach(adopted, ({ generation }) => report({ what: "adopted", identity, generation }))
      )
      yield* Effect.yieldNow
    })

  const makeClient = (identity: string) =>
    Layer.effectDiscard(reportAdoptions(identity)).pipe(
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
      Layer.provide([Layer.succeed(TokenStore, store), Layer.succeed(HttpClient.HttpClient, reportingHttp(identity))])
    )

  /** Keeps one client for each session. A client that could not be built is built again. */
  const clients = yield* Cache.makeWith((identity: string) => Layer.build(makeClient(identity)), {
    capacity: Number.POSITIVE_INFINITY,
    timeToLive: (built) => (Exit.isSuccess(built) ? Duration.infinity : Duration.zero)
  })

  const read = ({ apiKey, identity, round }: Instruction) => {
    keys.set(identity, apiKey)
    return Cache.get(clients, identity).pipe(
      Effect.flatMap((client) => Effect.provideContext(Vaults.details(), client)),
      Effect.match({ onFailure: ({ _tag }) => _tag, onSuccess: () => "ok" }),
      // A defect is reported too, so that the parent does not wait for this read forever.
      Effect.catchDefect((defect) => Effect.succeed(`defect: ${String(defect)}`)),
      Effect.flatMap((tag) => report({ what: "read", identity, round, tag }))
    )
  }

  yield* report({ what: "ready" })
  yield* Effect.ignore(Stream.runForEach(lines, (line) => Effect.forkScoped(read(JSON.parse(line)))))
})

/** Works until the process is killed or its input ends. */
export const work = async (start: Start, name: string): Promise<void> => {
  const store = await openStore(start)
  await Effect.runPromise(
    main(start, name).pipe(Effect.scoped, Effect.provide(Layer.merge(store, NodeCustody.layerHttpClient())))
  )
}
