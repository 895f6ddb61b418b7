/**
 * Sessions in Redis or Valkey, shared by any number of hosts.
 *
 * Specification: "Persist the newest refresh token immediately after each refresh."
 *
 * @since 0.1.0
 */
import * as RowStore from "@effect-custody/authentication/RowStore"
import { type Row, type Rows, type StoreOptions, TokenStore } from "@effect-custody/authentication/TokenStore"
import { ConfigurationInvalid } from "@effect-custody/core/SdkError"
import { TokenStoreError } from "@effect-custody/core/SessionError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { type Connection, Redis, type RedisError } from "effect/persistence/Redis"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"

/**
 * The options of a store in Redis.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options extends StoreOptions {
  /**
   * The number of replicas that must acknowledge a write. With fewer, a write fails, and no refresh is sent. Default: 0,
   * and then a failover to a replica may lose the newest session. Redis 7.2 and later wait for the disks of the replicas,
   * earlier versions for their memory.
   */
  readonly replicas?: number | undefined
}

/**
 * A store in the hashes `custody:session:<identity>` of `Redis`: bring your own client. Its user needs `INFO`, `EVAL`,
 * `HGET`, `HMGET`, `HSET`, and `WAITAOF` (before Redis 7.2: `CONFIG GET` and `WAIT`).
 *
 * The store opens its own connections, and opens them again after a restart. Give it a `NodeRedis` that no other code uses,
 * with the `socket` below. While a server hangs, a client that reconnects may never close, and one without
 * `socketTimeout` neither fails to start nor follows a failover. `Logger.layer([])` drops its warnings about connections
 * that end: the store reports each failure itself.
 *
 * - A swap is on the server's disk before it returns. Redis 7.2 and later need `appendonly yes`. Earlier versions need
 *   `appendfsync always` and `no-appendfsync-on-rewrite no` too.
 * - With `appendfsync everysec` a swap takes up to a second. `always` makes it fast.
 * - `maxmemory-policy` must keep keys without an expiry: `noeviction` or `volatile-…`.
 * - The server must be the primary. The store checks the server again before each swap, because a failover may change it.
 *
 * The layer fails with `ConfigurationInvalid` if an option is wrong, and with `TokenStoreError` if the server cannot be
 * reached or may lose a session; the error says what to set. An operation fails with `TokenStoreError` after five seconds:
 * a swap may then have been written, and conflicts when it is repeated. A record whose write was not acknowledged is not
 * loaded before it is.
 *
 * @example
 * ```ts
 * import { TokenStoreRedis } from "@effect-custody/redis"
 * import * as NodeRedis from "@effect/platform-node/NodeRedis"
 * import { Config, Layer, Logger } from "effect"
 *
 * const redis = NodeRedis.layerConfig({
 *   url: Config.String("REDIS_URL"),
 *   socket: Config.succeed({ reconnectStrategy: false, socketTimeout: 10_000 })
 * }).pipe(Layer.provide(Logger.layer([])))
 *
 * const store = TokenStoreRedis.layer({ replicas: 1 }).pipe(Layer.provide(redis))
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options = {}): Layer.Layer<TokenStore, TokenStoreError | ConfigurationInvalid, Redis> =>
  Layer.effect(
    TokenStore,
    Effect.gen(function* () {
      const redis = yield* Redis
      const { replicas = 0, ...storeOptions } = options
      if (!isCount(replicas)) {
        return yield* new ConfigurationInvalid({ option: "replicas", reason: "must be an integer, 0 or more" })
      }
      const store = yield* RowStore.make(rows(redis, replicas), storeOptions)
      yield* onConnection(redis, "open", checkServer, () => Effect.void)
      return store
    })
  )

const isCount = Schema.is(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)))

const timeLimit = "5 seconds"
/** The time for acknowledgements. It is shorter than `timeLimit`, so that an error can say what is missing. */
const acknowledgementMillis = "4000"

const keyOf = (identity: string): string => `custody:session:${identity}`

/** Replaces the row of version ARGV[1]. Versions are compared as texts, because they exceed the integers of Lua's format. */
const swapScript = `
if (redis.call('HGET', KEYS[1], 'version') or '0') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'version', ARGV[2], 'text', ARGV[3])
return 1`

/** Advice for the error codes of Redis. */
const replyCodes: Readonly<Record<string, string>> = {
  CLUSTERDOWN: "the cluster is down",
  LOADING: "the server is starting",
  MASTERDOWN: "the server is a replica that has lost its primary",
  MISCONF: "the server cannot write to its disk",
  MOVED: "the server is a part of a cluster, and the key belongs to another part",
  NOAUTH: "the server asks for a password",
  NOPERM: "the user may not do this",
  NOREPLICAS: "the server has too few replicas",
  OOM: "the server has no memory left",
  READONLY: "the server is a replica, or not the primary any more",
  UNBLOCKED: "the server is not the primary any more",
  WRONGPASS: "the user or the password is wrong"
}

/** Codes such as ECONNREFUSED. */
const isName = Schema.is(Schema.String.check(Schema.isPattern(/^[A-Z_]{1,40}$/)))

const replyCode = ({ cause }: RedisError): string | undefined =>
  Predicate.isError(cause) ? /^[A-Z]{2,20}(?= )/.exec(cause.message)?.[0] : undefined

/** Describes a failure by its code, never by the server's message. */
const describeFailure = (error: RedisError): string => {
  const reply = replyCode(error)
  if (reply !== undefined) return `${replyCodes[reply] ?? "the server refuses the command"} (${reply})`
  const code = Predicate.hasProperty(error.cause, "code") ? error.cause.code : undefined
  return isName(code) ? `the server cannot be reached (${code})` : "the server cannot be reached"
}

/** A connection that failed at its first command. It may have died in the pool, with an earlier server. */
class Dead extends Schema.TaggedError<Dead>("@effect-custody/redis/Dead")("Dead", {
  reason: Schema.String
}) {}

/** More than the connections of most pools. */
const maxDeadConnections = 32

/**
 * Runs two steps on one connection. The first step writes nothing, and begins again on the next connection if it found a
 * dead one.
 */
const onConnection = <A, B>(
  redis: Redis["Service"],
  operation: TokenStoreError["operation"],
  first: (connection: Connection) => Effect.Effect<A, RedisError | Refusal>,
  second: (connection: Connection, found: A) => Effect.Effect<B, RedisError | Refusal>
): Effect.Effect<B, TokenStoreError> => {
  const failed = (reason: string) => new TokenStoreError({ operation, reason })
  const reasonOf = (error: RedisError | Refusal) => (error._tag === "Refusal" ? error.reason : describeFailure(error))
  return Effect.gen(function* () {
    const connection = yield* Effect.mapError(redis.reserve, (error) => failed(describeFailure(error)))
    const found = yield* Effect.mapError(first(connection), (error) =>
      error._tag === "RedisError" && replyCode(error) === undefined
        ? new Dead({ reason: describeFailure(error) })
        : failed(reasonOf(error))
    )
    return yield* Effect.mapError(second(connection, found), (error) => failed(reasonOf(error)))
  }).pipe(
    Effect.scoped,
    Effect.retry({ while: ({ _tag }) => _tag === "Dead", times: maxDeadConnections }),
    Effect.catchTag("Dead", ({ reason }) => Effect.fail(failed(reason))),
    Effect.timeoutOrElse({
      duration: timeLimit,
      orElse: () => Effect.fail(failed(`the server did not answer within ${timeLimit}`))
    })
  )
}

/** The server may lose a session. `reason` says what to set. */
class Refusal extends Schema.TaggedError<Refusal>("@effect-custody/redis/Refusal")("Refusal", {
  reason: Schema.String
}) {}

/** How a write is acknowledged: by `WAITAOF`, or by the reply to the write itself. */
type Acknowledgement = "WAITAOF" | "reply"

/** Checks that the server keeps what it acknowledges. */
const checkServer = Effect.fnUntraced(function* (
  connection: Connection
): Effect.fn.Return<Acknowledgement, RedisError | Refusal> {
  const info = new Map(
    (yield* connection.send<string>("INFO")).split("\r\n").map((line): readonly [string, string] => {
      const colon = line.indexOf(":")
      return [line.slice(0, colon), line.slice(colon + 1)]
    })
  )
  const refuse = (reason: string) => new Refusal({ reason })
  if (info.get("role") !== "master") return yield* refuse(replyCodes["READONLY"]!)
  if (info.get("aof_enabled") !== "1") {
    return yield* refuse("the server writes no append-only file, and loses sessions: set `appendonly yes`")
  }
  if (!/^(noeviction$|volatile-)/.test(info.get("maxmemory_policy") ?? "")) {
    return yield* refuse("the server may evict sessions: set `maxmemory-policy noeviction`")
  }
  const [major = 0, minor = 0] = (info.get("redis_version") ?? "").split(".").map(Number)
  if (major > 7 || (major === 7 && minor >= 2)) return "WAITAOF"
  if ((yield* readSetting(connection, "appendfsync")) !== "always") {
    return yield* refuse("the server acknowledges before the disk has it: set `appendfsync always`, or use Redis 7.2")
  }
  if ((yield* readSetting(connection, "no-appendfsync-on-rewrite")) !== "no") {
    return yield* refuse(
      "the server acknowledges before the disk has it, while it rewrites its file: set `no-appendfsync-on-rewrite no`"
    )
  }
  return "reply"
})

/** Reads a setting. The reply is a list or a record, depending on the protocol of the client. */
const readSetting = (connection: Connection, name: string) =>
  Effect.map(connection.send<object>("CONFIG", "GET", name), (reply): unknown => Object.values(reply).at(-1))

/** Waits until everything that this connection wrote is on the disk, and at the replicas. */
const awaitAcknowledgements = Effect.fnUntraced(function* (
  connection: Connection,
  acknowledgement: Acknowledgement,
  replicas: number
): Effect.fn.Return<void, RedisError | Refusal> {
  const [disk, copies] =
    acknowledgement === "WAITAOF"
      ? yield* connection.send<readonly [number, number]>("WAITAOF", "1", `${replicas}`, acknowledgementMillis)
      : [1, replicas === 0 ? 0 : yield* connection.send<number>("WAIT", `${replicas}`, acknowledgementMillis)]
  if (!(disk >= 1)) return yield* new Refusal({ reason: "the server's disk did not acknowledge the write in time" })
  if (!(copies >= replicas)) {
    return yield* new Refusal({ reason: `${copies} replicas acknowledged the write in time, and ${replicas} must` })
  }
})

/**
 * Makes what this connection wrote durable, and notes in the row that this version is. A load of a version without the
 * note makes it durable first.
 */
const settle = Effect.fnUntraced(function* (
  connection: Connection,
  acknowledgement: Acknowledgement,
  replicas: number,
  key: string,
  version: string
) {
  yield* awaitAcknowledgements(connection, acknowledgement, replicas)
  yield* Effect.ignore(connection.send("HSET", key, "durable", version))
})

const decodeRow = Schema.decodeUnknownEffect(
  Schema.Tuple([Schema.FiniteFromString.pipe(Schema.check(Schema.isInt())), Schema.String])
)

type Fields = readonly [version: string | null, text: string | null, durable: string | null]

const rows = (redis: Redis["Service"], replicas: number): Rows => ({
  load: Effect.fnUntraced(function* (identity: string) {
    const key = keyOf(identity)
    const [version, text] = yield* onConnection(
      redis,
      "load",
      (connection) => connection.send<Fields>("HMGET", key, "version", "text", "durable"),
      Effect.fnUntraced(function* (connection, fields) {
        const [version, , durable] = fields
        if (version === null || durable === version) return fields
        const acknowledgement = yield* checkServer(connection)
        // A connection waits only for its own writes, and for all before them.
        yield* connection.send("HSET", key, "loaded", version)
        yield* settle(connection, acknowledgement, replicas, key, version)
        return fields
      })
    )
    if (version === null && text === null) return Option.none()
    const [number, record] = yield* Effect.mapError(
      decodeRow([version, text]),
      () => new TokenStoreError({ operation: "load", reason: "a row cannot be read" })
    )
    return Option.some({ version: number, text: record })
  }),
  compareAndSwap: (identity: string, expectedVersion: number, next: Row) =>
    onConnection(
      redis,
      "compareAndSwap",
      checkServer,
      Effect.fnUntraced(function* (connection, acknowledgement) {
        const [key, version] = [keyOf(identity), String(next.version)]
        const values = [String(expectedVersion), version, next.text]
        const swapped = yield* connection.send<number>("EVAL", swapScript, "1", key, ...values)
        if (swapped !== 1) return false
        yield* settle(connection, acknowledgement, replicas, key, version)
        return true
      })
    )
})
