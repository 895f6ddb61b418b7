import type { Row } from "@effect-custody/authentication/TokenStore"
import * as TokenStoreRedis from "@effect-custody/redis/TokenStoreRedis"
import * as NodeRedis from "@effect/platform-node/NodeRedis"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { inspect } from "node:util"
import { movableAddress } from "../support/servers/movableAddress.ts"
import { awaitReplica, hasRedis, hasWaitAof, redisServer, type Server, withRedis } from "../support/servers/redis.ts"
import {
  connect,
  type Place,
  recordOf,
  testKey,
  tokenStoreConformance,
  versionOf,
  write
} from "../support/worlds/tokenStoreConformance.ts"

// One server for the checks of every store. A test that kills or changes its server has one of its own.
const scope = Scope.makeUnsafe()
let shared: Server

beforeAll(async () => {
  if (hasRedis) shared = await redisServer().pipe(Scope.provide(scope), Effect.runPromise)
}, 60_000)
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

/** The client that the documentation recommends. */
const client = (url: string) =>
  Layer.provide(NodeRedis.layer({ url, socket: { reconnectStrategy: false, socketTimeout: 10_000 } }), Logger.layer([]))

const keyOf = (identity: string) => `custody:session:${identity}`

const at = (
  url: string,
  options: Omit<TokenStoreRedis.Options, "key" | "previousKeys"> = {}
): Pick<Place, "store"> => ({
  store: (storeOptions) =>
    TokenStoreRedis.layer({ ...storeOptions, ...options }).pipe(Layer.provide(Layer.orDie(client(url))))
})

const placeOn = ({ command, url }: Server): Place => ({
  ...at(url),
  outside: {
    bytes: Effect.gen(function* () {
      const keys = (yield* command("KEYS", "*")) as ReadonlyArray<string>
      return JSON.stringify(yield* Effect.forEach(keys, (key) => command("HGETALL", key)))
    }),
    row: (identity) =>
      Effect.map(command("HMGET", keyOf(identity), "version", "text"), (fields): Row => {
        const [version, text] = fields as ReadonlyArray<string>
        return { version: Number(version), text: text! }
      }),
    put: (identity, { text, version }) =>
      Effect.asVoid(command("HSET", keyOf(identity), "version", `${version}`, "text", text))
  }
})

const opening = (url: string, options: TokenStoreRedis.Options = {}) =>
  Effect.scoped(Effect.flip(connect(at(url, options))))

describe.skipIf(!hasRedis)(withRedis("a Redis store"), () => {
  tokenStoreConformance(
    "Redis",
    Effect.sync(() => placeOn(shared)),
    { outlives: true }
  )

  describe("the server that it accepts", () => {
    const refused: ReadonlyArray<readonly [what: string, settings: Record<string, string>, reason: RegExp]> = [
      ["without an append-only file", { appendonly: "no" }, /set `appendonly yes`/],
      ["that may evict a session", { "maxmemory-policy": "allkeys-lru" }, /set `maxmemory-policy noeviction`/],
      ...(hasWaitAof
        ? []
        : ([
            ["that writes to its disk later", { appendfsync: "everysec" }, /set `appendfsync always`/],
            [
              "that writes to its disk later while it rewrites its file",
              { "no-appendfsync-on-rewrite": "yes" },
              /set `no-appendfsync-on-rewrite no`/
            ]
          ] as const))
    ]
    it.live.each(refused)("a store refuses a server %s, and says what to set", ([, settings, reason]) =>
      Effect.gen(function* () {
        const { url } = yield* redisServer(settings)
        const error = yield* opening(url)
        assert.deepInclude(error, { _tag: "TokenStoreError", operation: "open" })
        assert.match(error.message, reason)
      })
    )

    it.live("a store refuses a replica, and a server that became one before it writes", () =>
      Effect.gen(function* () {
        const primary = yield* redisServer()
        const other = yield* redisServer()
        const store = yield* connect(at(primary.url))
        const version = yield* store.compareAndSwap("alice", 0, recordOf(0))
        yield* primary.command("REPLICAOF", "127.0.0.1", `${other.port}`)
        assert.match((yield* opening(primary.url)).message, /not the primary any more/)
        const error = yield* Effect.flip(store.compareAndSwap("alice", version, recordOf(1)))
        assert.match(error._tag, /TokenStoreError/)
        assert.match(error.message, /not the primary any more/)
      })
    )

    it.live("a store notices before a swap that the server may now lose it", () =>
      Effect.gen(function* () {
        const server = yield* redisServer()
        const store = yield* connect(at(server.url))
        const version = yield* store.compareAndSwap("alice", 0, recordOf(0))
        yield* server.command("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
        const error = yield* Effect.flip(store.compareAndSwap("alice", version, recordOf(1)))
        assert.match(error.message, /compareAndSwap: the server may evict sessions/)
        assert.strictEqual(yield* versionOf(store, "alice"), version)
      })
    )

    it.live("a store reports a wrong key and a wrong number of replicas", () =>
      Effect.gen(function* () {
        const wrongKey = yield* Effect.flip(connect(at(shared.url), { key: Redacted.make("short") }))
        assert.deepInclude(wrongKey, { _tag: "ConfigurationInvalid", option: "key" })
        const wrongCount = yield* opening(shared.url, { replicas: -1 })
        assert.deepInclude(wrongCount, { _tag: "ConfigurationInvalid", option: "replicas" })
      })
    )

    it.live("a user with the documented commands on the documented keys suffices, and fewer are reported", () =>
      Effect.gen(function* () {
        const { command, url } = yield* redisServer()
        const commands = ["info", "eval", "hget", "hmget", "hset", "waitaof", "wait", "config|get", "script|load"]
        const setUser = (granted: ReadonlyArray<string>) =>
          command("ACL", "SETUSER", "app", "reset", "on", ">secret", "~custody:session:*", ...granted)
        const granted = commands.filter((name) => hasWaitAof || name !== "waitaof").map((name) => `+${name}`)
        yield* setUser(["+hello", "+client", ...granted])
        const asApp = at(url.replace("//", "//app:secret@"))
        const store = yield* connect(asApp)
        const version = yield* write(store, "alice", recordOf(0))
        assert.strictEqual(yield* versionOf(store, "alice"), version)
        yield* setUser(["+hello", "+client", "+info", "+hmget"])
        const error = yield* Effect.flip(write(store, "alice", recordOf(1)))
        assert.match(error.message, /the user may not do this \(NOPERM\)/)
      })
    )
  })

  describe("a Redis store and its surroundings", () => {
    it.live("acknowledged swaps outlive a killed server, whose dead connections are not noticed", () =>
      Effect.gen(function* () {
        const server = yield* redisServer()
        const store = yield* connect(at(server.url))
        let version = yield* store.compareAndSwap("alice", 0, recordOf(0))
        for (let round = 1; round <= 5; round++) {
          // Several connections are idle in the pool when the server dies.
          yield* Effect.forEach(Arr.range(1, 8), () => store.load("alice"), { concurrency: "unbounded" })
          yield* server.kill
          const error = yield* Effect.flip(store.load("alice"))
          assert.match(error.message, /load: the server cannot be reached/)
          yield* Effect.forEach(Arr.range(1, 8), () => Effect.ignore(store.load("alice")), { concurrency: 1 })
          yield* server.start
          assert.strictEqual(yield* versionOf(store, "alice"), version)
          version = yield* store.compareAndSwap("alice", version, recordOf(round))
        }
      })
    )

    it.live("a server that restarts between two operations costs none of them", () =>
      Effect.gen(function* () {
        const server = yield* redisServer()
        const store = yield* connect(at(server.url))
        let version = yield* store.compareAndSwap("alice", 0, recordOf(0))
        for (let round = 1; round <= 5; round++) {
          yield* Effect.forEach(Arr.range(1, 8), () => store.load("alice"), { concurrency: "unbounded" })
          yield* server.kill
          yield* server.start
          version = yield* store.compareAndSwap("alice", version, recordOf(round))
          assert.strictEqual(yield* versionOf(store, "alice"), version)
        }
      })
    )

    it.live("exactly one of 64 swaps wins while the server is killed and restarted", () =>
      Effect.gen(function* () {
        const server = yield* redisServer()
        const stores = yield* Effect.forEach(Arr.range(1, 4), () => connect(at(server.url)))
        let version = 0
        for (let round = 1; round <= 5; round++) {
          const swaps = yield* Effect.forkChild(
            Effect.forEach(
              Arr.range(0, 63),
              (index) => Effect.exit(stores[index % 4]!.compareAndSwap("alice", version, recordOf(index))),
              { concurrency: "unbounded" }
            )
          )
          yield* Effect.sleep(round * 10)
          yield* server.kill
          yield* server.start
          const won = (yield* Fiber.join(swaps)).filter(Exit.isSuccess)
          assert.isAtMost(won.length, 1)
          const stored = yield* versionOf(stores[0]!, "alice")
          if (won.length === 1) assert.strictEqual(stored, won[0]!.value)
          version = stored
        }
      })
    )

    it.live("a store whose server hangs fails after five seconds", () =>
      Effect.gen(function* () {
        const server = yield* redisServer()
        const store = yield* connect(at(server.url))
        yield* server.signal("SIGSTOP")
        const [load, swap] = yield* Effect.all(
          [
            Effect.flip(store.load("alice")),
            Effect.uninterruptible(Effect.flip(store.compareAndSwap("alice", 0, recordOf(0))))
          ],
          { concurrency: "unbounded" }
        )
        assert.match(load.message, /load: the server did not answer within 5 seconds/)
        assert.match(swap.message, /compareAndSwap: the server did not answer within 5 seconds/)
        yield* server.signal("SIGCONT")
        assert.isAbove(yield* store.compareAndSwap("alice", 0, recordOf(0)), 0)
      })
    )

    it.live("a store error does not repeat Redis' message, which may contain a record", () =>
      Effect.gen(function* () {
        const server = yield* redisServer()
        const store = yield* connect(at(server.url))
        yield* server.command("SET", keyOf("alice"), "not a hash")
        const error = yield* Effect.flip(store.compareAndSwap("alice", 0, recordOf(0)))
        assert.match(error.message, /compareAndSwap: the server refuses the command \(WRONGTYPE\)/)
        const said = `${error.message} ${inspect(error, { depth: 12 })} ${JSON.stringify(error)}`
        assert.notInclude(said, "wrong kind of value")
        assert.notInclude(said, Redacted.value(recordOf(0).session!.refreshToken))
      })
    )
  })

  describe("a Redis store whose server hangs", () => {
    const frozenServer = Effect.tap(redisServer(), (server) => server.signal("SIGSTOP"))
    const ends = <A>(effect: Effect.Effect<A>) =>
      Effect.forkDetach(effect).pipe(Effect.flatMap(Fiber.join), Effect.timeout("30 seconds"))

    it.live("a store closes while its server hangs, because its client does not reconnect", () =>
      Effect.gen(function* () {
        const server = yield* redisServer()
        const frozen = yield* frozenServer
        const address = yield* movableAddress(server.port)
        const storeScope = yield* Scope.make()
        yield* Scope.provide(connect(at(`redis://127.0.0.1:${address.port}`)), storeScope)
        yield* address.moveTo(frozen.port)
        // A client that reconnects has sent its first commands by then, and waits for their answers when it closes.
        yield* Effect.sleep("1 second")
        yield* ends(Scope.close(storeScope, Exit.void))
      })
    )

    it.live("a store does not start with a server that hangs, and fails", () =>
      Effect.gen(function* () {
        const { url } = yield* frozenServer
        const started = yield* ends(Effect.exit(Effect.scoped(connect(at(url)))))
        assert.isTrue(Exit.isFailure(started))
      })
    )

    it.live("connections that hang at a dead server do not keep a store from the next server", () =>
      Effect.gen(function* () {
        const server = yield* redisServer()
        const frozen = yield* frozenServer
        const next = yield* redisServer()
        const address = yield* movableAddress(server.port)
        const store = yield* connect(at(`redis://127.0.0.1:${address.port}`))
        yield* address.moveTo(frozen.port)
        // More loads than the client opens connections.
        const loads = Array.from({ length: 12 }, () => Effect.flip(store.load("alice")))
        yield* Effect.all(loads, { concurrency: "unbounded" })
        yield* address.leadTo(next.port)
        yield* ends(Effect.repeat(Effect.exit(store.load("alice")), { until: Exit.isSuccess }))
      })
    )
  })

  describe("a Redis store with replicas", () => {
    const pair = Effect.gen(function* () {
      const primary = yield* redisServer({ "repl-diskless-sync-delay": "0" })
      const replica = yield* redisServer({ replicaof: `127.0.0.1 ${primary.port}` })
      yield* awaitReplica(primary)
      return { primary, replica }
    })

    it.live("a swap without the replica's acknowledgement is no success, and no load gives it before", () =>
      Effect.gen(function* () {
        const { primary, replica } = yield* pair
        const store = yield* connect(at(primary.url, { replicas: 1 }))
        const other = yield* connect(at(primary.url, { replicas: 1 }))
        const version = yield* store.compareAndSwap("alice", 0, recordOf(0))
        yield* replica.kill
        assert.strictEqual(yield* versionOf(store, "alice"), version)
        const error = yield* Effect.flip(store.compareAndSwap("alice", version, recordOf(1)))
        assert.strictEqual(error._tag, "TokenStoreError")
        assert.match(error.message, /0 replicas acknowledged the write in time, and 1 must/)
        for (const one of [store, other]) {
          assert.match((yield* Effect.flip(one.load("alice"))).message, /load: 0 replicas acknowledged/)
        }
        yield* replica.start
        yield* awaitReplica(primary)
        assert.isAbove(yield* versionOf(other, "alice"), version)
        const conflict = yield* Effect.flip(store.compareAndSwap("alice", version, recordOf(1)))
        assert.strictEqual(conflict._tag, "VersionConflict")
      })
    )

    it.live("no acknowledged swap is lost when the primary is killed and its replica takes over", () =>
      Effect.gen(function* () {
        const { primary, replica } = yield* pair
        const address = yield* movableAddress(primary.port)
        const url = `redis://127.0.0.1:${address.port}`
        const store = yield* connect(at(url, { replicas: 1 }), { key: testKey(1) })
        let acknowledged = 0
        const writing = yield* Effect.forkChild(
          Effect.forever(
            Effect.gen(function* () {
              acknowledged = yield* write(store, "alice", recordOf(0))
            })
          ).pipe(Effect.flip)
        )
        while (acknowledged === 0) yield* Effect.sleep("5 millis")
        yield* Effect.sleep("300 millis")
        yield* primary.kill
        yield* Fiber.join(writing)
        yield* replica.command("REPLICAOF", "NO", "ONE")
        yield* address.moveTo(replica.port)

        // The new primary has no replica yet, and says so.
        const alone = yield* connect(at(url), { key: testKey(1) })
        const found = yield* versionOf(alone, "alice")
        assert.isAtLeast(found, acknowledged)
        const error = yield* Effect.flip(store.compareAndSwap("alice", found, recordOf(1)))
        assert.match(error.message, /0 replicas acknowledged/)
        const third = yield* redisServer({ replicaof: `127.0.0.1 ${replica.port}` })
        yield* awaitReplica(replica)
        const version = yield* write(store, "alice", recordOf(2))
        assert.strictEqual(yield* versionOf(alone, "alice"), version)
        yield* third.kill
      })
    )
  })
})
