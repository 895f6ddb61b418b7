/**
 * Checks what a `TokenStore` must do, for the tests of your own store. All checks run in one process: they do not show
 * whether a swap excludes another process, or whether a write survives a power failure. The SDK's stores pass them.
 *
 * @since 0.1.0
 */
import * as Session from "@effect-custody/authentication/Session"
import { TokenStore, type VersionConflict } from "@effect-custody/authentication/TokenStore"
import type { TokenStoreError } from "@effect-custody/core/SessionError"
import * as Arr from "effect/Array"
import * as Context from "effect/Context"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"

/**
 * A store has failed a check.
 *
 * @since 0.1.0
 * @category errors
 */
export class StoreCheckFailed extends Schema.TaggedError<StoreCheckFailed>(
  "@effect-custody/testing/StoreChecks/StoreCheckFailed"
)("StoreCheckFailed", {
  expected: Schema.String,
  found: Schema.String
}) {
  override get message(): string {
    return `expected ${this.expected}, found ${this.found}`
  }
}

/**
 * A check of one duty of a store.
 *
 * @since 0.1.0
 * @category models
 */
export interface Check {
  /** A sentence for the title of a test. */
  readonly name: string
  /** `true` for a check that a store in memory cannot pass, because it does not outlive its process. */
  readonly outlives: boolean
  /** Checks a store. Each build of the layer is a separate connection. Needs an unused identity. */
  readonly run: <E>(store: Layer.Layer<TokenStore, E>) => Effect.Effect<void, StoreCheckFailed | E>
}

type Store = TokenStore["Service"]

const record = (generation: number, spentKeys: ReadonlyArray<string> = []): Session.SessionRecord => ({
  environment: "https://acme.custody.example/api/integration",
  session: {
    generation,
    accessToken: Redacted.make(`access-${generation}`),
    refreshToken: Redacted.make(`refresh-${generation}`),
    obtainedAt: 1_700_000_000_000
  },
  spentKeys
})

const full: Session.SessionRecord = {
  environment: "https://acme.custody.example/api/integration",
  session: {
    generation: 41,
    accessToken: Redacted.make('an access token, with "quotes", \\ and ünïcode 🔑'),
    refreshToken: Redacted.make(""),
    expiresAt: 1_700_000_900_000,
    obtainedAt: -1,
    vaultId: Number.MAX_SAFE_INTEGER
  },
  lease: { owner: "host-1/17", renewedAt: 1_700_000_000_001 },
  intent: { _tag: "Refresh", generation: 41, since: 1_700_000_000_002, ambiguous: true },
  end: { _tag: "Lost", generation: 41, at: 1_700_000_000_003, answerLostAt: 1_700_000_000_002 },
  spentKeys: ["one", "two"]
}

const wholes: ReadonlyArray<readonly [what: string, record: Session.SessionRecord]> = [
  ["that has not started", Session.empty("http://127.0.0.1:4010")],
  ["with all of its parts", full],
  [
    "with the other kinds of parts",
    {
      environment: "",
      session: { ...full.session!, vaultId: "v-1" },
      intent: { _tag: "Start", fingerprint: "f", since: 0, ambiguous: false },
      end: { _tag: "Invalid", generation: 0, at: 0, reason: "malformed" },
      spentKeys: []
    }
  ],
  [
    "of a megabyte",
    record(
      0,
      Arr.makeBy(16_000, (index) => `${index}`.padStart(64, "0"))
    )
  ]
]

const encode = Schema.encodeEffect(Schema.fromJsonString(Schema.toCodecJson(Session.SessionRecord)))

/** A record with its version, as text that shows secrets too. */
const shown = (version: number, whole: Session.SessionRecord) =>
  Effect.map(Effect.orDie(encode(whole)), (text) => `${version} ${text}`)

/** Returns the value of a store operation, or `VersionConflict`. Every other error fails the check, with the store's reason. */
const attempt = <A>(
  expected: string,
  operation: Effect.Effect<A, TokenStoreError | VersionConflict>
): Effect.Effect<A | "VersionConflict", StoreCheckFailed> =>
  operation.pipe(
    Effect.catchTag("VersionConflict", () => Effect.succeed("VersionConflict" as const)),
    Effect.mapError(({ message }) => new StoreCheckFailed({ expected, found: message }))
  )

const isEqual = (what: string, found: unknown, expected: unknown): Effect.Effect<void, StoreCheckFailed> => {
  const [is, should] = [String(found), String(expected)]
  const error = new StoreCheckFailed({ expected: `${what}: ${should.slice(0, 200)}`, found: is.slice(0, 200) })
  return is === should ? Effect.void : Effect.fail(error)
}

/** Swaps, and returns the new version. */
const swaps = Effect.fnUntraced(function* (
  store: Store,
  identity: string,
  expectedVersion: number,
  next: Session.SessionRecord
) {
  const expected = `a swap that expects version ${expectedVersion} to give a new one`
  const found = yield* attempt(expected, store.compareAndSwap(identity, expectedVersion, next))
  return found === "VersionConflict" ? yield* new StoreCheckFailed({ expected, found }) : found
})

const conflicts = Effect.fnUntraced(function* (store: Store, identity: string, expectedVersion: number) {
  const expected = `a swap that expects version ${expectedVersion} to give`
  const found = yield* attempt(
    `${expected}: VersionConflict`,
    store.compareAndSwap(identity, expectedVersion, record(9))
  )
  yield* isEqual(expected, found, "VersionConflict")
})

/** Reads the stored record as `version record`, or `nothing`. */
const stored = (store: Store, identity: string) =>
  attempt(
    "a load to give a record or nothing",
    Effect.flatMap(
      store.load(identity),
      Option.match({
        onNone: () => Effect.succeed("nothing"),
        onSome: (found) => shown(found.version, found.record)
      })
    )
  )

const holds = Effect.fnUntraced(function* (
  store: Store,
  identity: string,
  version: number,
  next: Session.SessionRecord
): Effect.fn.Return<void, StoreCheckFailed> {
  yield* isEqual("a load to give", yield* stored(store, identity), yield* shown(version, next))
})

const isEmpty = (store: Store, identity: string) =>
  Effect.flatMap(stored(store, identity), (found) => isEqual("a load to give", found, "nothing"))

/** Swaps many times at once: exactly one swap must win, and the others conflict. Returns the new version. */
const oneWins = Effect.fnUntraced(function* (stores: ReadonlyArray<Store>, identity: string, expected: number) {
  const ends = yield* Effect.forEach(
    Arr.makeBy(64, (index) => stores[index % stores.length]!.compareAndSwap(identity, expected, record(index))),
    (swap) => attempt("each of 64 swaps at once to win or to conflict", swap),
    { concurrency: "unbounded" }
  )
  const [version = 0, ...others] = ends.filter(Predicate.isNumber)
  yield* isEqual("of 64 swaps at once to win", version === 0 ? 0 : 1 + others.length, 1)
  yield* isEqual("of 64 swaps at once to conflict", ends.filter((end) => end === "VersionConflict").length, 63)
  return version
})

/** An unused identity. The store's data may outlive a run of the tests. */
const unique = (): string => `alice ${SecureRandom.uuidV4Unsafe()}`

/** A connection that is closed with the scope. */
const connect = <E>(store: Layer.Layer<TokenStore, E>) =>
  Effect.map(Layer.build(Layer.fresh(store)), Context.get(TokenStore))

const check = (
  name: string,
  body: (store: Store, identity: string) => Effect.Effect<void, StoreCheckFailed, Scope.Scope>
): Check => ({
  name,
  outlives: false,
  run: (store) =>
    Effect.scoped(
      Effect.gen(function* () {
        yield* body(yield* connect(store), unique())
      })
    )
})

const durable = (
  name: string,
  body: <E>(
    store: Layer.Layer<TokenStore, E>,
    identity: string
  ) => Effect.Effect<void, StoreCheckFailed | E, Scope.Scope>
): Check => ({
  name,
  outlives: true,
  run: (store) => Effect.scoped(Effect.suspend(() => body(store, unique())))
})

const awkwardNames = ["", "alice", "ALICE", "constructor", "__proto__", "a'; DROP TABLE custody_sessions; --", "ünï 🔑"]

/**
 * Every check, for a store that outlives its process. A store in memory must pass the checks without `outlives`.
 *
 * @example
 * ```ts
 * import { TokenStore } from "@effect-custody/sdk"
 * import { StoreChecks } from "@effect-custody/testing"
 * import { it } from "@effect/vitest"
 *
 * for (const { name, outlives, run } of StoreChecks.all) {
 *   if (!outlives) it.live(name, () => run(TokenStore.layerMemory))
 * }
 * ```
 *
 * @since 0.1.0
 * @category checks
 */
export const all: ReadonlyArray<Check> = [
  check("nothing is stored at first", isEmpty),
  check("the first swap expects version 0, and each other one expects its version", (store, alice) =>
    Effect.gen(function* () {
      let version = 0
      for (const generation of [0, 1, 2]) {
        version = yield* swaps(store, alice, version, record(generation))
        yield* holds(store, alice, version, record(generation))
      }
    })
  ),
  check("a swap that expects another version conflicts, and changes nothing", (store, alice) =>
    Effect.gen(function* () {
      yield* conflicts(store, alice, 1)
      yield* isEmpty(store, alice)
      const first = yield* swaps(store, alice, 0, record(0))
      const second = yield* swaps(store, alice, first, record(1))
      for (const expected of [0, 1, first, second - 1, second + 1]) yield* conflicts(store, alice, expected)
      yield* holds(store, alice, second, record(1))
    })
  ),
  check("of 64 swaps at once exactly one wins, the first and the next", (store, alice) =>
    Effect.gen(function* () {
      const version = yield* oneWins([store], alice, 0)
      yield* oneWins([store], alice, version)
    })
  ),
  check("identities do not see each other, whatever their names", (store, alice) =>
    Effect.gen(function* () {
      const versions = yield* Effect.forEach(awkwardNames, (name, index) =>
        Effect.andThen(isEmpty(store, `${name}${alice}`), swaps(store, `${name}${alice}`, 0, record(index)))
      )
      for (const [index, version] of versions.entries()) {
        yield* holds(store, `${awkwardNames[index]}${alice}`, version, record(index))
      }
    })
  ),
  ...wholes.map(([what, whole]) =>
    check(`a record ${what} comes back whole`, (store, alice) =>
      Effect.flatMap(swaps(store, alice, 0, whole), (version) => holds(store, alice, version, whole))
    )
  ),
  durable("what was acknowledged is there when the store is opened again", (store, alice) =>
    Effect.gen(function* () {
      const version = yield* Effect.scoped(Effect.flatMap(connect(store), (first) => swaps(first, alice, 0, full)))
      const second = yield* connect(store)
      yield* holds(second, alice, version, full)
      yield* swaps(second, alice, version, record(1))
    })
  ),
  durable("of 64 swaps over four connections exactly one wins, and all see it", (store, alice) =>
    Effect.gen(function* () {
      const stores = yield* Effect.forEach([1, 2, 3, 4], () => connect(store), { concurrency: "unbounded" })
      let version = 0
      for (let round = 0; round < 3; round++) {
        version = yield* oneWins(stores, alice, version)
        const seen = yield* Effect.forEach(stores, (one) => stored(one, alice))
        yield* isEqual("what four connections see to be of version", Number.parseInt(seen[0]!, 10), version)
        yield* isEqual("what four connections see to be", Arr.dedupe(seen).length, 1)
      }
    })
  )
]
