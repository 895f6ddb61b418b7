import { TokenStore } from "@effect-custody/authentication"
import { TokenStoreSqlite } from "@effect-custody/node"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, FileSystem } from "effect"
import { custody, inDirectory, server } from "./runCustody.ts"

const exists = (file: string) => FileSystem.FileSystem.use((fileSystem) => fileSystem.exists(file))

/** A file with a session of a service. */
const stored = Effect.fnUntraced(function* (environment: string) {
  const path = `${yield* inDirectory}/session.db`
  yield* TokenStore.use((store) => store.compareAndSwap("default", 0, { environment, spentKeys: [] })).pipe(
    Effect.provide(TokenStoreSqlite.layer({ filename: path }))
  )
  return path
})

describe("custody session", () => {
  it.live("session start sends and stores nothing if CUSTODY_SESSION_KEY is empty", () =>
    Effect.gen(function* () {
      let requests = 0
      const url = yield* server((_, response) => {
        requests++
        response.writeHead(400).end("{}")
      })
      const file = `${yield* inDirectory}/session.db`
      const env = { CUSTODY_BASE_URL: url, CUSTODY_SESSION_FILE: file, CUSTODY_API_KEY: "k", CUSTODY_SESSION_KEY: "" }
      const { fails, said } = yield* custody(["session", "start"], env)
      assert.strictEqual(requests, 0)
      assert.isTrue(fails)
      assert.include(said, "CUSTODY_SESSION_KEY: is empty: give 32 bytes in base64")
      assert.isFalse(yield* exists(file))
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("session start refuses a wrong HTTPS_PROXY, and does not send the API key past it", () =>
    Effect.gen(function* () {
      let requests = 0
      const url = yield* server(() => void requests++)
      const file = `${yield* inDirectory}/session.db`
      const env = { CUSTODY_BASE_URL: url, CUSTODY_SESSION_FILE: file, CUSTODY_API_KEY: "k", HTTPS_PROXY: "ftp://x" }
      const { fails, said } = yield* custody(["session", "start"], env)
      assert.isTrue(fails)
      assert.include(said, "must be the address of a proxy")
      assert.strictEqual(requests, 0)
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live(
    "session encrypt moves a session from a former key to the new one, and commands read it with either key",
    () =>
      Effect.gen(function* () {
        const [former, next] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString("base64"))
        const file = yield* stored("http://127.0.0.1:1/api")
        const alone = (key: string) => ({ CUSTODY_SESSION_FILE: file, CUSTODY_SESSION_KEY: key })
        const both = { ...alone(next!), CUSTODY_PREVIOUS_SESSION_KEYS: former! }
        assert.isFalse((yield* custody(["session", "encrypt", "--yes"], alone(former!))).fails)

        const early = yield* custody(["session", "encrypt", "--yes"], alone(next!))
        assert.isTrue(early.fails)
        assert.include(early.said, "encrypted with another key")
        assert.isFalse((yield* custody(["session", "status"], both)).fails)
        assert.isTrue((yield* custody(["session", "status"], alone(next!))).fails)

        assert.isFalse((yield* custody(["session", "encrypt", "--yes"], both)).fails)
        assert.isFalse((yield* custody(["session", "status"], alone(next!))).fails)
        assert.isTrue((yield* custody(["session", "status"], alone(former!))).fails)
        assert.include((yield* custody(["session", "encrypt", "--yes"], both)).said, "with this key already")
      }).pipe(Effect.provide(NodeServices.layer))
  )

  const key = Buffer.alloc(32, 1).toString("base64")
  const wrongKeys: ReadonlyArray<readonly [Record<string, string>, string]> = [
    [{ CUSTODY_SESSION_KEY_FILE: "/run/secrets/key" }, "CUSTODY_SESSION_KEY: is empty: give 32 bytes in base64"],
    [{ CUSTODY_SESSION_KEY: "" }, "CUSTODY_SESSION_KEY: is empty"],
    [{ CUSTODY_SESSION_KEY: "not even a key" }, "CUSTODY_SESSION_KEY: must be base64"],
    [{ CUSTODY_PREVIOUS_SESSION_KEYS: key }, "CUSTODY_SESSION_KEY: is missing, and there are previous keys"],
    [
      { CUSTODY_SESSION_KEY: key, CUSTODY_PREVIOUS_SESSION_KEYS: `${key},no key` },
      "CUSTODY_PREVIOUS_SESSION_KEYS: its key 2 must be base64"
    ]
  ]
  it.live.each(wrongKeys)(
    "every session command names the variable of a wrong key, as NodeCustody does: %j",
    ([keys, error]) =>
      Effect.gen(function* () {
        const file = yield* stored("http://127.0.0.1:1/api")
        const env = { CUSTODY_BASE_URL: "http://127.0.0.1:1/api", CUSTODY_SESSION_FILE: file, CUSTODY_API_KEY: "k" }
        for (const name of ["status", "start", "doctor", "encrypt"]) {
          const { fails, said } = yield* custody(["session", name], { ...env, ...keys })
          assert.isTrue(fails, name)
          assert.include(said, error, name)
        }
      }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("a command sends the API key of a variable or an option without the white space around it", () =>
    Effect.gen(function* () {
      const sent: Array<string> = []
      const url = yield* server((request, response) => {
        let body = ""
        request.on("data", (chunk) => (body += chunk))
        request.on("end", () => {
          if (body.includes("the-key")) sent.push(body)
          response.writeHead(400).end("{}")
        })
      })
      const env = { CUSTODY_BASE_URL: url, CUSTODY_SESSION_FILE: `${yield* inDirectory}/session.db` }
      yield* custody(["session", "start"], { ...env, CUSTODY_API_KEY: "the-key-1\n" })
      yield* custody(["session", "start", "--api-key", " the-key-2\r\n"], env)
      yield* custody(["conformance", "--base-url", url], { CUSTODY_API_KEY: "the-key-3\n" })
      assert.deepStrictEqual(
        sent.map((body) => JSON.parse(body).apiKey),
        ["the-key-1", "the-key-2", "the-key-3"]
      )
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("session start says if the expiry of the token could not be read", () =>
    Effect.gen(function* () {
      const startWith = Effect.fnUntraced(function* (expiresAt: number) {
        const url = yield* server((_, response) => {
          const data = { accessToken: "a", refreshToken: "r", expiresAt, vaultId: 1 }
          response.writeHead(201, { "content-type": "application/json" })
          response.end(JSON.stringify({ message: "ok", data, status: 201 }))
        })
        const env = { CUSTODY_BASE_URL: url, CUSTODY_SESSION_FILE: `${yield* inDirectory}/session.db` }
        return yield* custody(["session", "start"], { ...env, CUSTODY_API_KEY: "key" })
      })
      const inAnHour = (yield* Clock.currentTimeMillis) + 3_600_000
      const seconds = yield* startWith(Math.floor(inAnHour / 1000))
      assert.isFalse(seconds.fails, seconds.said)
      assert.include(seconds.said, "look: the expiry of the token could not be read")
      assert.notInclude((yield* startWith(inAnHour)).said, "look:")
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("session doctor reports that a text file is no SQLite database, and gives no advice about keys", () =>
    Effect.gen(function* () {
      const file = `${yield* inDirectory}/notes.txt`
      yield* FileSystem.FileSystem.use((fileSystem) => fileSystem.writeFileString(file, "a list of things to do\n"))
      const { fails, said } = yield* custody(["session", "doctor"], { CUSTODY_SESSION_FILE: file })
      assert.isTrue(fails)
      assert.include(said, `${file}: it is not a SQLite database`)
      assert.include(said, "CUSTODY_SESSION_FILE")
      assert.notMatch(said, /key|encrypt/i)
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("session doctor does not show the password in CUSTODY_BASE_URL", () =>
    Effect.gen(function* () {
      const file = yield* stored("http://127.0.0.1:1/api")
      const env = { CUSTODY_BASE_URL: "https://alice:canary@custody.example/api", CUSTODY_SESSION_FILE: file }
      for (const options of [[], ["--json"]]) {
        const { fails, said } = yield* custody(["session", "doctor", ...options], env)
        assert.isTrue(fails)
        assert.notInclude(said, "canary")
        assert.include(said, "CUSTODY_BASE_URL: an address must not hold a user name or password")
      }
    }).pipe(Effect.provide(NodeServices.layer))
  )
})

it.live("a command blames the variable of the host for a bad port before it asks or sends anything", () =>
  Effect.gen(function* () {
    const env = {
      CUSTODY_SUBDOMAIN: "acme",
      CUSTODY_HOST: "custody.example:65536",
      CUSTODY_ENVIRONMENT: "sandbox",
      CUSTODY_SESSION_FILE: `${yield* inDirectory}/session.db`
    }
    const { fails, said } = yield* custody(["call", "clients.create", "externalId=alice", "--yes"], env)
    assert.isTrue(fails)
    assert.include(said, "CUSTODY_HOST: must be a host")
    assert.notInclude(said, "CUSTODY_BASE_URL")
  }).pipe(Effect.provide(NodeServices.layer))
)
