import { TokenStore } from "@effect-custody/authentication"
import * as Session from "@effect-custody/authentication/Session"
import * as TokenStoreRedis from "@effect-custody/redis/TokenStoreRedis"
import { StoreChecks } from "@effect-custody/testing"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redis from "effect/persistence/Redis"

const modern = { redis_version: "7.2.4", role: "master", aof_enabled: "1", maxmemory_policy: "noeviction" }

/** A server with the commands that the store uses, and what it acknowledges. */
const makeServer = (info: Record<string, string> = modern, settings: Record<string, string> = {}) => {
  const hashes = new Map<string, Map<string, string>>()
  const sent: Array<string> = []
  const state = { acknowledged: [1, 0] as readonly [number, number] }
  const hash = (key: string) => hashes.get(key) ?? hashes.set(key, new Map<string, string>()).get(key)!
  const commands: Record<string, (...args: ReadonlyArray<string>) => unknown> = {
    INFO: () =>
      `# Server\r\n${Object.entries(info)
        .map((pair) => pair.join(":"))
        .join("\r\n")}\r\n`,
    // As a client of RESP3 gives it.
    CONFIG: (_, name = "") => ({ [name]: settings[name] }),
    WAITAOF: () => state.acknowledged,
    WAIT: () => state.acknowledged[1],
    HMGET: (key = "", ...names) => names.map((name) => hash(key).get(name) ?? null),
    HSET: (key = "", name = "", value = "") => void hash(key).set(name, value),
    EVAL: (_, __, key = "", expected = "", version = "", text = "") => {
      if ((hash(key).get("version") ?? "0") !== expected) return 0
      hash(key).set("version", version).set("text", text)
      return 1
    }
  }
  const send = <A>(command: string, ...args: ReadonlyArray<string>) =>
    Effect.sync(() => {
      sent.push(command)
      return commands[command]!(...args) as A
    })
  const layer = Layer.effect(
    Redis.Redis,
    Redis.make({
      send,
      subscribe: () => Effect.die("unused"),
      connect: Effect.succeed({ send, close: Effect.void })
    })
  )
  return { layer, sent, state }
}

type Server = ReturnType<typeof makeServer>

const connect = ({ layer }: Server, options: TokenStoreRedis.Options = {}) =>
  Effect.map(Layer.build(Layer.provide(TokenStoreRedis.layer(options), layer)), Context.get(TokenStore))

const record = Session.empty("https://acme.custody.example/api/integration")

describe("a store in a Redis with WAITAOF", () => {
  for (const { name, outlives, run } of StoreChecks.all) {
    if (!outlives) it.live(name, () => run(Layer.provide(TokenStoreRedis.layer(), makeServer().layer)))
  }

  it.effect.each([
    { acknowledged: [0, 0], replicas: 0, reason: /the server's disk did not acknowledge the write in time/ },
    { acknowledged: [0, 2], replicas: 1, reason: /the server's disk did not acknowledge/ },
    { acknowledged: [1, 0], replicas: 1, reason: /0 replicas acknowledged the write in time, and 1 must/ },
    { acknowledged: [1, 1], replicas: 2, reason: /1 replicas acknowledged the write in time, and 2 must/ }
  ] as const)(
    "a swap with the acknowledgements $acknowledged is no success where $replicas replicas must have it",
    ({ acknowledged, reason, replicas }) =>
      Effect.gen(function* () {
        const server = makeServer()
        const store = yield* connect(server, { replicas })
        server.state.acknowledged = acknowledged
        const error = yield* Effect.flip(store.compareAndSwap("alice", 0, record))
        assert.strictEqual(error._tag, "TokenStoreError")
        assert.match(error.message, reason)
        // It was written, and is not loaded before it is acknowledged.
        assert.match((yield* Effect.flip(store.load("alice"))).message, reason)
        server.state.acknowledged = [1, replicas]
        const { version } = yield* Effect.flatMap(store.load("alice"), Effect.fromOption)
        assert.isAbove(yield* store.compareAndSwap("alice", version, record), version)
      })
  )

  it.effect("a load waits for acknowledgements only when the swap has not", () =>
    Effect.gen(function* () {
      const server = makeServer()
      const store = yield* connect(server)
      yield* store.compareAndSwap("alice", 0, record)
      const before = server.sent.length
      yield* store.load("alice")
      assert.deepStrictEqual(server.sent.slice(before), ["HMGET"])
    })
  )
})

describe("the server that a Redis store accepts", () => {
  const old = { ...modern, redis_version: "7.0.15" }
  const strict = { appendfsync: "always", "no-appendfsync-on-rewrite": "no" }
  it.effect.each([
    { what: "Redis 7.2 with any appendfsync", info: modern, settings: {} },
    { what: "Redis 8", info: { ...modern, redis_version: "8.0.1" }, settings: {} },
    { what: "Redis 7.0 with appendfsync always", info: old, settings: strict },
    { what: "a policy that evicts only keys with an expiry", info: { ...modern, maxmemory_policy: "volatile-lru" } }
  ])("a store accepts $what", ({ info, settings = {} }) => Effect.asVoid(connect(makeServer(info, settings))))

  it.effect.each([
    { what: "Redis 7.0 with appendfsync everysec", info: old, settings: { ...strict, appendfsync: "everysec" } },
    { what: "Redis 6.2 without settings", info: { ...modern, redis_version: "6.2.14" }, settings: {} },
    { what: "a server that does not give its version", info: { ...modern, redis_version: "" }, settings: {} },
    { what: "a server without an append-only file", info: { ...modern, aof_enabled: "0" }, settings: strict },
    { what: "a server that is silent about eviction", info: { ...modern, maxmemory_policy: "" }, settings: strict },
    { what: "a replica", info: { ...modern, role: "slave" }, settings: strict }
  ])("a store refuses $what", ({ info, settings }) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(connect(makeServer(info, settings)))
      assert.deepInclude(error, { _tag: "TokenStoreError", operation: "open" })
    })
  )
})
