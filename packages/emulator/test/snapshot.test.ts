import { assert, describe, it } from "@effect/vitest"
import { CustodyEmulator, Snapshot } from "@effect-custody/emulator"
import { CustodyApi } from "@effect-custody/sdk"
import { Duration, Effect, Layer, Redacted } from "effect"
import { FetchHttpClient, HttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { client } from "./layers.ts"
import { callEach } from "./operations.ts"
import { details, generate, refresh, send, session } from "./support.ts"

const inProcess = Effect.provide(CustodyEmulator.layerHttpClient)

/** Another emulator, restored from the text of a snapshot. */
const another = Effect.fnUntraced(function* (text: string) {
  const snapshot = yield* Snapshot.fromText(text)
  return yield* Layer.build(CustodyEmulator.layerHttpClientWith({ snapshot }))
})

const takeText = Effect.flatMap(CustodyEmulator, ({ snapshot }) => Effect.map(snapshot, Snapshot.toText))

/** The emulator's answers to every read of every record. */
const everyRead = Effect.fnUntraced(function* (token: string) {
  const answers: Array<readonly [string, number, string]> = []
  for (const {
    route: { path }
  } of CustodyApi.operations.filter(({ route }) => route.method === "GET")) {
    const ids = ["alice", "none", ...Array.from({ length: 60 }, (_, n) => String(n < 5 ? n : 996 + n))]
    const parameter = /:\w+|\{\w+\}/
    const paths = parameter.test(path) ? ids.map((id) => path.replace(parameter, id)) : [path, `${path}?limit=100`]
    for (const path of paths) {
      const { status, text } = yield* send(path, { token })
      answers.push([path, status, text])
    }
  }
  return answers
})

describe("a snapshot", () => {
  it.effect("after every operation, restores an emulator that answers every read the same, now and later", () =>
    Effect.gen(function* () {
      yield* Effect.provide(callEach, client)
      const { accessToken, refreshToken } = yield* session()
      const text = yield* takeText
      const restored = yield* another(text)
      assert.strictEqual(yield* Effect.provideContext(takeText, restored), text)
      for (const wait of [0, 700, 2_000, 3_000]) {
        yield* TestClock.adjust(wait)
        const here = yield* everyRead(accessToken)
        assert.deepStrictEqual(yield* Effect.provideContext(everyRead(accessToken), restored), here)
        assert.isTrue(here.some(([, status]) => status === 200))
      }
      const there = yield* Effect.provideContext(refresh(refreshToken), restored)
      assert.deepStrictEqual(there, yield* refresh(refreshToken))
      assert.strictEqual(there.status, 201)
      const ledgers = Effect.flatMap(CustodyEmulator, ({ ledger }) => ledger)
      assert.deepStrictEqual(yield* Effect.provideContext(ledgers, restored), yield* ledgers)
    }).pipe(inProcess)
  )

  it.effect("keeps spent tokens spent, and repeats no secret", () =>
    Effect.gen(function* () {
      const { issueApiKey } = yield* CustodyEmulator
      const used = Redacted.value(yield* issueApiKey())
      const { data: first } = (yield* generate(used)).json
      yield* refresh(first.refreshToken)
      const restored = yield* another(yield* takeText)
      yield* Effect.provideContext(
        Effect.gen(function* () {
          assert.strictEqual((yield* generate(used)).json.code, "E00401")
          assert.notStrictEqual(Redacted.value(yield* (yield* CustodyEmulator).issueApiKey()), used)
          assert.strictEqual((yield* details(first.accessToken)).status, 200)
          assert.strictEqual((yield* refresh(first.refreshToken)).json.code, "E01402")
          assert.strictEqual((yield* details(first.accessToken)).status, 401)
        }),
        restored
      )
      assert.strictEqual((yield* details(first.accessToken)).status, 200)
    }).pipe(inProcess)
  )

  it.effect("restores its settings, which options override, except the seed", () =>
    Effect.gen(function* () {
      const { setDurations, snapshot: take } = yield* CustodyEmulator
      yield* setDurations({ pendingFor: "7 seconds" })
      const snapshot = yield* take
      const settings = (options: object) =>
        Effect.provide(
          Effect.flatMap(CustodyEmulator, ({ settings }) => settings),
          Layer.fresh(CustodyEmulator.layerHttpClientWith({ snapshot, ...options }))
        )
      assert.deepStrictEqual(yield* settings({}), snapshot.settings)
      const changed = yield* settings({ tokenLifetime: "1 minute", seed: snapshot.settings.seed })
      assert.strictEqual(Duration.toMillis(changed.tokenLifetime), 60_000)
      assert.deepStrictEqual(changed.durations, snapshot.settings.durations)
      const refused = yield* Effect.flip(settings({ seed: 99 }))
      assert.deepStrictEqual([refused._tag, refused.option], ["ConfigurationInvalid", "seed"])
    }).pipe(inProcess)
  )

  it.effect.each([
    ["is not JSON", (text: string) => text.slice(0, -10)],
    ["is of a later version", (text: string) => text.replace('"version":1', '"version":2')],
    ["has a number where a text belongs", (text: string) => text.replace(/"accessToken":"\w+"/, '"accessToken":7')],
    ["has a sum that is none", (text: string) => text.replace(/"balance":"[^"]+"/, '"balance":"much"')],
    ["has an unknown part", (text: string) => text.replace('"clients":', '"customers":')],
    ["has tokens of no session", (text: string) => text.replace(/"session":1\b/, '"session":9')],
    ["lacks the wallet of an owner", (text: string) => text.replace(/("ids":\[\[(?:"(?:[^"\\]|\\.)*"),)"\d+"/, '$1"7"')]
  ] as const)("that %s is refused, and says why", ([, spoil]) =>
    Effect.gen(function* () {
      const pair = yield* session()
      yield* send("/clients/create", { token: pair.accessToken, body: { externalId: "alice" } })
      yield* refresh(pair.refreshToken)
      const text = yield* takeText
      const bad = spoil(text)
      assert.notStrictEqual(bad, text)
      const error = yield* Effect.flip(another(bad))
      assert.deepStrictEqual([error._tag, error.option], ["ConfigurationInvalid", "snapshot"])
      assert.isAbove(error.reason.length, 10)
      assert.notInclude(error.reason, pair.refreshToken)
    }).pipe(inProcess)
  )
})

describe("a snapshot file", () => {
  const temporary = Effect.acquireRelease(
    Effect.sync(() => Fs.mkdtempSync(Path.join(Os.tmpdir(), "emulator-snapshot-"))),
    (directory) => Effect.sync(() => Fs.rmSync(directory, { recursive: true }))
  )
  const served = (snapshotFile: string) =>
    Effect.provide(Layer.merge(FetchHttpClient.layer, Layer.fresh(CustodyEmulator.layerServer({ snapshotFile }))))

  it.live("is written on request and at the end, readable by its owner only, and is read at the start", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      const file = Path.join(directory, "emulator.json")
      const pair = yield* Effect.gen(function* () {
        const { baseUrl } = yield* CustodyEmulator
        assert.isFalse(Fs.existsSync(file))
        const response = yield* HttpClient.post(new URL("/emulator/snapshot", baseUrl))
        assert.deepStrictEqual(yield* response.json, { file })
        assert.strictEqual(Fs.statSync(file).mode & 0o777, 0o600)
        return yield* session()
      }).pipe(served(file))
      yield* Effect.gen(function* () {
        assert.strictEqual((yield* details(pair.accessToken)).status, 200)
        assert.strictEqual((yield* refresh(pair.refreshToken)).status, 201)
      }).pipe(served(file))
      assert.deepStrictEqual(Fs.readdirSync(directory), ["emulator.json"])
    })
  )

  it.live("with a mistake is reported, and stays unchanged", () =>
    Effect.gen(function* () {
      const file = Path.join(yield* temporary, "emulator.json")
      Fs.writeFileSync(file, "{}")
      const error = yield* Effect.flip(served(file)(Effect.void))
      assert.strictEqual(error._tag, "ConfigurationInvalid")
      assert.include(error.message, file)
      assert.strictEqual(Fs.readFileSync(file, "utf8"), "{}")
    })
  )
})
